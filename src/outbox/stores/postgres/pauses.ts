import type { PauseChange } from '../../pause.js';
import type { Run } from './database.js';

/** As `changePause` of `pause.ts`, by the database's clock. */
export async function writePause(run: Run, schema: string, change: PauseChange): Promise<boolean> {
  const { environment, version, reason, message, strikes, forMs, continues } = change;
  const changed = await run(
    `UPDATE ${schema}.pauses AS p SET version = p.version + 1, reason = $3::text, message = $4::text, strikes = $5::text::integer,
      since = CASE WHEN $6::text = 'true' THEN p.since ELSE clock.now END, until = clock.now + $7::text::bigint
      FROM (SELECT (floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint AS now OFFSET 0) AS clock
      WHERE p.environment = $1::text AND p.version = $2::text::integer RETURNING 'changed' AS changed`,
    [environment, String(version), reason ?? null, message ?? null, String(strikes), String(continues), String(Math.round(forMs))],
  );
  return changed.length > 0;
}
