import { asRecord } from '../../../platform/as-record.js';
import type { Connection } from './database.js';
import { HAS_KEY_ID, OPEN } from './schema.js';

/** Read off the index alone. The problems of all rows that lack one key are one text, as long as its message is. */
export const LACKING = `SELECT DISTINCT problem FROM outbox_rows INDEXED BY outbox_locked WHERE ${OPEN} AND ${HAS_KEY_ID} AND account = ?`;

/** The ids of keys that open rows lacked when they were last tried. */
export function readMissingKeys({ all }: Pick<Connection, 'all'>, accounts: readonly string[]): string[] {
  const found = accounts.flatMap((account) => all(LACKING, account)).flatMap(({ problem }) => keyIdIn(String(problem)));
  return [...new Set(found)].sort();
}

/** A problem that cannot be read names none. */
function keyIdIn(problem: string): string[] {
  try {
    const { keyId } = asRecord(JSON.parse(problem));
    return typeof keyId === 'string' ? [keyId] : [];
  } catch {
    return [];
  }
}
