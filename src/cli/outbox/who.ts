import { userInfo } from 'node:os';

/** The author of a decision on the command line: the name of the system's account, if it has one. */
export function whoTypes(): string {
  try {
    return `${userInfo().username} (command line)`;
  } catch {
    // A container may run under a user number without a name.
    return 'command line';
  }
}
