import { type ClientDoor, doorOf } from '../client/internals.js';
import type { ClientMode } from '../client/payloads.js';
import { ConfigurationError } from '../errors/errors.js';
import { memberOf, members, ownMembers } from '../platform/as-record.js';
import { LONGEST_TIMER_MS } from '../platform/time.js';
import { ACCOUNT_RULE, DEFAULT_ACCOUNT, isAccount } from './destination.js';
import type { AccountsOptions, OutboxOptions } from './options.js';
import type { MakeSeal, Seal } from './seal/seal.js';
import { DEFAULTS, LEAST_MARGIN_MS, type OutboxSettings, ownerProblems, surroundingsOf } from './settings-shape.js';
import { LONGEST_WAIT_MS } from './state-machine.js';
import type { OutboxStore } from './store.js';

const NAMES = [
  'client',
  'accounts',
  'store',
  'account',
  'concurrency',
  'retry',
  'leaseMs',
  'pollMs',
  'stopTimeoutMs',
  'breakerAfter',
  'keepBodies',
  'encryption',
  'seal',
];

/** Far below the wait that stores take for the mark of a clock that jumped, and so for one that is over. */
const LONGEST_LEASE_MS = LONGEST_WAIT_MS / 2;
/** As many as any store can count; an outbox that should never pause for refusals may say so much. */
const MOST_REFUSALS = 1_000_000;
const STORE_METHODS = ['enqueue', 'turn', 'bind', 'outlook', 'pause', 'get', 'list', 'counts', 'remember'] as const;
const SEAL_METHODS = ['seal', 'open', 'matches'] as const;

/** Checks the options, and throws one `ConfigurationError` that lists every problem. */
export function readSettings(options: OutboxOptions<ClientMode> | AccountsOptions<string, ClientMode>, makeSeal: MakeSeal): OutboxSettings {
  const problems: string[] = [];
  const given = ownMembers(options);
  for (const name of Object.keys(given)) if (!NAMES.includes(name)) problems.push(`${name} is not an option; known are ${NAMES.join(', ')}`);
  const retry = ownMembers(given.retry);
  if (given.retry !== undefined && given.retry !== members(given.retry)) problems.push('retry: expected an object with baseMs and capMs');
  for (const name of Object.keys(retry)) if (name !== 'baseMs' && name !== 'capMs') problems.push(`retry.${name} is not an option; known are baseMs, capMs`);

  const number = (name: string, value: unknown, standard: number, least: number, most = LONGEST_TIMER_MS): number => {
    if (value === undefined) return standard;
    const isCount = name === 'concurrency' || name === 'breakerAfter';
    const fits = typeof value === 'number' && value >= least && value <= most && (!isCount || Number.isInteger(value));
    if (!fits) problems.push(`${name}: expected a ${isCount ? 'whole number' : 'number of milliseconds'} from ${least} to ${most}`);
    return fits ? value : standard;
  };
  const accounts = readAccounts(given, problems);
  const doors = accounts.map(([, door]) => door);
  requireMethods('store', given.store, STORE_METHODS, problems);
  for (const door of doors) problems.push(...ownerProblems(door, memberOf(members(given.store), 'player')));
  if (given.seal !== undefined) requireMethods('seal', given.seal, SEAL_METHODS, problems);
  if (given.keepBodies !== undefined && typeof given.keepBodies !== 'boolean') problems.push('keepBodies: expected true or false');

  if (given.seal !== undefined && given.encryption !== undefined) problems.push('encryption, seal: expected one of them');
  if (given.seal === undefined && !globalThis.crypto?.subtle) problems.push('seal: this runtime has no WebCrypto; in a page it needs https');
  const seal = makeSeal(given.encryption, problems);

  const leastLeaseMs = Math.max(0, ...doors.map((door) => door.attemptTimeoutMs)) + LEAST_MARGIN_MS;
  if (leastLeaseMs > LONGEST_LEASE_MS)
    problems.push(`client: its attemptTimeoutMs leaves no room for a lease, which is ${LONGEST_LEASE_MS} milliseconds at most`);
  const settings = {
    store: given.store as OutboxStore,
    seal: (given.seal as Seal | undefined) ?? seal(given.store as OutboxStore),
    concurrency: number('concurrency', given.concurrency, DEFAULTS.concurrency, 1, 1_000),
    schedule: { baseMs: number('retry.baseMs', retry.baseMs, DEFAULTS.baseMs, 1), capMs: number('retry.capMs', retry.capMs, DEFAULTS.capMs, 1) },
    leaseMs: number('leaseMs', given.leaseMs, leastLeaseMs - LEAST_MARGIN_MS + DEFAULTS.marginMs, leastLeaseMs, LONGEST_LEASE_MS),
    pollMs: number('pollMs', given.pollMs, DEFAULTS.pollMs, 1),
    stopTimeoutMs: number('stopTimeoutMs', given.stopTimeoutMs, DEFAULTS.stopTimeoutMs, 0),
    breakerAfter: number('breakerAfter', given.breakerAfter, DEFAULTS.breakerAfter, 1, MOST_REFUSALS),
    keepBodies: given.keepBodies === true,
  };
  if (problems.length > 0) throw new ConfigurationError(`The options of the outbox cannot be used: ${problems.join('; ')}.`);
  return { ...settings, ...surroundingsOf(accounts) };
}

/** The accounts with their clients; what is wrong is added to the problems. */
function readAccounts(given: Readonly<Record<string, unknown>>, problems: string[]): (readonly [account: string, door: ClientDoor])[] {
  const several = given.accounts !== undefined;
  if (several && (given.client !== undefined || given.account !== undefined)) problems.push('accounts: expected without client and account');
  const clients = several ? Object.entries(members(given.accounts)) : [[given.account ?? DEFAULT_ACCOUNT, given.client] as const];
  if (clients.length === 0) problems.push('accounts: expected an object with at least one client, such as { brandA: client }');
  return clients.flatMap(([account, client]) => {
    if (!isAccount(account)) problems.push(several ? `accounts: names: ${ACCOUNT_RULE}` : `account: ${ACCOUNT_RULE}`);
    const door = doorOf(client);
    if (!door) problems.push(`${several ? 'accounts' : 'client'}: expected what createClient returns`);
    if (several && door?.kind === 'relay') problems.push('accounts: expected clients of gateways; a page has one account');
    return door && isAccount(account) ? [[account, door] as const] : [];
  });
}

function requireMethods(name: string, value: unknown, methods: readonly string[], problems: string[]): void {
  const missing = methods.filter((method) => typeof memberOf(members(value), method) !== 'function');
  if (missing.length > 0) problems.push(`${name}: expected an object with ${missing.join(', ')}`);
}
