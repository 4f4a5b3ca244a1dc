import { SPANS } from '../../receipts/throughput.js';
import { type Destination, keyOf } from '../../rules/destination.js';
import type { CountedPlaces, FinalCounts, OpenCounts, ThroughputCount } from '../../store/operator-store.js';
import type { Counts } from '../../store/store.js';
import { CLASS_COLUMNS, countsOf, THROUGHPUT_NUMBERS } from '../sql/statements.js';
import type { Run } from './database.js';
import { NOW_MS, STATEMENT_MS } from './sql-parts.js';

export async function readFinals(
  run: Run,
  accounts?: readonly string[],
): Promise<FinalCounts & Pick<Counts, 'attempts'>> {
  const [found] = await run(
    `SELECT json_build_object('recorded', coalesce(sum(recorded), 0), 'dismissed', coalesce(sum(dismissed), 0), 'attempts', coalesce(sum(attempts), 0))::text AS ended
      FROM schema.tally WHERE $1::text IS NULL OR account IN (SELECT json_array_elements_text($1::text::json))`,
    [accounts === undefined ? null : JSON.stringify(accounts)],
  );
  return JSON.parse(found?.ended ?? 'null');
}

/** The number of rows in each state. The open ones may have been counted a little earlier. */
export async function readCounts(
  run: Run,
  readOpen: () => Promise<CountedPlaces>,
  accounts?: readonly string[],
): Promise<Counts> {
  const { countedAt, places } = await readOpen();
  const shown = places.filter(({ account }) => accounts?.includes(account) ?? true);
  return { ...countsOf(shown, await readFinals(run, accounts)), countedAt };
}

/** Up to this number of rows, each answer counts them. */
const SMALL = 20_000;
/**
 * The count of a large queue is kept for this multiple of the time that it took. So counting uses at most a twentieth
 * of a connection.
 */
const REST = 20;
const LONGEST_REST_MS = 60_000;

/**
 * Counts open rows. Counting a million takes a third of a second. Counters that change with each row would make commits
 * wait for each other, including the user's own transactions. So the count of a large queue is kept for some seconds,
 * and the answer contains its time.
 */
export function createOpenCounts(run: Run) {
  let kept: { readonly counted: CountedPlaces; readonly until: number } | undefined;
  let counting: Promise<CountedPlaces> | undefined;

  async function isSmall(): Promise<boolean> {
    const [found] = await run(
      `SELECT (count(*) <= ${SMALL})::text AS small FROM (SELECT 1 FROM schema.queue LIMIT ${SMALL + 1}) AS looked`,
    );
    return found?.small === 'true';
  }

  async function count(): Promise<CountedPlaces> {
    const [found] = await run(
      `SELECT json_build_object('countedAt', ${NOW_MS}, 'places', (SELECT json_agg(json_build_object('account', coalesce(d.account, o.account), 'environment', coalesce(d.environment, o.environment),
        'waiting', coalesce(o.waiting, 0), 'refused', coalesce(o.refused, 0), 'blocked', coalesce(o.blocked, 0), 'inFlight', coalesce(o.in_flight, 0), 'quarantined', coalesce(o.quarantined, 0),
        'oldestOpenAt', (SELECT r.enqueued_at FROM schema.reports AS r WHERE r.sequence = o.oldest)))
        FROM schema.destinations AS d FULL JOIN (
          SELECT q.account, q.environment, count(*) FILTER (WHERE q.state = 'waiting' AND NOT q.blocked) AS waiting,
            count(*) FILTER (WHERE q.state = 'waiting' AND NOT q.blocked AND (q.problem -> 'postponed') IS NOT NULL) AS refused, count(*) FILTER (WHERE q.state = 'waiting' AND q.blocked) AS blocked,
            count(*) FILTER (WHERE q.state = 'in-flight') AS in_flight, count(*) FILTER (WHERE q.state = 'quarantined') AS quarantined,
            min(q.sequence) FILTER (WHERE q.state <> 'quarantined') AS oldest
          FROM schema.queue AS q GROUP BY q.account, q.environment) AS o ON o.account = d.account AND o.environment = d.environment))::text AS counted`,
    );
    const { countedAt, places } = JSON.parse(found?.counted ?? 'null') as {
      countedAt: number;
      places: (OpenCounts & { oldestOpenAt: number | null })[] | null;
    };
    return {
      countedAt,
      places: (places ?? []).map((place) => ({ ...place, oldestOpenAt: place.oldestOpenAt ?? undefined })),
    };
  }

  async function countLarge(): Promise<CountedPlaces> {
    const began = performance.now();
    const counted = await count();
    const now = performance.now();
    kept = { counted, until: now + Math.min(LONGEST_REST_MS, REST * (now - began)) };
    return counted;
  }

  async function quarantinedNow(): Promise<(Destination & { readonly count: number })[]> {
    const found = await run(
      `SELECT json_build_object('account', account, 'environment', environment, 'count', count(*))::text AS place
        FROM schema.queue WHERE state = 'quarantined' GROUP BY account, environment`,
    );
    return found.map(({ place }) => JSON.parse(place ?? 'null') as Destination & { count: number });
  }

  return async (): Promise<CountedPlaces> => {
    if (await isSmall()) return count();
    if (!kept || performance.now() > kept.until) {
      counting ??= countLarge().finally(() => {
        counting = undefined;
      });
      return counting;
    }
    const { countedAt, places } = kept.counted;
    const quarantined = await quarantinedNow();
    return {
      countedAt,
      places: places.map((place) => ({
        ...place,
        quarantined: quarantined.find((one) => keyOf(one) === keyOf(place))?.count ?? 0,
      })),
    };
  };
}

const KEYS = 'span, start, account, environment';

/**
 * Adds counts of recorded reports by time, in one statement. Of several at once, only the one that finds `from`
 * succeeds.
 */
export async function addThroughput(
  run: Run,
  { from, to, counts }: { readonly from: number; readonly to: number; readonly counts: readonly ThroughputCount[] },
): Promise<boolean> {
  const values = counts.map(({ classes, ...count }) => ({
    ...count,
    ...Object.fromEntries(CLASS_COLUMNS.map((name, place) => [name, classes[place] ?? 0])),
  }));
  const old = Object.entries(SPANS).flatMap(([span, { keptMs }]) =>
    Number.isFinite(keptMs) ? [`p.span = '${span}' AND p.start < ${STATEMENT_MS} - ${keptMs}`] : [],
  );
  const reached = await run(
    `WITH moved AS (UPDATE schema.throughput_end SET reached = $2::text::bigint WHERE reached = $1::text::bigint RETURNING 1),
        added AS (
          INSERT INTO schema.throughput AS p (${KEYS}, ${THROUGHPUT_NUMBERS.join(', ')})
          SELECT ${KEYS}, ${THROUGHPUT_NUMBERS.join(', ')} FROM moved CROSS JOIN
            json_to_recordset($3::text::json) AS g(span text, start bigint, account text, environment text, ${THROUGHPUT_NUMBERS.map((name) => `${name} bigint`).join(', ')})
          ON CONFLICT (${KEYS}) DO UPDATE SET ${THROUGHPUT_NUMBERS.map((name) => `${name} = p.${name} + excluded.${name}`).join(', ')}),
        gone AS (DELETE FROM schema.throughput AS p WHERE EXISTS (SELECT 1 FROM moved) AND (${old.join(' OR ')}))
        SELECT 'moved' AS moved FROM moved`,
    [String(from), String(to), JSON.stringify(values)],
  );
  return reached.length > 0;
}
