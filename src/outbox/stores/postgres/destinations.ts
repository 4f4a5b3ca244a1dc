import { LARGEST_COUNT } from '../../counts.js';
import { type BoundDestination, otherGateway, type Rebinding } from '../../destination.js';
import type { PauseChange } from '../../pause.js';
import type { Run } from './database.js';

const NOW = '(SELECT (floor(extract(epoch FROM clock_timestamp()) * 1000))::bigint AS now OFFSET 0) AS clock';

/** The same change as `changePause` of `pause.ts`, by the database's clock. */
export async function writePause(run: Run, schema: string, change: PauseChange): Promise<boolean> {
  const { account, environment, version, reason, message, strikes, forMs, continues } = change;
  const changed = await run(
    `UPDATE ${schema}.destinations AS d SET version = d.version % ${LARGEST_COUNT} + 1, reason = $4::text, message = $5::text, strikes = $6::text::integer,
      since = CASE WHEN $7::text = 'true' THEN d.since ELSE clock.now END, until = clock.now + $8::text::bigint
      FROM ${NOW} WHERE d.account = $1::text AND d.environment = $2::text AND d.version = $3::text::integer RETURNING 'changed' AS changed`,
    [account, environment, String(version), reason ?? null, message ?? null, String(strikes), String(continues), String(Math.round(forMs))],
  );
  return changed.length > 0;
}

/** The gateway of each destination. Binds the given one if it had none. */
export async function bind(run: Run, schema: string, given: readonly BoundDestination[]): Promise<string[]> {
  const values = JSON.stringify(given.map(({ account, environment, gateway }) => ({ account, environment, gateway })));
  const columns = `ROWS FROM (json_to_recordset($1::text::json) AS (account text, environment text, gateway text)) WITH ORDINALITY AS g(account, environment, gateway, place)`;
  const select = `SELECT d.gateway FROM ${columns} LEFT JOIN ${schema}.destinations AS d ON d.account = g.account AND d.environment = g.environment ORDER BY g.place`;
  const before = await run(select, [values]);
  const found = before.every(({ gateway }) => gateway !== null) ? before : await bindNew();
  // A destination that is still not bound is being bound to the same gateway by an open transaction.
  return given.map((one, index) => found[index]?.gateway ?? one.gateway);

  async function bindNew() {
    const tried = await run(`SELECT ${schema}.bind_alone(g.account, g.environment, g.gateway)::text AS alone FROM ${columns} ORDER BY g.place`, [values]);
    // A separate statement, since the first one cannot see the commits of other instances in the meantime.
    const bound = await run(select, [values]);
    const refused = given.find((_, index) => tried[index]?.alone === 'false' && bound[index]?.gateway === null);
    if (refused) throw otherGateway(refused, 'another gateway');
    return bound;
  }
}

export async function rebind(run: Run, schema: string, { account, environment, gateway, from, reason }: Rebinding): Promise<boolean> {
  const changed = await run(
    `UPDATE ${schema}.destinations AS d SET gateway = $4::text,
      rebound = d.rebound || jsonb_build_array(jsonb_build_object('from', $3::text, 'reason', $5::text, 'at', clock.now))
      FROM ${NOW} WHERE d.account = $1::text AND d.environment = $2::text AND d.gateway = $3::text RETURNING 'changed' AS changed`,
    [account, environment, from, gateway, reason],
  );
  return changed.length > 0;
}
