import type { OpenCounts } from '../../../console-store.js';
import { isBreaker, partsOf } from '../../../destination.js';
import { type Connection, columns } from '../database.js';
import { OPEN, QUEUED } from '../schema.js';

const NUMBER = columns('count(*) AS number');
const COUNT_QUEUED = `SELECT ${NUMBER} FROM outbox_rows INDEXED BY outbox_due WHERE ${QUEUED} AND account = ? AND environment = ?`;
const COUNT_IN_FLIGHT = `SELECT ${NUMBER} FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND state = 'in-flight' AND account = ? AND environment = ?`;
const COUNT_BLOCKED = `SELECT ${NUMBER} FROM outbox_rows INDEXED BY outbox_dependents WHERE waits_for >= ? AND waits_for < ? AND state = 'waiting' AND blocked = 1`;
const COUNT_QUARANTINED = `SELECT ${NUMBER} FROM outbox_rows INDEXED BY outbox_wrong WHERE state = 'quarantined' AND account = ? AND environment = ?`;
const OLDEST = `SELECT ${columns('enqueued_at')} FROM outbox_rows INDEXED BY outbox_open WHERE ${OPEN} AND account = ? AND state = ? AND environment = ? ORDER BY sequence LIMIT 1`;

/** Counts the open rows of each bound place. It reads only indexes. */
export function countOpen({ first, all }: Connection): OpenCounts[] {
  const number = (sql: string, ...values: string[]) => Number(first(sql, ...values)?.number ?? 0);
  const bound = all(`SELECT ${columns('account, environment')} FROM outbox_destinations`).map((found) => ({
    account: String(found.account),
    environment: String(found.environment) as OpenCounts['environment'],
  }));
  return bound
    .filter((one) => !isBreaker(one))
    .map(({ account, environment }) => {
      const inFlight = number(COUNT_IN_FLIGHT, account, environment);
      const oldest = ['waiting', 'in-flight'].flatMap((state) => {
        const at = first(OLDEST, account, state, environment)?.enqueued_at;
        return typeof at === 'number' ? [at] : [];
      });
      return {
        account,
        environment: partsOf({ environment }).environment,
        waiting: number(COUNT_QUEUED, account, environment) - inFlight,
        // An id begins with its account, its environment and a colon, and a semicolon is the next character.
        blocked: number(COUNT_BLOCKED, `${account}:${environment}:`, `${account}:${environment};`),
        inFlight,
        quarantined: number(COUNT_QUARANTINED, account, environment),
        oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
      };
    });
}
