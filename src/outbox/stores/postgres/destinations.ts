import { operationNames } from '../../../core/protocol/operations.js';
import { readPause, type StoredPause } from '../../rules/pause.js';
import { LONGEST_WAIT_MS } from '../../rules/state-machine.js';
import type { DestinationState, OutboxStore } from '../../store/store.js';
import { readRate, type StoredRate } from '../sql/destinations.js';
import type { Run } from './database.js';

interface Found {
  readonly destination: StoredPause & StoredRate & Pick<DestinationState, 'gateway' | 'rebound'>;
  readonly breakers: readonly StoredPause[] | null;
  readonly now: number;
  readonly first: number | null;
  readonly last: number | null;
}

export const createDestinations = (run: Run): Pick<OutboxStore, 'bind' | 'outlook'> => ({
  async bind(given) {
    const found = await run(
      `SELECT schema.bind(g.account, g.environment, g.gateway) AS gateway FROM ROWS FROM (json_to_recordset($1::text::json)
        AS (account text, environment text, gateway text)) WITH ORDINALITY AS g(account, environment, gateway, place) ORDER BY g.place`,
      [JSON.stringify(given.map(({ account, environment, gateway }) => ({ account, environment, gateway })))],
    );
    return found.map(({ gateway }) => gateway ?? '');
  },
  /** A time too far in the future means that a clock has jumped, and counts as past. */
  async outlook(accounts) {
    const [found] = await run(`SELECT schema.outlook($1::text::json) AS outlook`, [
      accounts === undefined ? null : JSON.stringify(accounts),
    ]);
    return (JSON.parse(found?.outlook ?? '[]') as Found[]).map(({ destination, breakers, now, first, last }) => {
      const { account, environment, gateway, rebound } = destination;
      const waitMs = first === null ? undefined : first - now;
      return {
        account,
        environment,
        gateway,
        rebound: Array.isArray(rebound) ? rebound : [],
        pause: readPause(destination, now),
        // A breaker of an unknown operation is damage, and holds nothing back.
        breakers: (breakers ?? []).flatMap((found) => {
          const operation = operationNames.find((name) => name === found.operation);
          return operation ? [readPause(found, now)] : [];
        }),
        rate: readRate(destination, now),
        nextInMs: waitMs !== undefined && last !== null && last > now + LONGEST_WAIT_MS ? Math.min(0, waitMs) : waitMs,
      };
    });
  },
});
