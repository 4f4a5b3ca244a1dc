import { asRecord, memberOf } from '../platform/as-record.js';
import type { OperationName } from '../protocol/operations.js';
import type { ConsoleStore } from './console-store.js';
import type { Counts } from './counts.js';
import type { BoundDestination, Destination, DestinationOperation, Gateways, OutboxEnvironment, Rebinding, Rebound } from './destination.js';
import type { Pause, PauseChange } from './pause.js';
import type { Retention } from './retention.js';
import type { Row, RowState } from './state-machine.js';
import type { Write } from './write.js';

export type { Counts, Write };

/** A new row for a store. Its id begins with its account and a colon. */
export type NewRow = Pick<Row, 'id' | 'account' | 'environment' | 'operation' | 'reference' | 'waitsFor' | 'body' | 'fingerprint'> & {
  /** The address to which it is sent. The store keeps it with the destination and not with the row. */
  readonly gateway: string;
  /** The sealed bytes to send. */
  readonly body: string;
};

/** The result of a new row. */
export interface Enqueued {
  /** The row in the store. If its id already existed: the existing row, unchanged. */
  readonly row: Row;
  /** Whether it was added by this call. */
  readonly added: boolean;
}

/** An account whose rows a worker claims. */
export interface Claimant {
  /** The account of the rows. */
  readonly account: string;
  /** The addresses to which this worker sends. Rows of an environment that is bound to another address are not claimed. */
  readonly gateways: Gateways;
  /** The number of rows of the account that this worker holds. The account with the smallest number gets the next row. */
  readonly busy: number;
}

/** A request for the next rows of a worker. */
export interface ClaimRequest {
  /** The accounts of the rows. Of two accounts with equal `busy`, the first in this list gets the next row. */
  readonly accounts: readonly Claimant[];
  /** The largest number of rows. */
  readonly limit: number;
  /** Milliseconds until another worker may claim them. */
  readonly leaseMs: number;
  /** Only rows of this destination, although it is paused. */
  readonly probe?: Destination & {
    /** Set for the probe of a circuit breaker, which takes no row while the destination is paused. */
    readonly operation?: OperationName;
  };
  /**
   * Leaves out rows of these operations. Only this part of a claim may cost more if many of them wait. It is given while their
   * circuit breaker is open, and with its probe.
   */
  readonly without?: readonly DestinationOperation[];
  /** For a probe: a due row that was never claimed comes first. The store searches at least the last few hundred due rows. */
  readonly untriedFirst?: boolean;
}

/** One turn of a worker: it writes results and then claims rows, in one commit. */
export interface Turn {
  /** The writes, in order. */
  readonly writes: readonly Write[];
  /** The claim after the writes. */
  readonly claim: ClaimRequest | undefined;
}

/** The result of a turn. */
export interface TurnResult {
  /** For each write, in order, whether it was made. False if the row had another fence or state. */
  readonly written: readonly boolean[];
  /** The claimed rows, as they are after the claim. */
  readonly claimed: readonly Row[];
}

/** The state of a destination: its gateway, its pause and its next row. */
export interface Outlook extends BoundDestination {
  /** The changes of its gateway, the oldest first. */
  readonly rebound: readonly Rebound[];
  /** Its pause. Without a `reason`, it is not paused. */
  readonly pause: Pause;
  /** Milliseconds until the next row may be claimed, regardless of the pause. 0 or less: a row is due. Undefined: there is no row. */
  readonly nextInMs: number | undefined;
}

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

/** One line of the receipt log. The store does not read its text. */
export interface LogLine {
  /** Its place, from 0, without gaps. */
  readonly index: number;
  /** The id of the row that the line is about. */
  readonly id: string;
  /** The line itself. */
  readonly line: string;
}

/** The receipt log: lines are added at its end and never changed. The outbox links them. */
export interface ReceiptLog {
  /** Final rows that have no line yet. The order is the one in which they became final, if the store can tell. */
  unlogged(limit: number): Promise<readonly Row[]>;
  /** Adds all lines in one commit. Adds none and returns false if the log does not end right before the first line, or a row already has a line. */
  append(lines: readonly LogLine[]): Promise<boolean>;
  /** Lines from an index on. */
  read(from: number, limit: number): Promise<readonly LogLine[]>;
  /** The newest line. Undefined if the log is empty. */
  last(): Promise<LogLine | undefined>;
}

/**
 * Whether a store's error says that its data is damaged. Every later call of that store rejects with the same error, so an outbox
 * stops instead of trying again.
 */
export const isDamage = (error: unknown): error is Error => error instanceof Error && memberOf(asRecord(error), 'code') === 'corrupt';

/**
 * Keeps the reports of an outbox. A store is a plain object, so that you can write one for any database. A store only compares
 * and writes: `state-machine.ts` and `pause.ts` decide the changes. `storeContract` is the test suite that a store must pass.
 *
 * A method that fails rejects and changes nothing. No method falls back to memory. A method that writes resolves only after
 * a durable commit, and is atomic, also while other workers, processes and tabs use the same data. All times are by the
 * single clock of the store: that of the database, if several machines share it. Callers pass durations only.
 */
export interface OutboxStore extends Retention {
  /** Whether committed rows outlive the process or the page. */
  readonly durable: boolean;

  /** Whether `enqueue` can write within the user's own transaction. Default: false. */
  readonly transactional?: boolean;

  /**
   * Whether several calls of `enqueue` may be under way at once. Then a call that waits for a lock does not delay reports of
   * other references. Default: false.
   */
  readonly concurrent?: boolean;

  /**
   * The player of the reports, in a page that reports through a relay. The store takes only reports of this player, and they are
   * sent only in this player's session. The value itself is neither stored nor sent.
   */
  readonly player?: string | undefined;

  /**
   * Adds the rows whose ids are new, in order, in one commit: `'waiting'`, due now, `fence` and `attempts` 0, not in doubt. Binds
   * the destination of each row, as `bind` does. A row whose id exists (in the store or earlier in this list) stays unchanged and
   * is returned. If a destination is bound to another gateway, it adds nothing and rejects with the error of `otherGateway`.
   * With `transaction`, the rows are written in the user's transaction, which the user commits.
   */
  enqueue(rows: readonly NewRow[], transaction?: unknown): Promise<readonly Enqueued[]>;

  /**
   * The argument for the function of the database that adds the row within the user's own statement. Absent if the store has
   * no such function. See `PreparedReport.value`.
   */
  asValue?(row: NewRow): string;

  /**
   * Makes the writes, then the claim. A write sets `changedAt` to now and `dueAt` to `delayMs` from now. It is not made if its row
   * has another state or fence than expected.
   *
   * The claim takes rows for which `isClaimable` holds, only of the given accounts and gateways. Rows of one account come in the
   * order of their due time, then of `sequence`. A row whose time is too far in the future counts as due from the first claim that
   * could take it. Accounts take turns (see `Claimant.busy`). The change by `claimed` is committed before the method resolves.
   * Only a probe claims rows of a paused destination. A waiting row is not claimed while the row that it `waitsFor` is in
   * the store and not final, even if that row was added later. The cost of a claim must not depend on the number of waiting,
   * blocked or final rows.
   */
  turn(turn: Turn): Promise<TurnResult>;

  /**
   * Stores the gateway of each destination that has none. Returns the stored gateways, in the same order. The caller refuses a
   * gateway that differs from the given one.
   */
  bind(destinations: readonly BoundDestination[]): Promise<readonly string[]>;

  /** Changes the gateway of a destination and stores the reason. Changes nothing and returns false if the gateway is not `from`. */
  rebind(change: Rebinding): Promise<boolean>;

  /** The outlook of each bound destination. Without `accounts`: of all accounts. */
  outlook(accounts?: readonly string[]): Promise<readonly Outlook[]>;

  /** Changes the pause of a destination. Changes nothing and returns false if the pause has another version, or the destination is not bound. */
  pause(change: PauseChange): Promise<boolean>;

  /** Rows by their ids, in the same order. */
  get(ids: readonly string[]): Promise<readonly (Row | undefined)[]>;

  /**
   * The missing keys (`problem.keyId`) of rows that are neither final nor quarantined, each id once. Without `accounts`: of all
   * accounts. The cost must not depend on the number of rows that wait for other reasons.
   */
  missingKeys(accounts?: readonly string[]): Promise<readonly string[]>;

  /** Rows in the order of `sequence`. */
  list(query: RowQuery): Promise<readonly Row[]>;

  /** The number of rows in each state. Without `accounts`: of all accounts. */
  counts(accounts?: readonly string[]): Promise<Counts>;

  /** Stores a setting of the outbox unless it exists. Returns the stored value. */
  remember(name: string, value: string): Promise<string>;

  /** The receipt log. */
  readonly receipts: ReceiptLog;

  /** The methods for the operator's console. Without them, the console shows only single reports and counts. */
  readonly console?: ConsoleStore;

  /**
   * Calls the listener when there may be new rows to claim, if the store can signal that. Returns a function that removes the
   * listener. `onProblem` gets the store's error if the signal fails. Then workers find reports by polling.
   */
  watch?(listener: () => void, onProblem?: (cause: unknown) => void): () => void;

  /**
   * Lets one worker at a time run, for the tabs of a browser. Resolves when it is this worker's turn, with a function that ends the
   * turn. Rejects when the signal aborts. It only saves work: leases alone keep several workers correct.
   */
  lead?(signal: {
    /** Whether it was aborted. */
    readonly aborted: boolean;
    /** Hears when it is aborted. */
    addEventListener(type: 'abort', listener: () => void): void;
  }): Promise<() => void>;

  /** Gives back what the store itself opened. */
  close?(): Promise<void>;
}
