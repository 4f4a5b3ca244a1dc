import { operations } from '../../core/protocol/operations.js';
import { contentsOf, withRepeats } from '../../core/protocol/repeats.js';
import { hasContents, keptLocation } from '../seal/excerpt.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import type { AccountSettings, OutboxSettings } from '../settings.js';
import { isDistinctReference, rowId } from './enqueue.js';
import { toEnqueuedReport } from './report-methods.js';

/** Attaches the search for a relay. It asks the row, so it also knows what another process stored. */
export function attachRepeats(
  outbox: object,
  { store, seal }: OutboxSettings,
  { account, internals }: AccountSettings,
  waiters: Waiters,
): void {
  withRepeats(outbox, async (operation, event, environment = internals.environment) => {
    const reference = event[operations[operation].reference];
    if (typeof reference !== 'string' || !isDistinctReference(reference)) return undefined;
    const destination = { account, environment: environment === 'production' ? environment : 'staging' } as const;
    const [row] = await store.get([rowId(destination, operation, reference)]);
    if (!row || !(await hasContents(seal, row, contentsOf(event)))) return undefined;
    return toEnqueuedReport({ row, location: await keptLocation(seal, row) }, waiters);
  });
}
