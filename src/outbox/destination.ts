import { ConfigurationError, type Environment } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';

/** The destination of a report: an environment of the gateway. In a page: the operator's relay, which alone has the environment. */
export type OutboxEnvironment = Environment | 'relay';

/**
 * Why an environment is paused. `'authentication'`: the gateway refused the key (401, 403). `'address'`: another server than
 * the gateway answered (a 404 without its JSON error, 405, 407, 421, a redirect). `'rate-limited'`: 429. `'unavailable'`: 503.
 * `'unreachable'`: no connection. `'configuration'`: a setting is missing or wrong. `'refusals'`: the circuit breaker of one
 * operation is open, since `breakerAfter` of its reports in a row were refused for other reasons, or another server answered.
 */
export type PauseReason = 'authentication' | 'address' | 'rate-limited' | 'unavailable' | 'unreachable' | 'configuration' | 'refusals';

/** The environments of a server's outbox. */
export const ENVIRONMENTS = ['staging', 'production'] as const satisfies readonly Environment[];

/** The account of an outbox that names none. */
export const DEFAULT_ACCOUNT = 'default';

/** Whether a value can be the name of an account. The name is a part of commands and of ids, whose separator is a colon. */
export const isAccount = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value);

export const ACCOUNT_RULE = 'expected up to 64 letters, digits, ., _ and -, of which the first is a letter or a digit';

/** The name of the circuit breaker of one operation in one environment. */
export type BreakerName = `${OutboxEnvironment}/${OperationName}`;

/**
 * The destination of reports: one environment of one account. Each destination has its own gateway, pause and claims. A store
 * keeps the circuit breaker of an operation as one more destination without rows, for example `staging/reportSettledBet`. So
 * each breaker has its own version and pause, and a store does not tell breakers from destinations.
 */
export interface Destination {
  /** The account of the reports: the licence, as the option `account` names it. */
  readonly account: string;
  /** The environment of that account, or the name of a breaker. */
  readonly environment: OutboxEnvironment | BreakerName;
}

/** One operation of a destination. */
export interface DestinationOperation {
  /** The account of the reports. */
  readonly account: string;
  /** The environment to which they go. */
  readonly environment: OutboxEnvironment;
  /** The operation of the reports. */
  readonly operation: OperationName;
}

/** The breaker of a row's operation. */
export const breakerOf = ({ account, environment, operation }: DestinationOperation): Destination => ({
  account,
  environment: `${environment}/${operation}`,
});

/** The environment of a pause, and its operation if the pause is a breaker's. */
export function partsOf({ environment: name }: Pick<Destination, 'environment'>): { environment: OutboxEnvironment; operation: OperationName | undefined } {
  const [environment, operation] = name.split('/') as [OutboxEnvironment, OperationName | undefined];
  return { environment, operation };
}

/** Whether a destination is a breaker. */
export const isBreaker = ({ environment }: Pick<Destination, 'environment'>): boolean => environment.includes('/');

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

/** The addresses to which a client sends, by environment. */
export type Gateways = { readonly [Name in OutboxEnvironment]?: string | undefined };

/** The destinations of an account: one for each environment that its client has. */
export const boundTo = (account: string, gateways: Gateways): BoundDestination[] =>
  Object.entries(gateways).flatMap(([environment, gateway]) =>
    gateway === undefined ? [] : [{ account, environment: environment as OutboxEnvironment, gateway }],
  );

/** One text for each destination: no account holds a colon. */
export const keyOf = ({ account, environment }: Destination): string => `${account}:${environment}`;

const BOUND = Symbol.for('location-sdk.bound-gateway');

const isOneMachine = (gateway: string): boolean => /^http:\/\/(?:[^/]+\.)?(?:localhost|127\.[\d.]+|\[::1\])(?::|\/|$)/.test(gateway);

/** The error of an outbox that would send the reports of a destination to another gateway. */
export function otherGateway({ account, gateway, ...name }: BoundDestination, bound: string, mockMode = false): ConfigurationError {
  const { environment } = partsOf(name);
  const where = `account ${account}, ${environment}`;
  const why = mockMode
    ? ' This process is in mock mode (LOCATION_SDK_MOCK), and a mock gateway never gets the reports of another gateway: give it its own store.'
    : isOneMachine(bound)
      ? ` ${bound} may be a mock gateway, whose reports never go to another gateway: use another store for real reports.`
      : '';
  const change =
    environment === 'relay'
      ? `store.rebind({ account: '${account}', environment: 'relay', from: '${bound}', gateway: '${gateway}', reason: '…' })`
      : `npx location-sdk outbox <store> rebind --account ${account} --environment ${environment} --gateway ${gateway} --reason "…"`;
  const error = new ConfigurationError(
    `The reports in this store (${where}) go to ${bound}, and this outbox would send them to ${gateway}. Nothing was stored or sent.${why} Another licence needs the option account. If the address of the same gateway has changed, stop every instance and run: ${change}`,
    environment === 'relay' ? {} : { environment: environment satisfies Environment },
  );
  return Object.defineProperty(error, BOUND, { value: bound });
}

/** The gateway of the store in an error of `otherGateway`. It is also found if another copy of the package made the error. */
export const boundGatewayOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null ? (error as { [BOUND]?: string })[BOUND] : undefined;
