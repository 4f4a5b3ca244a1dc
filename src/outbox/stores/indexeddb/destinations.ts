import { asRecord } from '../../../platform/as-record.js';
import { type BoundDestination, type Destination, keyOf, otherGateway, type Rebinding } from '../../destination.js';
import { changePause, notPaused, type PauseChange, readPause } from '../../pause.js';
import type { Outlook } from '../../store.js';
import { ask, type Tables } from './connection.js';

/** A destination in the database. */
export type StoredDestination = Omit<Outlook, 'nextInMs'>;

const nameOf = (destination: Destination): string => `destination:${keyOf(destination)}`;

/** Reads a stored destination. `readPause` checks the pause. A damaged gateway becomes an empty text, which equals no gateway. */
function destinationFrom(name: string, stored: unknown): StoredDestination {
  const [, account = '', environment = ''] = name.split(':');
  const { gateway, rebound, pause } = asRecord(stored);
  const destination = { account, environment: environment as Destination['environment'] };
  return {
    ...destination,
    gateway: typeof gateway === 'string' ? gateway : '',
    rebound: Array.isArray(rebound) ? rebound : [],
    pause: readPause({ ...asRecord(pause), ...destination }, 0),
  };
}

async function read({ meta }: Tables, destination: Destination): Promise<StoredDestination | undefined> {
  const name = nameOf(destination);
  const stored = await ask<unknown>(meta.get(name));
  return stored === undefined ? undefined : destinationFrom(name, stored);
}

const write = ({ meta }: Tables, destination: StoredDestination): void => void meta.put(destination, nameOf(destination));

/** The destinations of the given accounts. Without `accounts`: of all accounts. */
export async function readDestinations({ meta }: Tables, accounts?: readonly string[]): Promise<StoredDestination[]> {
  const range = IDBKeyRange.bound('destination:', 'destination;');
  const [names, all] = await Promise.all([ask(meta.getAllKeys(range)), ask<unknown[]>(meta.getAll(range))]);
  return all.map((stored, index) => destinationFrom(String(names[index]), stored)).filter(({ account }) => accounts?.includes(account) ?? true);
}

/** The gateway of each destination. Binds the given one if it had none. */
export async function bind(tables: Tables, given: readonly BoundDestination[]): Promise<string[]> {
  const bound: string[] = [];
  for (const { account, environment, gateway } of given) {
    const there = await read(tables, { account, environment });
    if (!there) write(tables, { account, environment, gateway, rebound: [], pause: notPaused({ account, environment }) });
    bound.push(there?.gateway ?? gateway);
  }
  return bound;
}

/** Binds the destinations of new rows. Throws if one is bound to another gateway. */
export async function ensure(tables: Tables, given: readonly BoundDestination[]): Promise<void> {
  const bound = await bind(tables, given);
  for (const [index, one] of given.entries()) {
    const gateway = bound[index] ?? one.gateway;
    if (gateway !== one.gateway) throw otherGateway(one, gateway);
  }
}

export async function rebind(tables: Tables, { from, gateway, reason, ...destination }: Rebinding, at: number): Promise<boolean> {
  const before = await read(tables, destination);
  if (before?.gateway !== from) return false;
  write(tables, { ...before, gateway, rebound: [...before.rebound, { from, reason, at }] });
  return true;
}

export async function changeDestinationPause(tables: Tables, change: PauseChange, at: number): Promise<boolean> {
  const before = await read(tables, change);
  if (before?.pause.version !== change.version) return false;
  write(tables, { ...before, pause: changePause(before.pause, change, at) });
  return true;
}
