import type { ClientDoor } from '../client-door.js';
import { RELAY_ONLY } from '../relay-only.js';
import type { EndingContext } from './record.js';
import type { Seal } from './seal.js';
import type { OutboxStore } from './store.js';

/** Everything an outbox knows; nothing is optional any more. */
export interface OutboxSettings extends Omit<EndingContext, 'dependency'> {
  readonly door: ClientDoor;
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
export function ownerProblems({ relayed }: Pick<ClientDoor, 'relayed'>, player: unknown): string[] {
  if (!RELAY_ONLY && !relayed) return player === undefined ? [] : ['store: that of one player is for a client with relayUrl'];
  const isNamed = typeof player === 'string' && player !== '';
  return isNamed ? [] : ["store: with relayUrl it must be one player's, so that no report is sent in the session of another: await indexedDbStore({ player })"];
}
