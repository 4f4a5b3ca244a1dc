import { ConfigurationError } from '../../core/errors/errors.js';
import { type Clock, systemClock } from '../../core/platform/time.js';
import { aboutReport, type Events } from '../events.js';
import { appendReceipts } from '../receipts/log.js';
import { type BoundDestination, boundTo, type Destination, type PauseScope, scopeOf } from '../rules/destination.js';
import type { Decision, Row } from '../rules/state-machine.js';
import type { Seal } from '../seal/seal.js';
import { standardSeal } from '../seal/standard-seal.js';
import type { Waiters } from '../sending/receipt-waiters.js';
import type { OutboxSettings } from '../settings.js';
import type { OperatorStore } from '../store/operator-store.js';
import type { OutboxStore } from '../store/store.js';

/** The reason why a request of an operator is refused. The message says what to do. */
export type OperatorRefusalCode =
  /** A value is wrong (HTTP 422). */
  | 'invalid'
  /** The report or decision does not exist (HTTP 404). */
  | 'not-found'
  /** The id was used for another decision, or the state of the report does not allow it (HTTP 409). */
  | 'conflict'
  /** The body cannot be opened here (HTTP 423). */
  | 'locked';

/** The error of a refused request. Nothing was changed. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal';
  readonly code: OperatorRefusalCode;

  constructor(code: OperatorRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The parts of an outbox, or of a store without one, that its operator uses. */
interface Source {
  readonly store: OutboxStore;
  readonly seal: Seal;
  readonly clock: Clock;
  /** The accounts that are shown. Undefined: all. */
  readonly accounts: readonly string[] | undefined;
  readonly keepBodies: boolean;
  /** The destinations of this process with its gateways. Empty over a store. */
  readonly bound: readonly BoundDestination[];
  /** Called with the rows that a commit of a decision has changed. */
  decided(rows: readonly Row[], action: Decision['action']): void;
  /** Called at the end of each call of `decide`. */
  afterDecision(action: Decision['action']): Promise<void>;
  resumed(pauses: readonly PauseScope[]): void;
}

export interface OperatorContext extends Source {
  readonly console: OperatorStore;
  /** The begin of the commands to copy. */
  readonly command: string;
}

export const isShown = ({ accounts }: Pick<OperatorContext, 'accounts'>, account: string): boolean =>
  accounts?.includes(account) ?? true;

export function requireShown(context: Pick<OperatorContext, 'accounts'>, account: string): void {
  if (!isShown(context, account)) throw new OperatorRefusal('not-found', 'No account of this name is shown here.');
}

/** An absent member matches everything. */
export type Narrowing = {
  readonly [Name in keyof Destination]?: Destination[Name] | undefined;
};

/** Whether the operator sees a place, and the filter matches it. */
export const isWithin = (
  context: Pick<OperatorContext, 'accounts'>,
  place: Destination,
  { account, environment }: Narrowing,
): boolean =>
  isShown(context, place.account) &&
  (account ?? place.account) === place.account &&
  (environment ?? place.environment) === place.environment;

// Two copies of the package in one program share this key, so its text must not change.
const SOURCE = Symbol.for('location-sdk.outbox-console');

interface OperatedOutbox {
  readonly settings: OutboxSettings;
  /** The accounts that the operator sees. */
  readonly accounts: readonly string[];
  readonly events: Events;
  readonly waiters: Waiters;
  wake(): void;
}

/**
 * Attaches the parts to the outbox under a symbol, which loggers and serialisers skip. So decisions of the console
 * reach the outbox.
 */
export function attachOperator(outbox: object, { settings, accounts, events, waiters, wake }: OperatedOutbox): void {
  const { store, seal, clock, keepBodies } = settings;
  const source: Source = {
    store,
    seal,
    clock,
    keepBodies,
    accounts,
    bound: settings.accounts.flatMap(({ account, gateways }) => boundTo(account, gateways)),
    decided(rows, action) {
      for (const row of rows) {
        events.emit('decided', { ...aboutReport(row), action });
        waiters.tell(row);
      }
    },
    // The event `decided` adds the receipts. The worker must only be woken.
    afterDecision: async () => wake(),
    resumed(pauses) {
      for (const pause of pauses) events.emit('resumed', scopeOf(pause));
      wake();
    },
  };
  Object.defineProperty(outbox, SOURCE, { value: source });
}

/** The parts of a store without an outbox. It has no listeners, and the operator writes the receipts. */
const sourceOfStore = (store: OutboxStore): Source => ({
  store,
  seal: standardSeal(store, undefined),
  clock: systemClock,
  accounts: undefined,
  keepBodies: false,
  bound: [],
  decided() {},
  async afterDecision(action) {
    if (action === 'recorded' || action === 'dismissed') await appendReceipts(store);
  },
  resumed() {},
});

const isStore = (value: object): value is OutboxStore => 'turn' in value && 'outlook' in value && 'receipts' in value;

/** The context of an outbox, even if another copy of the package has made it, or of a store. */
export function contextOf(over: object, command: string, keepBodies: boolean | undefined): OperatorContext {
  const source = (over as { readonly [SOURCE]?: Source })[SOURCE] ?? (isStore(over) ? sourceOfStore(over) : undefined);
  if (!source)
    throw new ConfigurationError(
      'outbox: expected what createOutbox of location-sdk/outbox returned. The console was not made.',
    );
  const { console: forOperators } = source.store;
  if (!forOperators)
    throw new ConfigurationError(
      'outbox: its store keeps no decisions, so the console was not made. Use sqliteStore or postgresStore.',
    );
  return { ...source, console: forOperators, command, keepBodies: keepBodies ?? source.keepBodies };
}
