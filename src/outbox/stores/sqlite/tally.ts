import type { RowState } from '../../record.js';
import type { Counts } from '../../store.js';
import type { Connection } from './database.js';
import { OPEN } from './schema.js';

type Counted = RowState | 'blocked' | 'attempts';

const ADD = 'INSERT INTO outbox_counts (name, number) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET number = number + excluded.number';
export const OLDEST = `SELECT enqueued_at FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} ORDER BY sequence LIMIT 1`;

/** How many rows there are of each state, kept with every change: counting a million rows would hold up the process. */
export function createTally({ first, all, run }: Connection) {
  const changes = new Map<Counted, number>();
  const add = (name: Counted, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);
  return {
    add: (name: Counted, by: number): void => void add(name, by),
    move(from: Counted, to: Counted, rows: number): void {
      add(from, -rows);
      add(to, rows);
    },
    /** At the begin of a transaction. */
    reset: (): void => changes.clear(),
    /** At its end. */
    write(): void {
      for (const [name, by] of changes) if (by !== 0) run(ADD, name, by);
      changes.clear();
    },
    read(): Counts {
      const numbers = new Map(all('SELECT name, number FROM outbox_counts').map(({ name, number }) => [name, Number(number)]));
      const of = (name: Counted) => numbers.get(name) ?? 0;
      const oldest = first(OLDEST);
      return {
        states: {
          waiting: of('waiting'),
          blocked: of('blocked'),
          'in-flight': of('in-flight'),
          recorded: of('recorded'),
          quarantined: of('quarantined'),
          dismissed: of('dismissed'),
        },
        oldestOpenAt: oldest && Number(oldest.enqueued_at),
        attempts: of('attempts'),
      };
    },
  };
}

export type Tally = ReturnType<typeof createTally>;
