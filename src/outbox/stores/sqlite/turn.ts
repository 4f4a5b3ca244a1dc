import type { Turn, TurnResult } from '../../store/store.js';
import { createClaims } from './claims.js';
import type { Destinations } from './destinations.js';
import type { StoreFile } from './open-store.js';
import type { Rows } from './rows.js';

export function createTurn(
  { connection, tally, time, commits: { read, write } }: StoreFile,
  rows: Rows,
  destinations: Destinations,
) {
  const claimRows = createClaims(connection, tally, rows.write);
  return async ({ writes, claim }: Turn): Promise<TurnResult> => {
    const open = (at: number) => (claim ? destinations.open(claim, at) : []);
    // An idle worker only reads, so that others can write.
    if (writes.length === 0) {
      const at = time.now();
      if (!claim || !(await read(() => destinations.hasDue(open(at), at)))) return { written: [], claimed: [] };
    }
    return write(
      () => {
        const at = time.catchUp();
        const written = writes.map((one) => rows.write(one, at));
        const claimed = claim ? claimRows(claim, open(at), at) : [];
        // A turn without changes must not commit, since that would wake the workers of other processes.
        if (written.includes(true) || claimed.length > 0) {
          tally.turn();
          time.store(at);
        }
        return { written, claimed, struck: destinations.struck(at) };
      },
      { rows: writes.length + (claim?.limit ?? 0) },
    );
  };
}
