import { expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, type OutboxOptions, type OutboxStore } from '../../../src/entries/outbox.js';
import { appendReceipts } from '../../../src/outbox/receipts/log.js';
import type { Row } from '../../../src/outbox/rules/state-machine.js';
import { betEvent, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';

export const ENUGU = { latitude: 6.44, longitude: 7.5, city: 'Enugu', source: 'test' };
const INITIATED = { operation: 'reportWithdrawalEvent', reference: 'W-1' } as const;
const withdrawal = withdrawalEvent({ request_id: 'W-1' });
const settled = settledWithdrawal({ request_id: 'W-1' });

/** Two keys for the encryption of bodies. */
export const KEYS = { old: btoa('o'.repeat(32)), new: btoa('n'.repeat(32)) };

/** A store that a test opens, and that several outboxes use. */
export interface SharedStore {
  readonly store: OutboxStore;
  /** Makes the stored times so old that `prune` deletes final reports. */
  age(): Promise<void>;
  /** Runs work in a transaction of the user. */
  within<T>(work: (transaction: unknown) => Promise<T>): Promise<T>;
}

/** The outbox of a process: its client finds no location, as on a server without `clientIP`. */
export function processes(store: OutboxStore) {
  const gateway = createMockGateway();
  const { location: _, ...options } = gateway.clientOptions();
  const make = (more: Partial<OutboxOptions> = {}) =>
    createOutbox({
      client: createClient({ ...options, retry: { limit: 0 } }),
      store,
      pollMs: 50,
      retry: { baseMs: 1, capMs: 1 },
      ...more,
    });
  return { gateway, make };
}

/** The location of the settled withdrawal at the gateway. */
const settledAt = (gateway: ReturnType<typeof createMockGateway>) =>
  gateway.reports('staging', { operation: 'reportSettledWithdrawal' }).map(({ body }) => body.location);

const spoilt = (row: Row | undefined): Row | undefined => row && { ...row, excerpt: '[spoilt' };

/** The behaviour over each store. */
export function testSettledLocation(open: () => Promise<SharedStore>): void {
  it('a settled withdrawal gets the location of an initiated one that another process recorded', async () => {
    const { store } = await open();
    const { gateway, make } = processes(store);
    const [api, worker] = [make(), make()];
    await api.reportWithdrawalEvent(withdrawal, { location: ENUGU });
    await worker.drain();

    const first = await api.reportSettledWithdrawal(settled);
    expect(await api.reportSettledWithdrawal(settled)).toEqual({ id: first.id, state: 'waiting' });
    await worker.drain();
    expect(settledAt(gateway)).toEqual([ENUGU]);
    expect(await worker.reportSettledWithdrawal(settled)).toEqual({ id: first.id, state: 'recorded' });
  });

  it('an encrypted location is read with its key, and a settlement without the key says what to do', async () => {
    const { store } = await open();
    const { gateway, make } = processes(store);
    const encryption = { keys: { '2026-10': KEYS.old }, current: '2026-10' };
    const worker = make({ encryption });
    await worker.reportWithdrawalEvent(withdrawal, { location: ENUGU });
    await worker.drain();
    const [row] = await store.get(['default:staging:reportWithdrawalEvent:W-1']);
    expect(JSON.stringify(row)).not.toMatch(/Enugu|7\.5|U-88412/);

    const other = make({ encryption: { keys: { '2026-11': KEYS.new }, current: '2026-11' } });
    // It would otherwise be located anew, and report another place.
    for (const options of [undefined, { clientIP: '102.89.23.10' }]) {
      const error = await failureOf(other.reportSettledWithdrawal(settled, options));
      expect(error).toMatchObject({ name: 'ConfigurationError' });
      expect(error.message).toContain('without the key "2026-10". Nothing was enqueued');
      expect(error.message).not.toMatch(/Enugu|7\.5|U-88412/);
    }
    expect(await other.list({ operation: 'reportSettledWithdrawal' })).toEqual([]);

    const both = make({ encryption: { keys: { '2026-10': KEYS.old, '2026-11': KEYS.new }, current: '2026-11' } });
    await both.reportSettledWithdrawal(settled);
    await both.drain();
    expect(settledAt(gateway)).toEqual([ENUGU]);
    expect(await both.receipt(INITIATED)).toMatchObject({ location: ENUGU });
    expect(await other.receipt(INITIATED)).toEqual(expect.not.objectContaining({ location: ENUGU }));
  });

  it('a damaged location is not used', async () => {
    const { store } = await open();
    const { make } = processes({ ...store, get: async (ids) => (await store.get(ids)).map(spoilt) });
    const outbox = make();
    await outbox.reportWithdrawalEvent(withdrawal, { location: ENUGU });
    await outbox.drain();
    expect(await failureOf(outbox.reportSettledWithdrawal(settled))).toMatchObject({ code: 'location' });
    expect((await outbox.receipt(INITIATED))?.outcome).toBe('recorded');
  });

  it('a given location and a report of another reference or environment are not replaced', async () => {
    const { store } = await open();
    const { gateway, make } = processes(store);
    const outbox = make();
    await outbox.reportWithdrawalEvent(withdrawal, { location: ENUGU });
    const lagos = { latitude: 6.45, longitude: 3.39, source: 'desk' };
    await outbox.reportSettledWithdrawal({ ...settled, location: lagos });
    await outbox.drain();
    expect(settledAt(gateway)).toEqual([lagos]);
    for (const other of [{ request_id: 'W-2' }, { environment: 'production' as const }])
      expect(await failureOf(outbox.reportSettledWithdrawal({ ...settled, ...other }))).toMatchObject({
        code: 'location',
      });
  });

  it("both reports may be in one uncommitted transaction of the user's", async () => {
    const { store, within } = await open();
    const { gateway, make } = processes(store);
    const outbox = make();
    await within(async (transaction) => {
      const reports = outbox.within(transaction);
      await reports.reportWithdrawalEvent(withdrawal, { location: ENUGU });
      await reports.reportSettledWithdrawal(settled);
      expect(await reports.reportSettledWithdrawal(settled)).toMatchObject({ state: 'waiting' });
    });
    await outbox.drain();
    expect(settledAt(gateway)).toEqual([ENUGU]);
  });

  it('both reports may be in one list', async () => {
    const { store } = await open();
    const { gateway, make } = processes(store);
    const outbox = make();
    const results = await outbox.reportAll([
      { operation: 'reportSettledWithdrawal', payload: settledWithdrawal({ request_id: 'W-2' }) },
      { operation: 'reportWithdrawalEvent', payload: withdrawal, options: { location: ENUGU } },
      { operation: 'reportSettledWithdrawal', payload: settled },
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await outbox.drain();
    expect(settledAt(gateway)).toEqual([ENUGU]);
  });

  it('the same settlement is the same data after its initiated report was pruned', async () => {
    const { store, age } = await open();
    const { make } = processes(store);
    const outbox = make();
    await outbox.reportWithdrawalEvent(withdrawal, { location: ENUGU });
    await outbox.drain();
    await appendReceipts(store);
    await age();
    const { id } = await outbox.reportSettledWithdrawal(settled);
    await outbox.drain();
    expect(await outbox.prune({ olderThanDays: 400, keepReceipts: true })).toEqual({ pruned: 1 });
    expect(await outbox.reportSettledWithdrawal(settled)).toEqual({ id, state: 'recorded' });
    expect(await outbox.receipt(INITIATED)).toBe(undefined);
    expect(await outbox.receipt({ ...INITIATED, operation: 'reportSettledWithdrawal' })).toMatchObject({
      location: ENUGU,
    });
  });

  it('the receipt of a recorded report is that of its done, in any process, and there is none before', async () => {
    const { store } = await open();
    const { make } = processes(store);
    const [api, worker] = [make(), make()];
    const { done } = await api.reportWithdrawalEvent(withdrawal, { location: ENUGU });
    const bet = await api.reportBetEvent(betEvent({ bet_id: 'B-1' }), { location: ENUGU });
    expect(await worker.receipt(INITIATED)).toBe(undefined);
    expect(await worker.receipt({ ...INITIATED, reference: 'W-\0' })).toBe(undefined);
    await worker.drain();
    expect(await worker.receipt(INITIATED)).toEqual(await done);
    expect(await worker.receipt({ ...INITIATED, environment: 'production' })).toBe(undefined);
    // The location of a bet is deleted with its body, since no later report needs it.
    const { location: _, ...receipt } = await bet.done;
    expect(await worker.receipt({ operation: 'reportBetEvent', reference: 'B-1' })).toEqual(receipt);
    await Promise.all([api.stop(), worker.stop()]);
  });
}
