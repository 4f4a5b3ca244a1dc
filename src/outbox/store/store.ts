import { isStoreError, type StoreError } from '../../core/errors/store-error.js';
import { lastOf } from '../../core/platform/portable.js';
import type { OperationName } from '../../core/protocol/operations.js';
import type {
  BoundDestination,
  Destination,
  DestinationOperation,
  Gateways,
  OutboxEnvironment,
  PauseScope,
  Rebinding,
  Rebound,
} from '../rules/destination.js';
import type { Pause, PauseChange, SeenPauses } from '../rules/pause.js';
import type { KeptRate, LearnedRate } from '../rules/rate.js';
import type { LogLine } from '../rules/receipt-entry.js';
import type { PruneRequest, PruneStep } from '../rules/retention.js';
import type { Row, RowState, Write } from '../rules/state-machine.js';
import type { OperatorStore } from './operator-store.js';

/** A new row. Its id begins with its account and a colon. */
export type NewRow = Pick<
  Row,
  'id' | 'account' | 'environment' | 'operation' | 'reference' | 'waitsFor' | 'body' | 'fingerprint'
> & {
  /** The address to which it is sent, which the store keeps with the destination. */
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

export interface ClaimRequest {
  /** Of two accounts with equal `busy`, the first in this list gets the next row. */
  readonly accounts: readonly Claimant[];
  readonly limit: number;
  /** Milliseconds until another worker may claim them. */
  readonly leaseMs: number;
  /** Only rows of this paused destination. The probe of a breaker takes none while the destination is paused. */
  readonly probe?: PauseScope;
  /** Leaves out rows of these operations, whose breaker is open. This may cost more if many of them wait. */
  readonly without?: readonly DestinationOperation[];
  /** For a probe: a due row that was never claimed comes first, if it is among the last few hundred due rows. */
  readonly untriedFirst?: boolean;
}

/** One turn of a worker: it writes results and then claims rows, in one commit. */
export interface Turn {
  readonly writes: readonly Write[];
  readonly claim: ClaimRequest | undefined;
}

export interface TurnResult {
  /** For each write, in order, whether it was made. */
  readonly written: readonly boolean[];
  readonly claimed: readonly Row[];
  /** The closed breakers with strikes, which a success resets. Absent: the store did not look. */
  readonly struck?: SeenPauses;
}

export interface DestinationState extends BoundDestination {
  /** The changes of its gateway, the oldest first. */
  readonly rebound: readonly Rebound[];
  readonly pause: Pause;
  /** The circuit breakers of its operations that were ever changed. */
  readonly breakers: readonly Pause[];
  /** The rate that was learned from its 429. Absent: none. */
  readonly rate?: KeptRate | undefined;
  /** Milliseconds until the next row may be claimed, regardless of the pause. Undefined: it has no row. */
  readonly nextInMs: number | undefined;
}

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
  /**
   * Final rows that have no line yet, perhaps without their bodies and excerpts. The order is the one in which they
   * became final, if the store can tell.
   */
  unlogged(limit: number): Promise<readonly Row[]>;
  /**
   * Adds all lines in one commit, or none: if the log does not end right before the first line, or a row has a line. A
   * dismissed row that was reopened has no line once it is final again.
   */
  append(lines: readonly LogLine[]): Promise<boolean>;
  /** Lines from an index on. */
  read(from: number, limit: number): Promise<readonly LogLine[]>;
  /** The newest line. Undefined if the log is empty. */
  last(): Promise<LogLine | undefined>;
}

/** Whether a store's data is damaged. Every later call rejects with the same error, so the outbox stops. */
export const isDamage = (error: unknown): error is StoreError => isStoreError(error) && error.code === 'corrupt';

/** The numbers of rows in a store. */
export interface Counts {
  /** Rows by state, including pruned ones. Blocked rows are not counted as waiting. */
  readonly states: Readonly<Record<RowState | 'blocked', number>>;
  /** The waiting rows whose last attempt was refused: a pause or a breaker keeps them from quarantine. */
  readonly refused: number;
  /** `enqueuedAt` of the oldest row that is neither final nor quarantined. */
  readonly oldestOpenAt: number | undefined;
  /** The sum of all rows' attempts. */
  readonly attempts: number;
  /**
   * When the rows that are not final were counted, if the store keeps the counts of a large queue for a while. A queue
   * of fewer than 20,000 open rows is always counted for the answer.
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
   * Whether several calls of `enqueue` may be under way at once, so that a lock does not delay reports of other
   * references. Default: false.
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
   * doubt. A row whose id exists, or is earlier in this list, stays unchanged and is returned. Binds the destination of
   * each row, and adds nothing if one is bound to another gateway: it rejects with the error of `otherGateway`. With
   * `transaction`, the rows are written in the user's transaction, which the user commits.
   * @internal
   */
  enqueue(rows: readonly NewRow[], transaction?: unknown): Promise<readonly Enqueued[]>;

  /**
   * The argument for the function of the database that adds the row within the user's own statement. See
   * `PreparedReport.value`.
   * @internal
   */
  asValue?(row: NewRow): string;

  /**
   * Makes the writes, then the claim. A write sets `changedAt` to now and `dueAt` to `delayMs` from now. It is not made
   * if its row has another state or fence than expected, or is final and has no line in the log yet, or `mustStay`.
   *
   * The claim takes rows for which `isClaimable` holds, only of the given accounts and gateways, and commits the change
   * by `claimed`. Rows of one account come in the order of their due time, then of `sequence`. A time too far in the
   * future counts as due from the first claim that could take the row. Accounts take turns (see `Claimant.busy`). Only a
   * probe claims rows of a paused destination. No row is claimed while the row that it `waitsFor` is open, even if that
   * was added later: one in flight whose lease is over waits then (`takenFromWorker`). In a database, the cost of a
   * claim must not depend on the number of waiting, blocked or final rows.
   * @internal
   */
  turn(turn: Turn): Promise<TurnResult>;

  /**
   * Stores the gateway of each destination that has none. Returns the stored gateways, in the same order.
   * @internal
   */
  bind(destinations: readonly BoundDestination[]): Promise<readonly string[]>;

  /**
   * Changes the gateway of a destination and stores the reason. Changes nothing and returns false if the gateway is not
   * `from`.
   */
  rebind(change: Rebinding): Promise<boolean>;

  /**
   * The state of each bound destination. Without `accounts`: of all accounts.
   * @internal
   */
  outlook(accounts?: readonly string[]): Promise<readonly DestinationState[]>;

  /**
   * Changes a pause, or a breaker, which has the version 0 before its first change. Changes nothing and returns false
   * if it has another version, or the destination is not bound.
   * @internal
   */
  pause(change: PauseChange): Promise<boolean>;

  /**
   * Takes the next free slots of a destination for one worker, by their length in microseconds. Returns the
   * milliseconds until the first of them. See `takeSlots` of `rate.ts`. Absent: the store keeps no rate.
   * @internal
   */
  takeSlots?(destination: Destination, long: number): Promise<number>;

  /**
   * Stores the rate that a destination has learned now; 0: it has none. Changes nothing if the destination is not bound.
   * @internal
   */
  keepRate?(destination: Destination, rate: LearnedRate): Promise<void>;

  /**
   * Rows by their ids, in the same order. With `transaction`, as the user's transaction sees them.
   * @internal
   */
  get(ids: readonly string[], transaction?: unknown): Promise<readonly (Row | undefined)[]>;

  /**
   * The missing keys (`problem.keyId`) of rows that are neither final nor quarantined, each once. Without `accounts`:
   * of all accounts. The cost must not depend on the number of other rows.
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

  /** @internal */
  readonly receipts: ReceiptLog;

  /**
   * The methods for the operator. Absent in the stores without SQL.
   * @internal
   */
  readonly operator?: OperatorStore;

  /**
   * Calls the listener when there may be new rows to claim. Returns a function that removes it. `onProblem` gets the
   * store's error if the signal fails. Then workers find reports by polling.
   * @internal
   */
  watch?(listener: () => void, onProblem?: (cause: unknown) => void): () => void;

  /**
   * Lets one tab of a browser at a time work. Resolves with a function that ends its turn. Rejects when the signal
   * aborts. It only saves work: leases alone keep several workers correct.
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
   * in the same commit. `counts` still includes the deleted rows.
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

/** All rows that match a query, in pages. */
export async function* scanPages(
  store: Pick<OutboxStore, 'list'>,
  query: Omit<RowQuery, 'limit'>,
  page = 500,
): AsyncGenerator<readonly Row[]> {
  for (let { after = 0 } = query; ; ) {
    const rows = await store.list({ ...query, after, limit: page });
    yield rows;
    const last = lastOf(rows);
    if (!last || rows.length < page) return;
    after = last.sequence;
  }
}

/** The same, row by row. */
export async function* scanRows(...given: Parameters<typeof scanPages>): AsyncGenerator<Row> {
  for await (const rows of scanPages(...given)) yield* rows;
}
