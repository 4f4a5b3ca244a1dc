import type { OperationName } from '../protocol/operations.js';
import type { OutboxEnvironment, PauseReason } from './destination.js';
import type { ReceiptHead } from './receipts/entry.js';
import type { Decision, ProblemCode, Row } from './state-machine.js';

/** Which report an event is about; its reference is the only thing of the operator's in it. */
export interface AboutReport {
  /** Its identifier. */
  readonly id: string;
  /** Whose report it is. */
  readonly account: string;
  /** Where the report goes. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** Attempts that count: those that a pause turned away do not. */
  readonly attempts: number;
}

/** The events of an outbox by their names. None holds a secret or personal data. */
export interface OutboxEvents {
  /** A report is committed to the store; not told of one in your own transaction. */
  enqueued: AboutReport;
  /** The gateway holds it, or the outbox behind the relay has it. */
  recorded: AboutReport & {
    /** `'already-recorded'`: an earlier attempt had landed; `'accepted'`: the outbox behind the relay has it. */
    readonly outcome: NonNullable<Row['outcome']>;
    /** Milliseconds from its enqueueing to the claim of its last attempt, by the store's clock. */
    readonly waitedMs: number;
  };
  /** An attempt failed and there will be another one. */
  delayed: AboutReport & {
    /** Why it failed: the code of the error. */
    readonly code: ProblemCode;
    /** Whether an attempt may have landed. */
    readonly inDoubt: boolean;
    /** Milliseconds until the next attempt, at the earliest. */
    readonly delayMs: number;
  };
  /** A stored body cannot be opened without the key of this id, which is not there; the report waits for it. */
  locked: AboutReport & {
    /** The id of the key, as `encryption.keys` would name it. */
    readonly keyId: string;
  };
  /** A person must look: see `resolve` and `retry`. */
  quarantined: AboutReport & {
    /** Why: the code of the error, or `'damaged'`. */
    readonly code: ProblemCode;
    /** Why, in words; free of secrets and personal data. */
    readonly message: string;
    /** Whether the gateway holds other data under the same reference. */
    readonly conflict: boolean;
    /** Whether an attempt may have landed. */
    readonly inDoubt: boolean;
  };
  /** A person decided. */
  decided: AboutReport & {
    /** What was decided. */
    readonly action: Decision['action'];
  };
  /** The log of receipts has grown; note its head somewhere else, since only that shows a log which was cut. */
  logged: ReceiptHead;
  /** An attempt ended after another worker had taken its row; what it found was not written. */
  late: AboutReport;
  /** Nothing is sent to an environment until a probe gets through. */
  paused: {
    /** Whose reports are not sent. */
    readonly account: string;
    /** To where nothing is sent. */
    readonly environment: OutboxEnvironment;
    /** Of which operation nothing is sent there; left out where it is all. */
    readonly operation?: OperationName;
    /** What is wrong with it. */
    readonly reason: PauseReason;
    /** The same in words; free of secrets and personal data. */
    readonly message: string | undefined;
    /** Milliseconds until the probe. */
    readonly forMs: number;
  };
  /** Reports are sent to the environment again. */
  resumed: {
    /** Whose reports are sent again. */
    readonly account: string;
    /** To where reports are sent again. */
    readonly environment: OutboxEnvironment;
    /** Of which operation; left out where it is all. */
    readonly operation?: OperationName;
  };
  /** The store could not do something; the outbox goes on trying. The cause is the store's own error. */
  error: {
    /** What could not be done, in words. */
    readonly message: string;
    /** The store's own error; may hold what it holds. */
    readonly cause: unknown;
  };
}

/** Hears one kind of event. */
export type OutboxListener<Type extends keyof OutboxEvents> = (event: OutboxEvents[Type]) => void;

/** Who listens to what; a listener that throws harms nobody. */
export function createOutboxEvents() {
  const listeners = new Map<keyof OutboxEvents, Set<(event: never) => unknown>>();
  return {
    on<Type extends keyof OutboxEvents>(type: Type, listener: OutboxListener<Type>): () => void {
      // A function of its own, so that the same listener can be added twice and each is taken off by itself.
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
          // The listener's own affair: the report goes its way.
        }
      }
    },
  };
}

export type Events = ReturnType<typeof createOutboxEvents>;

export const aboutReport = ({ id, account, environment, operation, reference, attempts }: Row): AboutReport => ({
  id,
  account,
  environment,
  operation,
  reference,
  attempts,
});
