import { operationNames } from '../../../core/protocol/operations.js';
import type { BoundDestination, Destination, PauseScope } from '../../rules/destination.js';
import { readPause, type StoredPause } from '../../rules/pause.js';
import { LONGEST_WAIT_MS } from '../../rules/state-machine.js';
import type { DestinationState } from '../../store/store.js';
import { readRate, type StoredRate } from '../sql/destinations.js';
import type { Run } from './database.js';

/** The gateway of each destination. Binds the given one if it had none. */
export async function bind(run: Run, given: readonly BoundDestination[]): Promise<string[]> {
  const found = await run(
    `SELECT schema.bind(g.account, g.environment, g.gateway) AS gateway FROM ROWS FROM (json_to_recordset($1::text::json)
      AS (account text, environment text, gateway text)) WITH ORDINALITY AS g(account, environment, gateway, place) ORDER BY g.place`,
    [JSON.stringify(given.map(({ account, environment, gateway }) => ({ account, environment, gateway })))],
  );
  return found.map(({ gateway }) => gateway ?? '');
}

interface Found extends Destination, Pick<DestinationState, 'gateway' | 'rebound'> {
  readonly pause: Omit<StoredPause, keyof PauseScope>;
  readonly breakers: readonly StoredPause[] | null;
  readonly rate: StoredRate;
  readonly now: number;
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * Reads the outlook of each destination. A time too far in the future means that a clock has jumped, and counts as
 * past.
 */
export async function readOutlook(run: Run, accounts?: readonly string[]): Promise<DestinationState[]> {
  const [found] = await run(`SELECT schema.outlook($1::text::json) AS outlook`, [
    accounts === undefined ? null : JSON.stringify(accounts),
  ]);
  return (JSON.parse(found?.outlook ?? '[]') as Found[]).map(
    ({ account, environment, gateway, rebound, pause, breakers, rate, now, first, last }) => {
      const waitMs = first === null ? undefined : first - now;
      return {
        account,
        environment,
        gateway,
        rebound: Array.isArray(rebound) ? rebound : [],
        pause: readPause({ ...pause, account, environment }, now),
        // A breaker of an unknown operation is damage, and holds nothing back.
        breakers: (breakers ?? []).flatMap((found) => {
          const operation = operationNames.find((name) => name === found.operation);
          return operation ? [readPause(found, now)] : [];
        }),
        rate: readRate(rate, now),
        nextInMs: waitMs !== undefined && last !== null && last > now + LONGEST_WAIT_MS ? Math.min(0, waitMs) : waitMs,
      };
    },
  );
}
