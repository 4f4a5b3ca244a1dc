import { type ClientInternals, internalsOf } from '../client/internals.js';
import type { ClientMode } from '../client/payloads.js';
import { ConfigurationError } from '../errors/errors.js';
import { asRecord, memberOf } from '../platform/as-record.js';
import { issue, type ValidationIssue } from '../schema/issue.js';
import { having, isAnything, isDuration, isFlag, isLimit, option, optional, readOptions, required, wholeNumber, within } from '../schema/option-rules.js';
import { ACCOUNT_RULE, DEFAULT_ACCOUNT, isAccount } from './destination.js';
import type { AccountsOptions, OutboxOptions } from './options.js';
import type { MakeSeal, Seal } from './seal/seal.js';
import { DEFAULTS, LEAST_MARGIN_MS, type OutboxSettings, ownerIssues, surroundingsOf } from './settings-shape.js';
import { LONGEST_WAIT_MS } from './state-machine.js';
import type { OutboxStore } from './store.js';

/** Far below `LONGEST_WAIT_MS`: stores read a longer wait as a jump of the clock, and so as over. */
const LONGEST_LEASE_MS = LONGEST_WAIT_MS / 2;
/** The largest `breakerAfter` that any store can count. In practice it turns the breaker off. */
const MOST_REFUSALS = 1_000_000;

/** Every option of an outbox and its default. */
const optionTable = {
  client: optional<unknown>(isAnything),
  accounts: optional<unknown>(isAnything),
  store: required<OutboxStore>(having('enqueue', 'turn', 'bind', 'outlook', 'pause', 'get', 'list', 'missingKeys', 'counts', 'remember')),
  account: optional<unknown>(isAnything),
  concurrency: option(wholeNumber(1, 1_000), DEFAULTS.concurrency),
  retry: { baseMs: option(isLimit, DEFAULTS.baseMs), capMs: option(isLimit, DEFAULTS.capMs) },
  leaseMs: optional<number>(within('milliseconds', 1, LONGEST_LEASE_MS)),
  pollMs: option(isLimit, DEFAULTS.pollMs),
  stopTimeoutMs: option(isDuration, DEFAULTS.stopTimeoutMs),
  breakerAfter: option(wholeNumber(1, MOST_REFUSALS), DEFAULTS.breakerAfter),
  keepBodies: option(isFlag, false),
  encryption: optional<unknown>(isAnything),
  seal: optional<Seal>(having('seal', 'open', 'matches')),
};

type Accounts = readonly (readonly [account: string, internals: ClientInternals])[];

/** Checks the options, and throws one `ConfigurationError` that lists every problem. */
export function readOutboxSettings(options: OutboxOptions<ClientMode> | AccountsOptions<string, ClientMode>, makeSeal: MakeSeal): OutboxSettings {
  const made: { accounts: Accounts; seal?: ReturnType<MakeSeal> } = { accounts: [] };
  const read = readOptions('the outbox', optionTable, options, (own) => {
    const issues: ValidationIssue[] = [];
    made.accounts = readAccounts(own, issues);
    for (const [, internals] of made.accounts) issues.push(...ownerIssues(internals, memberOf(asRecord(own.store), 'player')));
    if (own.seal !== undefined && own.encryption !== undefined) issues.push(issue(['seal'], 'conflict', 'expected without encryption'));
    if (own.seal === undefined && !globalThis.crypto?.subtle)
      issues.push(issue(['seal'], 'missing', 'this runtime has no WebCrypto; in a page it needs https'));
    made.seal = makeSeal(own.encryption, issues);
    return [...issues, ...leaseIssues(own.leaseMs, leastLeaseOf(made.accounts))];
  });
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  const { store, seal = made.seal?.(store), retry, leaseMs, concurrency, pollMs, stopTimeoutMs, breakerAfter, keepBodies } = read.complete;
  if (!seal) throw new ConfigurationError('The options of the outbox cannot be used: seal: expected one.');
  return {
    store,
    seal,
    concurrency,
    schedule: retry,
    leaseMs: leaseMs ?? leastLeaseOf(made.accounts) - LEAST_MARGIN_MS + DEFAULTS.marginMs,
    pollMs,
    stopTimeoutMs,
    breakerAfter,
    keepBodies,
    ...surroundingsOf(made.accounts),
  };
}

const leastLeaseOf = (accounts: Accounts): number => Math.max(0, ...accounts.map(([, internals]) => internals.attemptTimeoutMs)) + LEAST_MARGIN_MS;

/** A lease must be longer than the attempt that it covers. */
function leaseIssues(leaseMs: unknown, least: number): ValidationIssue[] {
  if (least > LONGEST_LEASE_MS)
    return [issue(['client'], 'invalid', `its attemptTimeoutMs leaves no room for a lease, which is ${LONGEST_LEASE_MS} milliseconds at most`)];
  return typeof leaseMs === 'number' && leaseMs >= 1 && leaseMs < least
    ? [issue(['leaseMs'], 'invalid', `expected a number of milliseconds from ${least} to ${LONGEST_LEASE_MS}`)]
    : [];
}

/** Reads the accounts and their clients, and adds their problems to the issues. */
function readAccounts(own: Readonly<Record<string, unknown>>, issues: ValidationIssue[]): Accounts {
  const several = own.accounts !== undefined;
  const refuse = (name: string, message: string) => void issues.push(issue([name], 'invalid', message));
  if (several && (own.client !== undefined || own.account !== undefined)) refuse('accounts', 'expected without client and account');
  const clients = several ? Object.entries(asRecord(own.accounts)) : [[own.account ?? DEFAULT_ACCOUNT, own.client] as const];
  if (clients.length === 0) refuse('accounts', 'expected an object with at least one client, such as { brandA: client }');
  return clients.flatMap(([account, client]) => {
    if (!isAccount(account)) refuse(several ? 'accounts' : 'account', several ? `names: ${ACCOUNT_RULE}` : ACCOUNT_RULE);
    const internals = internalsOf(client);
    if (!internals) refuse(several ? 'accounts' : 'client', 'expected what createClient returns');
    if (several && internals?.kind === 'relay') refuse('accounts', 'expected clients of gateways; a page has one account');
    return internals && isAccount(account) ? [[account, internals] as const] : [];
  });
}
