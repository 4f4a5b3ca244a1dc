import { userInfo } from 'node:os';
import type { Operator } from '../../operator/operator.js';
import type { OutboxStore } from '../../outbox/store/store.js';

/** The outbox of a command, as the command sees it. */
export interface View {
  readonly store: OutboxStore;
  /** Reads and decides as the console does. */
  readonly operator: Operator;
  /** The beginning of commands to copy. */
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The login name on this machine. Undefined if a container runs under a user number without a name. */
export function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}

export function newDecision(reason: string) {
  const name = userName();
  return {
    decision: crypto.randomUUID() as string,
    who: name === undefined ? 'command line' : `${name} (command line)`,
    reason,
  };
}
