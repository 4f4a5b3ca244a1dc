import type { Row } from '../state-machine.js';

/** The ids of keys that rows lacked when they were last tried, each once. */
export function missingKeysOf(rows: Iterable<Row>, accounts: readonly string[] | undefined): string[] {
  const found = new Set<string>();
  for (const { account, state, problem } of rows) {
    const isOpen = state === 'waiting' || state === 'in-flight';
    if (isOpen && problem?.keyId !== undefined && (accounts?.includes(account) ?? true)) found.add(problem.keyId);
  }
  return [...found].sort();
}
