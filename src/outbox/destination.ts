import { ConfigurationError, type Environment } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';

/** Where a report goes: an environment of the gateway; or from a page, the operator's relay, which alone knows its environment. */
export type OutboxEnvironment = Environment | 'relay';

/**
 * Why nothing is sent to an environment. `'authentication'`: the key was refused (401, 403). `'address'`: the answer is not
 * the gateway's (a 404 without its JSON error, 405, 407, 421, a redirect). `'rate-limited'`: 429. `'unavailable'`: 503.
 * `'unreachable'`: no connection. `'configuration'`: a setting is missing or wrong. `'refusals'`, of one operation: its
 * breaker is open, since `breakerAfter` of its reports in a row were refused for other reasons, or got an answer that is not
 * the gateway's own.
 */
export type PauseReason = 'authentication' | 'address' | 'rate-limited' | 'unavailable' | 'unreachable' | 'configuration' | 'refusals';

/** The environments of a server's outbox. */
export const ENVIRONMENTS = ['staging', 'production'] as const satisfies readonly Environment[];

/** The account of an outbox that names none. */
export const DEFAULT_ACCOUNT = 'default';

/** What an account's name must be: it is a part of ids, of which colons part the members, and of commands. */
export const isAccount = (value: unknown): value is string => typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value);

export const ACCOUNT_RULE = 'expected up to 64 letters, digits, ., _ and -, of which the first is a letter or a digit';

/** The name of a circuit breaker: that of one operation in one environment. */
export type BreakerName = `${OutboxEnvironment}/${OperationName}`;

/**
 * Where reports go: one environment of one account. Pauses, gateways and claims are those of a destination. A store keeps
 * the circuit breaker of an operation as one more destination, named `staging/reportSettledBet`, to which no row goes: so
 * each has a version and a pause of its own, and a store needs to know nothing of breakers.
 */
export interface Destination {
  /** Whose reports they are: the licence, as the option `account` names it. */
  readonly account: string;
  /** Where in that account they go; or the name of a breaker. */
  readonly environment: OutboxEnvironment | BreakerName;
}

/** One operation of a destination. */
export interface DestinationOperation {
  /** Whose reports they are. */
  readonly account: string;
  /** Where in that account they go. */
  readonly environment: OutboxEnvironment;
  /** Which reports of that destination. */
  readonly operation: OperationName;
}

/** The breaker that counts for a row. */
export const breakerOf = ({ account, environment, operation }: DestinationOperation): Destination => ({
  account,
  environment: `${environment}/${operation}`,
});

/** The environment that a pause is about, and, of a breaker, the operation. */
export function partsOf({ environment: name }: Pick<Destination, 'environment'>): { environment: OutboxEnvironment; operation: OperationName | undefined } {
  const [environment, operation] = name.split('/') as [OutboxEnvironment, OperationName | undefined];
  return { environment, operation };
}

/** Whether a name is that of a breaker. */
export const isBreaker = ({ environment }: Pick<Destination, 'environment'>): boolean => environment.includes('/');

/** A destination with the address of the gateway, or of the relay, that stands for it. */
export interface BoundDestination extends Destination {
  /** The normalised address. Never the key. */
  readonly gateway: string;
}

/** A change of a destination's gateway, made only if that is still `from`. */
export interface Rebinding extends BoundDestination {
  /** The address until now. */
  readonly from: string;
  /** Why, in the words of the person who decided. It is kept. */
  readonly reason: string;
}

/** A change of a destination's gateway, as it is kept. */
export interface Rebound {
  /** The address before. */
  readonly from: string;
  /** Why, in the words of the person who decided. */
  readonly reason: string;
  /** When, in milliseconds since 1970, by the store's clock. */
  readonly at: number;
}

/** The addresses to which a client sends, by environment. */
export type Gateways = { readonly [Name in OutboxEnvironment]?: string | undefined };

/** Those of an environment that a client has. */
export const boundTo = (account: string, gateways: Gateways): BoundDestination[] =>
  Object.entries(gateways).flatMap(([environment, gateway]) =>
    gateway === undefined ? [] : [{ account, environment: environment as OutboxEnvironment, gateway }],
  );

/** One text for each destination: no account holds a colon. */
export const keyOf = ({ account, environment }: Destination): string => `${account}:${environment}`;

const BOUND = Symbol.for('location-sdk.bound-gateway');

const isOneMachine = (gateway: string): boolean => /^http:\/\/(?:[^/]+\.)?(?:localhost|127\.[\d.]+|\[::1\])(?::|\/|$)/.test(gateway);

/** What an outbox is told that would send a destination's reports to another gateway. */
export function otherGateway({ account, gateway, ...name }: BoundDestination, bound: string, mockMode = false): ConfigurationError {
  const { environment } = partsOf(name);
  const where = `account ${account}, ${environment}`;
  const why = mockMode
    ? ' This process is in mock mode (LOCATION_SDK_MOCK), and a mock gateway never gets the reports of another one: give it a store of its own.'
    : isOneMachine(bound)
      ? ` ${bound} may be a mock gateway, whose reports never go to another one: use another store for real reports.`
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

/** The gateway that an error of `otherGateway` names as the store's, of whichever copy of the package it is. */
export const boundGatewayOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null ? (error as { [BOUND]?: string })[BOUND] : undefined;
