/** A bound on the work of one turn. */
export const MOST_LOOKED_AT = 1000;

export const NOW_MS = '(floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint';

/**
 * The planner knows nothing of new tables, and what it chose for them it keeps: only the index is right at every size. Without
 * `jit = off`, PostgreSQL 12 to 17 compile each call: they count a plan that has to use what is switched off as very expensive.
 */
export const BY_INDEX = 'SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off';
