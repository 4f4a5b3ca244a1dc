import { randomUUID } from 'node:crypto';
import { trace } from '@opentelemetry/api';
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

const tracer = trace.getTracer('bets');

/**
 * The bet and its report in one statement: both are committed, or neither. Use the amount unit that the authority
 * requires.
 */
export const placeBet = (pool: Pool, outbox: Outbox, stake: number, clientIP: string | undefined): Promise<string> =>
  tracer.startActiveSpan('place bet', async (span) => {
    try {
      const id = `BET-${randomUUID()}`;
      const timestamp = String(Math.floor(Date.now() / 1000));
      // Checked and located before the database is used.
      const report = await outbox.prepare(
        'reportBetEvent',
        { bet_id: id, amount: stake, timestamp, user },
        { clientIP },
      );
      await pool.query('INSERT INTO bets (id, stake) VALUES ($1, $2) RETURNING location_sdk.enqueue($3)', [
        id,
        stake,
        report.value,
      ]);
      return id;
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
      const outcome = payout > 0 ? 'WIN' : 'LOSS';
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
