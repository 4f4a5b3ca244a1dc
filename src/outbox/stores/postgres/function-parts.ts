/** The largest number of rows that one turn reads in a search. */
export const MOST_LOOKED_AT = 1000;

export const NOW_MS = '(floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint';

/**
 * Makes the planner use the index. It has no statistics of new tables and keeps its first plan, and only the index is fast at every
 * size. Without `jit = off`, PostgreSQL 12 to 17 compile each call, because a plan that needs a disabled method has a very high cost.
 */
export const BY_INDEX = 'SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off';
