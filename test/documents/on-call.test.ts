import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { newFile, openStore } from '../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../outbox/world.js';
import { runCli } from '../support/cli-in-process.js';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent, settledBet } from '../support/factories.js';
import { newFolder } from '../support/new-folder.js';

const guide = readGuides('how-to/on-call');
const location = { latitude: 6.45, longitude: 7.51, source: 'provided' };
const bet = betEvent({ bet_id: 'B-1', timestamp: '1795161600' });

/** An outbox with a bet that the gateway refused and a person resolved, and its settlement. */
async function resolvedByMistake(as: 'recorded' | 'dismissed') {
  const world = outboxWorld();
  const { outbox, gateway, run } = world;
  // A person may take a 409 for the answer to a repeat.
  gateway.faults.add({
    kind: 'status',
    status: as === 'recorded' ? 409 : 422,
    operation: 'reportBetEvent',
    times: null,
  });
  const { id } = await outbox.reportBetEvent(bet, { location });
  const settled = await outbox.reportSettledBet(settledBet({ bet_id: 'B-1' }));
  await run(outbox.drain());
  await outbox.resolve(id, { as, reason: 'wrong one' });
  gateway.faults.clear();
  await run(outbox.drain());
  return { ...world, id, settled };
}

describe('a resolve by mistake, as the guide says', () => {
  test('as recorded is final: the same bytes give the same closed row', async () => {
    expect(guide).toContain('the same bytes give the same closed row');
    const { outbox, gateway, run, id } = await resolvedByMistake('recorded');
    expect(await outbox.reportBetEvent(bet, { location })).toMatchObject({ id, state: 'recorded' });
    await run(outbox.drain());
    expect(gateway.reports()).toEqual([]);
  });

  test('as recorded is mended with a client and the data of the books, and a retry of the settlement', async () => {
    const { outbox, gateway, run, settled } = await resolvedByMistake('recorded');
    expect(await outbox.get(settled.id)).toMatchObject({ state: 'quarantined', problem: { code: 'not-found' } });
    const client = createClient(gateway.clientOptions());
    expect(await client.reportBetEvent(bet, { location })).toMatchObject({ outcome: 'recorded' });
    await expect(client.reportBetEvent(bet, { location })).rejects.toMatchObject({
      code: 'duplicate',
      conflict: false,
    });
    await outbox.retry(settled.id, { reason: 'the bet is recorded' });
    await run(outbox.drain());
    expect(await outbox.get(settled.id)).toMatchObject({ state: 'recorded' });
  });

  test('as dismissed is reopened, and sent again', async () => {
    const { outbox, gateway, run, id } = await resolvedByMistake('dismissed');
    await outbox.reopen(id, { reason: 'dismissed by mistake' });
    expect(await outbox.get(id)).toMatchObject({ state: 'quarantined', problem: { code: 'unprocessable' } });
    await outbox.retry(id, { reason: 'the gateway works again' });
    await run(outbox.drain());
    expect(gateway.reports()).toMatchObject([{ operation: 'reportBetEvent', reference: 'B-1' }]);
  });
});

test('the lines of the guide correct a refused bet and its settlement, which keep their place', async () => {
  const file = newFile();
  const store = await openStore(file);
  const { outbox, gateway, run } = outboxWorld({ store });
  gateway.faults.add({ kind: 'status', status: 422, operation: 'reportBetEvent', times: 1 });
  await outbox.reportBetEvent({ ...bet, bet_id: 'BET-104', amount: 9 }, { location });
  await outbox.reportSettledBet(settledBet({ bet_id: 'BET-104' }));
  await run(outbox.drain());
  const lines = codeBlocks(guide).find(({ code }) => code.startsWith('{"operation"'))?.code ?? '';
  const folder = newFolder('corrected');
  const corrected = join(folder, 'corrected.ndjson');
  writeFileSync(corrected, `${lines.trim().replaceAll('{…}', JSON.stringify(bet.user))}\n`);
  const options = join(folder, 'options.mjs');
  writeFileSync(options, `export default ${JSON.stringify({ gateways: gateway.clientOptions().gateways })};`);
  const given = ['--environment', 'staging', '--options', options, '--reason', 'ticket-812'];
  expect(await runCli(['outbox', file, 'replace', '--from', corrected, ...given])).toMatchObject({ code: 0 });
  await run(outbox.drain());
  expect(gateway.reports().map(({ body }) => body)).toMatchObject([
    { bet_id: 'BET-104', amount: 1500, timestamp: '1795161600', location },
    { bet_id: 'BET-104', outcome: 'LOSS', win_amount: 0, ggr: 1500 },
  ]);
  await store.close?.();
});

test.each(['duplicate', 'conflict'])('five 409s in a row pause the operation: %s', async (code) => {
  expect(guide).toContain('Five in a row: paused, `refusals`.');
  const { outbox, gateway, run } = outboxWorld({ outbox: { concurrency: 1 } });
  const client = createClient(gateway.clientOptions());
  for (const bet_id of ['B-1', 'B-2', 'B-3', 'B-4', 'B-5', 'B-6']) {
    await client.reportBetEvent({ ...bet, bet_id, amount: code === 'conflict' ? 1 : bet.amount }, { location });
    await outbox.reportBetEvent({ ...bet, bet_id }, { location });
  }
  await run(outbox.drain({ timeoutMs: 500 }));
  const { paused, states } = await outbox.stats();
  expect(paused).toMatchObject([{ operation: 'reportBetEvent', reason: 'refusals' }]);
  expect(states).toMatchObject({ quarantined: 5, waiting: 1 });
  expect(await outbox.list({ state: 'quarantined' })).toMatchObject(Array(5).fill({ problem: { code } }));
});
