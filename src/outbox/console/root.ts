import { aboutReport, type Events } from '../events.js';
import { liftPauses } from '../operator/lift-pauses.js';
import type { Waiters } from '../receipt-waiters.js';
import type { OutboxSettings } from '../settings-shape.js';
import type { ConsoleParts } from './parts.js';

/** All that an outbox knows of its console. */
export type ConsoleRoot = Omit<ConsoleParts, 'command'>;

// Two copies of the package in one program share this key, so its text stays as it is.
const ROOT = Symbol.for('location-sdk.outbox-console');

/** What stands behind an outbox, also of one that another copy of the package has made. */
export const rootOf = (outbox: object): ConsoleRoot | undefined => (outbox as { readonly [ROOT]?: ConsoleRoot })[ROOT];

/** What an outbox gives its console. */
export interface Attached {
  readonly settings: OutboxSettings;
  /** Those that the console shows. */
  readonly accounts: readonly string[];
  readonly events: Events;
  readonly waiters: Waiters;
  wake(): void;
}

/** Keeps what stands behind an outbox at it, where no printer or serialiser sees it: decisions of the console are then those of the outbox. */
export function attachConsole(outbox: object, { settings, accounts, events, waiters, wake }: Attached): void {
  const { store, seal, clock, keepBodies } = settings;
  const root: ConsoleRoot = {
    store,
    seal,
    clock,
    keepBodies,
    accounts,
    decided(rows, action) {
      for (const row of rows) {
        events.emit('decided', { ...aboutReport(row), action });
        waiters.settle(row);
      }
    },
    // The event adds receipts to the log; a worker takes what waits now.
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
