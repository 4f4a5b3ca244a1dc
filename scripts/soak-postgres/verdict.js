// Holds the operator's books against the outbox, and the log of receipts against itself.
import { createClient } from 'location-sdk';
import { createOutbox, verifyReceipts } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { problemsOf } from '../soak/verdict.js';
import { VOID } from './bets.js';

/** @param {{ url: string, gateway: string, accepted: ReadonlySet<string>, ledger: ReadonlyMap<string, unknown>, applied: ReadonlyMap<string, number>,
 *   early: ReadonlySet<string> }} found */
export async function judge({ url, gateway, ...found }) {
  const pool = new pg.Pool({ connectionString: url });
  // One that is closing is told when the server ends.
  pool.on('error', () => {});
  const store = await postgresStore({ database: pool, migrate: false });
  const { problems, held, alreadyRecorded } = await problemsOf({ store, ...found });

  const { rows } = await pool.query(`SELECT 'default:staging:reportBetEvent:' || reference AS id FROM bets
    UNION ALL SELECT 'default:staging:reportSettledBet:' || reference FROM settlements`);
  const booked = new Set(rows.map(({ id }) => String(id)));
  for (const id of booked) if (!held.has(id)) problems.push(`${id} is in the books and not in the outbox`);
  for (const id of held) {
    if (id.includes(VOID)) problems.push(`${id} was rolled back and is in the outbox`);
    else if (/Bet/.test(id) && !booked.has(id)) problems.push(`${id} is in the outbox and not in the books`);
  }
  if ([...booked].some((id) => id.includes(VOID))) problems.push('the books hold what was rolled back');

  const outbox = createOutbox({ client: createClient({ environment: 'staging', gateways: { staging: { baseUrl: gateway, apiKey: 'mock-api-key' } } }), store });
  const logged = new Set();
  async function* lines() {
    for await (const line of outbox.exportReceipts()) {
      logged.add(JSON.parse(line).id);
      yield line;
    }
  }
  const verdict = await verifyReceipts(lines(), { head: await outbox.receiptHead() });
  if (!verdict.valid) problems.push(`the log of receipts is broken: ${verdict.break?.message}`);
  if (verdict.count !== held.size || [...held].some((id) => !logged.has(id)))
    problems.push(`${verdict.count} receipts are in the log, of ${held.size} reports`);
  const { rows: sizes } = await pool.query('SELECT count(*)::integer AS left FROM location_sdk.queue');
  if (sizes[0].left !== 0) problems.push(`${sizes[0].left} rows are left in the queue`);
  await outbox.stop();
  await pool.end();
  return { problems, held, booked, alreadyRecorded, receipts: verdict.count };
}
