import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import { createOutboxEvents } from '../../../src/outbox/events.js';
import { type Change, claimed, type Row, unchanged, writeOf } from '../../../src/outbox/rules/state-machine.js';
import type { Finished } from '../../../src/outbox/sending/plan.js';
import {
  announceWentBack,
  keptInDoubt,
  markInDoubtAfterRestore,
} from '../../../src/outbox/sending/restored-database.js';
import type { NewRow, Turn } from '../../../src/outbox/store/store.js';
import { betEvent, LOCATION, outboxRow } from '../../support/factories.js';
import { FakeClock } from '../../support/fake-clock.js';
import { http, rawGateway } from '../../support/raw-gateway.js';
import { outboxWorld } from '../world.js';

/**
 * A database with an asynchronous standby that does not have the latest commits when it takes over, or not even the
 * reports.
 */
function withStandby(now?: () => number) {
  const make = () => memoryStore(now ? { now } : {});
  const first = make();
  let current = first;
  const enqueued: NewRow[] = [];
  const store: OutboxStore = {
    ...first,
    enqueue: async (rows) => {
      enqueued.push(...rows);
      return current.enqueue(rows);
    },
    turn: (turn) => current.turn(turn),
    outlook: () => current.outlook(),
    pause: (change) => current.pause(change),
    get: (ids) => current.get(ids),
    list: (query) => current.list(query),
    counts: () => current.counts(),
    receipts: {
      unlogged: (limit) => current.receipts.unlogged(limit),
      append: (lines) => current.receipts.append(lines),
      read: (from, limit) => current.receipts.read(from, limit),
      last: () => current.receipts.last(),
    },
  };
  return {
    store,
    async takeOver(knows: 'the reports' | 'nothing'): Promise<void> {
      const standby = make();
      if (knows === 'the reports') await standby.enqueue(enqueued);
      current = standby;
    },
  };
}

/**
 * A gateway that records each report at once, answers when it is told to, and answers every repetition with a
 * duplicate.
 */
async function slowGateway() {
  const held = new Set<string>();
  let answer = () => {};
  const gateway = await rawGateway(({ body }, _, socket) => {
    const { bet_id: id } = JSON.parse(body) as { bet_id: string };
    const wasHeld = held.has(id);
    held.add(id);
    if (wasHeld) return http('409 Conflict', '{"message":"This bet has already been reported","statusCode":409}');
    const before = answer;
    answer = () => {
      before();
      socket.write(http('200 OK', '{"message":"Bet reported"}'));
    };
    return undefined;
  });
  return { ...gateway, held, answerAll: () => answer() };
}

async function failover(knows: 'the reports' | 'nothing') {
  const gateway = await slowGateway();
  const { store, takeOver } = withStandby();
  const client = createClient({
    gateways: { staging: { baseUrl: gateway.baseUrl, apiKey: 'key' } },
    environment: 'staging',
    logger: { warn: () => {} },
  });
  const outbox = createOutbox({ client, store, pollMs: 20, breakerAfter: 100 });
  const errors: string[] = [];
  outbox.on('error', ({ message }) => errors.push(message));
  const reports = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      outbox.reportBetEvent(betEvent({ bet_id: `BET-${index}` }), { location: LOCATION }),
    ),
  );
  const done = Promise.allSettled(reports.map((report) => report.done));
  outbox.start();
  while (gateway.held.size < 6) await new Promise((resolve) => setTimeout(resolve, 5));
  await takeOver(knows);
  gateway.answerAll();
  const results = await done;
  const list = await outbox.list();
  await outbox.stop();
  await gateway.close();
  return { results, list, errors };
}

describe('a standby that takes over without the latest receipts', () => {
  it('has its waiting reports in doubt, so that duplicates count as recorded, and a refused one can be corrected', async () => {
    const clock = new FakeClock();
    const { store, takeOver } = withStandby(clock.now);
    const { outbox, gateway, run, events } = outboxWorld({ store, clock });
    const wrong = 'B-wrong';
    for (let index = 0; index < 60; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
    await run(outbox.drain());
    await outbox.receiptHead();
    for await (const _ of outbox.exportReceipts());
    await takeOver('the reports');
    gateway.faults.add({ kind: 'status', status: 422, reference: wrong });
    await outbox.reportBetEvent(betEvent({ bet_id: wrong }));
    outbox.start();
    await run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 10 * 60_000)));
    await run(outbox.stop());
    const { states } = await outbox.stats();
    // Those that were sent before a worker knew of it are quarantined, as for any other sender's reports.
    const duplicates = (await outbox.list({ state: 'quarantined' })).filter(
      ({ problem }) => problem?.code === 'duplicate',
    );
    expect(duplicates.length).toBeLessThan(12);
    expect(states).toMatchObject({ waiting: 0, recorded: 60 - duplicates.length, quarantined: duplicates.length + 1 });
    expect(gateway.reports()).toHaveLength(60);
    expect(events.filter(([type, event]) => type === 'error' && 'code' in event && event.code)).toHaveLength(1);
  });
});

describe('a standby that takes over while reports are under way', () => {
  it('without their attempts: recorded reports are recorded, and do not count as duplicates', async () => {
    const { results, list, errors } = await failover('the reports');
    for (const result of results)
      expect(result).toMatchObject({ status: 'fulfilled', value: { outcome: expect.stringMatching(/recorded$/) } });
    expect(errors.join()).toMatch(/holds an older state.*default:staging:reportBetEvent:BET-\d/);
    expect(list.map(({ state }) => state).filter((state) => state === 'quarantined')).toEqual([]);
  });

  it('without the reports: the gateway gives the receipt, and an error names them', async () => {
    const { results, errors } = await failover('nothing');
    for (const result of results) expect(result).toMatchObject({ status: 'fulfilled', value: { outcome: 'recorded' } });
    expect(errors.join()).toMatch(/holds an older state.*BET-5/);
  });
});

describe('an acknowledged report that is lost', () => {
  it('ends as unknown, with the possible causes', async () => {
    const { outbox, run, store } = outboxWorld();
    const { done } = await outbox.reportBetEvent(betEvent());
    store.get = async (ids) => ids.map(() => undefined);
    await expect(run(done)).rejects.toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      message: expect.stringMatching(/restored from a backup.*gateway may hold it/),
    });
  });

  it.each([
    ['if no transaction of the user can still commit it', false],
    ['once it was seen in a store with transactions', true],
  ])('ends within seconds, %s', async (_, transactional) => {
    const { outbox, run, store, clock } = outboxWorld({ store: { ...memoryStore(), transactional } });
    const { done } = await outbox.reportBetEvent(betEvent());
    done.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    store.get = async (ids) => ids.map(() => undefined);
    const began = clock.now();
    await expect(run(done)).rejects.toMatchObject({ code: 'aborted', outcome: 'unknown' });
    expect(clock.now() - began).toBeLessThanOrEqual(5_000);
    expect(clock.now() - began).toBeGreaterThanOrEqual(2_000);
  });

  it('ends with its attempt, if it was under way', async () => {
    const answers = [
      new Response('{"message":"Internal error"}', { status: 500, headers: { 'content-type': 'application/json' } }),
    ];
    const { outbox, run, store, clock, gateway } = outboxWorld({
      client: {
        ...createMockGateway().clientOptions(),
        fetch: async (url, init) => {
          store.get = async (ids) => ids.map(() => undefined);
          store.turn = async ({ writes }) => ({ written: writes.map(() => false), claimed: [] });
          return answers.shift() ?? gateway.fetch(url, init as object);
        },
      },
    });
    const { done } = await outbox.reportBetEvent(betEvent());
    const began = clock.now();
    outbox.start();
    await expect(run(done)).rejects.toMatchObject({ code: 'aborted', outcome: 'unknown' });
    expect(clock.now() - began).toBeLessThan(1_000);
    await run(outbox.stop());
  });
});

const row = outboxRow();
const sent: Row = { ...row, ...claimed(row) };
const recorded: Change = {
  ...claimed(row),
  state: 'recorded',
  inDoubt: false,
  delayMs: 0,
  outcome: 'recorded',
  message: 'Bet reported',
  requestId: 'req-1',
  problem: undefined,
  decisions: [],
  keepBody: false,
};
const turnedAway: Change = { ...recorded, state: 'waiting', outcome: undefined, message: undefined };
const lost: Change = { ...turnedAway, inDoubt: true };

describe("a row that is older than the worker's result", () => {
  const problem = { code: 'duplicate', message: 'held already', status: 409 } as const;
  const quarantined: Row = { ...row, state: 'quarantined', fence: 1, attempts: 1, problem };
  const kept = {
    inDoubt: true,
    doubtBefore: true,
    outcome: undefined,
    message: undefined,
    requestId: undefined,
    decisions: [],
    keepBody: true,
  };

  it.each<[string, Row, object]>([
    ['waiting', row, { ...kept, state: 'waiting', fence: 0, attempts: 0, problem: undefined, delayMs: 0 }],
    [
      'quarantined as a duplicate by another worker',
      quarantined,
      { ...kept, state: 'quarantined', fence: 1, attempts: 1, problem, delayMs: 0 },
    ],
    // The other worker's result is refused, and its attempt ends before the report is sent again.
    [
      'sent by another worker',
      sent,
      { ...kept, state: 'waiting', fence: 2, attempts: 1, problem: undefined, delayMs: 30_000 },
    ],
  ])('keeps the doubt: %s', (_, stored, change) => {
    expect(keptInDoubt(stored, { row: sent, change: recorded }, 30_000)).toStrictEqual(change);
    expect(keptInDoubt(stored, { row: sent, change: lost }, 30_000)).toStrictEqual(change);
  });

  it.each<[string, Row, Change]>([
    ['a newer one: another worker took it after the lease', { ...row, ...claimed(sent) }, recorded],
    ['a newer one that another worker has quarantined', { ...row, state: 'quarantined', fence: 2 }, recorded],
    ['a recorded one', { ...row, state: 'recorded' }, recorded],
    ['a dismissed one', { ...row, state: 'dismissed' }, recorded],
    ['one that is already in doubt', { ...row, inDoubt: true }, recorded],
    ['one that another worker sends and that was in doubt before', { ...sent, doubtBefore: true }, recorded],
    ['other data under the same reference', { ...row, fingerprint: 'other' }, recorded],
    ['an attempt that ended in a pause', row, turnedAway],
  ])('is not changed: %s', (_, stored, change) => {
    expect(keptInDoubt(stored, { row: sent, change }, 30_000)).toBeUndefined();
  });
});

describe('writes that the store refused', () => {
  const other: Row = { ...sent, id: 'default:staging:reportBetEvent:B-2', reference: 'B-2' };

  async function look(refused: readonly Finished[], rows: readonly (Row | undefined)[]) {
    const turns: Turn[] = [];
    const errors: string[] = [];
    const settled: Row[] = [];
    const store: OutboxStore = {
      ...memoryStore(),
      turn: async (turn) => {
        turns.push(turn);
        return { written: [], claimed: [] };
      },
    };
    const events = createOutboxEvents();
    events.on('error', ({ message }) => errors.push(message));
    await markInDoubtAfterRestore(refused, rows, {
      store,
      leaseMs: 30_000,
      events,
      waiters: { tell: (one, change) => void settled.push({ ...one, ...change }) },
    });
    return { turns, errors, settled };
  }

  it('change and report nothing if another worker has the row', async () => {
    expect(await look([{ row: sent, change: recorded }], [{ ...row, ...claimed(sent) }])).toEqual({
      turns: [],
      errors: [],
      settled: [],
    });
  });

  it('after a restore keep the doubt in one commit, and an error names the reports', async () => {
    const { turns, errors, settled } = await look(
      [
        { row: sent, change: lost },
        { row: other, change: lost },
      ],
      [row, { ...other, ...claimed(other) }],
    );
    expect(turns).toStrictEqual([
      {
        writes: [{ ...writeOf(row, lost), change: keptInDoubt(row, { row: sent, change: lost }, 30_000) }],
        claim: undefined,
      },
    ]);
    expect(errors).toEqual([
      `The database of the outbox holds an older state than the last commit: it was restored, or a standby took over. The gateway may hold these reports: ${row.id}. Those that are still in the store with the same data, and are not dismissed, stay in doubt. Compare the others with your records. All waiting reports are put in doubt, so a duplicate counts as recorded.`,
    ]);
    expect(settled).toEqual([]);
  });

  it('of lost reports are reported, and settled if the gateway holds them', async () => {
    const { turns, errors, settled } = await look(
      [
        { row: sent, change: recorded },
        { row: other, change: lost },
      ],
      [undefined, undefined],
    );
    expect(turns).toEqual([]);
    expect(errors.join()).toContain(`these reports: ${row.id}, ${other.id}.`);
    expect(settled).toStrictEqual([{ ...sent, ...recorded }]);
  });

  it.each<[string, Row]>([
    ['the data from before it was replaced', { ...row, state: 'quarantined', fingerprint: 'before' }],
    ['that data in the attempt of another worker', { ...sent, fingerprint: 'before' }],
    ['the dismissal from before it was reopened', { ...row, state: 'dismissed' }],
    ['both', { ...row, state: 'dismissed', fingerprint: 'before' }],
  ])('of a report that went back to %s are reported, and change nothing', async (_, stored) => {
    for (const change of [recorded, lost]) {
      const { turns, errors, settled } = await look([{ row: sent, change }], [stored]);
      expect([turns, settled]).toEqual([[], []]);
      expect(errors.join()).toContain(`these reports: ${row.id}.`);
    }
  });

  it('of both kinds are reported together', async () => {
    const refused = [row, other].map(() => ({ row: sent, change: recorded }));
    const { errors, settled } = await look(refused, [undefined, { ...row, state: 'dismissed' }]);
    expect(errors).toEqual([expect.stringContaining(`these reports: ${row.id}, ${row.id}.`)]);
    expect(settled).toHaveLength(1);
  });

  it.each<[string, Row, Change]>([
    ['nothing of it may be recorded', { ...row, fingerprint: 'before' }, turnedAway],
    ['another worker has it with other data', { ...row, ...claimed(sent), fingerprint: 'later' }, lost],
    ['the write was made, and a person has dismissed it since', { ...sent, state: 'dismissed' }, lost],
    ['the write was made', { ...sent, state: 'recorded' }, recorded],
  ])('are not reported if %s', async (_, stored, change) => {
    expect(await look([{ row: sent, change }], [stored])).toEqual({ turns: [], errors: [], settled: [] });
  });

  it('of a lost report without a recorded attempt have no effect', async () => {
    expect(await look([{ row: sent, change: turnedAway }], [undefined])).toEqual({
      turns: [],
      errors: [],
      settled: [],
    });
  });
});

describe('the waiting reports of a database that went back', () => {
  const waiting = (sequence: number, more: Partial<Row> = {}): Row =>
    outboxRow({
      id: `default:staging:reportBetEvent:W-${sequence}`,
      sequence,
      state: 'waiting',
      inDoubt: false,
      ...more,
    });

  /** A store with these rows. It gives them in pages, and keeps what is written. */
  async function goBack(rows: readonly Row[]) {
    const writes: Turn['writes'][number][] = [];
    const pages: number[] = [];
    const store: OutboxStore = {
      ...memoryStore(),
      list: async ({ state, after = 0, limit }) => {
        const page = rows
          .filter((one) => (state === undefined || one.state === state) && one.sequence > after)
          .slice(0, limit);
        pages.push(page.length);
        return page;
      },
      turn: async (turn) => {
        writes.push(...turn.writes);
        return { written: [], claimed: [] };
      },
    };
    await announceWentBack(store, createOutboxEvents(), 'It lost receipts.', []);
    return { writes, pages };
  }

  it('are in doubt, each with its state and fence, on every page', async () => {
    const rows = Array.from({ length: 501 }, (_, index) => waiting(index + 1));
    const { writes, pages } = await goBack(rows);
    expect(pages).toEqual([500, 1]);
    expect(writes).toEqual(rows.map((one) => writeOf(one, { ...unchanged(one), inDoubt: true, doubtBefore: true })));
  });

  it('do not hold back the event if the store fails', async () => {
    const codes: unknown[] = [];
    const events = createOutboxEvents();
    events.on('error', ({ code }) => codes.push(code));
    const store = { ...memoryStore(), list: () => Promise.reject(new Error('the disk is away')) };
    await expect(announceWentBack(store, events, 'It lost receipts.', [])).rejects.toThrow('the disk is away');
    expect(codes).toEqual(['went-back']);
  });

  it('are asked for once more after a full page', async () => {
    expect((await goBack(Array.from({ length: 500 }, (_, index) => waiting(index + 1)))).pages).toEqual([500, 0]);
    expect((await goBack([])).pages).toEqual([0]);
  });

  it.each<[string, Partial<Row>]>([
    ['in doubt already', { inDoubt: true }],
    ['damaged', { damage: 'body' }],
    ['refused, so that it can be corrected', { problem: { code: 'unprocessable', message: 'no', postponed: true } }],
    ['quarantined', { state: 'quarantined' }],
  ])('stays as it is: %s', async (_, more) => {
    expect((await goBack([waiting(1, more), waiting(2)])).writes.map(({ id }) => id)).toEqual([waiting(2).id]);
  });
});
