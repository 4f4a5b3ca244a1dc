import type { SeenPauses } from '../../rules/pause.js';
import type { Turn, TurnResult } from '../../store/store.js';
import { isStorable } from '../storable-text.js';
import type { Run } from './database.js';
import { rowOf, toPostgresJson, wholeDelay } from './sql-parts.js';

/** Makes the writes, then the claim, in one statement: `schema/turn.sql`. */
export async function takeTurn(run: Run, { writes, claim }: Turn): Promise<TurnResult> {
  const request = {
    // An unstorable id becomes empty and matches no row. A repaired id could match another row.
    writes: writes.map(({ id, expected, change }) => ({
      id: isStorable(id) ? id : '',
      expected,
      change: wholeDelay(change),
    })),
    claim: claim && { ...claim, leaseMs: Math.round(claim.leaseMs) },
  };
  const [found] = await run(
    `SELECT schema.turn($1::text::jsonb) AS result, (SELECT json_agg(json_build_object('account', b.account, 'environment', b.environment, 'operation', b.operation, 'strikes', b.strikes))
      FROM schema.breakers AS b WHERE b.reason IS NULL AND b.strikes > 0)::text AS struck`,
    [toPostgresJson(request)],
  );
  const { written, claimed } = JSON.parse(found?.result ?? '{}') as { written: boolean[]; claimed: unknown[] };
  return { written, claimed: claimed.map(rowOf), struck: JSON.parse(found?.struck ?? '[]') as SeenPauses };
}
