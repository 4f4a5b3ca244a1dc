import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { pageLocation } from 'location-sdk';
import { Reporting } from './reporting.service.js';

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

@Injectable()
export class Bets {
  constructor(private readonly reporting: Reporting) {}

  /**
   * The bet and its report in one statement: both are committed, or neither. The same key of the same player is the same
   * bet. Use the amount unit that the authority requires.
   */
  place(sent: Sent, clientIP: string | undefined): Promise<Placed> {
    const { pool, outbox } = this.reporting;
    return tracer.startActiveSpan('place bet', async (span) => {
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
        return this.place(sent, clientIP); // another request placed it meanwhile
      } finally {
        span.end();
      }
    });
  }
}
