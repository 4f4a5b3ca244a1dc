import { randomUUID } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import { pageLocation } from 'location-sdk';
import type { Outbox } from 'location-sdk/outbox';
import type { Pool } from 'pg';

/** From the session: in this example every request is Adaeze's. */
const user = {
  user_id: 'U-88412',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99012345678',
  tax_id: '2034567890123',
};

/** The body that `postOnce` sends. */
export interface Sent {
  readonly key: string;
  readonly stake: number;
  readonly location?: unknown;
}

/** The answer that `postOnce` reads. */
export interface Placed {
  readonly bet_id: string;
  readonly message: string;
}

const tracer = trace.getTracer('bets');

/**
 * The bet and its report in one statement: both are committed, or neither. The same key of the same player is the same
 * bet. Use the amount unit that the authority requires.
 */
export const placeBet = (pool: Pool, outbox: Outbox, sent: Sent, clientIP: string | undefined): Promise<Placed> =>
  tracer.startActiveSpan('place bet', async (span) => {
    try {
      const { key, stake } = sent;
      const find = 'SELECT id, stake FROM bets WHERE player = $1 AND key = $2';
      const before = (await pool.query(find, [user.user_id, key])).rows[0];
      if (before) return { bet_id: before.id, message: `Your bet of ${before.stake} was placed before.` };
      const bet_id = `BET-${randomUUID()}`;
      const where = { location: pageLocation(sent.location), clientIP };
      // Checked and located before the statement.
      const report = await outbox.prepare('reportBetEvent', { bet_id, amount: stake, user }, where);
      const inserted = await pool.query(
        `INSERT INTO bets (id, player, key, stake) VALUES ($1, $2, $3, $4)
         ON CONFLICT (player, key) DO NOTHING RETURNING location_sdk.enqueue($5)`,
        [bet_id, user.user_id, key, stake, report.value],
      );
      if (inserted.rowCount === 1) return { bet_id, message: `Your bet of ${stake} is placed.` };
      return placeBet(pool, outbox, sent, clientIP); // another request placed it meanwhile
    } finally {
      span.end();
    }
  });

/** Settles a bet once, with its report in the same transaction. False if there is no such open bet. */
export async function settleBet(pool: Pool, outbox: Outbox, id: string, payout: number): Promise<boolean> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(
      'UPDATE bets SET payout = $2 WHERE id = $1 AND payout IS NULL RETURNING stake',
      [id, payout],
    );
    if (rows[0]) {
      const stake = Number(rows[0].stake);
      const outcome = payout > stake ? 'WIN' : 'LOSS';
      const amounts = { win_amount: Math.max(0, payout - stake), payout_amount: payout, ggr: stake - payout, ur: 0 };
      await outbox.within(client).reportSettledBet({ bet_id: id, user, outcome, ...amounts });
    }
    await client.query('COMMIT');
    return rows.length === 1;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true; // the server rolls back by itself
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
