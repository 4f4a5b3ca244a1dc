import { operationNames } from '../../../protocol/operations.js';
import type { BoundDestination, Destination, PauseScope, Rebinding } from '../../rules/destination.js';
import { type PauseChange, readPause, type StoredPause } from '../../rules/pause.js';
import { LARGEST_COUNT, LONGEST_WAIT_MS } from '../../rules/state-machine.js';
import type { Outlook } from '../../store/store.js';
import { PAUSE } from '../sql/reads.js';
import type { Run } from './database.js';
import { BY_INDEX, CLOCK, NOW_MS, queued } from './sql-parts.js';

/** The same change as `changePause` of `pause.ts`, by the database's clock. */
export async function writePause(run: Run, schema: string, change: PauseChange): Promise<boolean> {
  const { account, environment, operation, version, reason, message, strikes, forMs, continues } = change;
  if (operation !== undefined && version === 0)
    await run(
      `INSERT INTO ${schema}.breakers (account, environment, operation)
        SELECT account, environment, $3::text FROM ${schema}.destinations WHERE account = $1::text AND environment = $2::text ON CONFLICT DO NOTHING`,
      [account, environment, operation],
    );
  const [table, ofOperation] =
    operation === undefined ? ['destinations', ''] : ['breakers', ' AND d.operation = $9::text'];
  const changed = await run(
    `UPDATE ${schema}.${table} AS d SET version = d.version % ${LARGEST_COUNT} + 1, reason = $4::text, message = $5::text, strikes = $6::text::integer,
      since = CASE WHEN $7::text = 'true' THEN d.since ELSE clock.now END, until = clock.now + $8::text::bigint
      FROM ${CLOCK} WHERE d.account = $1::text AND d.environment = $2::text AND d.version = $3::text::integer${ofOperation} RETURNING 'changed' AS changed`,
    [
      account,
      environment,
      String(version),
      reason ?? null,
      message ?? null,
      String(strikes),
      String(continues),
      String(Math.round(forMs)),
      ...(operation === undefined ? [] : [operation]),
    ],
  );
  return changed.length > 0;
}

/** The gateway of each destination. Binds the given one if it had none. */
export async function bind(run: Run, schema: string, given: readonly BoundDestination[]): Promise<string[]> {
  const found = await run(
    `SELECT ${schema}.bind(g.account, g.environment, g.gateway) AS gateway FROM ROWS FROM (json_to_recordset($1::text::json)
      AS (account text, environment text, gateway text)) WITH ORDINALITY AS g(account, environment, gateway, place) ORDER BY g.place`,
    [JSON.stringify(given.map(({ account, environment, gateway }) => ({ account, environment, gateway })))],
  );
  return found.map(({ gateway }) => gateway ?? '');
}

export async function rebind(
  run: Run,
  schema: string,
  { account, environment, gateway, from, reason }: Rebinding,
): Promise<boolean> {
  const changed = await run(
    `UPDATE ${schema}.destinations AS d SET gateway = $4::text,
      rebound = d.rebound || jsonb_build_array(jsonb_build_object('from', $3::text, 'reason', $5::text, 'at', clock.now))
      FROM ${CLOCK} WHERE d.account = $1::text AND d.environment = $2::text AND d.gateway = $3::text RETURNING 'changed' AS changed`,
    [account, environment, from, gateway, reason],
  );
  return changed.length > 0;
}

interface Found extends Destination, Pick<Outlook, 'gateway' | 'rebound'> {
  readonly pause: Omit<StoredPause, keyof PauseScope>;
  readonly breakers: readonly StoredPause[] | null;
  readonly now: number;
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * Reads the outlook of each destination. A time too far in the future means that a clock has jumped, and counts as
 * past.
 */
export async function readOutlook(run: Run, schema: string, accounts?: readonly string[]): Promise<Outlook[]> {
  const [found] = await run(`SELECT ${schema}.outlook($1::text::json) AS outlook`, [
    accounts === undefined ? null : JSON.stringify(accounts),
  ]);
  return (JSON.parse(found?.outlook ?? '[]') as Found[]).map(
    ({ account, environment, gateway, rebound, pause, breakers, now, first, last }) => {
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
        nextInMs: waitMs !== undefined && last !== null && last > now + LONGEST_WAIT_MS ? Math.min(0, waitMs) : waitMs,
      };
    },
  );
}

const membersOf = (names: string) => names.replace(/\w+/g, "'$&', p.$&");

/** The outlook of each destination. It reads only both ends of the index. */
export const outlookFunction = (schema: string): string => `
  CREATE FUNCTION ${schema}.outlook(of_accounts json) RETURNS text LANGUAGE plpgsql ${BY_INDEX} AS $outlook$
  DECLARE
    now_ms bigint := ${NOW_MS};
  BEGIN
    RETURN (
      SELECT json_agg(json_build_object(${membersOf('account, environment, gateway, rebound')}, 'pause', json_build_object(${membersOf(PAUSE)}), 'now', now_ms,
        'breakers', (SELECT json_agg(b) FROM ${schema}.breakers AS b WHERE b.account = p.account AND b.environment = p.environment),
        'first', (SELECT q.due_at FROM ${schema}.queue AS q WHERE q.account = p.account AND q.environment = p.environment AND ${queued('q')} ORDER BY q.due_at LIMIT 1),
        'last', (SELECT q.due_at FROM ${schema}.queue AS q WHERE q.account = p.account AND q.environment = p.environment AND ${queued('q')} ORDER BY q.due_at DESC LIMIT 1)))
      FROM ${schema}.destinations AS p WHERE of_accounts IS NULL OR p.account IN (SELECT json_array_elements_text(of_accounts)))::text;
  END $outlook$;
`;
