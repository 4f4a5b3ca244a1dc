import { asRecord } from '../../../platform/as-record.js';
import { type Connection, columns } from './database.js';
import { HAS_KEY_ID, OPEN } from './schema.js';

/** Reads only the index. All rows that lack the same key have the same problem text. */
export const LACKING = `SELECT ${columns('problem')} FROM
  (SELECT DISTINCT problem FROM outbox_rows INDEXED BY outbox_locked WHERE ${OPEN} AND ${HAS_KEY_ID} AND account = ?)`;

/** The ids of the missing keys of open rows. */
export function readMissingKeys({ all }: Pick<Connection, 'all'>, accounts: readonly string[]): string[] {
  const found = accounts.flatMap((account) => all(LACKING, account)).flatMap(({ problem }) => keyIdIn(String(problem)));
  return [...new Set(found)].sort();
}

/** The key id in a problem. A damaged problem has none. */
function keyIdIn(problem: string): string[] {
  try {
    const { keyId } = asRecord(JSON.parse(problem));
    return typeof keyId === 'string' ? [keyId] : [];
  } catch {
    return [];
  }
}
