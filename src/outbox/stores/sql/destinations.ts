import type { Rebinding } from '../../rules/destination.js';
import type { PauseChange } from '../../rules/pause.js';
import { LARGEST_COUNT } from '../../rules/state-machine.js';
import type { Dialect } from './dialect.js';

/** The same change as `changePause` of `pause.ts`, by the clock of the store. */
export async function writePause(
  { table, columns, change, changeByClock }: Dialect,
  given: PauseChange,
): Promise<boolean> {
  const { account, environment, operation, version, reason, message, strikes, forMs, continues, repeats } = given;
  if (operation !== undefined && version === 0)
    await change(
      `INSERT INTO ${table('breakers')} (account, environment, operation)
        SELECT account, environment, ? FROM ${table('destinations')} WHERE account = ? AND environment = ?
        ON CONFLICT DO NOTHING RETURNING ${columns('version')}`,
      operation,
      account,
      environment,
    );
  const [name, ofOperation] = operation === undefined ? ['destinations', ''] : ['breakers', ' AND operation = ?'];
  const changed = await changeByClock(
    `UPDATE ${table(name)} SET version = version % ${LARGEST_COUNT} + 1, reason = ?, message = ?, strikes = ?#,
      since = CASE WHEN ? = 'true' THEN since ELSE clock.now END,
      tried_at = CASE WHEN ? = 'true' THEN tried_at ELSE clock.now END, until = clock.now + ?#
      FROM clock WHERE account = ? AND environment = ? AND version = ?#${ofOperation} RETURNING ${columns('version')}`,
    reason ?? null,
    message ?? null,
    strikes,
    String(continues),
    String(repeats),
    Math.round(forMs),
    account,
    environment,
    version,
    ...(operation === undefined ? [] : [operation]),
  );
  return changed !== undefined;
}

export async function rebind(
  { table, columns, changeByClock, appended }: Dialect,
  { account, environment, gateway, from, reason }: Rebinding,
): Promise<boolean> {
  const changed = await changeByClock(
    `UPDATE ${table('destinations')} SET gateway = ?, rebound = ${appended('rebound', "'from', ?, 'reason', ?, 'at', clock.now")}
      FROM clock WHERE account = ? AND environment = ? AND gateway = ? RETURNING ${columns('version')}`,
    gateway,
    from,
    reason,
    account,
    environment,
    from,
  );
  return changed !== undefined;
}
