import { LACKS_KEY } from './console/tables.js';
import type { Run } from './database.js';

/** The ids of the missing keys of open rows, which have a separate index. */
export async function readMissingKeys(run: Run, schema: string, accounts?: readonly string[]): Promise<string[]> {
  const found = await run(
    `SELECT DISTINCT q.problem->>'keyId' AS "keyId" FROM ${schema}.queue AS q
      WHERE ${LACKS_KEY} AND jsonb_typeof(q.problem -> 'keyId') = 'string'
      AND ($1::text IS NULL OR q.account IN (SELECT json_array_elements_text($1::text::json)))`,
    [accounts === undefined ? null : JSON.stringify(accounts)],
  );
  return found.flatMap(({ keyId }) => keyId ?? []).sort();
}
