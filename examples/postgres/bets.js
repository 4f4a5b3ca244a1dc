// Shared by both examples: the operator's own table, a bet, and the mock gateway that records the reports.
import { createMockGateway } from 'location-sdk/mock';

export const TABLE =
  'CREATE TABLE IF NOT EXISTS example_bets (id text PRIMARY KEY, stake integer NOT NULL, payout integer)';

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

/** The player's location: found before the transaction, so that no lookup keeps it open. */
const location = {
  latitude: 6.4474,
  longitude: 7.5139,
  city: 'Enugu',
  region: 'EN',
  country: 'NG',
  accuracy: 20,
  source: 'gps',
};

/** A bet when it is placed. @param {string} bet_id @param {number} amount */
export const placed = (bet_id, amount) => ({
  bet_id,
  amount,
  timestamp: String(Math.floor(Date.now() / 1000)),
  user,
  location,
});

/** The same bet when it is settled. @param {string} bet_id @param {number} stake @param {number} payout */
export const settled = (bet_id, stake, payout) => ({
  bet_id,
  user,
  win_amount: Math.max(0, payout - stake),
  payout_amount: payout,
  outcome: payout > stake ? 'WIN' : 'LOSS',
  ggr: stake - payout,
  ur: 0,
});

/** The address of your PostgreSQL. */
export const databaseUrl = process.env.DATABASE_URL ?? '';
if (databaseUrl === '') {
  console.error(
    'Set the address of PostgreSQL, for example DATABASE_URL=postgres://localhost/bets. The example creates a table there.',
  );
  process.exit(2);
}

const gateway = createMockGateway();

/** Use the real gateway in your code. */
export const clientOptions = () => ({ ...gateway.clientOptions(), fetch: gateway.fetch });

/** The reports of a bet that the gateway has recorded. @param {string} bet_id */
export const held = (bet_id) =>
  gateway
    .reports()
    .filter(({ reference }) => reference === bet_id)
    .map(({ operation }) => operation);
