import type { ClientMode } from '../../client/payloads.js';
import type { Events } from '../events.js';
import type { Committed, Entrance, Given } from '../intake/enqueue.js';
import type { EnqueuedReport, Outbox } from '../interface.js';
import type { Waiters } from '../receipt-waiters.js';
import type { AccountSettings, OutboxSettings } from '../settings-shape.js';
import type { Worker } from '../worker.js';

/** The methods of an outbox that only a backend has: batches, transactions, lists, decisions and `drain`. */
export type OperatorMethods<Mode extends ClientMode = 'strict'> = Pick<
  Outbox<Mode>,
  'reportAll' | 'within' | 'prepare' | 'drain' | 'list' | 'iterate' | 'retry' | 'resolve' | 'resume'
>;

/** The parts of an outbox that these methods use. */
export interface OperatorParts<Mode extends ClientMode = 'strict'> {
  readonly settings: OutboxSettings;
  /** The account of the methods. */
  readonly account: AccountSettings;
  readonly events: Events;
  readonly waiters: Waiters;
  readonly entrance: Entrance;
  /** The functions that are called whenever the worker becomes idle. */
  readonly idle: Set<() => void>;
  committed(committed: Committed): EnqueuedReport<Mode>;
  enqueue(given: Given): Promise<EnqueuedReport<Mode>>;
  start(): void;
  stop(): Promise<void>;
  isStarted(): boolean;
  /** The worker. Undefined while another tab leads, or after a stop. */
  worker(): Worker | undefined;
}
