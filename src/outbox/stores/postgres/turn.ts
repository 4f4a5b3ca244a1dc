import type { Change } from '../../state-machine.js';
import type { Turn, TurnResult } from '../../store.js';
import { isStorable } from '../storable.js';
import type { Run } from './database.js';
import { fitted } from './fitted.js';
import { rowOf } from './row-columns.js';

/** The escapes of NUL and surrogates in JSON. */
const MAY_BE_UNFIT = /\\u(?:0000|d[89a-f])/;

/** Makes JSON for the database. It replaces unstorable characters, since the gateway's text must not stop the write of a report. */
export function toPostgresJson(value: unknown): string {
  const text = JSON.stringify(value);
  return MAY_BE_UNFIT.test(text) ? JSON.stringify(value, (_, inner: unknown) => fittedParts(inner)) : text;
}

function fittedParts(value: unknown): unknown {
  if (typeof value === 'string') return fitted(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [fitted(name), inner]));
}

const whole = (change: Change): Change => ({ ...change, delayMs: Math.round(change.delayMs) });

/** Makes the writes, then the claim, in one statement. */
export async function takeTurn(run: Run, schema: string, { writes, claim }: Turn): Promise<TurnResult> {
  const request = {
    // An unstorable id becomes empty and matches no row. A repaired id could match another row.
    writes: writes.map(({ id, expected: { state, fence }, change }) => ({ id: isStorable(id) ? id : '', expected: { state, fence }, change: whole(change) })),
    claim: claim && { ...claim, leaseMs: Math.round(claim.leaseMs) },
  };
  const [found] = await run(`SELECT ${schema}.turn($1::text::jsonb) AS result`, [toPostgresJson(request)]);
  const { written, claimed } = JSON.parse(found?.result ?? '{}') as { written: boolean[]; claimed: unknown[] };
  return { written, claimed: claimed.map(rowOf) };
}
