import type { OperationName } from '../protocol/operations.js';
import type { ConsoleStore } from './console-store.js';
import type { Counts } from './counts.js';
import type { BoundDestination, Destination, DestinationOperation, Gateways, OutboxEnvironment, Rebinding, Rebound } from './destination.js';
import type { Pause, PauseChange } from './pause.js';
import type { Retention } from './retention.js';
import type { Row, RowState } from './state-machine.js';
import type { Write } from './write.js';

export type { Counts, Write };

/** What a store makes a row of. Its id begins with its account and a colon. */
export type NewRow = Pick<Row, 'id' | 'account' | 'environment' | 'operation' | 'reference' | 'waitsFor' | 'body' | 'fingerprint'> & {
  /** The address to which it is to be sent. Not of the row: the store keeps it for the destination. */
  readonly gateway: string;
  /** The bytes to send, sealed. */
  readonly body: string;
};

/** What became of a new row. */
export interface Enqueued {
  /** The row in the store; where its id was there already, that one, untouched. */
  readonly row: Row;
  /** Whether it was added by this call. */
  readonly added: boolean;
}

/** An account whose rows a worker takes. */
export interface Claimant {
  /** Whose rows. */
  readonly account: string;
  /** Where this worker sends them. Those of an environment that the store knows with another address are not claimed. */
  readonly gateways: Gateways;
  /** How many of its rows this worker has: the account with the fewest is given the next one. */
  readonly busy: number;
}

/** Which rows a worker takes next. */
export interface ClaimRequest {
  /** Of whom. Where two have as many rows, the one that is named first is given the next. */
  readonly accounts: readonly Claimant[];
  /** How many at most. */
  readonly limit: number;
  /** Milliseconds until another worker may take them. */
  readonly leaseMs: number;
  /** Only of this destination, and although it is paused. */
  readonly probe?: Destination;
  /**
   * Rows of these operations are left out. It is the one part of a claim that may cost more where many of them wait: it is
   * given while their circuit breaker is open, and with its probe.
   */
  readonly without?: readonly DestinationOperation[];
  /** Of a probe: a due row that was never claimed comes first. The store looks among the last few hundred due rows at least. */
  readonly untriedFirst?: boolean;
}

/** One turn of a worker: what ended is written, then what comes next is claimed, in one commit. */
export interface Turn {
  /** What is to be written, in order. */
  readonly writes: readonly Write[];
  /** What is to be claimed after the writes. */
  readonly claim: ClaimRequest | undefined;
}

/** What came of a turn: the writes that were made, and the rows that were claimed. */
export interface TurnResult {
  /** For each write, in order, whether it was made; false where the fence or the state had moved on. */
  readonly written: readonly boolean[];
  /** Rows as they are after the claim. */
  readonly claimed: readonly Row[];
}

/** What there is to do for a destination. */
export interface Outlook extends BoundDestination {
  /** How its gateway was changed, the oldest first. */
  readonly rebound: readonly Rebound[];
  /** Its pause, or that there is none. */
  readonly pause: Pause;
  /** Milliseconds until the next row may be claimed, whether paused or not; not above 0 when there is one now; undefined for none. */
  readonly nextInMs: number | undefined;
}

/** Which rows are listed; what is left out matches everything. */
export interface RowQuery {
  /** Only rows of this account. */
  readonly account?: string | undefined;
  /** Only rows in this state. */
  readonly state?: RowState | undefined;
  /** Only rows of this environment. */
  readonly environment?: OutboxEnvironment | undefined;
  /** Only rows of this call. */
  readonly operation?: OperationName | undefined;
  /** Only rows of this reference: one for each account, environment and operation. */
  readonly reference?: string | undefined;
  /** Only rows after this `sequence`. */
  readonly after?: number | undefined;
  /** The most to give. */
  readonly limit: number;
}

/** One line of the receipt log; the store knows its place and whose it is, not what is in it. */
export interface LogLine {
  /** From 0, without gaps. */
  readonly index: number;
  /** The row whose line it is. */
  readonly id: string;
  /** The line itself. */
  readonly line: string;
}

/** The log of receipts: lines are added at its end and never changed. Linking them is the outbox's work. */
export interface ReceiptLog {
  /** Final rows that have no line yet, in the order in which they became final, as far as the store knows it. */
  unlogged(limit: number): Promise<readonly Row[]>;
  /** Adds all lines in one commit, or none: false where the log does not end right before the first, or a row has its line already. */
  append(lines: readonly LogLine[]): Promise<boolean>;
  /** Lines from an index on. */
  read(from: number, limit: number): Promise<readonly LogLine[]>;
  /** The newest line, or nothing. */
  last(): Promise<LogLine | undefined>;
}

/**
 * Where an outbox keeps its reports: a plain object, so that any database can be one. A store does no more than
 * compare and write; what is written is decided in `state-machine.ts` and `pause.ts`. `storeContract` is the suite that a
 * store must pass.
 *
 * Every method rejects when the store cannot do it, and then has done nothing; none falls back to memory. A method
 * that writes resolves only after a durable commit, and is atomic: all of it or nothing, also beside other workers,
 * processes and tabs on the same data. All times are by the store's one clock (a database's own, where several machines
 * share it); callers pass durations only.
 */
export interface OutboxStore extends Retention {
  /** Whether what is committed outlives the process, or the page. */
  readonly durable: boolean;

  /** Whether `enqueue` can write within a transaction of the user's. Default: false. */
  readonly transactional?: boolean;

  /**
   * Whether several calls of `enqueue` may be under way at once. With it, one that waits for a lock does not keep reports
   * of other references waiting. Default: false.
   */
  readonly concurrent?: boolean;

  /**
   * Of a page whose reports go through a relay: the one player whose reports these are, as the page knows them. No other
   * player's come in, and they are sent in no other player's session. The value itself is neither stored nor sent.
   */
  readonly player?: string | undefined;

  /**
   * Adds rows that are not there, in order, in one commit: `'waiting'`, due now, `fence` and `attempts` 0, not in
   * doubt. Binds the destination of each row, as `bind` does. A row whose id is there (in the store or earlier among these) is left as it is and returned. Rejects with what `otherGateway` makes, and has
   * added nothing, where a destination is bound to another gateway.
   * `transaction` is the user's own, in which the rows are written; with it, the commit is the user's.
   */
  enqueue(rows: readonly NewRow[], transaction?: unknown): Promise<readonly Enqueued[]>;

  /**
   * What a function of the database takes that adds the row as part of a statement of the user's, where the store has such
   * a function; see `PreparedReport.value`.
   */
  asValue?(row: NewRow): string;

  /**
   * Makes the writes, then the claim. A write whose row has another state or fence than expected is not made, and
   * `changedAt` and `dueAt` (now and `delayMs` from now) are set by one that is.
   *
   * Claimed are rows for which `isClaimable` holds, of the given accounts and gateways alone. Of one account they come due
   * first, then by `sequence`; a row whose time is too far ahead counts as due from the first claim on that could take it.
   * Accounts take turns (see `Claimant.busy`). What `claimed` makes of them is
   * committed before the method resolves. Rows of a paused destination are left out, but for the probe. Never claimed
   * is a waiting row while the row it `waitsFor` is in the store and not final, whichever of the two came first.
   * What a claim costs must not depend on how many rows wait, are blocked, or are final.
   */
  turn(turn: Turn): Promise<TurnResult>;

  /**
   * Keeps for each destination the gateway that its reports go to, unless it has one. Returns, in that order, what each
   * has: another address than the given one is for the caller to refuse.
   */
  bind(destinations: readonly BoundDestination[]): Promise<readonly string[]>;

  /** Gives a destination another gateway and keeps the reason; false, and nothing done, where its gateway is not `from`. */
  rebind(change: Rebinding): Promise<boolean>;

  /** What there is to do, for each destination that is bound; without `accounts`, of all. */
  outlook(accounts?: readonly string[]): Promise<readonly Outlook[]>;

  /** Changes the pause of a destination; false, and nothing done, where its version is not the one that was seen, or it is not bound. */
  pause(change: PauseChange): Promise<boolean>;

  /** Rows by their ids, in that order. */
  get(ids: readonly string[]): Promise<readonly (Row | undefined)[]>;

  /**
   * The ids of keys that rows lacked when they were last tried (`problem.keyId`), each once; of rows that are neither final nor
   * quarantined. Without `accounts`, of all. What it costs must not depend on how many rows wait for something else.
   */
  missingKeys(accounts?: readonly string[]): Promise<readonly string[]>;

  /** Rows in the order of `sequence`. */
  list(query: RowQuery): Promise<readonly Row[]>;

  /** How many rows are in which state; without `accounts`, of all. */
  counts(accounts?: readonly string[]): Promise<Counts>;

  /** Keeps a setting of the outbox under a name, unless there is one, and returns what is kept. */
  remember(name: string, value: string): Promise<string>;

  /** The log of receipts. */
  readonly receipts: ReceiptLog;

  /** What the operator's console needs beside. Without it, the console shows single reports and counts alone. */
  readonly console?: ConsoleStore;

  /**
   * Tells when there may be something new to claim, where the store can know. Returns how to stop. `onProblem` hears, with the
   * store's own error, that it cannot tell: workers find reports by polling then.
   */
  watch?(listener: () => void, onProblem?: (cause: unknown) => void): () => void;

  /**
   * Where one worker at a time is enough (tabs of a browser): resolves when it is this one's turn, with how to end it.
   * Rejects when the signal aborts. Leases keep everything right without it.
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
