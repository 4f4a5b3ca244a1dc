import type { ClientInternals } from '../client/internals.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Clock } from '../platform/time.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import type { Gateways } from './destination.js';
import type { Seal } from './seal/seal.js';
import type { EndingContext } from './state-machine.js';
import type { OutboxStore } from './store.js';

/** An account that an outbox serves. */
export interface AccountSettings {
  readonly account: string;
  readonly internals: ClientInternals;
  /** Where its client sends. */
  readonly gateways: Gateways;
  readonly mockMode: boolean;
}

/** Everything an outbox knows; nothing is optional any more. */
export interface OutboxSettings extends Omit<EndingContext, 'dependency'> {
  readonly accounts: readonly AccountSettings[];
  /** The client of an account, which is one of these. */
  internalsOf(account: string): ClientInternals;
  /** Those of the first client. */
  readonly clock: Clock;
  readonly logger: ClientInternals['logger'];
  /** The longest of all clients'. */
  readonly attemptTimeoutMs: number;
  readonly store: OutboxStore;
  readonly seal: Seal;
  readonly concurrency: number;
  readonly breakerAfter: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly stopTimeoutMs: number;
}

/** What an option is where it is left out; times in milliseconds. */
export const DEFAULTS = { concurrency: 8, breakerAfter: 5, baseMs: 1_000, capMs: 300_000, pollMs: 1_000, stopTimeoutMs: 10_000, marginMs: 20_000 };

/** Between the end of an attempt and the end of its lease, so that the end can be written. */
export const LEAST_MARGIN_MS = 1_000;

/** In a page the session may be another player's by the time a report is sent; what such a store lacks is said here. */
export function ownerIssues({ kind }: Pick<ClientInternals, 'kind'>, player: unknown): ValidationIssue[] {
  const refuse = (message: string) => [issue(['store'], 'invalid', message)];
  if (kind !== 'relay') return player === undefined ? [] : refuse('that of one player is for a client with relayUrl');
  const isNamed = typeof player === 'string' && player !== '';
  return isNamed ? [] : refuse("with relayUrl it must be one player's, so that no report is sent in the session of another: await indexedDbStore({ player })");
}

/** What follows from the accounts alone. */
export function surroundingsOf(given: readonly (readonly [account: string, internals: ClientInternals])[]) {
  const accounts = given.map(([account, internals]): AccountSettings => ({ account, internals, gateways: internals.gateways, mockMode: internals.mockMode }));
  const [first] = accounts;
  if (!first) throw new ConfigurationError('accounts: expected at least one client.');
  const { clock, logger, random } = first.internals;
  return {
    accounts,
    clock,
    logger,
    random,
    attemptTimeoutMs: Math.max(...accounts.map(({ internals }) => internals.attemptTimeoutMs)),
    internalsOf(account: string): ClientInternals {
      const found = accounts.find((one) => one.account === account);
      // Never the client of another account.
      if (!found) throw new Error('A report of an account that this outbox does not serve.');
      return found.internals;
    },
  };
}
