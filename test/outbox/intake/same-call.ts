import { expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, type OutboxStore } from '../../../src/entries/outbox.js';
import { betEvent, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { FakeClock } from '../../support/fake-clock.js';

const { timestamp: _, ...bet } = betEvent({ bet_id: 'B-1' });
const { timestamp: __, ...withdrawal } = withdrawalEvent({ request_id: 'W-1' });

/** An outbox whose client finds another time and another place at each call. */
function world(store: OutboxStore) {
  const gateway = createMockGateway();
  const { location: ___, ...options } = gateway.clientOptions();
  const clock = new FakeClock(Date.now());
  let found = 0;
  const lookup = async () => {
    found += 1;
    return { latitude: 6.5, longitude: 3 + found };
  };
  const location = { ip: { providers: [{ name: 'atlas', lookup }], cacheMs: 0 } };
  const outbox = createOutbox({ client: createClient({ ...options, location, clock }), store });
  return { gateway, outbox, later: () => clock.advance(7_000) };
}
const from = { clientIP: '102.89.23.47' };
const other = { code: 'duplicate', conflict: true, outcome: 'rejected' };

/** The behaviour over each store. */
export function testSameCall(
  open: () => Promise<{
    readonly store: OutboxStore;
    readonly within?: <T>(work: (transaction: unknown) => Promise<T>) => Promise<T>;
  }>,
): void {
  it('the same call again is the same report, with the first time and place', async () => {
    const { store, within } = await open();
    const { gateway, outbox, later } = world(store);
    const first = await outbox.reportBetEvent(bet, from);
    later();
    expect(await outbox.reportBetEvent(bet, from)).toMatchObject({ id: first.id, state: 'waiting' });
    if (within)
      expect(await within((transaction) => outbox.within(transaction).reportBetEvent(bet, from))).toMatchObject({
        id: first.id,
      });
    const again = await outbox.reportAll([
      { operation: 'reportBetEvent', payload: bet, options: from },
      { operation: 'reportBetEvent', payload: { ...bet, amount: 9 }, options: from },
    ]);
    expect(again).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: other }]);
    outbox.start();
    const { location } = await (await outbox.reportBetEvent(bet, from)).done;
    await outbox.drain();
    await outbox.stop();
    expect(location).toMatchObject({ longitude: 4 });
    expect(gateway.reports().map(({ body }) => body.location)).toMatchObject([{ longitude: 4 }]);
  });

  it('what the caller gives must be the same: each field, the time and the place', async () => {
    const { outbox, later } = world((await open()).store);
    const place = { latitude: 1, longitude: 2, source: 'gps' };
    await outbox.reportBetEvent(bet, { location: place });
    later();
    await outbox.reportBetEvent(bet, { location: place });
    for (const [payload, options] of [
      [{ ...bet, amount: 9 }, { location: place }],
      [{ ...bet, user: { ...bet.user, user_id: 'U-9' } }, { location: place }],
      [{ ...bet, timestamp: '1700000000' }, { location: place }],
      [bet, { location: { ...place, longitude: 3 } }],
    ] as const)
      expect(await failureOf(outbox.reportBetEvent(payload, options))).toMatchObject(other);
  });

  it('also once it is recorded, and its body is gone', async () => {
    const { store } = await open();
    const { gateway, outbox, later } = world(store);
    const place = { location: { latitude: 1, longitude: 2, source: 'gps' } };
    await outbox.reportBetEvent(bet, place);
    await outbox.reportWithdrawalEvent(withdrawal, from);
    outbox.start();
    await outbox.drain();
    await outbox.stop();
    later();
    expect(await outbox.reportBetEvent(bet, place)).toMatchObject({ state: 'recorded' });
    expect(await outbox.reportWithdrawalEvent(withdrawal, from)).toMatchObject({ state: 'recorded' });
    expect(await failureOf(outbox.reportBetEvent({ ...bet, amount: 9 }, place))).toMatchObject(other);
    await outbox.reportSettledWithdrawal(settledWithdrawal({ request_id: 'W-1' }));
    expect(gateway.reports()).toHaveLength(2);
  });
}
