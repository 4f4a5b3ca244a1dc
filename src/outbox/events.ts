import type { PauseReason, PauseScope } from './rules/destination.js';
import type { Pause } from './rules/pause.js';
import type { ReceiptHead } from './rules/receipt-entry.js';
import type { Decision, ProblemCode, Row } from './rules/state-machine.js';

/** The report of an event. Its reference is the only value of the operator in it. */
type AboutReport = Pick<Row, 'id' | 'account' | 'environment' | 'operation' | 'reference' | 'attempts'>;

/** A pause that goes on. */
interface PauseEvent extends PauseScope, Pick<Pause, 'message'> {
  /** The reason, to branch on. */
  readonly reason: PauseReason;
  /** Milliseconds until the next probe: one report that is sent to test the environment. */
  readonly forMs: number;
}

/** The events of an outbox by their names. They contain no secrets and no personal data. */
export interface OutboxEvents {
  /** A report is committed to the store. A report in your own transaction emits no `enqueued`. */
  enqueued: AboutReport;
  /** The gateway has recorded the report, or the outbox behind the relay has stored it. */
  recorded: AboutReport & {
    /**
     * `'already-recorded'`: an earlier attempt was recorded. `'accepted'`: the outbox behind the relay has stored it.
     */
    readonly outcome: NonNullable<Row['outcome']>;
    /** Milliseconds from enqueueing to the claim of the last attempt, by the store's clock. */
    readonly waitedMs: number;
  };
  /** An attempt failed, and the outbox will try again. */
  delayed: AboutReport & {
    /** The code of the error. */
    readonly code: ProblemCode;
    /** Whether the gateway may have recorded an attempt. */
    readonly inDoubt: boolean;
    /** The earliest time of the next attempt, in milliseconds from now. */
    readonly delayMs: number;
  };
  /** An encryption key is missing. The report waits for it. */
  locked: AboutReport & {
    /** The id of the missing key: its name in `encryption.keys`. */
    readonly keyId: string;
  };
  /** The report needs a person. */
  quarantined: AboutReport & {
    /** The code of the error, `'conflict'` if the gateway holds other data under the same reference, or `'damaged'`. */
    readonly code: ProblemCode;
    /** The message of the error, without secrets and personal data. */
    readonly message: string;
    /** Whether the gateway may have recorded an attempt. */
    readonly inDoubt: boolean;
  };
  /** A person has decided about the report. */
  decided: AboutReport & {
    /** The action that was decided. */
    readonly action: Decision['action'];
  };
  /** The log of receipts has grown. Store its last hash in another place. */
  logged: ReceiptHead;
  /** An attempt ended after another worker had taken its report. Its result was not written. */
  late: AboutReport;
  /** An environment, or one operation there, is paused. Emitted again if the reason changes. */
  paused: PauseEvent;
  /** A probe failed, and the pause goes on for the same reason. */
  'probe-failed': PauseEvent;
  /** A pause has ended: reports are sent again. */
  resumed: PauseScope;
  /**
   * The store failed, or a problem needs your attention. The outbox continues, unless `code` is `'stopped'`.
   */
  error: {
    /** The problem in a sentence. */
    readonly message: string;
    /**
     * `'store'`: an operation of the store failed. `'stopped'`: the store is damaged, and the outbox has stopped.
     * `'went-back'`: the database has lost commits, as after a failover; the message says what is known of them. None:
     * another problem, which the message describes.
     */
    readonly code?: 'store' | 'stopped' | 'went-back';
    /** The error behind it, unchanged. An error of the store may contain data of the store. */
    readonly cause: unknown;
  };
}

/** A function that is called with each event of one kind. */
export type OutboxListener<Type extends keyof OutboxEvents> = (event: OutboxEvents[Type]) => void;

/** The listeners of an outbox. An error of a listener is ignored. */
export function createOutboxEvents() {
  const listeners = new Map<keyof OutboxEvents, Set<(event: never) => unknown>>();
  return {
    on<Type extends keyof OutboxEvents>(type: Type, listener: OutboxListener<Type>): () => void {
      // A new function for each call, so that the same listener can be added twice and removed once.
      const own = (event: OutboxEvents[Type]) => listener(event);
      const set = listeners.get(type) ?? new Set();
      listeners.set(type, set.add(own));
      return () => void set.delete(own);
    },
    emit<Type extends keyof OutboxEvents>(type: Type, event: OutboxEvents[Type]): void {
      for (const listener of listeners.get(type) ?? []) {
        try {
          const returned = listener(event as never);
          if (returned instanceof Promise) returned.catch(() => {});
        } catch {
          // An error of a listener must not stop the report.
        }
      }
    },
  };
}

export type Events = ReturnType<typeof createOutboxEvents>;

/** Emits a failure of the store, and stops an outbox whose store is damaged. */
export type StoreFailed = (message: string, cause: unknown) => void;

export const aboutReport = ({ id, account, environment, operation, reference, attempts }: Row): AboutReport => ({
  id,
  account,
  environment,
  operation,
  reference,
  attempts,
});
