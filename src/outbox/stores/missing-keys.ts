import type { Row } from '../state-machine.js';

/** The ids of the missing keys of open rows, each once. */
export function missingKeysOf(rows: Iterable<Row>, accounts: readonly string[] | undefined): string[] {
  const found = new Set<string>();
  for (const { account, state, problem } of rows) {
    const isOpen = state === 'waiting' || state === 'in-flight';
    if (isOpen && problem?.keyId !== undefined && (accounts?.includes(account) ?? true)) found.add(problem.keyId);
  }
  return [...found].sort();
}
