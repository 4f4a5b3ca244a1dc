import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/platform/time.js';
import { createClient } from '../../src/entries/index.js';
import { createOutbox, type OutboxStore } from '../../src/entries/outbox.js';
import type { Operator } from '../../src/operator/operator.js';
import { createOperator } from '../../src/operator/operator.js';
import { appendReceipts } from '../../src/outbox/receipts/log.js';
import { CLAIMANT, claim, newRow, QUARANTINED, read, settledRow, write } from '../outbox/contract/harness.js';
import { storeWithConsole } from '../outbox/world.js';
import { BEGAN, byAda, enqueue, idOf } from './world.js';

const client = createClient({
  environment: 'staging',
  gateways: { staging: { baseUrl: 'https://staging.example.com', apiKey: 'a-key' } },
});
const BRAND = { account: 'brand' };
const WORDS = 'the gateway refused it.';
const OTHERS = { account: 'brand', environment: 'staging', code: 'unprocessable', words: WORDS } as const;
const theirs = newRow('B-9', BRAND).id;

/**
 * Everything of each account: a report that is recorded, one that is quarantined with its settlement, one that waits,
 * one that lacks a key, and a pause.
 */
async function fill(store: OutboxStore, account: string): Promise<void> {
  const claimed = async (count: number) => claim(store, count, [{ ...CLAIMANT, account }]);
  await enqueue(store, ['B-1', 'B-9', 'B-8'], { account });
  const [recorded, quarantined, locked] = await claimed(3);
  if (!recorded || !quarantined || !locked) throw new Error('three rows to claim: expected three');
  await write(store, recorded);
  await write(store, quarantined, {
    ...QUARANTINED,
    problem: { code: 'unprocessable', message: `reportBetEvent B-9: ${WORDS}`, status: 422 },
  });
  const lacksKey = { code: 'configuration', message: 'no key', keyId: `key-${account}` } as const;
  await write(store, locked, {
    state: 'waiting',
    outcome: undefined,
    keepBody: true,
    delayMs: 60_000,
    problem: lacksKey,
  });
  await store.enqueue([settledRow('B-9', { account })]);
  await store.pause({
    account,
    environment: 'staging',
    version: 0,
    reason: 'unavailable',
    message: 'down',
    strikes: 1,
    forMs: 9_000,
    continues: false,
    repeats: false,
  });
  await appendReceipts(store);
}

describe('a console of one account', () => {
  let store: OutboxStore;
  let data: Operator;
  let all: Operator;

  beforeEach(async () => {
    store = await storeWithConsole({ ...systemClock, now: () => BEGAN + 61_000 });
    await fill(store, 'default');
    await fill(store, 'brand');
    all = createOperator({ over: store });
    data = createOperator({ over: createOutbox({ client, store }) });
  });

  it('shows nothing of others', async () => {
    const half = { waiting: 1, blocked: 1, 'in-flight': 0, recorded: 1, quarantined: 1, dismissed: 0 };
    const overview = await data.overview();
    expect(overview.states).toEqual(half);
    expect((await all.overview()).states).toMatchObject({ waiting: 2, blocked: 2, recorded: 2, quarantined: 2 });
    expect(overview.recordedInLastMinute).toBe(0);
    expect([overview.destinations, overview.pauses].map((found) => found.map(({ account }) => account))).toEqual([
      ['default'],
      ['default'],
    ]);
    expect(overview.missingKeys).toEqual(['key-default']);
    expect((await data.charts('hours')).steps.at(-1)?.recorded).toBe(1);
    expect((await all.charts('hours')).steps.at(-1)?.recorded).toBe(2);
    expect((await data.groups()).groups.map(({ account }) => account)).toEqual(['default']);
    for (const filter of [{}, { text: 'B-9' }, { text: theirs }, { account: 'brand' }, { group: OTHERS }])
      expect((await data.search(filter)).reports.filter(({ account }) => account !== 'default')).toEqual([]);
    expect((await data.search({ text: 'B-9' })).reports).toHaveLength(2);
    expect(await data.report(theirs)).toBeUndefined();
    await expect(data.body(theirs, byAda())).rejects.toMatchObject({ code: 'not-found' });
    expect(() =>
      data.proof.reconcile('brand', ['B-1'], { operation: 'reportBetEvent', environment: 'staging' }),
    ).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  it.each(['retry', 'recorded', 'dismissed'] as const)('touches nothing of others: %s', async (action) => {
    for (const selection of [{ group: OTHERS }, { ids: [theirs] }]) {
      expect(await data.preview(selection, action)).toMatchObject({
        count: 0,
        operations: {},
        inDoubt: 0,
        settlements: 0,
        examples: [],
      });
      expect((await data.decide({ ...byAda(), action, selection })).decision.touched).toBe(0);
    }
    await expect(data.resume({ account: 'brand', environment: 'staging' }, byAda())).rejects.toMatchObject({
      code: 'not-found',
    });
    expect((await read(store, theirs)).state).toBe('quarantined');
  });

  it('undoes no decision that is also about an account that it does not show', async () => {
    const { decision } = await all.decide({ ...byAda(), action: 'retry', selection: { ids: [theirs, idOf('B-9')] } });
    await expect(data.undo({ ...byAda(), of: decision.id })).rejects.toMatchObject({ code: 'conflict' });
    expect([(await read(store, theirs)).state, (await read(store, idOf('B-9'))).state]).toEqual(['waiting', 'waiting']);
    const undone = await all.undo({ ...byAda(), of: decision.id });
    expect(undone.decision.touched).toBe(2);
  });

  it('names no report of others that a decision leaves out', async () => {
    const selection = { all: {}, except: [theirs, idOf('B-9')] };
    const { decision } = await all.decide({ ...byAda(), action: 'retry', selection });
    expect([decision.about, decision.touched]).toEqual([selection, 0]);
    const { decisions } = await data.decisions();
    expect(decisions.map(({ about }) => about)).toEqual([{ all: {}, except: [idOf('B-9')] }]);
  });

  it('undoes no retry of every quarantined report while the store has other accounts', async () => {
    const { decision } = await all.decide({ ...byAda(), action: 'retry', selection: { all: {} } });
    await expect(data.undo({ ...byAda(), of: decision.id })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is narrowed further by account and environment', async () => {
    expect((await all.groups({ account: 'brand' })).groups.map(({ account }) => account)).toEqual(['brand']);
    expect((await all.groups({ environment: 'production' })).groups).toEqual([]);
    const found = async (filter: Parameters<typeof all.search>[0]) =>
      (await all.search({ text: 'B-9', ...filter })).reports.map(({ id }) => id);
    const ids = (account: string) => [settledRow('B-9', { account }).id, newRow('B-9', { account }).id];
    expect(await found({})).toEqual([...ids('brand'), ...ids('default')]);
    expect(await found({ account: 'brand' })).toEqual(ids('brand'));
    expect(await found({ account: 'brand', operation: 'reportBetEvent' })).toEqual([theirs]);
    expect(await found({ environment: 'production' })).toEqual([]);
    expect(await found({ from: BEGAN + 61_001 })).toEqual([]);
    expect(await found({ from: BEGAN + 61_000 })).toHaveLength(4);
    expect(await found({ to: BEGAN + 61_000 })).toEqual([]);
    expect(await found({ to: BEGAN + 61_001 })).toHaveLength(4);
  });
});
