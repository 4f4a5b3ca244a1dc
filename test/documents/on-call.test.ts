import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { outboxWorld } from '../outbox/world.js';
import { readGuides } from '../support/documents.js';
import { betEvent, settledBet } from '../support/factories.js';

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
