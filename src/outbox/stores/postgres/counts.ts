import type { Counts } from '../../store.js';
import type { Run } from './database.js';

type Names = 'waiting' | 'blocked' | 'in_flight' | 'quarantined' | 'recorded' | 'dismissed' | 'attempts';

/** How many rows there are of each state, of the view that dashboards read. */
export async function readCounts(run: Run, schema: string): Promise<Counts> {
  const [found] = await run(
    `SELECT json_build_object('waiting', waiting, 'blocked', blocked, 'in_flight', in_flight, 'quarantined', quarantined, 'recorded', recorded,
      'dismissed', dismissed, 'attempts', attempts, 'oldest', (floor(extract(epoch FROM oldest_open_at) * 1000))::bigint)::text AS counts FROM ${schema}.stats`,
  );
  const counts = JSON.parse(found?.counts ?? '{}') as Record<Names, number> & { oldest: number | null };
  const { waiting, blocked, in_flight, quarantined, recorded, dismissed, attempts, oldest } = counts;
  return { states: { waiting, blocked, 'in-flight': in_flight, recorded, quarantined, dismissed }, oldestOpenAt: oldest ?? undefined, attempts };
}
