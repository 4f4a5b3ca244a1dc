import { describe, expect, it } from 'vitest';
import { memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import type { ReportReference } from '../../../src/outbox/receipts/reconcile.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { issuesOf } from '../../support/failure-of.js';
import { collect } from '../collect.js';
import { newRow } from '../contract/harness.js';
import { outboxWorld } from '../world.js';

const BETS = { operation: 'reportBetEvent', environment: 'staging' } as const;

describe('reconcile', () => {
  it('returns the state of each reference, in the order of the list', async () => {
    const { outbox, gateway, run } = outboxWorld();
    gateway.faults.add({ kind: 'status', status: 422, reference: 'B-refused', times: null });
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-ok' }));
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-refused' }));
    await outbox.reportSettledBet(settledBet({ bet_id: 'B-refused' }));
    await run(outbox.drain());
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-late' }));
    const list: (string | ReportReference)[] = [
      'B-refused',
      'B-none',
      { reference: 'B-refused', operation: 'reportSettledBet' },
      'B-ok',
      'B-late',
      'B-ok',
      { reference: 'B-ok', environment: 'production' },
    ];
    const found = await collect(outbox.reconcile(list, BETS));
    expect(found.map(({ reference, state }) => `${reference} ${state}`)).toEqual([
      'B-refused quarantined',
      'B-none never-seen',
      'B-refused waiting',
      'B-ok recorded',
      'B-late waiting',
      'B-ok recorded',
      'B-ok never-seen',
    ]);
    expect(found[3]).toEqual({
      id: 'default:staging:reportBetEvent:B-ok',
      ...BETS,
      reference: 'B-ok',
      state: 'recorded',
      outcome: 'recorded',
      problem: undefined,
      enqueuedAt: Date.parse('2026-11-20T08:00:00Z'),
      endedAt: Date.parse('2026-11-20T08:00:00Z'),
      receipt: 0,
    });
    expect(found[4]).toMatchObject({ enqueuedAt: expect.any(Number), endedAt: undefined, receipt: undefined });
    expect(found[1]).toMatchObject({ enqueuedAt: undefined, endedAt: undefined, receipt: undefined });
    expect(found[0]?.problem).toMatchObject({ code: 'unprocessable' });
  });

  it('says where a person declared a report recorded, and which receipt each report has', async () => {
    const { outbox, gateway, run } = outboxWorld();
    const ids: string[] = [];
    for (const reference of ['B-1', 'B-said', 'B-dropped', 'B-2'])
      ids.push((await outbox.reportBetEvent(betEvent({ bet_id: reference }))).id);
    const body = { message: 'This bet has already been reported' };
    for (const reference of ['B-said', 'B-dropped'])
      gateway.faults.add({ kind: 'status', status: 409, body, reference, times: null });
    await run(outbox.drain());
    await outbox.resolve(ids[1] ?? '', { as: 'recorded', reason: 'seen in their list' });
    await outbox.resolve(ids[2] ?? '', { as: 'dismissed', reason: 'a test bet' });
    const lines = (await collect(outbox.exportReceipts())).map((line) => JSON.parse(line));
    const found = await collect(outbox.reconcile(['B-1', 'B-said', 'B-dropped', 'B-2'], BETS));
    expect(found.map(({ reference, state, outcome }) => [reference, state, outcome])).toEqual([
      ['B-1', 'recorded', 'recorded'],
      ['B-said', 'recorded', 'declared-recorded'],
      ['B-dropped', 'dismissed', undefined],
      ['B-2', 'recorded', 'recorded'],
    ]);
    for (const { reference, endedAt, receipt } of found)
      expect(lines[receipt ?? -1]).toMatchObject({ reference, endedAt: new Date(endedAt ?? 0).toISOString() });
  });

  it('has never seen a reference that no store can hold, and does not read it', async () => {
    const store = memoryStore();
    const asked: string[] = [];
    const asking: OutboxStore = {
      ...store,
      get: (ids) => {
        asked.push(...ids);
        return store.get(ids);
      },
    };
    const { outbox } = outboxWorld({ store: asking });
    await outbox.reportBetEvent(betEvent({ bet_id: 'b' }));
    const found = await collect(outbox.reconcile(['a', 'b\0', 'b', 'b\ud800'], BETS));
    expect(found.map(({ state }) => state)).toEqual(['never-seen', 'never-seen', 'waiting', 'never-seen']);
    expect(found.map(({ reference }) => reference)).toEqual(['a', 'b\0', 'b', 'b\ud800']);
    expect(asked).toEqual(['default:staging:reportBetEvent:a', 'default:staging:reportBetEvent:b']);
  });

  it('reads ten thousand in batches, and not further ahead', async () => {
    const store = memoryStore();
    await store.enqueue(Array.from({ length: 100 }, (_, index) => newRow(`B-${index * 100}`)));
    const sizes: number[] = [];
    const counting: OutboxStore = { ...store, get: (ids) => store.get(ids).finally(() => sizes.push(ids.length)) };
    const { outbox } = outboxWorld({ store: counting });
    let read = 0;
    let furthest = 0;
    async function* references() {
      for (; read < 10_000; read += 1) yield `B-${read}`;
    }
    let [seen, waiting] = [0, 0];
    for await (const { state } of outbox.reconcile(references(), BETS)) {
      seen += 1;
      if (state === 'waiting') waiting += 1;
      furthest = Math.max(furthest, read - seen);
    }
    expect([seen, waiting]).toEqual([10_000, 100]);
    expect(furthest).toBeLessThanOrEqual(500);
    expect(sizes.every((size) => size <= 500)).toBe(true);
  });

  it('ends without reading the rest when the caller stops', async () => {
    const { outbox } = outboxWorld();
    let ended = false;
    function* references() {
      try {
        for (;;) yield 'B-1';
      } finally {
        ended = true;
      }
    }
    for await (const _ of outbox.reconcile(references(), BETS)) break;
    expect(ended).toBe(true);
  });

  it.each([
    [[{ reference: 'B' }], undefined, ['references[0].operation: invalid', 'references[0].environment: invalid']],
    [['B', 5], BETS, ['references[1].reference: invalid']],
    [['B', '  '], BETS, ['references[1].reference: invalid']],
    [['B', null], BETS, ['references[1].reference: invalid']],
    [['B'], { ...BETS, operation: 'verifyNin' }, ['references[0].operation: invalid']],
    [['B'], { ...BETS, operation: 'toString' }, ['references[0].operation: invalid']],
  ])('refuses an item that does not name a report: %j', async (list, defaults, issues) => {
    const { outbox } = outboxWorld();
    expect(await issuesOf(collect(outbox.reconcile(list as never, defaults as never)))).toEqual(issues);
  });
});
