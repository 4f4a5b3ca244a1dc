import { ConfigurationError } from '../core/errors/errors.js';
import { systemClock } from '../core/platform/time.js';
import { type Operated, operatedOf } from '../outbox/decisions/operated.js';
import { appendReceipts } from '../outbox/receipts/log.js';
import type { Destination } from '../outbox/rules/destination.js';
import { standardSeal } from '../outbox/seal/standard-seal.js';
import type { OperatorStore } from '../outbox/store/operator-store.js';
import type { OutboxStore } from '../outbox/store/store.js';

/** The message says what to do. */
export type OperatorRefusalCode =
  /** A value is wrong (HTTP 422). */
  | 'invalid'
  /** The report or decision does not exist (HTTP 404). */
  | 'not-found'
  /** The id was used for another decision, or the state of the report does not allow it (HTTP 409). */
  | 'conflict'
  /** The body cannot be opened here (HTTP 423). */
  | 'locked';

/** Nothing was changed. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal';

  constructor(
    readonly code: OperatorRefusalCode,
    message: string,
  ) {
    super(message);
  }
}

export interface OperatorContext extends Operated {
  readonly operator: OperatorStore;
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

export const isWithin = (
  context: Pick<OperatorContext, 'accounts'>,
  place: Destination,
  { account, environment }: Narrowing,
): boolean =>
  isShown(context, place.account) &&
  (account ?? place.account) === place.account &&
  (environment ?? place.environment) === place.environment;

/** An absent end matches every time. */
export const isBetween = (
  at: number,
  { from = at, to = Number.POSITIVE_INFINITY }: Readonly<Partial<Record<'from' | 'to', number | undefined>>>,
): boolean => at >= from && at < to;

/** The parts of a store without an outbox. It has no listeners, and the operator writes the receipts. */
const sourceOfStore = (store: OutboxStore): Operated => ({
  store,
  seal: standardSeal(store, undefined),
  clock: systemClock,
  accounts: undefined,
  keepBodies: false,
  bound: [],
  announce() {},
  async afterDecision(action) {
    if (action === 'recorded' || action === 'dismissed') await appendReceipts(store);
  },
  resumed() {},
  quarantined() {},
});

const isStore = (value: object): value is OutboxStore => 'turn' in value && 'outlook' in value && 'receipts' in value;

export function contextOf(over: object, command: string, keepBodies: boolean | undefined): OperatorContext {
  const source = operatedOf(over) ?? (isStore(over) ? sourceOfStore(over) : undefined);
  if (!source)
    throw new ConfigurationError(
      'outbox: expected what createOutbox of location-sdk/outbox returned. The console was not made.',
    );
  const { operator } = source.store;
  if (!operator)
    throw new ConfigurationError(
      'outbox: its store keeps no decisions, so the console was not made. Use sqliteStore or postgresStore.',
    );
  return { ...source, operator, command, keepBodies: keepBodies ?? source.keepBodies };
}
