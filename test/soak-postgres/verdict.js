// Compares the operator's records with the outbox, and checks the log of receipts.
import { createOutbox, verifyReceipts } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { clientsOf } from '../soak/licences.js';
import { problemsOf } from '../soak/verdict.js';
import { VOID } from './bets.js';

/** @param {{ url: string, accepted: ReadonlySet<string>, gateways: Awaited<ReturnType<typeof import('../soak/licences.js').startGateways>> }} found */
export async function judge({ url, accepted, gateways }) {
  const pool = new pg.Pool({ connectionString: url });
  // A connection that is closing gets an error when the server ends.
  pool.on('error', () => {});
  const store = await postgresStore({ database: pool, migrate: false });
  const { problems, recorded, quarantined, decided, alreadyRecorded } = await problemsOf({ store, accepted, gateways });
  const held = new Set([...recorded, ...quarantined, ...decided.ids]);

  const { rows } = await pool.query(`SELECT account || ':staging:reportBetEvent:' || reference AS id FROM bets
    UNION ALL SELECT account || ':staging:reportSettledBet:' || reference FROM settlements`);
  const booked = new Set(rows.map(({ id }) => String(id)));
  for (const id of booked) if (!held.has(id)) problems.push(`${id} is in the operator's records and not in the outbox`);
  for (const id of held) {
    if (id.includes(VOID)) problems.push(`${id} was rolled back and is in the outbox`);
    else if (/Bet/.test(id) && !booked.has(id))
      problems.push(`${id} is in the outbox and not in the operator's records`);
  }
  if ([...booked].some((id) => id.includes(VOID))) problems.push("the operator's records contain rolled-back rows");

  const outbox = createOutbox({ accounts: clientsOf(gateways.destinations, 1_000), store });
  // One log contains the receipts of all licences.
  const log = outbox.for(gateways.destinations[0]?.account ?? '');
  /** @type {Set<string>} */
  const logged = new Set();
  async function* lines() {
    for await (const line of log.exportReceipts()) {
      logged.add(JSON.parse(line).id);
      yield line;
    }
  }
  const { valid, count: receipts, break: broken } = await verifyReceipts(lines(), { head: await log.receiptHead() });
  if (!valid) problems.push(`the log of receipts is broken: ${broken?.message}`);
  if (receipts !== recorded.size + decided.ends || [...recorded].some((id) => !logged.has(id)))
    problems.push(
      `${receipts} receipts are in the log, of ${recorded.size} recorded reports and ${decided.ends} dismissals`,
    );
  const { rows: sizes } = await pool.query('SELECT count(*)::integer AS left FROM location_sdk.queue');
  const open = quarantined.size + decided.open;
  if (sizes[0].left !== open) problems.push(`${sizes[0].left} rows are left in the queue, of ${open} open reports`);
  await outbox.stop();
  await pool.end();
  return { problems, recorded, quarantined, decided, booked, alreadyRecorded, receipts };
}
