import type { CallOptions } from '../client/options.js';
import type { ClientMode, Payloads } from '../client/payloads.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import type { OperationName } from '../protocol/operations.js';
import type { OutboxEnvironment, PauseReason } from './destination.js';
import type { OutboxEvents, OutboxListener } from './events.js';
import type { ReportName } from './intake/enqueue.js';
import type { EnqueuedReport } from './intake/enqueued-report.js';
import type { PreparedReport } from './intake/prepared-report.js';
import type { Pause } from './pause.js';
import type { ReceiptHead } from './receipts/entry.js';
import type { AnyIterable } from './receipts/lines.js';
import type { ReconcileDefaults, Reconciled, ReportReference } from './receipts/reconcile.js';
import type { Pruned, PruneOptions } from './retention.js';
import type { Row } from './state-machine.js';
import type { Counts, RowQuery } from './store.js';

export type { EnqueuedReport };

/** What a report to the outbox takes beside its payload. */
export interface EnqueueOptions extends Omit<CallOptions, 'headers'> {
  /**
   * Your own database transaction: the report is enqueued if it commits; see `within`. Rejects with a
   * `ConfigurationError` where the store cannot write within one.
   */
  transaction?: unknown;
}

/** A report as the outbox shows it: without its body. Times are milliseconds since 1970, by the store's clock. */
export type OutboxReport = Pick<
  Row,
  | 'id'
  | 'sequence'
  | 'account'
  | 'environment'
  | 'operation'
  | 'reference'
  | 'state'
  | 'blocked'
  | 'attempts'
  | 'inDoubt'
  | 'enqueuedAt'
  | 'dueAt'
  | 'changedAt'
  | 'outcome'
  | 'message'
  | 'requestId'
  | 'problem'
  | 'decisions'
>;

/** Which reports are listed: by state, environment, operation, reference; `after` a `sequence`. `limit` is 100 by default. */
export type OutboxQuery = Partial<Omit<RowQuery, 'account'>>;

/** A report of one operation for `reportAll`. */
export interface ReportOf<Name extends ReportName, Mode extends ClientMode = 'strict'> {
  /** The method of the outbox that takes it. */
  readonly operation: Name;
  /** What the method takes. */
  readonly payload: Payloads<Mode>[Name];
  /** What the method takes as its second argument. */
  readonly options?: EnqueueOptions;
}

/** A report for `reportAll`: its `operation` says what its `payload` must be. */
export type BatchedReport<Mode extends ClientMode = 'strict'> = { [Name in ReportName]: ReportOf<Name, Mode> }[ReportName];

/** How an outbox is doing. */
export interface OutboxStats extends Counts {
  /** Ids of encryption keys that waiting reports lacked when a process last tried them, which one does every five minutes. */
  readonly missingKeys: readonly string[];
  /** The destinations to which nothing is sent, or nothing of one operation, why, since when, and when it is tried again. */
  readonly paused: readonly (Pick<Pause, 'account' | 'message' | 'since' | 'until'> & {
    /** To where nothing is sent. */
    readonly environment: OutboxEnvironment;
    /** Of which operation nothing is sent there; left out where it is all. */
    readonly operation?: OperationName;
    /** What is wrong with it. */
    readonly reason: PauseReason;
  })[];
}

/** How `drain` ended. */
export interface Drained {
  /**
   * Whether nothing is left to send. False when the time was over, or where each report that is left was refused while the
   * environment was paused for `'refusals'`. Quarantined reports, and those that wait for one, may be left.
   */
  readonly drained: boolean;
  /** How many reports are where. */
  readonly states: Counts['states'];
  /** The destinations to which nothing is sent, and why. */
  readonly paused: OutboxStats['paused'];
}

/** The methods of an outbox that enqueue a report. */
export type OutboxReports<Mode extends ClientMode = ClientMode> = Pick<
  Outbox<Mode>,
  'reportBetEvent' | 'reportSettledBet' | 'reportWithdrawalEvent' | 'reportSettledWithdrawal'
>;

/**
 * An outbox of several accounts: one worker sends the reports of all, in turns, so that none waits behind another one's
 * backlog. `start`, `stop`, `drain`, `stats` and `on` are those of all accounts.
 */
export interface Outboxes<Account extends string = string, Mode extends ClientMode = ClientMode>
  extends Pick<Outbox<Mode>, 'durable' | 'start' | 'stop' | 'drain' | 'stats' | 'on'> {
  /** The names of the accounts. */
  readonly accounts: readonly Account[];
  /**
   * The outbox of one account: it enqueues, lists, counts and decides reports of that account alone, and hears its events.
   * `start`, `stop` and `drain` are those of all accounts. Throws a `ConfigurationError` for another name.
   */
  for(account: Account): Outbox<Mode>;
}

/**
 * An outbox over a client and a store. The report methods validate and locate as the client's do and reject with the
 * same errors; they resolve once the report is durably committed. Rejects with a `DuplicateReportError` where the
 * outbox holds other data under the same reference: calling again with a new timestamp or location is other data, so
 * keep the result of the first call. The store's own errors (disk, quota) reject as they are, and nothing is kept.
 */
export interface Outbox<Mode extends ClientMode = ClientMode> {
  /** Whether what is committed outlives the process; in a page, whether the browser has promised to keep it (the answer may come later). */
  readonly durable: boolean;
  /** Enqueues an initiated bet (specification, section 1). */
  reportBetEvent(bet: Payloads<Mode>['reportBetEvent'], options?: EnqueueOptions): Promise<EnqueuedReport<Mode>>;
  /** Enqueues a settled bet (specification, section 4.1); it is sent after its initiated one, if that is in the outbox. */
  reportSettledBet(bet: Payloads<Mode>['reportSettledBet'], options?: EnqueueOptions): Promise<EnqueuedReport<Mode>>;
  /** Enqueues an initiated withdrawal (specification, section 1). */
  reportWithdrawalEvent(withdrawal: Payloads<Mode>['reportWithdrawalEvent'], options?: EnqueueOptions): Promise<EnqueuedReport<Mode>>;
  /** Enqueues a settled withdrawal (specification, section 4.2); it is sent after its initiated one, if that is in the outbox. */
  reportSettledWithdrawal(withdrawal: Payloads<Mode>['reportSettledWithdrawal'], options?: EnqueueOptions): Promise<EnqueuedReport<Mode>>;
  /**
   * Enqueues many in as few commits as the store allows; each is accepted or refused by itself, in the given order.
   *
   * @example
   * ```ts
   * const results = await outbox.reportAll([{ operation: 'reportSettledBet', payload: settledBet }]);
   * ```
   */
  reportAll(reports: readonly BatchedReport<Mode>[]): Promise<PromiseSettledResult<EnqueuedReport<Mode>>[]>;

  /**
   * The report methods, writing within your own transaction: the report is enqueued if it commits, and never was if it
   * is rolled back. What it resolves with is as the transaction sees it; the event `enqueued` does not come, since nobody
   * knows whether you commit. An error of the database leaves your transaction failed, as any other does. The transaction
   * is what your store takes: for PostgreSQL, the client that has begun it. Throws a `ConfigurationError` where the store
   * cannot write within one, or none is given.
   *
   * @example
   * ```ts
   * await client.query('BEGIN');
   * await client.query('UPDATE bets SET settled = true WHERE id = $1', [bet.bet_id]);
   * await outbox.within(client).reportSettledBet(bet);
   * await client.query('COMMIT');
   * ```
   */
  within(transaction: unknown): OutboxReports<Mode>;

  /**
   * Does all of a report method except the writing: checks, locates and freezes the report. A transaction that you begin afterwards
   * waits for no lookup. Then call `enqueue`, within your transaction or without one, or pass `value` to your own SQL statement. Rejects as the report methods do, and with a `ValidationError` for a misspelled operation; nothing is stored.
   * Prepare a report once, outside of what is tried again: another timestamp or location is other data.
   *
   * @example
   * ```ts
   * const report = await outbox.prepare('reportBetEvent', bet, { clientIP });
   * await pool.query('INSERT INTO bets (id, stake) VALUES ($1, $2) RETURNING location_sdk.enqueue($3)', [bet.bet_id, bet.amount, report.value]);
   * ```
   */
  prepare<Name extends ReportName>(operation: Name, payload: Payloads<Mode>[Name], options?: EnqueueOptions): Promise<PreparedReport<Mode>>;

  /** Begins to send. Several workers, in any number of processes, may work on one store. */
  start(): void;
  /** Ends sending: attempts on their way finish within the time, or their rows stay in doubt. It takes a second longer at most, whatever the store does. Default: the option `stopTimeoutMs`. */
  stop(options?: {
    /** How long attempts on their way may take, in milliseconds. */
    timeoutMs?: number;
  }): Promise<void>;
  /**
   * Sends until nothing is left to send, starting and stopping the worker if it was not started. Without a limit it waits out
   * every pause but one: after `breakerAfter` refusals in a row it ends once it has tried each report that is left, for more
   * than a minute, and all were refused. Those reports wait, since the gateway may refuse every report.
   */
  drain(options?: {
    /** How long it may take, in milliseconds. Default: no limit. */
    timeoutMs?: number;
    /** Ends it earlier. */
    signal?: AbortSignalLike;
  }): Promise<Drained>;

  /** How many reports are where, and what is paused. */
  stats(): Promise<OutboxStats>;
  /** One report by its identifier, or nothing. */
  get(id: string): Promise<OutboxReport | undefined>;
  /** Reports in the order in which they were enqueued. */
  list(query?: OutboxQuery): Promise<OutboxReport[]>;
  /** The same for any number of them, a page at a time. */
  iterate(query?: Omit<OutboxQuery, 'limit'>): AsyncIterable<OutboxReport>;

  /** Sends a quarantined report again, or a waiting one now. Rejects with a `ValidationError` where it is neither. */
  retry(
    id: string,
    options?: {
      /** Why, in the words of whoever decides; kept with the report. */
      reason?: string;
    },
  ): Promise<OutboxReport>;
  /**
   * A person's verdict on a quarantined report: `'recorded'`, the gateway holds it; `'dismissed'`, it is not to be sent.
   * The reason is kept with it. It cannot be taken back.
   */
  resolve(
    id: string,
    decision: {
      /** What it is from now on. */
      as: 'recorded' | 'dismissed';
      /** Why, in the words of whoever decides; kept with the report. */
      reason: string;
    },
  ): Promise<OutboxReport>;
  /**
   * The log of receipts as JSON Lines, one `ReceiptEntry` each with its line break: pipe it to a file. Reports that
   * became final until now are in it. `from` is the index of the first entry; default: 0.
   */
  exportReceipts(options?: {
    /** The index of the first entry. Default: 0. */
    from?: number;
  }): AsyncIterable<string>;
  /** How many receipts there are and the hash of the last one; undefined for none. Note it elsewhere, for `verifyReceipts`. */
  receiptHead(): Promise<ReceiptHead | undefined>;
  /**
   * Tells for each bet or withdrawal of your own list, in its order, what the outbox knows of it. Takes and gives any
   * number, a batch at a time. Rejects with a `ValidationError` at an item that names no report.
   */
  reconcile(references: AnyIterable<string | ReportReference>, defaults?: ReconcileDefaults): AsyncIterable<Reconciled>;
  /**
   * Deletes final reports that ended long ago, in small commits beside running workers; receipts stay. After a crash, call it again. A
   * deleted report no longer protects against reporting its reference twice. Rejects with a `ConfigurationError` where the store cannot delete.
   */
  prune(options: PruneOptions): Promise<Pruned>;
  /** Lifts all pauses of an environment before their time, those of its operations too: after the key was mended, say. False where there was none. */
  resume(environment: OutboxEnvironment): Promise<boolean>;

  /** Listens to events. Returns how to stop. */
  on<Type extends keyof OutboxEvents>(type: Type, listener: OutboxListener<Type>): () => void;
}
