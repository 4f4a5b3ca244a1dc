import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
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

const tracer = trace.getTracer('bets');

@Injectable()
export class Bets {
  constructor(private readonly reporting: Reporting) {}

  /**
   * The bet and its report in one statement: both are committed, or neither. Use the amount unit that the authority
   * requires.
   */
  place(stake: number, clientIP: string | undefined): Promise<string> {
    const { pool, outbox } = this.reporting;
    return tracer.startActiveSpan('place bet', async (span) => {
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
  }
}
