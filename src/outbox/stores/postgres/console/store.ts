import type { ConsoleStore } from '../../../console-store.js';
import { readFinals } from '../counts.js';
import type { Run } from '../database.js';
import { NOW_MS } from '../function-parts.js';
import { createDecisions } from './decisions.js';
import type { CountedRows } from './open.js';
import { createPaces } from './paces.js';
import { createSearch } from './search.js';

/** The console methods of a PostgreSQL store. */
export function postgresConsole(run: Run, schema: string, open: () => Promise<CountedRows>): ConsoleStore {
  const decisions = createDecisions(run, schema);
  const search = createSearch(run, schema);
  const paces = createPaces(run, schema);
  return {
    now: async () => Number((await run(`SELECT (${NOW_MS})::text AS now`))[0]?.now),
    open,
    finals: (accounts) => readFinals(run, schema, accounts),
    wrong: search.wrong,
    quarantined: ({ of, asOf, after, limit }) => search.quarantined(of, asOf, after, limit),
    tally: search.tally,
    rows: search.rows,
    search: search.search,
    begin: decisions.begin,
    step: decisions.step,
    decision: decisions.find,
    decisions: decisions.list,
    touched: decisions.touched,
    paced: paces.reached,
    pace: paces.add,
    ended: paces.ended,
    paces: paces.read,
  };
}
