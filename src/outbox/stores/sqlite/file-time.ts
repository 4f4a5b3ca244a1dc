import type { Clock } from '../../../core/platform/time.js';
import { LONGEST_WAIT_MS } from '../../rules/state-machine.js';
import type { Connection } from './database.js';

const LATEST = `SELECT number FROM outbox_counts WHERE account = '' AND name = 'time'`;
const STORE = `INSERT INTO outbox_counts (account, name, number) VALUES ('', 'time', ?)
  ON CONFLICT (account, name) DO UPDATE SET number = excluded.number`;

/**
 * The time of a file, in whole milliseconds: that of the process whose clock is ahead. With a time of its own, each
 * process would see the leases of the others as ended, or as too far in the future, and take their rows for ever.
 */
export function createFileTime({ first, run }: Connection, clock: Pick<Clock, 'now'>) {
  let lead = 0;
  const read = () => Number(first(LATEST)?.number ?? 0);
  let lastStored = read();
  const now = () => Math.trunc(clock.now()) + lead;
  return {
    now,
    /** Takes over the latest time of a turn. The caller has begun a transaction. */
    catchUp(): number {
      const latest = read();
      // A time far ahead that does not move is from a clock that was set right since then.
      if (latest !== lastStored || latest - now() <= LONGEST_WAIT_MS) lead += Math.max(0, latest - now());
      lastStored = latest;
      return now();
    },
    store(at: number): void {
      run(STORE, at);
      lastStored = at;
    },
  };
}
