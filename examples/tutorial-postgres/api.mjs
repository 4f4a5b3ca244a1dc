// Stands for the operator's routes: places a bet and settles it. The worker sends both reports.
import { randomUUID } from 'node:crypto';
import { createBets } from './bets.mjs';
import { db, pool } from './database.mjs';
import { openOutbox } from './reporting.mjs';

const user = {
  user_id: 'U-88412',
  nin: '99012345678',
  tax_id: '2034567890123',
  first_name: 'Adaeze',
  last_name: 'Okonkwo',
  resident_address: '4 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
};
await db.query('INSERT INTO players VALUES ($1, $2) ON CONFLICT DO NOTHING', [user.user_id, user]);

const { outbox, store } = await openOutbox({ isWorker: false });
const bets = createBets({ db, outbox });
const clientIP = '8.8.8.8'; // the player's public address

// what postOnce sends, without a location
const sent = { key: randomUUID(), stake: 1500 };
const bet = await bets.place(user.user_id, sent, clientIP);
await bets.settle(bet.bet_id, 3675);
console.log(bet.bet_id);

await store.close?.();
await pool.end();
