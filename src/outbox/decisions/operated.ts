import type { Clock } from '../../core/platform/time.js';
import { aboutReport, type Events } from '../events.js';
import { type BoundDestination, boundTo, operationScope } from '../rules/destination.js';
import type { Decision } from '../rules/state-machine.js';
import type { Seal } from '../seal/seal.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import type { OutboxSettings } from '../settings.js';
import type { OutboxStore } from '../store/store.js';
import type { DecisionPlace } from './decide-rows.js';
import type { PausePlace } from './end-pauses.js';

/** The parts of an outbox, or of a store without one, that its operator uses. */
export interface Operated extends DecisionPlace, PausePlace {
  readonly seal: Seal;
  readonly clock: Clock;
  /** The accounts that are shown. Undefined: all. */
  readonly accounts: readonly string[] | undefined;
  readonly keepBodies: boolean;
  /** The destinations of this process with its gateways. Empty over a store. */
  readonly bound: readonly BoundDestination[];
  /** Called at the end of each call of `decide`. */
  afterDecision(action: Decision['action']): Promise<void>;
}

// Two copies of the package in one program share this key, so its text must not change.
const OPERATED = Symbol.for('location-sdk.outbox-console');

interface OutboxParts {
  readonly settings: OutboxSettings;
  readonly accounts: readonly string[];
  readonly events: Events;
  readonly waiters: Waiters;
  wake(): void;
}

/** Emits the events of decisions and of ended pauses, settles the receipts, and wakes the worker. */
export const decisionPlace = (
  store: OutboxStore,
  events: Events,
  waiters: Waiters,
  wake: () => void,
): DecisionPlace & PausePlace => ({
  store,
  announce(rows) {
    for (const row of rows) {
      const { action } = row.decisions.at(-1) ?? {};
      if (action) events.emit('decided', { ...aboutReport(row), action });
      waiters.tell(row);
    }
  },
  resumed(pauses) {
    for (const pause of pauses) events.emit('resumed', operationScope(pause));
    wake();
  },
  quarantined(rows) {
    for (const row of rows) {
      const { problem, inDoubt } = row;
      if (problem)
        events.emit('quarantined', { ...aboutReport(row), code: problem.code, message: problem.message, inDoubt });
      waiters.tell(row);
    }
  },
});

/** Attaches the parts to the outbox under a symbol, which loggers and serialisers skip. */
export function attachOperator(outbox: object, { settings, accounts, events, waiters, wake }: OutboxParts): void {
  const { store, seal, clock, keepBodies } = settings;
  const value: Operated = {
    ...decisionPlace(store, events, waiters, wake),
    seal,
    clock,
    keepBodies,
    accounts,
    bound: settings.accounts.flatMap(({ account, gateways }) => boundTo(account, gateways)),
    // The event `decided` adds the receipts. The worker must only be woken.
    afterDecision: async () => wake(),
  };
  Object.defineProperty(outbox, OPERATED, { value });
}

/** The parts of an outbox, also of one made by another copy of the package. */
export const operatedOf = (outbox: object): Operated | undefined =>
  (outbox as { readonly [OPERATED]?: Operated })[OPERATED];
