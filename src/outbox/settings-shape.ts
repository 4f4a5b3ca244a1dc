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
  /** The addresses to which its client sends. */
  readonly gateways: Gateways;
  readonly mockMode: boolean;
}

/** The complete settings of an outbox, with all defaults. */
export interface OutboxSettings extends Omit<EndingContext, 'dependency'> {
  readonly accounts: readonly AccountSettings[];
  /** The client of one of these accounts. */
  internalsOf(account: string): ClientInternals;
  /** The clock of the first client. */
  readonly clock: Clock;
  /** The logger of the first client. */
  readonly logger: ClientInternals['logger'];
  /** The longest of all clients. */
  readonly attemptTimeoutMs: number;
  readonly store: OutboxStore;
  readonly seal: Seal;
  readonly concurrency: number;
  readonly breakerAfter: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly stopTimeoutMs: number;
}

/** The defaults of the options. Times are in milliseconds. */
export const DEFAULTS = { concurrency: 8, breakerAfter: 5, baseMs: 1_000, capMs: 300_000, pollMs: 1_000, stopTimeoutMs: 10_000, marginMs: 20_000 };

/** The time between the end of an attempt and the end of its lease, in which the result is written. */
export const LEAST_MARGIN_MS = 1_000;

/** The problems of a store in a page. It must belong to one player, since another player may be signed in when a report is sent. */
export function ownerIssues({ kind }: Pick<ClientInternals, 'kind'>, player: unknown): ValidationIssue[] {
  const refuse = (message: string) => [issue(['store'], 'invalid', message)];
  if (kind !== 'relay') return player === undefined ? [] : refuse('the store of one player needs a client with relayUrl');
  const isNamed = typeof player === 'string' && player !== '';
  return isNamed ? [] : refuse("with relayUrl it must be one player's, so that no report is sent in the session of another: await indexedDbStore({ player })");
}

/** The settings that follow from the accounts alone. */
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
      if (!found) throw new Error('The report belongs to an account that this outbox does not serve.');
      return found.internals;
    },
  };
}
