import { describe, expect, it } from 'vitest';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { operationScope } from '../../src/outbox/rules/destination.js';
import {
  claim,
  claimOne,
  GATEWAYS,
  LEASE_MS,
  QUARANTINED,
  settledRow,
  WAITS,
  write,
} from '../outbox/contract/harness.js';
import { BEGAN, byAda, enqueue, idOf, quarantine, world } from './world.js';

const PROBLEM = { code: 'gateway', message: 'reportBetEvent B-1: HTTP 503.', status: 503, requestId: 'req-1' } as const;
const kinds = (life: { readonly timeline: readonly { readonly kind: string }[] } | undefined) =>
  life?.timeline.map(({ kind }) => kind);

async function pause(
  store: OutboxStore,
  environment: 'staging' | 'production',
  operation?: 'reportBetEvent' | 'reportSettledBet',
): Promise<void> {
  const destination = operation
    ? operationScope({ account: 'default', environment, operation })
    : { account: 'default', environment };
  await store.bind([{ account: 'default', environment, gateway: GATEWAYS[environment] }]);
  await store.pause({
    ...destination,
    version: 0,
    reason: operation ? 'refusals' : 'unavailable',
    message: 'down',
    strikes: 5,
    forMs: 9_000,
    continues: false,
    repeats: false,
  });
}

describe('the life of a report', () => {
  it('names the pauses that hold it up, and no other one', async () => {
    const { store, data } = await world();
    await enqueue(store, ['B-1']);
    await enqueue(store, ['B-2'], { environment: 'production' });
    await pause(store, 'staging');
    await pause(store, 'production');
    await pause(store, 'staging', 'reportBetEvent');
    await pause(store, 'staging', 'reportSettledBet');
    expect((await data.report(idOf('B-1')))?.timeline.slice(1)).toMatchObject([
      { kind: 'paused', at: BEGAN, pause: { environment: 'staging', operation: null, reason: 'unavailable' } },
      { kind: 'paused', at: BEGAN, pause: { environment: 'staging', operation: 'reportBetEvent', reason: 'refusals' } },
    ]);
  });

  it('of one that needs a person names no pause', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await pause(store, 'staging');
    expect(kinds(await data.report(idOf('B-1')))).toEqual(['enqueued', 'attempt', 'quarantined']);
  });

  it('shows an attempt that failed, the doubt after it, and that a worker has it again', async () => {
    const { store, data, clock } = await world();
    await enqueue(store, ['B-1']);
    await write(store, await claimOne(store), { ...WAITS, inDoubt: true, attempts: 1, problem: PROBLEM, delayMs: 500 });
    const waiting = await data.report(idOf('B-1'));
    expect(waiting).toMatchObject({ state: 'waiting', inDoubt: true, attempts: 1, dueAt: BEGAN + 500, waitsFor: null });
    expect(waiting?.timeline).toMatchObject([
      { kind: 'enqueued' },
      { kind: 'attempt', at: BEGAN, problem: { code: 'gateway', requestId: 'req-1' } },
      { kind: 'doubt' },
    ]);
    clock.advance(1_000);
    await claimOne(store);
    const flying = await data.report(idOf('B-1'));
    expect(flying).toMatchObject({ state: 'in-flight', dueAt: null, actions: [] });
    expect(flying?.timeline).toMatchObject([
      { kind: 'enqueued' },
      { kind: 'attempt', at: null },
      { kind: 'in-flight', at: clock.now(), until: clock.now() + LEASE_MS },
    ]);
  });

  it('of a blocked settlement names the report that must be final first, and the other way round', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    const settled = settledRow('B-1').id;
    const life = await data.report(settled);
    expect(life).toMatchObject({ state: 'blocked', waitsFor: idOf('B-1'), dueAt: null, sibling: { id: idOf('B-1') } });
    expect(life?.actions.map(({ action }) => action)).not.toContain('retry');
    expect((await data.report(idOf('B-1')))?.sibling).toMatchObject({ id: settled });
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [idOf('B-1')] } });
    expect(await data.report(settled)).toMatchObject({ state: 'waiting', waitsFor: null, dueAt: expect.any(Number) });
  });

  it('warns of a settlement only where one is sent then', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const warnings = async () =>
      (await data.report(idOf('B-1')))?.actions.map(({ action, warning }) => [action, warning !== null]);
    const none = [
      ['retry', false],
      ['dismissed', false],
      ['replaced', false],
    ];
    expect(await warnings()).toEqual(none);
    await store.enqueue([settledRow('B-1')]);
    expect(await warnings()).toEqual([...none.slice(0, 1), ['dismissed', true], ['replaced', false]]);
  });

  it('offers to reopen a report only while its settlement is not in flight', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    await data.decide({ ...byAda(), action: 'dismissed', selection: { ids: [idOf('B-1')] } });
    const offered = async () => (await data.report(idOf('B-1')))?.actions.map(({ action }) => action);
    expect(await offered()).toEqual(['reopened', 'replaced', 'undo']);
    await write(store, await claimOne(store), { ...WAITS, attempts: 1 });
    expect(await offered()).toEqual(['reopened', 'replaced', 'undo']);
    await claimOne(store);
    expect(await offered()).toEqual([]);
  });

  it('of a retry that was undone shows its attempt once', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const { decision } = await data.decide({ ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } });
    await data.undo({ ...byAda(), of: decision.id });
    const life = await data.report(idOf('B-1'));
    expect(kinds(life)).toEqual(['enqueued', 'attempt', 'decided', 'quarantined']);
    expect(life?.actions.map(({ action }) => action)).toEqual(['retry', 'dismissed', 'replaced']);
  });

  it('shows the attempt that failed before the decisions that followed it', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const selection = { ids: [idOf('B-1')] };
    await data.decide({ ...byAda(), action: 'dismissed', selection });
    const dismissed = await data.report(idOf('B-1'));
    expect(kinds(dismissed)).toEqual(['enqueued', 'attempt', 'decided', 'ended', 'receipt']);
    await data.decide({ ...byAda(), action: 'reopened', selection });
    expect(kinds(await data.report(idOf('B-1')))).toEqual(['enqueued', 'attempt', 'decided', 'decided', 'quarantined']);
    await data.decide({ ...byAda(), action: 'retry', selection });
    const [row] = await claim(store);
    if (!row) throw new Error('expected a row');
    await write(store, row, {
      ...QUARANTINED,
      problem: { code: 'bad-request', message: 'no' },
      decisions: row.decisions,
    });
    expect(kinds(await data.report(idOf('B-1')))).toEqual([
      ...['enqueued', 'decided', 'decided', 'attempt', 'decided', 'attempt', 'quarantined'],
    ]);
  });

  it('offers no taking back once a worker has it, or it has come back', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await data.decide({ ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } });
    const row = await claimOne(store);
    expect((await data.report(idOf('B-1')))?.actions).toEqual([]);
    await write(store, row, {
      ...QUARANTINED,
      problem: { code: 'unprocessable', message: 'again' },
      decisions: row.decisions,
    });
    const life = await data.report(idOf('B-1'));
    expect(life?.actions.map(({ action }) => action)).toEqual(['retry', 'dismissed', 'replaced']);
    expect(kinds(life)).toEqual(['enqueued', 'attempt', 'decided', 'attempt', 'quarantined']);
  });

  it('escapes the words of the gateway', async () => {
    const { store, data } = await world();
    const odd = 'x\u202ey\u0007';
    await enqueue(store, ['B-1']);
    const problem = {
      code: 'conflict',
      message: odd,
      requestId: odd,
      details: { [odd]: odd },
    } as const;
    await write(store, await claimOne(store), { ...QUARANTINED, problem });
    const life = await data.report(idOf('B-1'));
    const shown = 'x\\u202ey\\u0007';
    expect(life?.problem).toEqual({
      code: 'conflict',
      status: null,
      message: shown,
      requestId: shown,
      details: expect.stringMatching(/^\{"x\\u202ey/),
    });
    expect(JSON.stringify(await data.groups()) + JSON.stringify(life)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
