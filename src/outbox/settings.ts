import { type ClientDoor, doorOf } from '../client-door.js';
import { ConfigurationError } from '../errors.js';
import type { ValidationMode } from '../schema/model.js';
import { LONGEST_TIMER_MS } from '../time.js';
import type { OutboxOptions } from './options.js';
import { type EndingContext, LONGEST_WAIT_MS } from './record.js';
import { plainSeal, type Seal } from './seal.js';
import type { OutboxStore } from './store.js';

/** Everything an outbox knows; nothing is optional any more. */
export interface OutboxSettings extends Omit<EndingContext, 'dependency'> {
  readonly door: ClientDoor;
  readonly store: OutboxStore;
  readonly seal: Seal;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly stopTimeoutMs: number;
}

/** Far below the wait that stores take for the mark of a clock that jumped, and so for one that is over. */
const LONGEST_LEASE_MS = LONGEST_WAIT_MS / 2;

/** Between the end of an attempt and the end of its lease, so that the end can be written. */
const LEAST_MARGIN_MS = 1_000;

const NAMES = ['client', 'store', 'concurrency', 'retry', 'leaseMs', 'pollMs', 'stopTimeoutMs', 'keepBodies', 'seal'];
const STORE_METHODS = ['enqueue', 'turn', 'outlook', 'pause', 'get', 'list', 'counts', 'remember'] as const;
const SEAL_METHODS = ['seal', 'open', 'matches'] as const;

/** Checks the options, and throws one `ConfigurationError` that lists every problem. */
export function readSettings(options: OutboxOptions<ValidationMode>): OutboxSettings {
  const problems: string[] = [];
  const given = membersOf(options);
  for (const name of Object.keys(given)) if (!NAMES.includes(name)) problems.push(`${name} is not an option; known are ${NAMES.join(', ')}`);
  const retry = membersOf(given.retry);
  if (given.retry !== undefined && given.retry !== retry) problems.push('retry: expected an object with baseMs and capMs');
  for (const name of Object.keys(retry)) if (name !== 'baseMs' && name !== 'capMs') problems.push(`retry.${name} is not an option; known are baseMs, capMs`);

  const number = (name: string, value: unknown, standard: number, least: number, most = LONGEST_TIMER_MS): number => {
    if (value === undefined) return standard;
    const isCount = name === 'concurrency';
    const fits = typeof value === 'number' && value >= least && value <= most && (!isCount || Number.isInteger(value));
    if (!fits) problems.push(`${name}: expected a ${isCount ? 'whole number' : 'number of milliseconds'} from ${least} to ${most}`);
    return fits ? value : standard;
  };
  const door = doorOf(given.client);
  if (!door) problems.push('client: expected what createClient returns');
  lacking('store', given.store, STORE_METHODS, problems);
  if (given.seal !== undefined) lacking('seal', given.seal, SEAL_METHODS, problems);
  if (given.keepBodies !== undefined && typeof given.keepBodies !== 'boolean') problems.push('keepBodies: expected true or false');

  const leastLeaseMs = (door?.attemptTimeoutMs ?? 0) + LEAST_MARGIN_MS;
  if (leastLeaseMs > LONGEST_LEASE_MS)
    problems.push(`client: its attemptTimeoutMs leaves no room for a lease, which is ${LONGEST_LEASE_MS} milliseconds at most`);
  const settings = {
    store: given.store as OutboxStore,
    seal: (given.seal as Seal | undefined) ?? plainSeal(),
    concurrency: number('concurrency', given.concurrency, 8, 1, 1_000),
    schedule: { baseMs: number('retry.baseMs', retry.baseMs, 1_000, 1), capMs: number('retry.capMs', retry.capMs, 300_000, 1) },
    leaseMs: number('leaseMs', given.leaseMs, leastLeaseMs - LEAST_MARGIN_MS + 20_000, leastLeaseMs, LONGEST_LEASE_MS),
    pollMs: number('pollMs', given.pollMs, 1_000, 1),
    stopTimeoutMs: number('stopTimeoutMs', given.stopTimeoutMs, 10_000, 0),
    keepBodies: given.keepBodies === true,
  };
  if (problems.length > 0 || !door) throw new ConfigurationError(`The options of the outbox cannot be used: ${problems.join('; ')}.`);
  return { ...settings, door, random: door.random };
}

const membersOf = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

function lacking(name: string, value: unknown, methods: readonly string[], problems: string[]): void {
  const missing = methods.filter((method) => typeof membersOf(value)[method] !== 'function');
  if (missing.length > 0) problems.push(`${name}: expected an object with ${missing.join(', ')}`);
}
