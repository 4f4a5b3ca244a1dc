import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { createOperator } from '../../src/operator/operator.js';
import { appendReceipts } from '../../src/outbox/receipts/log.js';
import { claim, newRow, settledRow, write } from '../outbox/contract/harness.js';
import { storeWithConsole, worldWithConsole } from '../outbox/world.js';
import { betEvent } from '../support/factories.js';
import { BEGAN, byAda, enqueue, idOf, quarantine, quarantineInDoubt, world } from './world.js';

const client = () =>
  createClient({
    environment: 'staging',
    gateways: { staging: { baseUrl: 'https://staging.example.com', apiKey: 'a-key' } },
  });

/** Records reports, with their receipts. */
async function record(store: OutboxStore, references: readonly string[]): Promise<void> {
  await enqueue(store, references);
  for (const row of await claim(store, references.length))
    await write(store, row, { message: 'reported', requestId: `req-${row.reference}` });
}

describe('the overview', () => {
  it('counts reports by state, account and environment, and lists the pauses', async () => {
    const { store, data, clock } = await world();
    await record(store, ['B-1']);
    await quarantine(store, ['B-2']);
    await enqueue(store, ['B-3'], { environment: 'production' });
    clock.advance(5_000);
    await enqueue(store, ['B-4']);
    await store.pause({
      account: 'default',
      environment: 'production',
      version: 0,
      reason: 'authentication',
      message: 'the key was refused',
      strikes: 2,
      forMs: 9_000,
      continues: false,
      repeats: false,
    });
    const overview = await data.overview();
    expect(overview.states).toEqual({
      waiting: 2,
      blocked: 0,
      'in-flight': 0,
      recorded: 1,
      quarantined: 1,
      dismissed: 0,
    });
    expect(overview).toMatchObject({ now: clock.now(), countedAt: clock.now(), oldestOpenAt: BEGAN, missingKeys: [] });
    expect(
      overview.destinations.map(({ environment, states, oldestOpenAt }) => [
        environment,
        states.waiting,
        states.quarantined,
        oldestOpenAt,
      ]),
    ).toEqual([
      ['production', 1, 0, BEGAN],
      ['staging', 1, 1, BEGAN + 5_000],
    ]);
    expect(overview.pauses).toEqual([
      {
        account: 'default',
        environment: 'production',
        operation: null,
        reason: 'authentication',
        message: 'the key was refused',
        triedAt: clock.now(),
        since: clock.now(),
        nextProbeAt: clock.now() + 9_000,
        failedProbes: 2,
        needsPerson: true,
        cause: 'The gateway refuses the API key.',
        action: expect.stringContaining('valid key'),
      },
    ]);
    expect(JSON.parse(JSON.stringify(overview))).toEqual(overview);
  });

  it('ends a pause, and stores the person and the reason', async () => {
    const { store, data } = await world();
    await enqueue(store, ['B-1']);
    await store.pause({
      account: 'default',
      environment: 'staging',
      version: 0,
      reason: 'unavailable',
      message: 'down',
      strikes: 1,
      forMs: 9_000,
      continues: false,
      repeats: false,
    });
    const where = { account: 'default', environment: 'staging' } as const;
    const ada = byAda();
    expect(await data.resume(where, ada)).toMatchObject({
      pauses: [{ isResumed: true }],
      decision: { action: 'resume', who: 'ada', about: where, done: true },
    });
    expect(await data.resume(where, ada)).toMatchObject({ pauses: [] });
    expect((await data.overview()).pauses).toEqual([]);
    expect((await data.decisions()).decisions).toHaveLength(1);
    const others = { ...ada, who: 'bola' };
    await expect(data.resume(where, others)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('the overview says what stops reports', () => {
  it('names an environment whose reports this process would send to another gateway', async () => {
    const { store } = await world();
    await store.bind([{ account: 'default', environment: 'staging', gateway: 'https://old.example.com' }]);
    const { otherGateways } = await createOperator({ over: createOutbox({ client: client(), store }) }).overview();
    expect(otherGateways).toMatchObject([{ account: 'default', environment: 'staging' }]);
    expect(otherGateways[0]?.message).toMatch(
      /go to https:\/\/old\.example\.com.*would send them to https:\/\/staging\.example\.com.*rebind/,
    );
    const bound = (await world()).store;
    await bound.bind([{ account: 'default', environment: 'staging', gateway: 'https://staging.example.com' }]);
    expect(
      (await createOperator({ over: createOutbox({ client: client(), store: bound }) }).overview()).otherGateways,
    ).toEqual([]);
  });

  it('says of each environment when it last recorded a report', async () => {
    const { store, data, clock } = await world();
    await record(store, ['B-1']);
    await appendReceipts(store);
    await enqueue(store, ['B-2'], { environment: 'production' });
    clock.advance(5 * 60_000);
    const minute = Math.floor(BEGAN / 60_000) * 60_000;
    expect(
      (await data.overview()).destinations.map(({ environment, recordedAt }) => [environment, recordedAt]),
    ).toEqual([
      ['production', null],
      ['staging', minute],
    ]);
  });

  it('does not call a damaged log of receipts empty', async () => {
    const { store, data } = await world();
    await record(store, ['B-1']);
    await appendReceipts(store);
    expect(await data.overview()).toMatchObject({ receipts: { count: 1 }, isLogDamaged: false });
    const damaged = {
      ...store,
      receipts: { ...store.receipts, last: async () => ({ index: 0, id: idOf('B-1'), line: '{"hash' }) },
    };
    expect(await createOperator({ over: damaged }).overview()).toMatchObject({ receipts: null, isLogDamaged: true });
  });
});

describe('charts', () => {
  it('show the number of recorded reports in each step, and their times', async () => {
    const { store, data, clock } = await world();
    await enqueue(store, ['B-1', 'B-2', 'B-3']);
    clock.advance(1_500);
    for (const row of await claim(store, 2)) await write(store, row);
    clock.advance(60_000);
    for (const row of await claim(store, 1)) await write(store, row);
    await quarantine(store, ['B-4']);
    // This also writes the receipts.
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [idOf('B-4')] } });
    const { steps, behind } = await data.charts('minutes');
    expect([steps.length, behind]).toEqual([60, 0]);
    expect(steps.slice(-3)).toEqual([
      { start: BEGAN - 60_000, recorded: 0, dismissed: 0, medianMs: null, p95Ms: null },
      { start: BEGAN, recorded: 2, dismissed: 0, medianMs: 2_000, p95Ms: 2_000 },
      { start: BEGAN + 60_000, recorded: 1, dismissed: 1, medianMs: 300_000, p95Ms: 300_000 },
    ]);
    expect((await data.charts('days')).steps.at(-1)).toMatchObject({
      recorded: 3,
      dismissed: 1,
      medianMs: 2_000,
      p95Ms: 300_000,
    });
    expect((await data.overview()).destinations[0]?.states).toMatchObject({ recorded: 3, dismissed: 1 });
    expect((await data.overview()).recordedInLastMinute).toBe(2);
  });
});

describe('search', () => {
  it('finds a report by its reference or its id, with its sibling', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    await store.enqueue([settledRow('B-1')]);
    const found = async (filter: Parameters<typeof data.search>[0]) =>
      (await data.search(filter)).reports.map(({ id }) => id);
    expect(await found({ text: 'B-1' })).toEqual([settledRow('B-1').id, idOf('B-1')]);
    expect(await found({ text: 'B-1', state: 'quarantined' })).toEqual([idOf('B-1')]);
    expect(await found({ text: idOf('B-2') })).toEqual([idOf('B-2')]);
    expect(await found({ state: 'blocked' })).toEqual([settledRow('B-1').id]);
    expect(await found({ state: 'waiting' })).toEqual([]);
    expect(await found({ text: 'never' })).toEqual([]);
    const [group] = (await data.groups()).groups;
    const page = await data.search({ ...(group && { group }), limit: 1 });
    expect(page.reports.map(({ id }) => id)).toEqual([idOf('B-1')]);
    expect(
      (await data.search({ ...(group && { group }), limit: 1 }, page.next ?? '')).reports.map(({ id }) => id),
    ).toEqual([idOf('B-2')]);
  });

  it('returns pages that do not move when reports are enqueued', async () => {
    const { store, data } = await world();
    await enqueue(store, ['B-1', 'B-2', 'B-3', 'B-4']);
    const first = await data.search({ limit: 2 });
    await enqueue(store, ['B-5']);
    const second = await data.search({ limit: 2 }, first.next ?? '');
    expect([...first.reports, ...second.reports].map(({ reference }) => reference)).toEqual([
      'B-4',
      'B-3',
      'B-2',
      'B-1',
    ]);
    expect(second.next).toBeNull();
  });
});

describe('one report', () => {
  it('shows its timeline and its possible decisions, with the command lines', async () => {
    const { store, data, clock } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    clock.advance(1_000);
    const life = await data.report(idOf('B-1'));
    expect(life).toMatchObject({
      state: 'quarantined',
      means: 'It is not sent until a person decides.',
      sibling: { id: settledRow('B-1').id, state: 'blocked' },
      body: { kept: true, keyId: null },
    });
    expect(life?.timeline).toMatchObject([
      { kind: 'enqueued', at: BEGAN },
      { kind: 'attempt', at: BEGAN, problem: { code: 'unprocessable', status: 422, requestId: 'req-B-1' } },
      { kind: 'quarantined', at: BEGAN },
    ]);
    expect(life?.actions).toEqual([
      {
        action: 'retry',
        command: `location-sdk outbox bets.db retry ${idOf('B-1')} --reason "…"`,
        decision: null,
        warning: null,
      },
      {
        action: 'dismissed',
        command: `location-sdk outbox bets.db resolve ${idOf('B-1')} --as dismissed --reason "…"`,
        decision: null,
        warning: `Its settlement ${settledRow('B-1').id} is then sent.`,
      },
      {
        action: 'replaced',
        command: `location-sdk outbox bets.db replace ${idOf('B-1')} corrected.json --reason "…"`,
        decision: null,
        warning: null,
      },
    ]);
    const { decision } = await data.decide({ ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } });
    const retried = await data.report(idOf('B-1'));
    expect(retried?.actions.map(({ action }) => action)).toEqual(['retry', 'replaced', 'undo']);
    expect(retried?.timeline).toMatchObject([
      { kind: 'enqueued' },
      { kind: 'attempt', problem: { requestId: 'req-B-1' } },
      { kind: 'decided', who: 'ada', decision: decision.id, undone: null },
    ]);
    const [row] = await claim(store, 1);
    if (row) await write(store, row, { message: 'reported', requestId: 'req-2', decisions: row.decisions });
    expect(JSON.stringify(await data.report(idOf('B-1')))).not.toContain('"bet_id"');
  });

  it('contains the receipt of a final report', async () => {
    const { store, data, clock } = await world();
    for (const reference of ['B-1', 'B-2', 'B-3']) {
      await record(store, [reference]);
      clock.advance(60_000);
    }
    await quarantineInDoubt(store, ['B-4']);
    await data.decide({ ...byAda(), action: 'recorded', selection: { ids: [idOf('B-4')] } });
    const [, line] = await store.receipts.read(0, 2);
    const life = await data.report(idOf('B-2'));
    expect(life?.timeline).toMatchObject([
      { kind: 'enqueued', at: BEGAN + 60_000 },
      { kind: 'ended', state: 'recorded', requestId: 'req-B-2' },
      { kind: 'receipt', index: 1, hash: JSON.parse(line?.line ?? '{}').hash },
    ]);
    expect(life?.actions).toEqual([]);
    expect(await data.report('default:staging:reportBetEvent:never')).toBeUndefined();
  });

  it('escapes characters that change the direction of text', async () => {
    const { store, data } = await world();
    const reference = 'B-\u202e1';
    await quarantine(store, [reference]);
    const { reports } = await data.search({});
    expect(reports[0]?.id).toBe('default:staging:reportBetEvent:B-\\u202e1');
    expect((await data.report(idOf(reference)))?.reference).toBe('B-\\u202e1');
    const said = { who: 'a\u202eb', reason: 'why\u0007' };
    const selection = { ids: [idOf(reference)] };
    const { decision } = await data.decide({ ...byAda(), ...said, action: 'retry', selection });
    expect([decision.who, decision.reason]).toEqual(['a\\u202eb', 'why\\u0007']);
    expect([decision.touched, decision.about]).toEqual([1, { ids: [reports[0]?.id] }]);
  });
});

describe('a body', () => {
  const ada = byAda();

  it('is returned to a person who gives a reason, which is stored first', async () => {
    const { store, data } = await world();
    await enqueue(store, ['B-1']);
    expect(await data.body(idOf('B-1'), ada)).toMatchObject({
      id: idOf('B-1'),
      body: newRow('B-1').body,
      decision: { action: 'body', who: 'ada' },
    });
    // Under the same id, too, each reading has a line of its own.
    await data.body(idOf('B-1'), ada);
    const reading = { action: 'body', who: 'ada', about: { ids: [idOf('B-1')] }, done: true };
    expect((await data.decisions()).decisions).toMatchObject([reading, reading]);
  });

  it('is refused if it was deleted, if its key is missing, or if the report does not exist', async () => {
    const { store, data } = await world();
    await record(store, ['B-1']);
    await expect(data.body(idOf('B-1'), ada)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('was deleted'),
    });
    await expect(data.body('default:staging:reportBetEvent:never', ada)).rejects.toMatchObject({ code: 'not-found' });
    await store.enqueue([newRow('B-2', { body: 'sealed1.key-7.aaaaaaaa.AAAA.AAAA' })]);
    await expect(data.body(idOf('B-2'), ada)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('key-7'),
    });
  });
});

describe('over', () => {
  it('an outbox shows only its accounts and calls its listeners', async () => {
    const store = await storeWithConsole();
    await quarantine(store, ['B-1']);
    await enqueue(store, ['B-9'], { account: 'brand' });
    const outbox = createOutbox({ client: client(), store });
    const heard: string[] = [];
    outbox.on('decided', ({ id, action }) => heard.push(`${action} ${id}`));
    const data = createOperator({ over: outbox });
    expect(data.accounts).toEqual(['default']);
    expect((await data.search({})).reports.map(({ id }) => id)).toEqual([idOf('B-1')]);
    expect(await data.report(newRow('B-9', { account: 'brand' }).id)).toBeUndefined();
    await data.decide({ ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } });
    expect(heard).toEqual([`retry ${idOf('B-1')}`]);
  });

  it('an outbox, wakes its worker, which sends at once', async () => {
    const { gateway, outbox, run, store } = await worldWithConsole({ outbox: { pollMs: 3_600_000 } });
    gateway.faults.add({ kind: 'status', status: 422 });
    await run(outbox.reportBetEvent(betEvent({ bet_id: 'B-1' })));
    await run(outbox.drain());
    outbox.start();
    const [report] = (await createOperator({ over: outbox }).search({ state: 'quarantined' })).reports;
    await run(
      createOperator({ over: outbox }).decide({
        ...byAda(),
        action: 'retry',
        selection: { ids: [report?.id ?? ''] },
      }),
    );
    await expect.poll(() => gateway.reports().length).toBe(1);
    await run(outbox.stop());
    expect((await store.counts()).states).toMatchObject({ recorded: 1, quarantined: 0 });
  });

  it('an outbox, shows and takes back decisions about its accounts alone', async () => {
    const store = await storeWithConsole();
    const brand = { account: 'brand' };
    await quarantine(store, ['B-1']);
    await enqueue(store, ['B-9'], brand);
    const [mine, theirs] = [idOf('B-1'), newRow('B-9', brand).id];
    const everything = createOperator({ over: store });
    const data = createOperator({ over: createOutbox({ client: client(), store }) });
    const { decision: both } = await everything.decide({
      ...byAda(),
      action: 'retry',
      selection: { ids: [theirs, mine] },
    });
    const { decision: other } = await everything.decide({ ...byAda(), action: 'retry', selection: { ids: [theirs] } });
    await everything.undo({ ...byAda(), of: other.id });
    const { decision: again } = await everything.decide({ ...byAda(), action: 'retry', selection: { ids: [theirs] } });
    const group = { environment: 'staging', code: 'unprocessable', words: 'x' } as const;
    await everything.decide({ ...byAda(), action: 'retry', selection: { group: { ...group, account: 'brand' } } });
    const { decision: own } = await data.decide({
      ...byAda(),
      action: 'retry',
      selection: { group: { ...group, account: 'default' } },
    });
    const { decision: undone } = await data.undo({ ...byAda(), of: own.id });
    for (let reads = 0; reads < 60; reads += 1) await everything.body(theirs, byAda());
    await everything.resume({ account: 'brand', environment: 'staging' }, byAda());
    const { decision: resumed } = await data.resume({ account: 'default', environment: 'staging' }, byAda());

    const { decisions, next } = await data.decisions();
    expect(decisions.map(({ id }) => id)).toEqual([resumed.id, undone.id, own.id, both.id]);
    expect([decisions.at(-1)?.about, next]).toEqual([{ ids: [mine] }, null]);
    expect((await everything.decisions()).next).not.toBeNull();
    await expect(data.undo({ ...byAda(), of: again.id })).rejects.toMatchObject({ code: 'not-found' });
    expect((await store.operator?.decision(again.id))?.undoneBy).toBeUndefined();
  });

  it('a store that keeps no decisions is refused', () => {
    const { operator: _operator, ...store } = memoryStore();
    expect(() => createOperator({ over: store })).toThrow(
      'outbox: its store keeps no decisions, so the console was not made. Use sqliteStore or postgresStore.',
    );
  });

  it('any other value is refused', () => {
    expect(() => createOperator({ over: {} })).toThrow(
      'outbox: expected what createOutbox of location-sdk/outbox returned',
    );
  });
});

describe('the proof', () => {
  it('is verified with progress, and damage is found', async () => {
    const { store, data } = await world();
    await record(
      store,
      Array.from({ length: 40 }, (_, index) => `B-${index}`),
    );
    await quarantineInDoubt(store, ['C-1']);
    await data.decide({ ...byAda(), action: 'recorded', selection: { ids: [idOf('C-1')] } });
    expect((await data.overview()).receipts).toMatchObject({ count: 41 });
    const steps = [];
    for await (const step of data.proof.verify()) steps.push(step);
    expect(steps.at(-1)).toMatchObject({ kind: 'verdict', verdict: { valid: true, count: 41 } });
    for await (const step of data.proof.verify('0'.repeat(63)))
      expect(step).toMatchObject({ kind: 'verdict', verdict: { valid: false } });
  });

  it('is compared with a list', async () => {
    const { store, data } = await world();
    await record(store, ['B-1']);
    const found = [];
    for await (const one of data.proof.reconcile('default', ['B-1', 'B-2'], {
      operation: 'reportBetEvent',
      environment: 'staging',
    }))
      found.push(one.state);
    expect(found).toEqual(['recorded', 'never-seen']);
  });
});
