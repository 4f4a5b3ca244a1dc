import type { OpenCounts, Place } from '../../../console-store.js';
import { isBreaker, keyOf } from '../../../destination.js';
import type { Run } from '../database.js';
import { NOW_MS } from '../function-parts.js';

/** Up to so many rows, they are counted for each answer. */
const SMALL = 20_000;
/** A large queue is counted again once this many times what it took has passed: one twentieth of one connection's time at most. */
const REST = 20;
const SHORTEST_AGE_MS = 2_000;
/** Older counts are never given. */
const LONGEST_AGE_MS = 60_000;

/** Open rows of each place, as of a time of the database's clock. */
export interface CountedRows {
  readonly countedAt: number;
  readonly places: readonly OpenCounts[];
}

/**
 * Counts open rows. To count a million takes a third of a second: counters that are kept with each change would make every two commits
 * wait for each other, those of a user's own transaction among them. So a large queue is counted now and then, beside the answers, which say when.
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
      `SELECT json_build_object('countedAt', ${NOW_MS}, 'places', (SELECT json_agg(json_build_object('account', d.account, 'environment', d.environment,
        'waiting', coalesce(o.waiting, 0), 'blocked', coalesce(o.blocked, 0), 'inFlight', coalesce(o.in_flight, 0), 'quarantined', coalesce(o.quarantined, 0),
        'oldestOpenAt', (SELECT r.enqueued_at FROM ${schema}.reports AS r WHERE r.sequence = o.oldest)))
        FROM ${schema}.destinations AS d LEFT JOIN (
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

  /** One at a time, for all who ask. */
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

  async function quarantinedNow(): Promise<(Place & { readonly count: number })[]> {
    const found = await run(
      `SELECT json_build_object('account', account, 'environment', environment, 'count', count(*))::text AS place
        FROM ${schema}.queue WHERE state = 'quarantined' GROUP BY account, environment`,
    );
    return found.map(({ place }) => JSON.parse(place ?? 'null') as Place & { count: number });
  }

  async function read(): Promise<CountedRows> {
    if (await isSmall()) return count();
    const age = kept ? performance.now() - kept.began : Number.POSITIVE_INFINITY;
    if (!kept || age > LONGEST_AGE_MS) return countLarge();
    const { countedAt, places, tookMs } = kept;
    // Whoever asks next has it; an error of the database shows with the next statement that is waited for.
    if (age > Math.max(SHORTEST_AGE_MS, REST * tookMs)) countLarge().catch(() => {});
    const quarantined = await quarantinedNow();
    return { countedAt, places: places.map((place) => ({ ...place, quarantined: quarantined.find((one) => keyOf(one) === keyOf(place))?.count ?? 0 })) };
  }

  return read;
}
