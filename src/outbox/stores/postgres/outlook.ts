import type { PauseChange } from '../../pause.js';
import { LONGEST_WAIT_MS } from '../../record.js';
import type { Outlook } from '../../store.js';
import type { Run } from './database.js';

/** What the database tells of an environment. */
type Found = Omit<Outlook['pause'], 'reason' | 'message' | 'remainingMs'> & {
  readonly reason: Outlook['pause']['reason'] | null;
  readonly message: string | null;
  readonly now: number;
  readonly first: number | null;
  readonly last: number | null;
};

/** What there is to do for each environment. A time too far ahead, of a clock that jumped, counts as past. */
export async function readOutlook(run: Run, schema: string): Promise<Outlook[]> {
  const [found] = await run(`SELECT ${schema}.outlook() AS outlook`);
  return (JSON.parse(found?.outlook ?? '[]') as Found[]).map(({ now, first, last, reason, message, ...pause }) => {
    const waitMs = first === null ? undefined : first - now;
    return {
      environment: pause.environment,
      pause: { ...pause, reason: reason ?? undefined, message: message ?? undefined, remainingMs: pause.until - now },
      nextInMs: waitMs !== undefined && last !== null && last > now + LONGEST_WAIT_MS ? Math.min(0, waitMs) : waitMs,
    };
  });
}

/** As `changePause` of `pause.ts`, by the database's clock. */
export async function changePause(run: Run, schema: string, change: PauseChange): Promise<boolean> {
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
