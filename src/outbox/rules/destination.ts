import { ConfigurationError, ENVIRONMENTS, type Environment } from '../../core/errors/errors.js';
import { MOCK_GATEWAY } from '../../core/protocol/mock-mode.js';
import type { OperationName } from '../../core/protocol/operations.js';

/**
 * The destination of a report: an environment of the gateway. In a page: the operator's relay, which alone has the
 * environment.
 */
export type OutboxEnvironment = Environment | 'relay';

export const OUTBOX_ENVIRONMENTS: readonly OutboxEnvironment[] = [...ENVIRONMENTS, 'relay'];

/**
 * Why an environment is paused. `'authentication'`: the gateway refused the key (401, 403). `'address'`: another server
 * than the gateway answered (a 404 without its JSON error, 405, 407, 421, a redirect). `'rate-limited'`: 429.
 * `'unavailable'`: 503. `'unreachable'`: no connection. `'configuration'`: a setting is missing or wrong. `'refusals'`:
 * the circuit breaker of one operation is open, since `breakerAfter` of its reports in a row were refused for other
 * reasons, or another server answered.
 */
export type PauseReason =
  | 'authentication'
  | 'address'
  | 'rate-limited'
  | 'unavailable'
  | 'unreachable'
  | 'configuration'
  | 'refusals';

export const PAUSE_REASONS: readonly PauseReason[] = [
  'authentication',
  'address',
  'rate-limited',
  'unavailable',
  'unreachable',
  'configuration',
  'refusals',
];

/** The account of an outbox that names none. */
export const DEFAULT_ACCOUNT = 'default';

/**
 * Whether a value can be the name of an account. The name is a part of commands and of ids, whose separator is a colon.
 */
export const isAccount = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value);

export const ACCOUNT_RULE = 'expected up to 64 letters, digits, ., _ and -, first a letter or a digit';

/**
 * The destination of reports: one environment of one account. Each destination has its own gateway, pause and claims.
 */
export interface Destination {
  /** The account of the reports: the licence, as the option `account` names it. */
  readonly account: string;
  /** The environment of that account. */
  readonly environment: OutboxEnvironment;
}

/** The scope of one pause: a destination, or one of its operations. The pause of an operation is its breaker. */
export interface PauseScope extends Destination {
  /** The operation of a circuit breaker. Absent: the whole destination. */
  readonly operation?: OperationName | undefined;
}

export interface DestinationOperation extends Destination {
  /** The operation of the reports. */
  readonly operation: OperationName;
}

export const operationScope = ({ account, environment, operation }: PauseScope): PauseScope => ({
  account,
  environment,
  ...(operation && { operation }),
});

export const destinationScope = ({ account, environment }: Destination): PauseScope => ({ account, environment });

/** A destination with the address of its gateway or relay. */
export interface BoundDestination extends Destination {
  /** The normalised address. Never the key. */
  readonly gateway: string;
}

/** A change of a destination's gateway. It is made only if the gateway is still `from`. */
export interface Rebinding extends BoundDestination {
  /** The current address. */
  readonly from: string;
  /** The reason, in the words of the person who decided. It is stored. */
  readonly reason: string;
}

/** A stored change of a destination's gateway. */
export interface Rebound {
  /** The address before. */
  readonly from: string;
  /** The reason, in the words of the person who decided. */
  readonly reason: string;
  /** When, in milliseconds since 1970, by the store's clock. */
  readonly at: number;
}

export type Gateways = { readonly [Name in OutboxEnvironment]?: string | undefined };

export const boundTo = (account: string, gateways: Gateways): BoundDestination[] =>
  Object.entries(gateways).flatMap(([environment, gateway]) =>
    gateway === undefined ? [] : [{ account, environment: environment as OutboxEnvironment, gateway }],
  );

/** One text for each destination: no account holds a colon. */
export const keyOf = ({ account, environment }: Destination): string => `${account}:${environment}`;

export const pauseKeyOf = (scope: PauseScope): string => `${keyOf(scope)}:${scope.operation ?? ''}`;

const isOneMachine = (gateway: string): boolean =>
  /^http:\/\/(?:[^/]+\.)?(?:localhost|127\.[\d.]+|\[::1\])(?::|\/|$)/.test(gateway);

export function otherGateway({ account, environment, gateway }: BoundDestination, bound: string): ConfigurationError {
  const where = `account ${account}, ${environment}`;
  const name = (one: string) => (one === MOCK_GATEWAY ? 'the mock gateway of mock mode (LOCATION_SDK_MOCK)' : one);
  const isMock = gateway === MOCK_GATEWAY || bound === MOCK_GATEWAY;
  const mock = isMock ? 'A mock gateway' : isOneMachine(bound) && `${bound} may be a mock gateway, which`;
  const why = mock ? ` ${mock} needs a store of its own: its reports never go to another gateway.` : '';
  const change =
    environment === 'relay'
      ? `store.rebind({ account: '${account}', environment: 'relay', from: '${bound}', gateway: '${gateway}', reason: '…' })`
      : `npx location-sdk outbox <store> rebind --account ${account} --environment ${environment} --gateway ${gateway} --reason "…"`;
  const more = isMock
    ? ''
    : ` Another licence needs the option account. If the same gateway has a new address, stop every instance and run: ${change}`;
  return new ConfigurationError(
    `The reports in this store (${where}) go to ${name(bound)}, and this outbox would send them to ${name(gateway)}. Nothing was stored or sent.${why}${more}`,
    environment === 'relay' ? {} : { environment: environment satisfies Environment },
  );
}
