import type { ClientMode } from '../../client/payloads.js';
import type { Events } from '../events.js';
import type { Committed, Entrance, Given } from '../intake/enqueue.js';
import type { EnqueuedReport, Outbox } from '../interface.js';
import type { Waiters } from '../receipt-waiters.js';
import type { AccountSettings, OutboxSettings } from '../settings-shape.js';
import type { Worker } from '../worker.js';

/** The methods of an outbox that its operator needs and a page does not: batches, lists, decisions, sending until all is sent. */
export type OperatorMethods<Mode extends ClientMode = 'strict'> = Pick<
  Outbox<Mode>,
  'reportAll' | 'within' | 'prepare' | 'drain' | 'list' | 'iterate' | 'retry' | 'resolve' | 'resume'
>;

/** What they are made of. */
export interface OperatorParts<Mode extends ClientMode = 'strict'> {
  readonly settings: OutboxSettings;
  /** Whose methods they are. */
  readonly account: AccountSettings;
  readonly events: Events;
  readonly waiters: Waiters;
  readonly entrance: Entrance;
  /** Who is told, each time, that the worker has nothing to do. */
  readonly idle: Set<() => void>;
  committed(committed: Committed): EnqueuedReport<Mode>;
  enqueue(given: Given): Promise<EnqueuedReport<Mode>>;
  start(): void;
  stop(): Promise<void>;
  isStarted(): boolean;
  /** The worker, while it is this outbox's turn to have one. */
  worker(): Worker | undefined;
}
