import type { Destination, Rebinding } from '../../rules/destination.js';
import type { PauseChange } from '../../rules/pause.js';
import { FARTHEST_SLOT, type KeptRate, type LearnedRate } from '../../rules/rate.js';
import { LARGEST_COUNT } from '../../rules/state-machine.js';
import type { Dialect } from './dialect.js';

/** The same change as `changePause` of `pause.ts`, by the clock of the store. */
export async function writePause({ change, changeByClock }: Dialect, given: PauseChange): Promise<boolean> {
  const { account, environment, operation, version, reason, message, strikes, forMs, continues, repeats } = given;
  if (operation !== undefined && version === 0)
    await change(
      `INSERT INTO schema.breakers (account, environment, operation)
        SELECT account, environment, ? FROM schema.destinations WHERE account = ? AND environment = ?
        ON CONFLICT DO NOTHING RETURNING version`,
      operation,
      account,
      environment,
    );
  const [name, ofOperation] = operation === undefined ? ['destinations', ''] : ['breakers', ' AND operation = ?'];
  const changed = await changeByClock(
    `UPDATE schema.${name} SET version = version % ${LARGEST_COUNT} + 1, reason = ?, message = ?, strikes = ?#,
      since = CASE WHEN ? = 'true' THEN since ELSE clock.now END,
      tried_at = CASE WHEN ? = 'true' THEN tried_at ELSE clock.now END, until = clock.now + ?#
      FROM clock WHERE account = ? AND environment = ? AND version = ?#${ofOperation} RETURNING version`,
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
  { changeByClock, appended }: Dialect,
  { account, environment, gateway, from, reason }: Rebinding,
): Promise<boolean> {
  const changed = await changeByClock(
    `UPDATE schema.destinations SET gateway = ?, rebound = ${appended('rebound', "'from', ?, 'reason', ?, 'at', clock.now")}
      FROM clock WHERE account = ? AND environment = ? AND gateway = ? RETURNING version`,
    gateway,
    from,
    reason,
    account,
    environment,
    from,
  );
  return changed !== undefined;
}

/** The same as `takeSlots` of `rate.ts`, by the clock of the store. */
export async function writeSlots(
  { changeByClock }: Dialect,
  { account, environment }: Destination,
  long: number,
): Promise<number> {
  const taken = await changeByClock(
    `UPDATE schema.destinations SET slots_taken_at = clock.now, next_slot = ?# + CASE
      WHEN next_slot BETWEEN clock.now * 1000 AND clock.now * 1000 + ${FARTHEST_SLOT} THEN next_slot ELSE clock.now * 1000 END
      FROM clock WHERE account = ? AND environment = ? RETURNING next_slot, slots_taken_at`,
    long,
    account,
    environment,
  );
  return taken ? (Number(taken.next_slot) - long) / 1_000 - Number(taken.slots_taken_at) : 0;
}

/** Stores a learned rate, by the clock of the store. */
export async function writeRate(
  { changeByClock }: Dialect,
  { account, environment }: Destination,
  { perSecond, spanMs }: LearnedRate,
): Promise<void> {
  await changeByClock(
    `UPDATE schema.destinations SET rate = ?#, rate_span = ?#, rate_since = clock.now
      FROM clock WHERE account = ? AND environment = ? RETURNING version`,
    Math.round(perSecond * 1_000),
    Math.round(spanMs),
    account,
    environment,
  );
}

/** The columns of a learned rate. `rate` is in reports per 1,000 seconds; 0: none. */
export const RATE = 'rate, rate_span, rate_since';

export interface StoredRate {
  readonly rate: number;
  readonly rate_span: number;
  readonly rate_since: number;
}

export const readRate = ({ rate, rate_span, rate_since }: StoredRate, now: number): KeptRate | undefined =>
  rate > 0 ? { perSecond: rate / 1_000, spanMs: rate_span, ageMs: now - rate_since } : undefined;
