import { userInfo } from 'node:os';

/** By whom a decision of the command line is: the account of the system, where it has a name. */
export function whoTypes(): string {
  try {
    return `${userInfo().username} (command line)`;
  } catch {
    // A container may run under a number that has no name.
    return 'command line';
  }
}
