import { doorOf } from '../client/internals.js';
import type { ClientMode } from '../client/payloads.js';
import { ConfigurationError } from '../errors/errors.js';
import { ACCOUNT_RULE, DEFAULT_ACCOUNT, isAccount } from './destination.js';
import type { AccountsOptions, OutboxOptions } from './options.js';
import { plainSeal } from './seal/plain-seal.js';
import { DEFAULTS, LEAST_MARGIN_MS, type OutboxSettings, ownerProblems, surroundingsOf } from './settings-shape.js';

/** The check of the options in fewer words: one rule for all numbers. */
export function readSettings(options: OutboxOptions<ClientMode> | AccountsOptions<string, ClientMode>): OutboxSettings {
  // Several accounts are for servers; a page has one.
  const { client, store, account = DEFAULT_ACCOUNT, seal = plainSeal(), retry, keepBodies = false, ...numbers } = options as OutboxOptions<ClientMode>;
  const door = doorOf(client);
  const problems: string[] = [];
  if (!door || !store?.turn) problems.push('expected a client and a store');
  else problems.push(...ownerProblems(door, store.player));
  if (!isAccount(account)) problems.push(`account: ${ACCOUNT_RULE}`);
  const leastLeaseMs = (door?.attemptTimeoutMs ?? 0) + LEAST_MARGIN_MS;
  const { marginMs, ...standard } = DEFAULTS;
  const settings = { ...standard, leaseMs: leastLeaseMs + marginMs - LEAST_MARGIN_MS };
  for (const [name, value] of Object.entries({ ...numbers, ...retry })) {
    const least = name === 'leaseMs' ? leastLeaseMs : name === 'stopTimeoutMs' ? 0 : 1;
    if (!(name in settings)) problems.push(`${name} is not an option`);
    else if (typeof value === 'number' && value >= least) settings[name as keyof typeof settings] = value;
    else if (value !== undefined) problems.push(`${name}: expected a number from ${least}`);
  }
  if (problems.length > 0 || !door) throw new ConfigurationError(`createOutbox: ${problems.join('; ')}.`);
  return { ...settings, ...surroundingsOf([[account, door]]), store, seal, keepBodies, schedule: settings };
}
