import { ConfigurationError } from '../../../errors/errors.js';
import { hasMethods, having, isFunction, must, option, readOptions, required, wholeNumber, within } from '../../../schema/option-table.js';
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

const isCount = wholeNumber(1);

/** Every option of `pgBossStore` and its default. */
const optionTable = {
  store: required<OutboxStore>(must('an outbox store, such as that of postgresStore', (value) => hasMethods(value, ['enqueue']))),
  boss: required<PgBossLike>(having('createQueue', 'send', 'work', 'offWork')),
  queue: option(
    must('a name of letters, digits, -, _ and .', (value) => typeof value === 'string' && /^[\w.-]+$/.test(value)),
    'location-sdk-outbox',
  ),
  batchSize: option(isCount, 10),
  pollingIntervalSeconds: option(within('seconds', 0.5), 0.5),
  retentionSeconds: option(isCount, 86_400),
  onError: option<(error: unknown) => void>(isFunction, () => {}),
};

/** The options with their defaults. Throws a `ConfigurationError` that lists every problem. */
export function readPgBossOptions(options: PgBossStoreOptions) {
  const read = readOptions('pgBossStore', optionTable, options);
  if (read.problem !== undefined) throw new ConfigurationError(read.problem);
  return read.complete;
}
