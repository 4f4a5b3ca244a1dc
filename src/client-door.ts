import type { Delivered } from './delivery/deliver.js';
import type { FrozenReport } from './delivery/frozen.js';
import type { Logger } from './delivery/settings.js';
import type { Environment } from './errors.js';
import type { OperationName } from './operations.js';
import type { Clock } from './time.js';
import type { AbortSignalLike } from './web-types.js';

/** What the outbox needs of a client beside its methods: the two halves of a call, and the client's world. */
export interface ClientDoor {
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Required<Logger>;
  /** The gateway's base address, where the environment is set up. */
  baseUrlOf(environment: Environment): string | undefined;
  /** Milliseconds for one attempt. */
  readonly attemptTimeoutMs: number;
  /** Validates and locates; rejects as the method of the client does. Nothing is sent. */
  freeze(operation: OperationName, payload: unknown, options: unknown): Promise<FrozenReport>;
  /** Sends frozen bytes once, key included within the time. What it rejects with speaks of this attempt alone. */
  attempt(report: FrozenReport, limit: { signal: AbortSignalLike; milliseconds: number }): Promise<Delivered>;
}

const DOOR = Symbol.for('location-sdk.client-door');

/** Gives a client its door, where no printer or serialiser sees it. */
export const withDoor = <T extends object>(client: T, door: ClientDoor): T => Object.defineProperty(client, DOOR, { value: door });

/** The door of a client, of whichever copy of the package it is. */
export const doorOf = (client: unknown): ClientDoor | undefined =>
  typeof client === 'object' && client !== null ? (client as { [DOOR]?: ClientDoor })[DOOR] : undefined;
