// What both examples share: the operator's own table, a bet, and the mock gateway that takes the reports.
import { createMockGateway } from 'location-sdk/mock';

export const TABLE = 'CREATE TABLE IF NOT EXISTS example_bets (id text PRIMARY KEY, stake integer NOT NULL, payout integer)';

const user = {
  user_id: 'U-1815',
  first_name: 'Ada',
  last_name: 'Okafor',
  resident_address: '12 Ogui Road',
  resident_lga: 'Enugu North',
  resident_state: 'ENUGU',
  is_resident: true,
  nin: '99000000001',
  tax_id: '2034567000001',
};

/** Where the player was: known before the transaction, so that no lookup keeps it open. */
const location = { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', region: 'EN', country: 'NG', accuracy: 20, source: 'gps' };

/** A bet as it is placed. @param {string} bet_id @param {number} amount */
export const placed = (bet_id, amount) => ({ bet_id, amount, timestamp: String(Math.floor(Date.now() / 1000)), user, location });

/** The same as it is settled. @param {string} bet_id @param {number} stake @param {number} payout */
export const settled = (bet_id, stake, payout) => ({
  bet_id,
  user,
  win_amount: payout - stake,
  payout_amount: payout,
  outcome: payout > 0 ? 'WIN' : 'LOSS',
  ggr: stake - payout,
  ur: 0,
});

/** Where your PostgreSQL is. */
export const databaseUrl = process.env.DATABASE_URL ?? '';
if (databaseUrl === '') {
  console.error('Say where PostgreSQL is, for example DATABASE_URL=postgres://localhost/bets; a table is made there.');
  process.exit(2);
}

const gateway = createMockGateway();

/** Yours names the real gateway instead. */
export const clientOptions = () => ({ ...gateway.clientOptions(), fetch: gateway.fetch });

/** What the gateway holds of a bet. @param {string} bet_id */
export const held = (bet_id) =>
  gateway
    .reports()
    .filter(({ reference }) => reference === bet_id)
    .map(({ operation }) => operation);
