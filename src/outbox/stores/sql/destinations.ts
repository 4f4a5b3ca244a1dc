import { FARTHEST_SLOT, type KeptRate } from '../../rules/rate.js';
import { LARGEST_COUNT } from '../../rules/state-machine.js';
import type { OutboxStore } from '../../store/store.js';
import type { Dialect } from './dialect.js';

type Changes = Required<Pick<OutboxStore, 'pause' | 'rebind' | 'takeSlots' | 'keepRate'>>;

/** The changes of destinations, by the clock of the store. */
export const createDestinationChanges = ({ change, changeByClock, appended }: Dialect): Changes => ({
  /** The same change as `changePause` of `pause.ts`. */
  async pause({ account, environment, operation, version, reason, message, strikes, forMs, continues, repeats }) {
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
      ...[reason ?? null, message ?? null, strikes, String(continues), String(repeats), Math.round(forMs)],
      ...[account, environment, version, ...(operation === undefined ? [] : [operation])],
    );
    return changed !== undefined;
  },
  async rebind({ account, environment, gateway, from, reason }) {
    const changed = await changeByClock(
      `UPDATE schema.destinations SET gateway = ?, rebound = ${appended('rebound', "'from', ?, 'reason', ?, 'at', clock.now")}
        FROM clock WHERE account = ? AND environment = ? AND gateway = ? RETURNING version`,
      ...[gateway, from, reason, account, environment, from],
    );
    return changed !== undefined;
  },
  /** The same as `takeSlots` of `rate.ts`. */
  async takeSlots({ account, environment }, long) {
    const taken = await changeByClock(
      `UPDATE schema.destinations SET slots_taken_at = clock.now, next_slot = ?# + CASE
        WHEN next_slot BETWEEN clock.now * 1000 AND clock.now * 1000 + ${FARTHEST_SLOT} THEN next_slot ELSE clock.now * 1000 END
        FROM clock WHERE account = ? AND environment = ? RETURNING next_slot, slots_taken_at`,
      ...[long, account, environment],
    );
    return taken ? (Number(taken.next_slot) - long) / 1_000 - Number(taken.slots_taken_at) : 0;
  },
  async keepRate({ account, environment }, { perSecond, spanMs }) {
    await changeByClock(
      `UPDATE schema.destinations SET rate = ?#, rate_span = ?#, rate_since = clock.now
        FROM clock WHERE account = ? AND environment = ? RETURNING version`,
      ...[Math.round(perSecond * 1_000), Math.round(spanMs), account, environment],
    );
  },
});

/** The columns of a learned rate. `rate` is in reports per 1,000 seconds; 0: none. */
export const RATE = 'rate, rate_span, rate_since';

export interface StoredRate {
  readonly rate: number;
  readonly rate_span: number;
  readonly rate_since: number;
}

export const readRate = ({ rate, rate_span, rate_since }: StoredRate, now: number): KeptRate | undefined =>
  rate > 0 ? { perSecond: rate / 1_000, spanMs: rate_span, ageMs: now - rate_since } : undefined;
