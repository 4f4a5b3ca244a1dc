import type { ConsoleStore } from '../../../console-store.js';
import type { Write } from '../../../write.js';
import type { Connection } from '../database.js';
import { createDecisions } from './decisions.js';
import { countOpen } from './open.js';
import { createPaces } from './paces.js';
import { createSearch } from './search.js';

/** The parts of a SQLite store that its console uses. */
export interface SqliteConsoleParts {
  readonly connection: Connection;
  readonly now: () => number;
  readonly read: <T>(work: () => T) => Promise<T>;
  readonly write: <T>(work: () => T, settings?: { rows?: number }) => Promise<T>;
  /** Changes one row. */
  change(one: Write, now: number): boolean;
  /** The numbers of final rows. */
  finals(accounts?: readonly string[]): { recorded: number; dismissed: number };
  /** Counts a commit as a turn. An older copy of the file has fewer turns. */
  turned(): void;
}

/** The console methods of a SQLite store. */
export function sqliteConsole({ connection, now, read, write, change, finals, turned }: SqliteConsoleParts): ConsoleStore {
  const decisions = createDecisions(connection, change);
  const search = createSearch(connection);
  const paces = createPaces(connection);
  return {
    now: async () => now(),
    open: () => read(() => ({ countedAt: now(), places: countOpen(connection) })),
    finals: (accounts) => read(() => finals(accounts)),
    wrong: () => read(search.wrong),
    quarantined: ({ of, asOf, after, limit }) => read(() => search.quarantined(of, asOf, after, limit)),
    tally: (of, asOf, withSettlements) => read(() => search.tally(of, asOf, withSettlements)),
    rows: (sequences) => read(() => search.rows(sequences)),
    search: (wanted) => read(() => search.search(wanted)),
    begin: (decision) => write(() => decisions.begin(decision, now())),
    step: (step) =>
      write(
        () => {
          const written = decisions.step(step, now());
          if (written?.includes(true)) turned();
          return written;
        },
        { rows: step.writes.length },
      ),
    decision: (id) => read(() => decisions.find(id)),
    decisions: (before, limit) => read(() => decisions.list(before, limit)),
    touched: (id, after) => read(() => decisions.touched(id, after)),
    paced: () => read(paces.reached),
    pace: (from, to, counts) => write(() => paces.add(from, to, counts, now())),
    ended: () => read(paces.ended),
    paces: (span, since) => read(() => paces.read(span, since)),
  };
}
