import type { Counts } from '../../store.js';
import type { CountedRows } from './console/open.js';
import type { Run } from './database.js';

/** The numbers of final rows, from the tally of the turns. */
export async function readFinals(run: Run, schema: string, accounts?: readonly string[]): Promise<Record<'recorded' | 'dismissed' | 'attempts', number>> {
  const [found] = await run(
    `SELECT json_build_object('recorded', coalesce(sum(recorded), 0), 'dismissed', coalesce(sum(dismissed), 0), 'attempts', coalesce(sum(attempts), 0))::text AS ended
      FROM ${schema}.tally WHERE CASE WHEN $1::text IS NULL THEN account IN (SELECT d.account FROM ${schema}.destinations AS d)
      ELSE account IN (SELECT json_array_elements_text($1::text::json)) END`,
    [accounts === undefined ? null : JSON.stringify(accounts)],
  );
  return JSON.parse(found?.ended ?? 'null') as Record<'recorded' | 'dismissed' | 'attempts', number>;
}

/** The number of rows in each state. The open ones may have been counted a little earlier. */
export async function readCounts(run: Run, schema: string, readOpen: () => Promise<CountedRows>, accounts?: readonly string[]): Promise<Counts> {
  const { countedAt, places } = await readOpen();
  const { recorded, dismissed, attempts } = await readFinals(run, schema, accounts);
  const shown = places.filter(({ account }) => accounts?.includes(account) ?? true);
  const sum = (name: 'waiting' | 'blocked' | 'inFlight' | 'quarantined') => shown.reduce((total, one) => total + one[name], 0);
  const oldest = shown.flatMap((one) => one.oldestOpenAt ?? []);
  return {
    states: { waiting: sum('waiting'), blocked: sum('blocked'), 'in-flight': sum('inFlight'), recorded, quarantined: sum('quarantined'), dismissed },
    oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    attempts,
    countedAt,
  };
}
