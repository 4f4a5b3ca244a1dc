import { userInfo } from 'node:os';

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
