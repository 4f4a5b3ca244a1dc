import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore, type OutboxStore, type ReceiptEntry, verifyReceipts } from '../../../src/entries/outbox.js';
import { createOperator } from '../../../src/operator/operator.js';
import { linkRows, type ReceiptHead } from '../../../src/outbox/rules/receipt-entry.js';
import type { Decision, Row } from '../../../src/outbox/rules/state-machine.js';
import { betEvent } from '../../support/factories.js';
import { collect } from '../collect.js';
import { leaksIn, personalBet } from '../personal.js';
import { copyOf, newFile, openStore } from '../stores/sqlite/files.js';
import { outboxWorld, worldWithConsole } from '../world.js';

const textOf = async (lines: AsyncIterable<string>) => (await collect(lines)).join('');
const entriesOf = (text: string): ReceiptEntry[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function recorded(count: number, store?: OutboxStore) {
  const world = outboxWorld({ ...(store && { store }) });
  for (let index = 0; index < count; index += 1) await world.outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
  await world.run(world.outbox.drain());
  return world;
}

describe('the receipt log', () => {
  it('has a linked entry for each recorded report', async () => {
    const { outbox } = await recorded(3);
    const text = await textOf(outbox.exportReceipts());
    const entries = entriesOf(text);
    expect(entries.map(({ index, outcome }) => [index, outcome])).toEqual(
      [0, 1, 2].map((index) => [index, 'recorded']),
    );
    expect(entries.map(({ reference }) => reference).sort()).toEqual(['B-0', 'B-1', 'B-2']);
    expect(entries.map(({ previous }) => previous)).toEqual(['0'.repeat(64), entries[0]?.hash, entries[1]?.hash]);
    expect(entries[0]).toMatchObject({
      version: 1,
      environment: 'staging',
      operation: 'reportBetEvent',
      attempts: 1,
      endedAt: expect.stringMatching(/^2026-.*Z$/),
    });
    expect(await outbox.receiptHead()).toEqual({ count: 3, hash: entries[2]?.hash });
    expect(await verifyReceipts(text)).toEqual({
      valid: true,
      count: 3,
      head: await outbox.receiptHead(),
      afterHead: undefined,
      break: undefined,
    });
  });

  it('distinguishes a first answer of the gateway from a duplicate after a lost answer', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'connection-reset', when: 'after', reference: 'B-lost' });
    for (const bet_id of ['B-lost', 'B-told']) await outbox.reportBetEvent(betEvent({ bet_id }));
    await run(outbox.drain());
    const outcomes = entriesOf(await textOf(outbox.exportReceipts())).map(
      ({ reference, outcome }) => `${reference} ${outcome}`,
    );
    expect(outcomes.sort()).toEqual(['B-lost already-recorded', 'B-told recorded']);
  });

  it('contains a retry that was undone, and who undid it and why', async () => {
    const { outbox, gateway, store, run } = await worldWithConsole();
    gateway.faults.add({ kind: 'status', status: 422 });
    const { id } = await outbox.reportBetEvent(betEvent());
    await run(outbox.drain());
    const data = createOperator({ over: store, command: 'location-sdk outbox bets.db' });
    const retried = await data.decide({
      decision: 'decision-0001-of-test',
      who: 'ada',
      reason: 'they mended it',
      action: 'retry',
      selection: { ids: [id] },
    });
    await data.undo({
      decision: 'decision-0002-of-test',
      who: 'bola',
      reason: 'they did not',
      of: retried.decision.id,
    });
    await outbox.resolve(id, { as: 'dismissed', reason: 'a test bet' });
    const text = await textOf(outbox.exportReceipts());
    expect(entriesOf(text)[0]).toMatchObject({
      outcome: 'dismissed',
      decisions: [
        {
          action: 'retry',
          by: 'ada',
          reason: 'they mended it',
          undone: { by: 'bola', reason: 'they did not', at: expect.stringMatching(/Z$/) },
        },
        { action: 'dismissed', reason: 'a test bet' },
      ],
    });
    expect(await verifyReceipts(text)).toMatchObject({ valid: true, count: 1 });
  });

  it('can be verified with only a hash function', async () => {
    const { outbox } = await recorded(2);
    let previous = '0'.repeat(64);
    for (const entry of entriesOf(await textOf(outbox.exportReceipts()))) {
      const { hash, ...rest } = entry;
      // Names are sorted, and no value is nested here.
      expect(createHash('sha256').update(JSON.stringify(rest)).digest('hex')).toBe(hash);
      expect(entry.previous).toBe(previous);
      previous = hash;
    }
  });

  it('grows by itself soon after reports end, and emits its head', async () => {
    const { outbox, store, run, clock } = outboxWorld();
    const heads: ReceiptHead[] = [];
    outbox.on('logged', (head) => heads.push(head));
    outbox.start();
    const { done } = await outbox.reportBetEvent(betEvent());
    await run(done);
    await run(new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 1_000)));
    expect(heads).toEqual([await outbox.receiptHead()]);
    expect(await store.receipts.unlogged(10)).toEqual([]);
    await run(outbox.stop());
  });

  it('says that the database went back if it lost receipts of this process, with the head to verify, and once', async () => {
    const file = newFile();
    let current = await openStore(file);
    const store = new Proxy(current, { get: (_, name: keyof OutboxStore) => current[name] });
    const { outbox, run, events } = await recorded(2, store);
    const report = async (name: string) => {
      await outbox.reportBetEvent(betEvent({ bet_id: name }));
      await run(outbox.drain());
      await collect(outbox.exportReceipts());
    };
    await report('B-2');
    const copy = copyOf(file);
    for (const name of ['L-1', 'L-2', 'L-3']) await report(name);
    const head = await outbox.receiptHead();
    await current.close?.();
    current = await openStore(copy);
    const wentBack = () =>
      events.filter(([type, event]) => type === 'error' && 'code' in event && event.code === 'went-back');
    await report('B-3');
    expect(wentBack()).toMatchObject([
      [
        'error',
        { message: expect.stringContaining(`It has 3 receipts, and had ${head?.count} with the head ${head?.hash}.`) },
      ],
    ]);
    expect(await createOperator({ over: current }).overview()).toMatchObject({ wentBackAt: expect.any(Number) });
    await report('B-4');
    expect(wentBack()).toHaveLength(1);
    await current.close?.();
  });

  it('adds the lines that the last process could not add', async () => {
    const store = memoryStore();
    const forgetful = {
      ...store,
      receipts: { ...store.receipts, append: async () => Promise.reject(new Error('killed')) },
    };
    const world = await recorded(2, forgetful);
    expect(world.names()).toContain('error');
    expect(await store.receipts.last()).toBeUndefined();
    const next = outboxWorld({ store });
    next.outbox.start();
    await next.run(next.outbox.stop());
    expect(await next.outbox.receiptHead()).toMatchObject({ count: 2 });
  });

  it('gets the last lines after a short failure of the store, although no other report ends', async () => {
    const store = memoryStore();
    let isDown = true;
    const append: typeof store.receipts.append = (lines) =>
      isDown ? Promise.reject(new Error('down')) : store.receipts.append(lines);
    const { outbox, run, clock } = outboxWorld({ store: { ...store, receipts: { ...store.receipts, append } } });
    outbox.start();
    const failed = new Promise((resolve) => outbox.on('error', resolve));
    await outbox.reportBetEvent(betEvent());
    await run(failed);
    isDown = false;
    await clock.pass(11_000);
    expect(await outbox.receiptHead()).toMatchObject({ count: 1 });
    await run(outbox.stop());
  });

  it.each([
    [
      'throws',
      (): unknown => {
        throw new Error('the disk is full');
      },
    ],
    ['rejects', (): unknown => Promise.reject(new Error('the disk is full'))],
  ])('an onReceipt that %s stops no report, and is told once until it works again', async (_, fail) => {
    let isBroken = true;
    const error = vi.fn();
    const { outbox, run } = outboxWorld({
      outbox: { onReceipt: () => (isBroken ? fail() : undefined) },
      client: { logger: { error } },
    });
    const record = async (bet_id: string) => {
      await outbox.reportBetEvent(betEvent({ bet_id }));
      await run(outbox.drain());
    };
    for (const name of ['B-1', 'B-2']) await record(name);
    const told = [
      'onReceipt failed. Its lines are lost until it works again; after a failover reconcile cannot find their reports.',
    ];
    expect(error.mock.calls).toEqual([told]);
    isBroken = false;
    await record('B-3');
    isBroken = true;
    await record('B-4');
    expect(error.mock.calls).toEqual([told, told]);
    expect(await outbox.stats()).toMatchObject({ states: { recorded: 4 } });
  });

  it("contains people's decisions with their reasons, and distinguishes them from answers of the gateway", async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 409, times: null });
    for (const bet_id of ['B-1', 'B-2', 'B-3']) await outbox.reportBetEvent(betEvent({ bet_id }));
    await run(outbox.drain());
    await outbox.resolve('default:staging:reportBetEvent:B-1', { as: 'recorded', reason: 'seen in their portal' });
    await outbox.resolve('default:staging:reportBetEvent:B-2', { as: 'dismissed', reason: 'a test bet' });
    gateway.faults.clear();
    await outbox.retry('default:staging:reportBetEvent:B-3', { reason: 'they mended it' });
    await run(outbox.drain());
    const text = await textOf(outbox.exportReceipts());
    expect(
      entriesOf(text).map(({ outcome, decisions }) => [
        outcome,
        decisions?.map(({ action, reason }) => [action, reason]),
      ]),
    ).toEqual([
      ['declared-recorded', [['recorded', 'seen in their portal']]],
      ['dismissed', [['dismissed', 'a test bet']]],
      ['recorded', [['retry', 'they mended it']]],
    ]);
    expect(await verifyReceipts(text)).toMatchObject({ valid: true });
  });

  it('contains no personal data', async () => {
    const { outbox, run } = outboxWorld();
    await outbox.reportBetEvent(personalBet('B-1'));
    await run(outbox.drain());
    expect(leaksIn(await textOf(outbox.exportReceipts()))).toEqual([]);
  });

  it('stays one chain when several outboxes write at the same time', async () => {
    const file = newFile();
    const stores = await Promise.all([openStore(file), openStore(file), openStore(file)]);
    const [first] = stores;
    const world = outboxWorld({ ...(first && { store: first }) });
    const all = stores.map((store) => world.make({ store }));
    for (let index = 0; index < 60; index += 1) await world.outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    await world.run(Promise.all(all.map((outbox) => outbox.drain())));
    const texts = await Promise.all(all.map((outbox) => textOf(outbox.exportReceipts())));
    expect(new Set(texts).size).toBe(1);
    expect(await verifyReceipts(texts[0] ?? '')).toMatchObject({ valid: true, count: 60 });
    expect(new Set(entriesOf(texts[0] ?? '').map(({ reference }) => reference)).size).toBe(60);
    await Promise.all(stores.map((store) => store.close?.()));
  });

  it('is exported from a given index, up to its end at that time', async () => {
    const { outbox } = await recorded(640);
    const lines = outbox.exportReceipts({ from: 600 });
    expect(entriesOf(await textOf(lines)).map(({ index }) => index)).toEqual(
      Array.from({ length: 40 }, (_, index) => 600 + index),
    );
  });

  it('does not stop reports when its last line is damaged, and emits an error', async () => {
    const store = memoryStore();
    const { outbox, run, events } = await recorded(1, {
      ...store,
      receipts: { ...store.receipts, last: async () => ({ index: 0, id: 'x', line: '{"ha' }) },
    });
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-9' }));
    expect(await run(outbox.drain())).toMatchObject({ drained: true });
    expect(
      events.some(
        ([type, event]) => type === 'error' && String((event as { cause: unknown }).cause).includes('damaged'),
      ),
    ).toBe(true);
  });
});

/** A log with this number of entries. */
async function logOf(count: number): Promise<string[]> {
  const store = memoryStore();
  const { outbox } = await recorded(count, store);
  const text = await textOf(outbox.exportReceipts());
  return text.trimEnd().split('\n');
}

describe('verifyReceipts', async () => {
  const lines = await logOf(12);
  const text = `${lines.join('\n')}\n`;
  const hashes = lines.map((line) => (JSON.parse(line) as ReceiptEntry).hash);
  const replaced = (place: number, line: string) => lines.map((old, index) => (index === place ? line : old));
  const verdictOf = (changed: readonly string[]) => verifyReceipts(`${changed.join('\n')}\n`);
  const at = fc.nat({ max: lines.length - 1 });

  it('finds any entry that was removed, except at the end', async () => {
    for (let gone = 0; gone < lines.length - 1; gone += 1)
      expect(await verdictOf(lines.filter((_, index) => index !== gone))).toMatchObject({
        valid: false,
        count: gone,
        break: { kind: 'unlinked', line: gone + 1 },
      });
  });

  it('finds entries that are missing at the end only with a stored head', async () => {
    const cut = lines.slice(0, 9);
    expect(await verdictOf(cut)).toMatchObject({ valid: true, count: 9 });
    const head = hashes.at(-1) ?? '';
    expect(await verifyReceipts(cut.join('\n'), { head })).toMatchObject({
      valid: false,
      count: 9,
      break: { kind: 'head' },
    });
    expect(await verifyReceipts(cut.join('\n'), { head: { count: 12, hash: head } })).toMatchObject({
      break: {
        kind: 'head',
        message: expect.stringContaining('ends after 9 entries; the head that was noted is that of 12'),
      },
    });
    expect(await verifyReceipts('', { head })).toMatchObject({ valid: false, break: { kind: 'head' } });
  });

  it('counts the entries after an older head', async () => {
    expect(await verifyReceipts(text, { head: hashes[9] ?? '' })).toMatchObject({
      valid: true,
      count: 12,
      afterHead: 2,
    });
    expect(await verifyReceipts(text, { head: { count: 12, hash: hashes[11] ?? '' } })).toMatchObject({
      valid: true,
      afterHead: 0,
    });
  });

  it('finds a completely rewritten log only with a stored head', async () => {
    const entries = lines.map((line) => JSON.parse(line) as ReceiptEntry);
    const rows = entries.map(
      (entry) =>
        ({ ...entry, state: 'recorded', outcome: 'recorded', enqueuedAt: 1, changedAt: 2, decisions: [] }) as never,
    );
    const forged = (await linkRows(rows, undefined)).lines.map(({ line }) => line);
    expect(await verdictOf(forged)).toMatchObject({ valid: true });
    expect(await verifyReceipts(forged.join('\n'), { head: hashes[3] ?? '' })).toMatchObject({
      valid: false,
      break: { kind: 'head' },
    });
  });

  it('finds any character that was changed, removed or added', async () => {
    const edit = fc.record({
      place: fc.nat({ max: text.length - 2 }),
      removed: fc.nat({ max: 2 }),
      added: fc.string({ maxLength: 3, unit: 'grapheme' }),
    });
    await fc.assert(
      fc.asyncProperty(edit, async ({ place, removed, added }) => {
        const changed = text.slice(0, place) + added + text.slice(place + removed);
        fc.pre(changed.trimEnd() !== text.trimEnd());
        // With the head, since an edit may remove the end.
        expect((await verifyReceipts(changed, { head: hashes.at(-1) })).valid).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('finds entries that were swapped, doubled or moved', async () => {
    await fc.assert(
      fc.asyncProperty(at, at, fc.constantFrom('swap', 'double', 'move'), async (one, other, how) => {
        fc.pre(one !== other || how === 'double');
        const changed = [...lines];
        if (how === 'swap') [changed[one], changed[other]] = [lines[other] ?? '', lines[one] ?? ''];
        if (how === 'double') changed.splice(other, 0, lines[one] ?? '');
        if (how === 'move') changed.splice(other, 0, ...changed.splice(one, 1));
        expect((await verdictOf(changed)).valid).toBe(false);
      }),
    );
  });

  it('finds a changed field, even if its hash was recomputed', async () => {
    const entry = JSON.parse(lines[4] ?? '') as ReceiptEntry;
    const { hash: _, ...rest } = { ...entry, reference: 'B-forged' };
    const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex');
    const sorted = JSON.stringify(
      Object.fromEntries(Object.entries({ ...rest, hash }).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    expect(await verdictOf(replaced(4, sorted))).toMatchObject({
      valid: false,
      count: 5,
      break: { kind: 'unlinked', line: 6 },
    });
    expect(await verdictOf(replaced(4, (lines[4] ?? '').replace(entry.reference, 'B-x')))).toMatchObject({
      count: 4,
      break: { kind: 'changed', line: 5 },
    });
  });

  describe('of a report that was dismissed', async () => {
    const [row] = await (await recorded(1)).store.list({ limit: 1 });
    if (!row) throw new Error('expected a row');
    const decided = (...actions: Decision['action'][]) => actions.map((action, at) => ({ action, reason: 'x', at }));
    const ended = (state: 'dismissed' | 'recorded', ...actions: Decision['action'][]): Row => ({
      ...row,
      state,
      decisions: decided(...actions),
    });
    const verdictOfRows = async (...rows: readonly Row[]) =>
      verdictOf((await linkRows(rows, undefined)).lines.map(({ line }) => line));

    it('accepts one further entry for each time that it was reopened', async () => {
      expect(
        await verdictOfRows(
          ended('dismissed', 'dismissed'),
          ended('dismissed', 'dismissed', 'reopened', 'retry', 'dismissed'),
          ended('recorded', 'dismissed', 'reopened', 'retry', 'dismissed', 'replaced'),
        ),
      ).toMatchObject({ valid: true, count: 3 });
    });

    it('accepts the entry of a report that a scheduled command has retried each minute for two weeks', async () => {
      const retry = { action: 'retry', reason: 'retried by the schedule', at: 1, by: 'deploy (command line)' } as const;
      const row = { ...ended('recorded'), decisions: Array(20_000).fill(retry) };
      const { lines: own } = await linkRows([row], undefined);
      // As the stream of a file has it.
      const pieces = `${own[0]?.line}\n`.match(/.{1,65536}|\n/g) ?? [];
      expect(await verifyReceipts(pieces)).toMatchObject({ valid: true, count: 1 });
    });

    it.each([
      ['a second entry without a reopening', [ended('dismissed', 'dismissed'), ended('recorded')]],
      ['a second entry of the same end', [ended('dismissed', 'dismissed'), ended('dismissed', 'dismissed')]],
      ['a decision after the dismissal', [ended('dismissed', 'dismissed'), ended('recorded', 'dismissed', 'retry')]],
      [
        'a third entry after it was recorded',
        [
          ended('dismissed', 'dismissed'),
          ended('recorded', 'dismissed', 'reopened', 'retry'),
          ended('recorded', 'dismissed', 'reopened', 'retry'),
        ],
      ],
      ['a reopening without the entry before it', [ended('recorded', 'dismissed', 'reopened', 'retry')]],
    ] as const)('finds %s', async (_, rows) => {
      expect(await verdictOfRows(...rows)).toMatchObject({
        valid: false,
        count: rows.length - 1,
        break: { kind: 'unlinked', line: rows.length },
      });
    });
  });

  it('reads text, bytes and pieces of any size alike', async () => {
    const bytes = new TextEncoder().encode(text);
    const expected = { valid: true, count: 12 };
    for (const given of [text, text.trimEnd(), lines.map((line) => `${line}\n`), [bytes]])
      expect(await verifyReceipts(given)).toMatchObject(expected);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1 }),
        fc.boolean(),
        async (sizes, asBytes) => {
          async function* pieces() {
            for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
              const size = sizes[turn % sizes.length] ?? 1;
              yield asBytes ? bytes.slice(from, from + size) : text.slice(from, from + size);
              from += size;
            }
          }
          expect(await verifyReceipts(pieces())).toMatchObject(expected);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('accepts an empty log', async () => {
    expect(await verifyReceipts('')).toEqual({
      valid: true,
      count: 0,
      head: undefined,
      afterHead: undefined,
      break: undefined,
    });
  });

  it.each([
    ['not JSON', 'hello\n'],
    ['a list', '[]\n'],
    ['an entry of another version', '{"version":2}\n'],
    ['an empty line', '\n'],
    ['a line without an end', 'x'.repeat(10_100_000)],
    ['nested too deep', `${'['.repeat(200_000)}\n`],
  ])('names the first line that is not of a log: %s', async (_, given) => {
    expect(await verifyReceipts([given])).toMatchObject({
      valid: false,
      count: 0,
      break: { kind: 'unreadable', line: 1 },
    });
  });
});
