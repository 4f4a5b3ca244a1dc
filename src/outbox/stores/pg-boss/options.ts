import { ConfigurationError } from '../../../errors/errors.js';
import { ownOptions } from '../../../platform/as-record.js';
import type { OutboxStore } from '../../store.js';

/** What a job holds: which report there is work for, and nothing of a person. */
export interface WakeUpJob {
  /** Whose report it is. */
  readonly account: string;
  /** Where the report goes. */
  readonly environment: string;
  /** The called function, for example `'reportSettledBet'`. */
  readonly operation: string;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
}

/** What is used of a pg-boss, of version 10 or newer. */
export interface PgBossLike {
  /** Makes the queue, where there is none. */
  createQueue(name: string): Promise<unknown>;
  /** Writes a job, which nobody takes before `startAfter` seconds are over. */
  send(
    name: string,
    data: object,
    options: {
      /** In how many seconds it may be taken. */
      startAfter: number;
      /** After how many seconds it is gone, if nobody took it. */
      retentionSeconds: number;
      /** How often it is given again after it failed. */
      retryLimit: number;
    },
  ): Promise<unknown>;
  /** Looks for jobs, and calls the handler for those of one look. */
  work(
    name: string,
    options: {
      /** How many jobs one look takes. */
      batchSize: number;
      /** Seconds between two looks. */
      pollingIntervalSeconds: number;
    },
    handler: () => Promise<void>,
  ): Promise<unknown>;
  /** Looks no more. */
  offWork(name: string): Promise<unknown>;
}

/** What `pgBossStore` takes. */
export interface PgBossStoreOptions {
  /** The store that keeps the reports, usually `postgresStore({ database, notify: false })`. */
  store: OutboxStore;
  /** A pg-boss that was started. It is yours to stop, after the outbox. */
  boss: PgBossLike;
  /** The name of the queue; made where there is none. Default: `'location-sdk-outbox'`. */
  queue?: string | undefined;
  /** How many jobs one look takes: each look wakes the outbox once. Default: 10. */
  batchSize?: number | undefined;
  /** Seconds between two looks for jobs; pg-boss takes no less than 0.5. Default: 0.5. */
  pollingIntervalSeconds?: number | undefined;
  /** Seconds after which a job that nobody took is gone; its report is not. Default: 86,400. */
  retentionSeconds?: number | undefined;
  /** Told of a job that could not be written, and of a queue that could not be listened to: the reports are found by polling. */
  onError?: ((error: unknown) => void) | undefined;
}

const NAMES = ['store', 'boss', 'queue', 'batchSize', 'pollingIntervalSeconds', 'retentionSeconds', 'onError'];
const METHODS = ['createQueue', 'send', 'work', 'offWork'] as const;

/** The options with their defaults. Throws a `ConfigurationError` that lists every problem. */
export function readOptions(options: PgBossStoreOptions): { readonly [Name in keyof PgBossStoreOptions]-?: NonNullable<PgBossStoreOptions[Name]> } {
  const given: Partial<PgBossStoreOptions> = typeof options === 'object' && options !== null ? ownOptions(options) : {};
  const { store, boss, queue = 'location-sdk-outbox', batchSize = 10, pollingIntervalSeconds = 0.5, retentionSeconds = 86_400, onError = () => {} } = given;
  const problems = Object.keys(given)
    .filter((name) => !NAMES.includes(name))
    .map((name) => `${name} is not an option; known are ${NAMES.join(', ')}`);
  if (typeof store?.enqueue !== 'function') problems.push('store: expected an outbox store, such as that of postgresStore');
  const missing = METHODS.filter((name) => typeof boss?.[name] !== 'function');
  if (missing.length > 0) problems.push(`boss: expected a pg-boss with ${missing.join(', ')}`);
  if (typeof queue !== 'string' || !/^[\w.-]+$/.test(queue)) problems.push('queue: expected a name of letters, digits, -, _ and .');
  if (!Number.isInteger(batchSize) || batchSize < 1) problems.push('batchSize: expected a whole number from 1');
  if (!(pollingIntervalSeconds >= 0.5)) problems.push('pollingIntervalSeconds: expected a number from 0.5');
  if (!Number.isInteger(retentionSeconds) || retentionSeconds < 1) problems.push('retentionSeconds: expected a whole number from 1');
  if (typeof onError !== 'function') problems.push('onError: expected a function');
  if (problems.length > 0 || !store || !boss) throw new ConfigurationError(`The options of pgBossStore cannot be used: ${problems.join('; ')}.`);
  return { store, boss, queue, batchSize, pollingIntervalSeconds, retentionSeconds, onError };
}
