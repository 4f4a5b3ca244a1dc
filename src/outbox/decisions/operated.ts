import type { Clock } from '../../core/platform/time.js';
import type { Events } from '../events.js';
import { type BoundDestination, boundTo } from '../rules/destination.js';
import type { Decision } from '../rules/state-machine.js';
import type { Seal } from '../seal/seal.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import type { OutboxSettings } from '../settings.js';
import { announceTo, type DecisionPlace } from './decide-rows.js';
import { type PausePlace, resumedTo } from './end-pauses.js';

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

/** Attaches the parts to the outbox under a symbol, which loggers and serialisers skip. */
export function attachOperator(outbox: object, { settings, accounts, events, waiters, wake }: OutboxParts): void {
  const { store, seal, clock, keepBodies } = settings;
  const value: Operated = {
    store,
    seal,
    clock,
    keepBodies,
    accounts,
    bound: settings.accounts.flatMap(({ account, gateways }) => boundTo(account, gateways)),
    announce: announceTo(events, waiters),
    // The event `decided` adds the receipts. The worker must only be woken.
    afterDecision: async () => wake(),
    ...resumedTo(events, waiters, wake),
  };
  Object.defineProperty(outbox, OPERATED, { value });
}

/** The parts of an outbox, also of one made by another copy of the package. */
export const operatedOf = (outbox: object): Operated | undefined =>
  (outbox as { readonly [OPERATED]?: Operated })[OPERATED];
