import { isStoreError, type StoreError } from '../../core/errors/store-error.js';
import type { OperationName } from '../../core/protocol/operations.js';
import type {
  BoundDestination,
  DestinationOperation,
  Gateways,
  OutboxEnvironment,
  PauseScope,
  Rebinding,
  Rebound,
} from '../rules/destination.js';
import type { Pause, PauseChange } from '../rules/pause.js';
import type { LogLine } from '../rules/receipt-entry.js';
import type { PruneRequest, PruneStep } from '../rules/retention.js';
import type { Row, RowState, Write } from '../rules/state-machine.js';
import type { OperatorStore } from './operator-store.js';

export type { Write };

/** A new row for a store. Its id begins with its account and a colon. */
export type NewRow = Pick<
  Row,
  'id' | 'account' | 'environment' | 'operation' | 'reference' | 'waitsFor' | 'body' | 'fingerprint'
> & {
  /** The address to which it is sent. The store keeps it with the destination and not with the row. */
  readonly gateway: string;
  readonly body: string;
  readonly excerpt?: string | undefined;
};

export interface Enqueued {
  /** The row in the store. If its id already existed: the existing row, unchanged. */
  readonly row: Row;
  readonly added: boolean;
}

/** An account whose rows a worker claims. */
export interface Claimant {
  readonly account: string;
  /** Rows of an environment that is bound to another address are not claimed. */
  readonly gateways: Gateways;
  /** The number of its rows that this worker holds. The account with the smallest number gets the next row. */
  readonly busy: number;
}

/** A request for the next rows of a worker. */
export interface ClaimRequest {
  /** Of two accounts with equal `busy`, the first in this list gets the next row. */
  readonly accounts: readonly Claimant[];
  readonly limit: number;
  /** Milliseconds until another worker may claim them. */
  readonly leaseMs: number;
  /**
   * Only rows of this destination, although it is paused. The probe of a breaker takes none while the destination is.
   */
  readonly probe?: PauseScope;
  /**
   * Leaves out rows of these operations. Only this part of a claim may cost more if many of them wait. It is given
   * while their circuit breaker is open, and with its probe.
   */
  readonly without?: readonly DestinationOperation[];
  /**
   * For a probe: a due row that was never claimed comes first. The store searches at least the last few hundred due
   * rows.
   */
  readonly untriedFirst?: boolean;
}

/** One turn of a worker: it writes results and then claims rows, in one commit. */
export interface Turn {
  readonly writes: readonly Write[];
  readonly claim: ClaimRequest | undefined;
}

export interface TurnResult {
  /** For each write, in order, whether it was made. False if the row had another fence or state. */
  readonly written: readonly boolean[];
  readonly claimed: readonly Row[];
}

/** The state of a destination: its gateway, its pause and its next row. */
export interface DestinationState extends BoundDestination {
  /** The changes of its gateway, the oldest first. */
  readonly rebound: readonly Rebound[];
  readonly pause: Pause;
  /** The circuit breakers of its operations that were ever changed. */
  readonly breakers: readonly Pause[];
  /**
   * Milliseconds until the next row may be claimed, regardless of the pause. 0 or less: a row is due. Undefined: it
   * has no row.
   */
  readonly nextInMs: number | undefined;
}

/** All pauses: of each destination, and of its operations. */
export const pausesOf = (outlooks: readonly Pick<DestinationState, 'pause' | 'breakers'>[]): Pause[] =>
  outlooks.flatMap(({ pause, breakers }) => [pause, ...breakers]);

/** The conditions of a list. An absent condition matches every row. */
export interface RowQuery {
  /** Only rows of this account. */
  readonly account?: string | undefined;
  /** Only rows in this state. */
  readonly state?: RowState | undefined;
  /** Only rows of this environment. */
  readonly environment?: OutboxEnvironment | undefined;
  /** Only rows of this call. */
  readonly operation?: OperationName | undefined;
  /** Only rows of this reference: at most one for each account, environment and operation. */
  readonly reference?: string | undefined;
  /** Only rows after this `sequence`. */
  readonly after?: number | undefined;
  /** The largest number of rows to return. */
  readonly limit: number;
}

/** The receipt log: lines are added at its end and never changed. The outbox links them. */
export interface ReceiptLog {
  /** Final rows that have no line yet. The order is the one in which they became final, if the store can tell. */
  unlogged(limit: number): Promise<readonly Row[]>;
  /**
   * Adds all lines in one commit. Adds none and returns false if the log does not end right before the first line, or a
   * row already has a line. A dismissed row that was reopened has no line once it is final again.
   */
  append(lines: readonly LogLine[]): Promise<boolean>;
  /** Lines from an index on. */
  read(from: number, limit: number): Promise<readonly LogLine[]>;
  /** The newest line. Undefined if the log is empty. */
  last(): Promise<LogLine | undefined>;
}

/**
 * Whether a store's error says that its data is damaged. Every later call of that store rejects with the same error, so
 * an outbox stops instead of trying again.
 */
export const isDamage = (error: unknown): error is StoreError => isStoreError(error) && error.code === 'corrupt';

/** The numbers of rows in a store. */
export interface Counts {
  /** Rows by state, including pruned ones. Blocked rows are not counted as waiting. */
  readonly states: Readonly<Record<RowState | 'blocked', number>>;
  /** `enqueuedAt` of the oldest row that is neither final nor quarantined. */
  readonly oldestOpenAt: number | undefined;
  /** The sum of all rows' attempts. */
  readonly attempts: number;
  /**
   * When the rows that are not final were counted, if the store has kept the counts of a large queue for a while.
   * Absent: they were counted for this answer. A queue of fewer than 20,000 open rows is always counted for the answer.
   */
  readonly countedAt?: number;
}

/**
 * Keeps the reports of an outbox: what `sqliteStore`, `postgresStore`, `indexedDbStore` and `memoryStore` return. Its
 * other methods are internal, and not in the types of the package. `state-machine.ts` and `pause.ts` decide the
 * changes, and a store only compares and writes.
 *
 * A method that fails rejects and changes nothing. No method falls back to memory. A method that writes resolves only
 * after a durable commit, and is atomic, also while other workers, processes and tabs use the same data. All times are
 * by the single clock of the store: that of the database, if several machines share it. Callers pass durations only.
 */
export interface OutboxStore {
  /** Whether committed rows outlive the process or the page. */
  readonly durable: boolean;

  /**
   * Whether `enqueue` can write within the user's own transaction. Default: false.
   * @internal
   */
  readonly transactional?: boolean;

  /**
   * Whether several calls of `enqueue` may be under way at once. Then a call that waits for a lock does not delay
   * reports of other references. Default: false.
   * @internal
   */
  readonly concurrent?: boolean;

  /**
   * The player of the reports, in a page that reports through a relay. The store takes only reports of this player, and
   * they are sent only in this player's session. The value itself is neither stored nor sent.
   */
  readonly player?: string | undefined;

  /**
   * Adds the rows whose ids are new, in order, in one commit: `'waiting'`, due now, `fence` and `attempts` 0, not in
   * doubt. Binds the destination of each row, as `bind` does. A row whose id exists (in the store or earlier in this
   * list) stays unchanged and is returned. If a destination is bound to another gateway, it adds nothing and rejects
   * with the error of `otherGateway`. With `transaction`, the rows are written in the user's transaction, which the
   * user commits.
   * @internal
   */
  enqueue(rows: readonly NewRow[], transaction?: unknown): Promise<readonly Enqueued[]>;

  /**
   * The argument for the function of the database that adds the row within the user's own statement. Absent if the
   * store has no such function. See `PreparedReport.value`.
   * @internal
   */
  asValue?(row: NewRow): string;

  /**
   * Makes the writes, then the claim. A write sets `changedAt` to now and `dueAt` to `delayMs` from now. It is not made
   * if its row has another state or fence than expected, or is final and has no line in the log yet, or `mustStay`.
   *
   * The claim takes rows for which `isClaimable` holds, only of the given accounts and gateways. Rows of one account
   * come in the order of their due time, then of `sequence`. A row whose time is too far in the future counts as due
   * from the first claim that could take it. Accounts take turns (see `Claimant.busy`). The change by `claimed` is
   * committed before the method resolves. Only a probe claims rows of a paused destination. No row is
   * claimed while the row that it `waitsFor` is in the store and not final, even if that row was added later: one in
   * flight whose lease is over waits then (`takenFromWorker`). In a database, the cost of a claim must not depend on the number of waiting, blocked or final rows.
   * @internal
   */
  turn(turn: Turn): Promise<TurnResult>;

  /**
   * Stores the gateway of each destination that has none. Returns the stored gateways, in the same order. The caller
   * refuses a gateway that differs from the given one.
   * @internal
   */
  bind(destinations: readonly BoundDestination[]): Promise<readonly string[]>;

  /**
   * Changes the gateway of a destination and stores the reason. Changes nothing and returns false if the gateway is not
   * `from`.
   */
  rebind(change: Rebinding): Promise<boolean>;

  /**
   * The outlook of each bound destination. Without `accounts`: of all accounts.
   * @internal
   */
  outlook(accounts?: readonly string[]): Promise<readonly DestinationState[]>;

  /**
   * Changes the pause of a destination, or the breaker of an operation, which has the version 0 before its first
   * change. Changes nothing and returns false if the pause has another version, or the destination is not bound.
   * @internal
   */
  pause(change: PauseChange): Promise<boolean>;

  /**
   * Rows by their ids, in the same order. With `transaction`, as the user's transaction sees them.
   * @internal
   */
  get(ids: readonly string[], transaction?: unknown): Promise<readonly (Row | undefined)[]>;

  /**
   * The missing keys (`problem.keyId`) of rows that are neither final nor quarantined, each id once. Without
   * `accounts`: of all accounts. The cost must not depend on the number of rows that wait for other reasons.
   * @internal
   */
  missingKeys(accounts?: readonly string[]): Promise<readonly string[]>;

  /**
   * Rows in the order of `sequence`.
   * @internal
   */
  list(query: RowQuery): Promise<readonly Row[]>;

  /**
   * The number of rows in each state. Without `accounts`: of all accounts.
   * @internal
   */
  counts(accounts?: readonly string[]): Promise<Counts>;

  /**
   * Stores a setting of the outbox unless it exists. Returns the stored value.
   * @internal
   */
  getOrCreateSetting(name: string, value: string): Promise<string>;

  /**
   * The receipt log.
   * @internal
   */
  readonly receipts: ReceiptLog;

  /**
   * The methods for the operator. Absent in the stores without SQL.
   * @internal
   */
  readonly operator?: OperatorStore;

  /**
   * Calls the listener when there may be new rows to claim, if the store can signal that. Returns a function that
   * removes the listener. `onProblem` gets the store's error if the signal fails. Then workers find reports by polling.
   * @internal
   */
  watch?(listener: () => void, onProblem?: (cause: unknown) => void): () => void;

  /**
   * Lets one worker at a time run, for the tabs of a browser. Resolves when it is this worker's turn, with a function
   * that ends the turn. Rejects when the signal aborts. It only saves work: leases alone keep several workers correct.
   * @internal
   */
  lead?(signal: {
    /** Whether it was aborted. */
    readonly aborted: boolean;
    /** Hears when it is aborted. */
    addEventListener(type: 'abort', listener: () => void): void;
  }): Promise<() => void>;

  /**
   * Deletes final rows that are old enough and have their line in the log, and stores the time limit (`prunedBefore`)
   * in the same commit. Rows that are not final, or have no line yet, stay. `counts` still includes the deleted rows.
   * @internal
   */
  prune?(request: PruneRequest): Promise<PruneStep>;

  /**
   * Rows of this account that ended before this time may have been pruned. Undefined if none was pruned.
   * @internal
   */
  prunedBefore?(account: string): Promise<number | undefined>;

  /** Gives back what the store itself opened. */
  close?(): Promise<void>;
}

/** Yields all rows that match a query. It reads them page by page. */
export async function* scanRows(
  store: Pick<OutboxStore, 'list'>,
  query: Omit<RowQuery, 'limit'>,
  page = 500,
): AsyncGenerator<Row> {
  for (let { after = 0 } = query; ; ) {
    const rows = await store.list({ ...query, after, limit: page });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    after = last.sequence;
  }
}
