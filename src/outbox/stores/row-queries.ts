import type { Row } from '../rules/state-machine.js';
import type { RowQuery } from '../store/store.js';

export const matches = (
  row: Row,
  { account, state, environment, operation, reference, after = 0 }: Omit<RowQuery, 'limit'>,
): boolean =>
  row.sequence > after &&
  (account ?? row.account) === row.account &&
  (state ?? row.state) === row.state &&
  (environment ?? row.environment) === row.environment &&
  (operation ?? row.operation) === row.operation &&
  (reference ?? row.reference) === row.reference;

/** The ids of the missing keys of open rows, each once. */
export function missingKeysOf(rows: Iterable<Row>, accounts: readonly string[] | undefined): string[] {
  const found = new Set<string>();
  for (const { account, state, problem } of rows) {
    const isOpen = state === 'waiting' || state === 'in-flight';
    if (isOpen && problem?.keyId !== undefined && (accounts?.includes(account) ?? true)) found.add(problem.keyId);
  }
  return [...found].sort();
}
