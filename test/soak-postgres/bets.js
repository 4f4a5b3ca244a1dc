// The operator's own records of a licence: bets and settlements, each in one transaction with its report.
import { bet, settledBet } from '../soak/reports.js';

export const TABLES = ['bets', 'settlements']
  .map((table) => `CREATE TABLE ${table} (account text, reference text, PRIMARY KEY (account, reference))`)
  .join('; ');
/** A part of the name of every report that is rolled back: no stored report may have it. */
export const VOID = 'void';

const place = 'INSERT INTO bets (account, reference) VALUES ($1, $2) ON CONFLICT DO NOTHING';
const settle = 'INSERT INTO settlements (account, reference) VALUES ($1, $2) ON CONFLICT DO NOTHING';

/** The statement that also enqueues its report. @param {string} statement */
const withReport = (statement) => `${statement} RETURNING location_sdk.enqueue($3)`;

class RolledBack extends Error {}

/** @typedef {import('pg').PoolClient} Client */
/** @param {{ pool: import('pg').Pool, account: string, outbox: import('location-sdk/outbox').Outbox }} operator */
export function createBooks({ pool, account, outbox }) {
  /** Commits all of the work, or none of it. @template T @param {(client: Client) => Promise<T>} work */
  async function transaction(work) {
    const client = await pool.connect();
    let isBroken = true;
    try {
      await client.query('BEGIN');
      try {
        const result = await work(client);
        await client.query('COMMIT');
        isBroken = false;
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        isBroken = false;
        throw error;
      }
    } finally {
      // A connection whose last result is unknown is not reused.
      client.release(isBroken);
    }
  }

  /** @param {Client} client @param {string} reference */
  const placeIn = async (client, reference) => {
    await client.query(place, [account, reference]);
    await outbox.within(client).reportBetEvent(bet(account, reference));
  };
  /** @param {Client} client @param {string} reference */
  const settleIn = async (client, reference) => {
    await client.query(settle, [account, reference]);
    await outbox.within(client).reportSettledBet(settledBet(account, reference));
  };
  /** @param {(client: Client) => Promise<void>} work */
  const rollBack = async (work) => {
    const end = transaction(async (client) => {
      await work(client);
      throw new RolledBack('the bet is void');
    });
    await end.catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  };

  /**
   * Ways of reporting a bet. Each may be repeated from its beginning, after any result.
   * @type {((reference: string) => Promise<void>)[]}
   */
  const ways = [
    // Both in one transaction.
    (reference) =>
      transaction(async (client) => {
        await placeIn(client, reference);
        await settleIn(client, reference);
      }),
    // One after the other.
    async (reference) => {
      await transaction((client) => placeIn(client, reference));
      await transaction((client) => settleIn(client, reference));
    },
    // The settlement does not see the bet, and is committed after it.
    (reference) =>
      transaction(async (later) => {
        await transaction(async (first) => {
          await placeIn(first, reference);
          await settleIn(later, reference);
        });
      }),
    // Each report is enqueued by the statement of its row, the first without BEGIN.
    async (reference) => {
      const placed = await outbox.prepare('reportBetEvent', bet(account, reference));
      const settled = await outbox.prepare('reportSettledBet', settledBet(account, reference));
      await pool.query(withReport(place), [account, reference, placed.value]);
      await transaction((client) => client.query(withReport(settle), [account, reference, settled.value]));
    },
    // The first settlement is rolled back.
    async (reference) => {
      await transaction((client) => placeIn(client, reference));
      await rollBack((client) => settleIn(client, reference));
      await transaction((client) => settleIn(client, reference));
    },
    // The bet is rolled back.
    (reference) =>
      rollBack(async (client) => {
        await placeIn(client, `${VOID}-${reference}`);
        await settleIn(client, `${VOID}-${reference}`);
      }),
  ];
  return ways;
}
