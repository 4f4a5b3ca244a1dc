import type { Change } from '../../state-machine.js';
import type { Turn, TurnResult } from '../../store.js';
import { isStorable } from '../storable.js';
import type { Run } from './database.js';
import { fitted } from './fitted.js';
import { rowOf } from './row-columns.js';

/** Values as JSON for the database. The gateway's words, which it might not hold, must not keep a report from being written. */
export const toPostgresJson = (value: unknown): string => JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? fitted(inner) : inner));

const whole = (change: Change): Change => ({ ...change, delayMs: Math.round(change.delayMs) });

/** Makes the writes, then the claim, in one statement. */
export async function takeTurn(run: Run, schema: string, { writes, claim }: Turn): Promise<TurnResult> {
  const request = {
    // Never the row of the mended name; none has an empty one.
    writes: writes.map(({ id, expected: { state, fence }, change }) => ({ id: isStorable(id) ? id : '', expected: { state, fence }, change: whole(change) })),
    claim: claim && { ...claim, leaseMs: Math.round(claim.leaseMs) },
  };
  const [found] = await run(`SELECT ${schema}.turn($1::text::jsonb) AS result`, [toPostgresJson(request)]);
  const { written, claimed } = JSON.parse(found?.result ?? '{}') as { written: boolean[]; claimed: unknown[] };
  return { written, claimed: claimed.map(rowOf) };
}
