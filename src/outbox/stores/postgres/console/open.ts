import type { AccountEnvironment, OpenCounts } from '../../../console-store.js';
import { isBreaker, keyOf } from '../../../destination.js';
import type { Run } from '../database.js';
import { NOW_MS } from '../function-parts.js';

/** Up to this number of rows, each answer counts them. */
const SMALL = 20_000;
/** A large queue is counted again after this multiple of the time of a count. So counting uses at most a twentieth of a connection. */
const REST = 20;
const SHORTEST_AGE_MS = 2_000;
/** The greatest age of a count in an answer. */
const LONGEST_AGE_MS = 60_000;

/** The open rows of each place, at a time of the database's clock. */
export interface CountedRows {
  readonly countedAt: number;
  readonly places: readonly OpenCounts[];
}

/**
 * Counts open rows. Counting a million takes a third of a second. Counters that change with each row would make commits wait for each
 * other, including the user's own transactions. So a large queue is counted in the background, and the answer contains the time of
 * the count.
 */
export function createOpenCounts(run: Run, schema: string) {
  let kept: (CountedRows & { readonly began: number; readonly tookMs: number }) | undefined;
  let counting: Promise<CountedRows> | undefined;

  async function isSmall(): Promise<boolean> {
    const [found] = await run(`SELECT (count(*) <= ${SMALL})::text AS small FROM (SELECT 1 FROM ${schema}.queue LIMIT ${SMALL + 1}) AS looked`);
    return found?.small === 'true';
  }

  async function count(): Promise<CountedRows> {
    const [found] = await run(
      `SELECT json_build_object('countedAt', ${NOW_MS}, 'places', (SELECT json_agg(json_build_object('account', coalesce(d.account, o.account), 'environment', coalesce(d.environment, o.environment),
        'waiting', coalesce(o.waiting, 0), 'blocked', coalesce(o.blocked, 0), 'inFlight', coalesce(o.in_flight, 0), 'quarantined', coalesce(o.quarantined, 0),
        'oldestOpenAt', (SELECT r.enqueued_at FROM ${schema}.reports AS r WHERE r.sequence = o.oldest)))
        FROM ${schema}.destinations AS d FULL JOIN (
          SELECT q.account, q.environment, count(*) FILTER (WHERE q.state = 'waiting' AND NOT q.blocked) AS waiting, count(*) FILTER (WHERE q.state = 'waiting' AND q.blocked) AS blocked,
            count(*) FILTER (WHERE q.state = 'in-flight') AS in_flight, count(*) FILTER (WHERE q.state = 'quarantined') AS quarantined,
            min(q.sequence) FILTER (WHERE q.state <> 'quarantined') AS oldest
          FROM ${schema}.queue AS q GROUP BY q.account, q.environment) AS o ON o.account = d.account AND o.environment = d.environment))::text AS counted`,
    );
    const { countedAt, places } = JSON.parse(found?.counted ?? 'null') as {
      countedAt: number;
      places: (OpenCounts & { oldestOpenAt: number | null })[] | null;
    };
    const bound = (places ?? []).filter((place) => !isBreaker(place));
    return { countedAt, places: bound.map((place) => ({ ...place, oldestOpenAt: place.oldestOpenAt ?? undefined })) };
  }

  /** Runs one count at a time. All callers share it. */
  function countLarge(): Promise<CountedRows> {
    counting ??= (async () => {
      const began = performance.now();
      const counted = await count();
      kept = { ...counted, began, tookMs: performance.now() - began };
      return counted;
    })().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  async function quarantinedNow(): Promise<(AccountEnvironment & { readonly count: number })[]> {
    const found = await run(
      `SELECT json_build_object('account', account, 'environment', environment, 'count', count(*))::text AS place
        FROM ${schema}.queue WHERE state = 'quarantined' GROUP BY account, environment`,
    );
    return found.map(({ place }) => JSON.parse(place ?? 'null') as AccountEnvironment & { count: number });
  }

  async function read(): Promise<CountedRows> {
    if (await isSmall()) return count();
    const age = kept ? performance.now() - kept.began : Number.POSITIVE_INFINITY;
    if (!kept || age > LONGEST_AGE_MS) return countLarge();
    const { countedAt, places, tookMs } = kept;
    // The next caller gets the new count. An error of the database shows with the next awaited statement.
    if (age > Math.max(SHORTEST_AGE_MS, REST * tookMs)) countLarge().catch(() => {});
    const quarantined = await quarantinedNow();
    return { countedAt, places: places.map((place) => ({ ...place, quarantined: quarantined.find((one) => keyOf(one) === keyOf(place))?.count ?? 0 })) };
  }

  return read;
}
