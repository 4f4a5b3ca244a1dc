import type { CallOptions } from '../core/client/options.js';
import type { ClientMode, Payloads } from '../core/client/payloads.js';
import type { ReceiptOf } from '../core/client/receipt.js';
import type { AnyIterable } from '../core/platform/in-batches.js';
import type { AbortSignalLike } from '../core/platform/web-types.js';
import type { ReportName } from '../core/protocol/operations.js';
import type { OutboxEvents, OutboxListener } from './events.js';
import type { ReconcileDefaults, Reconciled, ReportReference } from './receipts/reconcile.js';
import type { Destination, OutboxEnvironment, PauseReason, PauseScope } from './rules/destination.js';
import type { Pause } from './rules/pause.js';
import type { ReceiptHead } from './rules/receipt-entry.js';
import type { Pruned, PruneOptions } from './rules/retention.js';
import type { Row } from './rules/state-machine.js';
import type { Counts, RowQuery } from './store/store.js';

/** A report in the outbox, without its body. Times are milliseconds since 1970, by the store's clock. */
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

/**
 * The conditions of a list: state, environment, operation, reference, and `after` a `sequence`. Default of `limit`:
 * 100.
 */
export type OutboxQuery = Partial<Omit<RowQuery, 'account'>>;

/** A report of one operation for `reportAll`. */
interface ReportOf<Name extends ReportName, Mode extends ClientMode = 'strict'> {
  /** The name of the report method. */
  readonly operation: Name;
  /** The first argument of that method. */
  readonly payload: Payloads<Mode>[Name];
  /** The second argument of that method. */
  readonly options?: CallOptions;
}

/** A report for `reportAll`. Its `operation` determines the type of its `payload`. */
export type BatchedReport<Mode extends ClientMode = 'strict'> = {
  [Name in ReportName]: ReportOf<Name, Mode>;
}[ReportName];

/** An environment of an account, in the statistics. */
export interface DestinationStats extends Destination {
  /** Whether a report for it waits to be sent, or is in flight. Blocked and quarantined reports do not count. */
  readonly isPending: boolean;
}

/** The state of an outbox: its counts and pauses. */
export interface OutboxStats extends Counts {
  /** The environments of the accounts. */
  readonly destinations: readonly DestinationStats[];
  /**
   * The ids of missing encryption keys. A process that has a key takes the reports that wait for it: at once when it
   * starts, else within a minute.
   */
  readonly missingKeys: readonly string[];
  /** The pauses: each of a whole environment, or of one operation in it. */
  readonly paused: readonly (PauseScope &
    Pick<Pause, 'message' | 'triedAt' | 'since' | 'until'> & {
      /** The reason, to branch on. */
      readonly reason: PauseReason;
    })[];
}

/** The result of `drain`. */
export interface Drained {
  /**
   * Whether nothing is left to send. False after a timeout, or if each remaining report was refused while it was paused
   * for `'refusals'`. Quarantined reports, and those that wait for one, do not count as left.
   */
  readonly drained: boolean;
  /** The number of reports in each state. */
  readonly states: Counts['states'];
  /** The pauses at the end. */
  readonly paused: OutboxStats['paused'];
}

/** The result of `replaceAll`. */
export interface ReplacedAll {
  /** The number of corrections that were made. Two of one report count as two. */
  readonly replaced: number;
  /** The number of corrections whose data the report had already. */
  readonly same: number;
  /** The corrections that were not made, in the given order. */
  readonly refused: readonly {
    /** The place of the correction in the list, from 0. */
    readonly index: number;
    /** The error that `replace` rejects with. */
    readonly error: unknown;
  }[];
}

/** The reason of a decision. */
interface Because {
  /** The reason, in the words of the person who decides: at most 2,000 characters, stored with the report. */
  reason: string;
}

/** The methods of an outbox that enqueue a report. */
export type OutboxReports<Mode extends ClientMode = ClientMode> = Pick<
  Outbox<Mode>,
  'reportBetEvent' | 'reportSettledBet' | 'reportWithdrawalEvent' | 'reportSettledWithdrawal'
>;

/**
 * An outbox of several accounts. One worker sends the reports of all accounts in turns, so that no account waits for
 * the backlog of another. `start`, `stop`, `drain`, `stats` and `on` concern all accounts.
 */
export interface Outboxes<Account extends string = string, Mode extends ClientMode = ClientMode>
  extends Pick<Outbox<Mode>, 'durable' | 'start' | 'stop' | 'drain' | 'stats' | 'on'> {
  /** The names of the accounts. */
  readonly accounts: readonly Account[];
  /**
   * The outbox of one account. It enqueues, lists, counts and decides reports of that account alone, and emits only its
   * events. `start`, `stop` and `drain` still concern all accounts. Throws a `ConfigurationError` for an unknown name.
   */
  for(account: Account): Outbox<Mode>;
}

/**
 * An outbox over a client and a store. The report methods validate and locate as those of the client do, and reject
 * with the same errors. They resolve once the report is durably committed. They reject with a `DuplicateReportError` if
 * the outbox holds other data under the same reference. The time and the location that
 * you leave out are found at the first call: the same call again is the same report. An error of the store (disk, quota) rejects unchanged. Nothing is stored then, but after `connection` and `timeout` it may be.
 */
export interface Outbox<Mode extends ClientMode = ClientMode> {
  /**
   * Whether committed reports outlive the process. In a page: whether the browser has promised to keep them (it may
   * answer later).
   */
  readonly durable: boolean;
  /** Enqueues an initiated bet (specification, section 1). */
  reportBetEvent(bet: Payloads<Mode>['reportBetEvent'], options?: CallOptions): Promise<EnqueuedReport<Mode>>;
  /**
   * Enqueues a settled bet (specification, section 4.1). It is sent after the report of its initiated bet, if that is
   * in the outbox.
   */
  reportSettledBet(bet: Payloads<Mode>['reportSettledBet'], options?: CallOptions): Promise<EnqueuedReport<Mode>>;
  /** Enqueues an initiated withdrawal (specification, section 1). */
  reportWithdrawalEvent(
    withdrawal: Payloads<Mode>['reportWithdrawalEvent'],
    options?: CallOptions,
  ): Promise<EnqueuedReport<Mode>>;
  /**
   * Enqueues a settled withdrawal (specification, section 4.2). It is sent after its initiated withdrawal, if that is
   * in the outbox. Without a `location` it gets that of its initiated withdrawal, also if another process enqueued that
   * one, or your transaction did. If the outbox does not have it (never enqueued, pruned, erased, or sealed with a key
   * that this process lacks), the location is found as for an event, for example by `clientIP`.
   */
  reportSettledWithdrawal(
    withdrawal: Payloads<Mode>['reportSettledWithdrawal'],
    options?: CallOptions,
  ): Promise<EnqueuedReport<Mode>>;
  /**
   * Enqueues many reports in as few commits as the store allows. Each is accepted or refused by itself, in the given
   * order.
   *
   * @example
   * ```ts
   * const results = await outbox.reportAll([{ operation: 'reportSettledBet', payload: settledBet }]);
   * ```
   */
  reportAll(reports: readonly BatchedReport<Mode>[]): Promise<PromiseSettledResult<EnqueuedReport<Mode>>[]>;

  /**
   * The report methods within your own transaction: the report is enqueued if the transaction commits, and is not if it
   * rolls back. The methods resolve with the row as the transaction sees it. The event `enqueued` is not emitted, since
   * you may still roll back. An error of the database fails your transaction, as any statement does. Pass the
   * transaction that your store takes: for PostgreSQL, the client that has begun it. Throws a `ConfigurationError` if
   * the store cannot write within a transaction, or if none is given.
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
   * Validates, locates and freezes a report without storing it, so that your transaction waits for no lookup. Then call
   * `enqueue`, within your transaction or without one, or pass `value` to your own SQL statement. Rejects as the report
   * methods do, and with a `ValidationError` for an unknown operation. Prepare a report once, outside of your retries:
   * a second preparation has another timestamp or location, and so is other data.
   *
   * @example
   * ```ts
   * const report = await outbox.prepare('reportBetEvent', bet, { clientIP });
   * await pool.query('INSERT INTO bets (id, stake) VALUES ($1, $2) RETURNING location_sdk.enqueue($3)', [bet.bet_id, bet.amount, report.value]);
   * ```
   */
  prepare<Name extends ReportName>(
    operation: Name,
    payload: Payloads<Mode>[Name],
    options?: CallOptions,
  ): Promise<PreparedReport<Mode>>;

  /**
   * Starts to send. During a `stop` it starts once that has ended. Several workers, in any number of processes, may
   * share one store.
   */
  start(): void;
  /**
   * Stops sending. Attempts under way may finish within the time limit. Then they are cancelled, and their rows stay in
   * doubt. It takes at most 1 s more.
   */
  stop(options?: {
    /** The time limit of the attempts under way, in milliseconds. Default: the option `stopTimeoutMs`. */
    timeoutMs?: number;
  }): Promise<void>;
  /**
   * Sends until nothing is left to send. Starts and stops the worker if it was not started. Rejects with the
   * `StoreError` of a store that cannot be read. Without `timeoutMs` it also rejects if for 10 s no report ends while an
   * environment is paused or has no gateway here, or an encryption key is missing: the code is that of the cause, such
   * as `'authentication'`, and the reports stay in the outbox. While an operation is paused for `'refusals'`, it ends
   * once it has tried each remaining report, for more than a minute, and all were refused. Those reports wait, since the
   * gateway may refuse every report.
   */
  drain(options?: {
    /** The time limit, in milliseconds, also for pauses. Attempts under way may then still take `attemptTimeoutMs`. Default: none, but see above. */
    timeoutMs?: number;
    /** Cancels it. */
    signal?: AbortSignalLike;
  }): Promise<Drained>;

  /** The number of reports in each state, and the pauses. */
  stats(): Promise<OutboxStats>;
  /** One report by its id. Undefined if there is none. */
  get(id: string): Promise<OutboxReport | undefined>;
  /** Reports in the order in which they were enqueued. */
  list(query?: OutboxQuery): Promise<OutboxReport[]>;
  /** The same for any number of reports: it reads one page at a time. */
  iterate(query?: Omit<OutboxQuery, 'limit'>): AsyncIterable<OutboxReport>;

  /**
   * The receipt of a recorded report, also of one that another process sent: what `done` resolves with. Its `location`
   * is present for withdrawals until the report is pruned or erased, and for bets with the option `keepBodies`, if this
   * process has the key. Undefined if the report is not recorded: `get` and `reconcile` give its state. Rejects with a
   * `ValidationError` if the argument does not name a report.
   *
   * @example
   * ```ts
   * const receipt = await outbox.receipt({ operation: 'reportWithdrawalEvent', reference: 'W-1' });
   * ```
   */
  receipt(
    report: ReportReference & {
      /** The name of the report method. */
      readonly operation: ReportName;
    },
  ): Promise<ReceiptOf<Mode> | undefined>;

  /** Sends a quarantined report again, or a waiting report now. Rejects with a `ValidationError` in any other state. */
  retry(id: string, options?: Partial<Because>): Promise<OutboxReport>;
  /**
   * Ends a quarantined report by a person's decision. `'recorded'`: the gateway holds it, which is final.
   * `'dismissed'`: it is not sent, unless a person calls `reopen` or `replace`.
   */
  resolve(
    id: string,
    decision: Because & {
      /** The final state of the report. `'recorded'` is rejected after a refusal without a doubt. */
      as: 'recorded' | 'dismissed';
    },
  ): Promise<OutboxReport>;
  /**
   * Sends corrected data under the reference of a report that the gateway has refused, for example with 422, or that
   * waits and was never processed, or not since it was retried or replaced. It is allowed only while it is certain that
   * the gateway has recorded nothing. A refused report was refused with 400 or 422, or a settlement with 404, no attempt
   * is in doubt, no answer mentions a repeat, and no worker has the report.
   *
   * The payload is validated as a new report of the same operation, and must have the same reference and the
   * `timestamp` of the event. Its location is the stored one, unless you give a `location` or a `clientIP`. The report
   * waits again, and its settlement follows once it is recorded, with its own data: if an amount was wrong, replace the
   * settlement first. The fingerprint of the data before and the reason stay in its receipt. Rejects with a
   * `ValidationError` in any other state, for the data that it has, for a dismissed report while its settlement is in
   * flight, and with the errors of the report methods.
   *
   * @example
   * ```ts
   * const [refused] = await outbox.list({ reference: bet.bet_id, state: 'quarantined' });
   * if (refused) await outbox.replace(refused.id, corrected, { reason: 'wrong local government area' });
   * ```
   */
  replace<Name extends ReportName>(
    id: string,
    payload: Payloads<Mode>[Name],
    options: Omit<CallOptions, 'environment'> & Because,
  ): Promise<OutboxReport>;
  /**
   * Sends corrected data for many reports, each as `replace` does, in commits of 100 beside running workers. The items
   * are those of `reportAll`. A report that has this data already is left as it is, so call it again after an
   * interruption; `refused` then has those that are recorded by now. At the end, an open circuit breaker
   * (`'refusals'`) of their operations ends: the corrected reports are sent before those that were enqueued after
   * them, and reports that were refused and not corrected need a person. Rejects with the error of a store that fails,
   * and with a `ValidationError` without a reason.
   *
   * @example
   * ```ts
   * const { replaced, refused } = await outbox.replaceAll(
   *   corrected.map((payload) => ({ operation: 'reportBetEvent', payload })),
   *   { reason: 'wrong local government area' },
   * );
   * ```
   */
  replaceAll(corrections: AnyIterable<BatchedReport<Mode>>, options: Because): Promise<ReplacedAll>;
  /**
   * Takes back the dismissal of a report: it is as before, with its problem and its doubt. A settlement that was
   * dismissed with it is reopened, too. Rejects with a `ValidationError` if the report is not dismissed, or was pruned,
   * or if its settlement is in flight.
   */
  reopen(id: string, options: Because): Promise<OutboxReport>;
  /**
   * The receipt log as JSON Lines, one `ReceiptEntry` with its line break at a time: pipe it to a file. It contains
   * every report that is final now.
   */
  exportReceipts(options?: {
    /** The index of the first entry. Default: 0. */
    from?: number;
  }): AsyncIterable<string>;
  /**
   * The number of receipts and the hash of the last one. Undefined if there is none. Store it in another place, for
   * `verifyReceipts`.
   */
  receiptHead(): Promise<ReceiptHead | undefined>;
  /**
   * Compares your own list of bets and withdrawals with the outbox: one result for each item, in the same order. The
   * list may have any length; it is read in batches. Rejects with a `ValidationError` at an item that does not name a
   * report.
   */
  reconcile(references: AnyIterable<string | ReportReference>, defaults?: ReconcileDefaults): AsyncIterable<Reconciled>;
  /**
   * Deletes old final reports in small commits, while workers run. Receipts stay. After a crash, call it again. The
   * outbox no longer finds a second report of a deleted reference. Rejects with a `ConfigurationError` if the store
   * cannot delete.
   */
  prune(options: PruneOptions): Promise<Pruned>;
  /**
   * Ends all pauses of an environment and its operations now, for example after you corrected the key, and forgets the
   * rate that a 429 taught. False if there was no pause.
   */
  resume(environment: OutboxEnvironment): Promise<boolean>;

  /** Adds a listener for one kind of event. Returns a function that removes it. */
  on<Type extends keyof OutboxEvents>(type: Type, listener: OutboxListener<Type>): () => void;
}

/** A report that is committed to the store. */
export interface EnqueuedReport<Mode extends ClientMode = 'strict'> {
  /** The id for `get`, `retry` and `resolve`: account, environment (or `relay`), operation and reference. */
  readonly id: string;
  /** `'waiting'`, or the current state if the same report was enqueued before. */
  readonly state: Row['state'];
  /**
   * The receipt, once the gateway has recorded the report, or the outbox behind the relay has stored it. Rejects if the
   * report is quarantined or dismissed, or the outbox is stopped. If you do not use it, you need not handle the
   * rejection. Not enumerable. Read it after the commit of your own transaction: it also rejects if the report is not
   * in the store five minutes later.
   */
  readonly done: Promise<ReceiptOf<Mode>>;
}

/**
 * The result of `prepare`: a report that is validated, located and frozen, and not stored yet. Logs and JSON show only
 * its `id`. You may discard it without a further call.
 *
 * @example
 * ```ts
 * const report = await outbox.prepare('reportSettledBet', bet);
 * await client.query('BEGIN');
 * const { done } = await report.enqueue(client);
 * await client.query('COMMIT');
 * ```
 */
export interface PreparedReport<Mode extends ClientMode = 'strict'> {
  /** The id for `get`, `retry` and `resolve`: account, environment, operation and reference. */
  readonly id: string;
  /**
   * Enqueues the report within your transaction. Without an argument: in a separate commit. Rejects as the report
   * methods do, and with a `ConfigurationError` for an `undefined` or `null` transaction. You may call it again: the
   * same bytes are the same report.
   */
  enqueue(transaction?: unknown): Promise<EnqueuedReport<Mode>>;
  /**
   * The argument of the SQL function `enqueue` (PostgreSQL), in the schema of the outbox's store. Your own statement
   * then commits the report. Bind the value as a parameter: it contains the report with its personal data (sealed if
   * the outbox encrypts). Libraries that print the parameters of a failed statement print it, too.
   *
   * The function returns true if it added the report, and false if the same report was there. An error fails your
   * statement and transaction. `LS003`: the outbox holds other data under the same reference. `LS004`: the value is not
   * a complete value of an outbox over this store. `LS005`: the reports of this account go to another gateway. The
   * errors do not show the value.
   *
   * Throws a `ConfigurationError` if the store does not have this function. Not enumerable.
   */
  readonly value: string;
}
