import { boundTo } from '../destination.js';
import { aboutReport, type Events } from '../events.js';
import { liftPauses } from '../operator/lift-pauses.js';
import type { Waiters } from '../receipt-waiters.js';
import type { OutboxSettings } from '../settings-shape.js';
import type { ConsoleParts } from './parts.js';

/** The parts of an outbox that its console uses. */
export type ConsoleRoot = Omit<ConsoleParts, 'command'>;

// Two copies of the package in one program share this key, so its text must not change.
const ROOT = Symbol.for('location-sdk.outbox-console');

/** Finds the parts of an outbox, even if another copy of the package has made it. */
export const rootOf = (outbox: object): ConsoleRoot | undefined => (outbox as { readonly [ROOT]?: ConsoleRoot })[ROOT];

/** The parts that an outbox passes to its console. */
export interface Attached {
  readonly settings: OutboxSettings;
  /** The accounts that the console shows. */
  readonly accounts: readonly string[];
  readonly events: Events;
  readonly waiters: Waiters;
  wake(): void;
}

/** Attaches the parts to the outbox under a symbol, which loggers and serialisers skip. So decisions of the console reach the outbox. */
export function attachConsole(outbox: object, { settings, accounts, events, waiters, wake }: Attached): void {
  const { store, seal, clock, keepBodies } = settings;
  const root: ConsoleRoot = {
    store,
    seal,
    clock,
    keepBodies,
    accounts,
    bound: settings.accounts.flatMap(({ account, gateways, mockMode }) => boundTo(account, gateways).map((one) => ({ ...one, mockMode }))),
    decided(rows, action) {
      for (const row of rows) {
        events.emit('decided', { ...aboutReport(row), action });
        waiters.settle(row);
      }
    },
    // The event `decided` adds the receipts. The worker must only be woken.
    settled: async () => wake(),
    async resume(account, environment) {
      const lifted = await liftPauses(store, account, environment);
      for (const operation of lifted) events.emit('resumed', { account, environment, ...(operation && { operation }) });
      wake();
      return lifted.length > 0;
    },
  };
  Object.defineProperty(outbox, ROOT, { value: root });
}
