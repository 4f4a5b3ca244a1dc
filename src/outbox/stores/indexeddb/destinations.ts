import { numbered } from '../../../core/platform/portable.js';
import {
  type BoundDestination,
  type Destination,
  keyOf,
  otherGateway,
  type Rebinding,
} from '../../rules/destination.js';
import type { PauseChange } from '../../rules/pause.js';
import { type KeptDestination, newDestination, withGateway, withPause } from '../kept-destination.js';
import { ask, type Tables } from './connection.js';

const nameOf = (destination: Destination): string => `destination:${keyOf(destination)}`;

const read = ({ meta }: Tables, destination: Destination): Promise<KeptDestination | undefined> =>
  ask<KeptDestination | undefined>(meta.get(nameOf(destination)));

/** Writes a destination. Returns false if there is none to write. */
function write({ meta }: Tables, destination: KeptDestination | undefined): boolean {
  if (destination) meta.put(destination, nameOf(destination));
  return destination !== undefined;
}

export async function readDestinations({ meta }: Tables, accounts?: readonly string[]): Promise<KeptDestination[]> {
  const all = await ask<KeptDestination[]>(meta.getAll(IDBKeyRange.bound('destination:', 'destination;')));
  return all.filter(({ account }) => accounts?.includes(account) ?? true);
}

/** The gateway of each destination. Binds the given one if it had none. */
export async function bind(tables: Tables, given: readonly BoundDestination[]): Promise<string[]> {
  const bound: string[] = [];
  for (const one of given) {
    const there = await read(tables, one);
    if (!there) write(tables, newDestination(one));
    bound.push(there?.gateway ?? one.gateway);
  }
  return bound;
}

/** Binds the destinations of new rows. Throws if one is bound to another gateway. */
export async function ensure(tables: Tables, given: readonly BoundDestination[]): Promise<void> {
  const bound = await bind(tables, given);
  for (const [index, one] of numbered(given)) {
    const gateway = bound[index] ?? one.gateway;
    if (gateway !== one.gateway) throw otherGateway(one, gateway);
  }
}

export const rebind = async (tables: Tables, change: Rebinding, at: number): Promise<boolean> =>
  write(tables, withGateway(await read(tables, change), change, at));

export const changeDestinationPause = async (tables: Tables, change: PauseChange, at: number): Promise<boolean> =>
  write(tables, withPause(await read(tables, change), change, at));
