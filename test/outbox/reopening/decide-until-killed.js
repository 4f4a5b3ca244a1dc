// Sends with the built package, and dismisses, reopens and replaces at random beside it, until it is killed.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import pg from 'pg';
import { betUser } from '../../runtimes/players.js';

const [baseUrl = '', place = '', schema] = process.argv.slice(2);
const store = schema
  ? await postgresStore({ database: new pg.Pool({ connectionString: place, max: 4 }), schema })
  : await sqliteStore({ file: place });
const client = createClient({
  gateways: { staging: { baseUrl, apiKey: 'key' } },
  attemptTimeoutMs: 300,
});
const outbox = createOutbox({
  client,
  store,
  concurrency: 2,
  pollMs: 20,
  leaseMs: 1_400,
  retry: { baseMs: 10, capMs: 50 },
  breakerAfter: 1_000_000,
  keepBodies: true,
});
outbox.start();

const location = { latitude: 6.4, longitude: 7.5, source: 'gps' };
const reason = 'a test';

/** The next version of the data: one more than the number of replacements. @param {{ reference: string, decisions: readonly { action: string }[] }} row */
const next = ({ reference, decisions }) => ({
  bet_id: reference,
  amount: 2 + decisions.filter(({ action }) => action === 'replaced').length,
  timestamp: '1795161600',
  user: betUser,
  location,
});

for (;;) {
  // Lets the worker send: the calls of a SQLite store leave no time to anything else.
  await new Promise((resolve) => setTimeout(resolve, 1));
  const quarantined = await outbox.list({ state: 'quarantined' });
  const dismissed = await outbox.list({ state: 'dismissed' });
  // The settlement of a dismissed bet is sent again, so that it is in flight when its worker is killed.
  const [settlement] = quarantined.filter(({ operation }) => operation === 'reportSettledBet');
  if (settlement && Math.random() < 0.1) await outbox.retry(settlement.id).catch(() => undefined);
  const rows = [...quarantined, ...dismissed].filter(({ operation }) => operation === 'reportBetEvent');
  const row = rows[Math.floor(Math.random() * rows.length)];
  if (!row) continue;
  const dice = Math.random();
  try {
    if (dice < 0.5) await outbox.replace(row.id, next(row), { reason });
    else if (row.state === 'dismissed') await outbox.reopen(row.id, { reason });
    else if (dice < 0.75) await outbox.resolve(row.id, { as: 'dismissed', reason });
    else await outbox.retry(row.id, { reason });
    process.send?.('decided');
  } catch (error) {
    // Another process was faster, the report is in doubt, or its settlement is in flight.
    if (/** @type {{ code?: string }} */ (error).code !== 'validation') throw error;
  }
}
