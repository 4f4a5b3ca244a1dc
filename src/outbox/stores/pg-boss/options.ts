import { ConfigurationError } from '../../../errors/errors.js';
import { hasMethods, having, isFunction, must, option, readOptions, required, wholeNumber, within } from '../../../schema/option-rules.js';
import type { OutboxStore } from '../../store.js';

/** The content of a job: the name of a report, without personal data. */
export interface WakeUpJob {
  /** The account of the report. */
  readonly account: string;
  /** The environment to which the report goes. */
  readonly environment: string;
  /** The called function, for example `'reportSettledBet'`. */
  readonly operation: string;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
}

/** The methods of pg-boss that the store uses. They need version 10 or newer. */
export interface PgBossLike {
  /** Makes the queue if it does not exist. */
  createQueue(name: string): Promise<unknown>;
  /** Writes a job. */
  send(
    name: string,
    data: object,
    options: {
      /** Seconds until the job may be taken. */
      startAfter: number;
      /** Seconds after which a job that was not taken is deleted. */
      retentionSeconds: number;
      /** The number of retries of a failed job. */
      retryLimit: number;
    },
  ): Promise<unknown>;
  /** Polls for jobs, and calls the handler once for the jobs of each poll. */
  work(
    name: string,
    options: {
      /** The largest number of jobs of one poll. */
      batchSize: number;
      /** Seconds between two polls. */
      pollingIntervalSeconds: number;
    },
    handler: () => Promise<void>,
  ): Promise<unknown>;
  /** Stops polling. */
  offWork(name: string): Promise<unknown>;
}

/** The options of `pgBossStore`. */
export interface PgBossStoreOptions {
  /** The store that keeps the reports, usually `postgresStore({ database, notify: false })`. */
  store: OutboxStore;
  /** A started pg-boss. Stop it yourself, after the outbox. */
  boss: PgBossLike;
  /** The name of the queue, which is made if it does not exist. Default: `'location-sdk-outbox'`. */
  queue?: string | undefined;
  /** The largest number of jobs of one poll. Each poll wakes the outbox once. Default: 10. */
  batchSize?: number | undefined;
  /** Seconds between two polls for jobs. The minimum of pg-boss is 0.5. Default: 0.5. */
  pollingIntervalSeconds?: number | undefined;
  /** Seconds after which a job that was not taken is deleted. Its report stays. Default: 86,400. */
  retentionSeconds?: number | undefined;
  /** Called if a job cannot be written, or the queue cannot be polled. The outbox still finds the reports by its own polling. */
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
