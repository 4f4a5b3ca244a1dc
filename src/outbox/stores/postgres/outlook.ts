import { readPause } from '../../pause.js';
import { LONGEST_WAIT_MS } from '../../state-machine.js';
import type { Outlook } from '../../store.js';
import type { Run } from './database.js';

/** The outlook of a destination, as the database returns it. */
type Found = Omit<Outlook['pause'], 'reason' | 'message' | 'remainingMs'> &
  Pick<Outlook, 'gateway' | 'rebound'> & {
    readonly reason: Outlook['pause']['reason'] | null;
    readonly message: string | null;
    readonly now: number;
    readonly first: number | null;
    readonly last: number | null;
  };

/** Reads the outlook of each destination. A time too far in the future means that a clock has jumped, and counts as past. */
export async function readOutlook(run: Run, schema: string, accounts?: readonly string[]): Promise<Outlook[]> {
  const [found] = await run(`SELECT ${schema}.outlook($1::text::json) AS outlook`, [accounts === undefined ? null : JSON.stringify(accounts)]);
  return (JSON.parse(found?.outlook ?? '[]') as Found[]).map(({ now, first, last, reason, message, gateway, rebound, ...pause }) => {
    const waitMs = first === null ? undefined : first - now;
    return {
      account: pause.account,
      environment: pause.environment,
      gateway,
      rebound: Array.isArray(rebound) ? rebound : [],
      pause: readPause({ ...pause, reason, message }, now),
      nextInMs: waitMs !== undefined && last !== null && last > now + LONGEST_WAIT_MS ? Math.min(0, waitMs) : waitMs,
    };
  });
}
