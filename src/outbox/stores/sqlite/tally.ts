import type { RowState } from '../../record.js';
import type { Counts } from '../../store.js';
import type { Connection } from './database.js';
import { OPEN } from './schema.js';

/** States whose rows are counted with every change; of the others there are as many as their index says. */
type Counted = 'recorded' | 'quarantined' | 'dismissed' | 'attempts';

const COUNTED: readonly string[] = ['recorded', 'quarantined', 'dismissed'] satisfies readonly (Counted & RowState)[];

const ADD = 'INSERT INTO outbox_counts (name, number) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET number = number + excluded.number';
export const COUNT_OPEN = `SELECT count(*) AS number FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND state = ?`;
const COUNT_BLOCKED =
  "SELECT count(*) AS number FROM outbox_rows INDEXED BY outbox_dependents WHERE waits_for IS NOT NULL AND state = 'waiting' AND blocked = 1";
export const OLDEST = `SELECT sequence, enqueued_at FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND state = ? ORDER BY sequence LIMIT 1`;

/** How many rows there are of each state. Most are final: those are not counted anew, which would hold up the process. */
export function createTally({ first, all, run }: Connection) {
  const changes = new Map<Counted, number>();
  const add = (name: Counted, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);

  function oldestOpenAt(): number | undefined {
    const oldest = ['waiting', 'in-flight'].map((state) => first(OLDEST, state)).filter((row) => row !== undefined);
    oldest.sort((a, b) => Number(a.sequence) - Number(b.sequence));
    return oldest[0] && Number(oldest[0].enqueued_at);
  }

  return {
    attempts: (by: number): void => void add('attempts', by),
    move(from: RowState, to: RowState): void {
      if (COUNTED.includes(from)) add(from as Counted, -1);
      if (COUNTED.includes(to)) add(to as Counted, 1);
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
      const blocked = Number(first(COUNT_BLOCKED)?.number);
      return {
        states: {
          waiting: Number(first(COUNT_OPEN, 'waiting')?.number) - blocked,
          blocked,
          'in-flight': Number(first(COUNT_OPEN, 'in-flight')?.number),
          recorded: of('recorded'),
          quarantined: of('quarantined'),
          dismissed: of('dismissed'),
        },
        oldestOpenAt: oldestOpenAt(),
        attempts: of('attempts'),
      };
    },
  };
}

export type Tally = ReturnType<typeof createTally>;
