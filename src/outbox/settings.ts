import { type ClientInternals, internalsOf } from '../core/client/internals.js';
import type { ClientMode } from '../core/client/payloads.js';
import { ConfigurationError, requireOptions } from '../core/errors/errors.js';
import { asRecord, memberOf } from '../core/platform/as-record.js';
import type { Clock } from '../core/platform/time.js';
import { MOCK_GATEWAY } from '../core/protocol/mock-mode.js';
import { issue, type ValidationIssue } from '../core/schema/issue.js';
import {
  hasMethods,
  isAnything,
  isDuration,
  isFlag,
  isFunction,
  isLimit,
  milliseconds,
  must,
  option,
  optional,
  required,
  wholeNumber,
} from '../core/schema/option-rules.js';
import type { AccountsOptions, OutboxOptions } from './options.js';
import { ACCOUNT_RULE, DEFAULT_ACCOUNT, type Gateways, isAccount } from './rules/destination.js';
import { type EndingContext, LONGEST_WAIT_MS } from './rules/state-machine.js';
import type { MakeSeal, Seal } from './seal/seal.js';
import type { OutboxStore } from './store/store.js';

export interface AccountSettings {
  readonly account: string;
  readonly internals: ClientInternals;
  /** The addresses to which its client sends, as a store remembers them: `MOCK_GATEWAY` for staging in mock mode. */
  readonly gateways: Gateways;
}

export interface OutboxSettings extends Omit<EndingContext, 'dependency'> {
  readonly accounts: readonly AccountSettings[];
  clientOf(account: string): ClientInternals;
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
  readonly ratePerSecond: number | undefined;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly stopTimeoutMs: number;
  readonly onReceipt: OutboxOptions['onReceipt'];
}

/** The defaults of the options. Times are in milliseconds. */
export const DEFAULTS = {
  concurrency: 8,
  breakerAfter: 5,
  baseMs: 1_000,
  capMs: 300_000,
  pollMs: 1_000,
  stopTimeoutMs: 10_000,
  marginMs: 20_000,
};

/** The time between the end of an attempt and the end of its lease, in which the result is written. */
const LEAST_MARGIN_MS = 1_000;
/** Far below `LONGEST_WAIT_MS`, since stores read a longer wait as a jump of the clock. */
const LONGEST_LEASE_MS = LONGEST_WAIT_MS / 2;
/** The largest `breakerAfter` that any store can count. In practice it turns the breaker off. */
const MOST_REFUSALS = 1_000_000;

const STORE_METHODS = [
  'enqueue',
  'turn',
  'bind',
  'outlook',
  'pause',
  'get',
  'list',
  'missingKeys',
  'counts',
  'getOrCreateSetting',
] as const satisfies readonly (keyof OutboxStore)[];

const optionTable = {
  client: optional<unknown>(isAnything),
  accounts: optional<unknown>(isAnything),
  store: required<OutboxStore>(must('a store, such as memoryStore()', (value) => hasMethods(value, STORE_METHODS))),
  account: optional<unknown>(isAnything),
  concurrency: option(wholeNumber(1, 1_000), DEFAULTS.concurrency),
  retry: { baseMs: option(isLimit, DEFAULTS.baseMs), capMs: option(isLimit, DEFAULTS.capMs) },
  leaseMs: optional<number>(milliseconds(1, LONGEST_LEASE_MS)),
  pollMs: option(isLimit, DEFAULTS.pollMs),
  stopTimeoutMs: option(isDuration, DEFAULTS.stopTimeoutMs),
  breakerAfter: option(wholeNumber(1, MOST_REFUSALS), DEFAULTS.breakerAfter),
  ratePerSecond: optional<number>(wholeNumber(1, 100_000)),
  keepBodies: option(isFlag, false),
  onReceipt: optional<OutboxOptions['onReceipt']>(isFunction),
  encryption: optional<unknown>(isAnything),
};

/** Throws one `ConfigurationError` that lists every problem. */
export function readOutboxSettings(
  options: OutboxOptions<ClientMode> | AccountsOptions<string, ClientMode>,
  makeSeal: MakeSeal,
): OutboxSettings {
  let accounts: readonly AccountSettings[] = [];
  let made: ReturnType<MakeSeal> | undefined;
  const { complete } = requireOptions('the outbox', optionTable, options, (own) => {
    const read = readAccounts(own);
    accounts = read.accounts;
    made = makeSeal(own.encryption);
    return [
      ...read.issues,
      ...accounts.flatMap(({ internals }) => ownerIssues(internals, memberOf(asRecord(own.store), 'player'))),
      ...(globalThis.crypto?.subtle
        ? []
        : [issue(['encryption'], 'missing', 'this runtime has no WebCrypto; in a page it needs https')]),
      ...made.issues,
      ...leaseIssues(own.leaseMs, longestAttemptOf(accounts) + LEAST_MARGIN_MS),
    ];
  });
  const { client, account, encryption, leaseMs, ...own } = complete;
  const seal = made?.over(own.store);
  const [first] = accounts;
  if (!seal || !first) throw new ConfigurationError('No account.');
  const { clock, logger, random } = first.internals;
  const attemptTimeoutMs = longestAttemptOf(accounts);
  return {
    ...own,
    accounts,
    clock,
    logger,
    random,
    attemptTimeoutMs,
    seal,
    leaseMs: leaseMs ?? attemptTimeoutMs + DEFAULTS.marginMs,
    clientOf(account) {
      const found = accounts.find((one) => one.account === account);
      // Never the client of another account.
      if (!found) throw new Error('This outbox does not serve this account.');
      return found.internals;
    },
  };
}

const longestAttemptOf = (accounts: readonly AccountSettings[]): number =>
  Math.max(0, ...accounts.map(({ internals }) => internals.attemptTimeoutMs));

/** A lease must be longer than the attempt that it covers. */
function leaseIssues(leaseMs: unknown, least: number): ValidationIssue[] {
  if (least > LONGEST_LEASE_MS)
    return [
      issue(
        ['client'],
        'invalid',
        `its attemptTimeoutMs leaves no room for a lease, which is ${LONGEST_LEASE_MS} milliseconds at most`,
      ),
    ];
  return typeof leaseMs === 'number' && leaseMs >= 1 && leaseMs < least
    ? [issue(['leaseMs'], 'invalid', `expected a number of milliseconds from ${least} to ${LONGEST_LEASE_MS}`)]
    : [];
}

/** A page's store must belong to one player, since another one may be signed in when a report is sent. */
function ownerIssues({ kind }: ClientInternals, player: unknown): ValidationIssue[] {
  const refuse = (message: string) => [issue(['store'], 'invalid', message)];
  if (kind !== 'relay')
    return player === undefined ? [] : refuse('the store of one player needs a client with relayUrl');
  return typeof player === 'string' && player !== ''
    ? []
    : refuse(
        "with relayUrl it must be one player's, whose session sends its reports: await indexedDbStore({ player })",
      );
}

function readAccounts(own: Readonly<Record<string, unknown>>) {
  const issues: ValidationIssue[] = [];
  const several = own.accounts !== undefined;
  const refuse = (name: string, message: string) => void issues.push(issue([name], 'invalid', message));
  if (several && (own.client !== undefined || own.account !== undefined))
    refuse('accounts', 'expected without client and account');
  const clients = several
    ? Object.entries(asRecord(own.accounts))
    : [[own.account ?? DEFAULT_ACCOUNT, own.client] as const];
  if (clients.length === 0)
    refuse('accounts', 'expected an object with at least one client, such as { brandA: client }');
  const accounts = clients.flatMap(([account, client]): AccountSettings[] => {
    if (!isAccount(account))
      refuse(several ? 'accounts' : 'account', several ? `names: ${ACCOUNT_RULE}` : ACCOUNT_RULE);
    const internals = internalsOf(client);
    if (!internals) refuse(several ? 'accounts' : 'client', 'expected what createClient returns');
    if (several && internals?.kind === 'relay')
      refuse('accounts', 'expected clients of gateways; a page has one account');
    if (!internals || !isAccount(account)) return [];
    const gateways = internals.mockMode ? { ...internals.gateways, staging: MOCK_GATEWAY } : internals.gateways;
    return [{ account, internals, gateways }];
  });
  return { accounts, issues };
}
