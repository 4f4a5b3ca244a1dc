import type { Counts } from '../../store.js';
import type { Run } from './database.js';

type Names = 'waiting' | 'blocked' | 'in_flight' | 'quarantined' | 'recorded' | 'dismissed' | 'attempts';

/** How many rows there are of each state, of the view that dashboards read. */
export async function readCounts(run: Run, schema: string, accounts?: readonly string[]): Promise<Counts> {
  const found = await run(
    `SELECT json_build_object('waiting', waiting, 'blocked', blocked, 'in_flight', in_flight, 'quarantined', quarantined, 'recorded', recorded,
      'dismissed', dismissed, 'attempts', attempts, 'oldest', (floor(extract(epoch FROM oldest_open_at) * 1000))::bigint)::text AS counts FROM ${schema}.stats
      WHERE $1::text IS NULL OR account IN (SELECT json_array_elements_text($1::text::json))`,
    [accounts === undefined ? null : JSON.stringify(accounts)],
  );
  const all = found.map(({ counts }) => JSON.parse(counts ?? '{}') as Record<Names, number> & { oldest: number | null });
  const sum = (name: Names): number => all.reduce((total, one) => total + one[name], 0);
  const oldest = all.flatMap((one) => one.oldest ?? []);
  return {
    states: {
      waiting: sum('waiting'),
      blocked: sum('blocked'),
      'in-flight': sum('in_flight'),
      recorded: sum('recorded'),
      quarantined: sum('quarantined'),
      dismissed: sum('dismissed'),
    },
    oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    attempts: sum('attempts'),
  };
}
