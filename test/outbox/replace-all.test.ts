import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/entries/outbox.js';
import { createOperator } from '../../src/operator/operator.js';
import { settledBet } from '../support/factories.js';
import { because, bet, corrected, numbers, refusedWorld, testReplaceAll } from './replace-all.js';
import { newFile, openStore } from './stores/sqlite/files.js';
import { outboxWorld } from './world.js';

describe.concurrent('over a memory store', () => testReplaceAll(async () => memoryStore()));
describe.concurrent('over SQLite', () => testReplaceAll(() => openStore(newFile())));

test.each([401, 429])('a refusal outlives an answer %i, which proves that nothing was processed', async (status) => {
  const { outbox, gateway, sent, clock, run } = outboxWorld({ outbox: { breakerAfter: 2, concurrency: 1 } });
  const referencesSent = () => sent.map((body): string => JSON.parse(body).bet_id);
  const betsOf = async (state: 'quarantined' | 'waiting') => outbox.list({ state, operation: 'reportBetEvent' });
  const behindBreaker = async () => (await betsOf('waiting')).filter(({ problem }) => problem?.postponed);
  /** Lets the worker send with an answer of the gateway, until something is so. */
  async function sendUntil(isSo: () => boolean | Promise<boolean>, answer: number) {
    gateway.faults.add({ kind: 'status', status: answer, times: 1_000 });
    outbox.start();
    for (let second = 0; !(await isSo()); second += 1) {
      expect(second).toBeLessThan(3_600);
      await clock.pass(1_000);
    }
    await run(outbox.stop());
    gateway.faults.clear();
  }
  for (const index of numbers(6)) await outbox.reportBetEvent(bet(index));
  await sendUntil(async () => (await behindBreaker()).length > 0, 422);
  for (const index of [6, 7]) await outbox.reportBetEvent(bet(index));
  const behind = await behindBreaker();
  const count = (await outbox.stats()).refused;

  sent.length = 0;
  await sendUntil(() => behind.some(({ reference }) => referencesSent().includes(reference)), status);
  expect((await outbox.stats()).refused).toBe(count);
  expect(await behindBreaker()).toMatchObject(behind.map(({ id, problem }) => ({ id, problem })));

  sent.length = 0;
  expect(await outbox.replaceAll([corrected(6)], because)).toMatchObject({ replaced: 1 });
  await outbox.resume('staging');
  await run(outbox.drain());
  const quarantined = (await betsOf('quarantined')).map(({ reference }) => reference);
  for (const { reference } of behind) {
    expect(quarantined).toContain(reference);
    expect(referencesSent()).not.toContain(reference);
  }
});

test('the correction of a settlement that is only reopened with its report is refused', async () => {
  const store = await openStore(newFile());
  const { outbox, gateway } = await refusedWorld(store);
  const [quarantined] = await outbox.list({ state: 'quarantined', reference: 'B-0' });
  const [bet, settlement] = [quarantined?.id ?? '', 'default:staging:reportSettledBet:B-0'];
  await outbox.resolve(bet, { as: 'dismissed', reason: 'by mistake' });
  gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 1_000 });
  outbox.start();
  await expect.poll(async () => (await outbox.get(settlement))?.inDoubt, { timeout: 30_000 }).toBe(true);
  await outbox.stop();
  await outbox.reopen(bet, { reason: 'it is a bet' });
  const named = { who: 'ada', reason: 'a test bet', decision: 'd'.repeat(16) };
  await createOperator({ over: store }).decide({
    ...named,
    action: 'dismissed',
    selection: { ids: [bet] },
    withSettlements: true,
  });
  const payload = settledBet({ bet_id: 'B-0', win_amount: 1 });
  const list = [{ operation: 'reportSettledBet' as const, payload }, corrected(0)];
  expect(await outbox.replaceAll(list, because)).toMatchObject({
    replaced: 1,
    refused: [{ index: 0, error: { message: expect.stringContaining('it is in doubt') } }],
  });
});
