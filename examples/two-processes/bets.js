// Each change of a bet or a withdrawal commits together with its report, or neither does.
import { randomUUID } from 'node:crypto';
import { pageLocation } from 'location-sdk';
import { pool, transaction } from './database.js';

/** Stands for the verified players of a real operator. */
const players = new Map([
  [
    'U-88412',
    {
      first_name: 'Adaeze',
      last_name: 'Okonkwo',
      address: '4 Ogui Road',
      lga: 'Enugu North',
      state: 'ENUGU',
      nin: '99012345678',
      tax_id: '2034567890123',
      bank: { method: 'bank_transfer', bank: 'Example Bank', account_last4: '4242' },
    },
  ],
]);

/** @param {string} id */
function playerOf(id) {
  const player = players.get(id);
  if (!player) throw new Error('The session names no player.');
  return player;
}

/** @param {string} id */
function betUser(id) {
  const { first_name, last_name, address, lga, state, nin, tax_id } = playerOf(id);
  return {
    user_id: id,
    first_name,
    last_name,
    resident_address: address,
    resident_lga: lga,
    resident_state: state,
    is_resident: true,
    nin,
    tax_id,
  };
}

/** @param {string} id @param {string} player @param {number} amount */
function withdrawalOf(id, player, amount) {
  const { first_name, last_name, address, lga, state, nin, tax_id, bank } = playerOf(player);
  const user = {
    user_id: player,
    full_name: `${first_name} ${last_name}`,
    residence_address: address,
    residence_state: state,
    residence_lga: lga,
    tax_id,
    nin,
    residency_status: 'resident',
  };
  return { request_id: id, amount, user, metadata: bank, withdrawalId: id, userId: player };
}

/** The body that `postOnce` sends. @typedef {{ key: string, stake: number, location?: unknown }} SentBet */
/** The same for a withdrawal. @typedef {{ key: string, amount: number, location?: unknown }} SentWithdrawal */

/** @param {import('location-sdk/outbox').Outbox} outbox */
export const createBets = (outbox) => ({
  /**
   * Step 1: one statement for the bet and its report, which was checked and located before. The same key of the same
   * player is the same bet.
   * @param {string} player @param {SentBet} sent @param {string | undefined} clientIP
   * @returns {Promise<{ bet_id: string, message: string }>}
   */
  async place(player, sent, clientIP) {
    const { key, stake } = sent;
    const find = 'SELECT id, stake FROM bets WHERE player = $1 AND key = $2';
    const before = (await pool.query(find, [player, key])).rows[0];
    if (before) return { bet_id: before.id, message: `Your bet of ${before.stake} was placed before.` };
    const bet_id = `BET-${randomUUID()}`;
    const where = { location: pageLocation(sent.location), clientIP };
    const report = await outbox.prepare('reportBetEvent', { bet_id, amount: stake, user: betUser(player) }, where);
    const inserted = await pool.query(
      `INSERT INTO bets (id, player, key, stake) VALUES ($1, $2, $3, $4)
       ON CONFLICT (player, key) DO NOTHING RETURNING location_sdk.enqueue($5)`,
      [bet_id, player, key, stake, report.value],
    );
    if (inserted.rowCount === 1) return { bet_id, message: `Your bet of ${stake} is placed.` };
    return this.place(player, sent, clientIP); // another request placed it meanwhile
  },

  /** Step 2. False if there is no such open bet. */
  settle: (/** @type {string} */ id, /** @type {number} */ payout) =>
    transaction(async (tx) => {
      const { rows } = await tx.query(
        'UPDATE bets SET payout = $2 WHERE id = $1 AND payout IS NULL RETURNING player, stake',
        [id, payout],
      );
      if (!rows[0]) return false;
      const stake = Number(rows[0].stake);
      await outbox.within(tx).reportSettledBet({
        bet_id: id,
        user: betUser(rows[0].player),
        win_amount: Math.max(0, payout - stake),
        payout_amount: payout,
        outcome: payout > stake ? 'WIN' : 'LOSS',
        ggr: stake - payout,
        ur: 0,
      });
      return true;
    }),

  /**
   * Step 3, as step 1.
   * @param {string} player @param {SentWithdrawal} sent @param {string | undefined} clientIP
   * @returns {Promise<{ request_id: string, message: string }>}
   */
  async withdraw(player, sent, clientIP) {
    const { key, amount } = sent;
    const find = 'SELECT id, amount FROM withdrawals WHERE player = $1 AND key = $2';
    const before = (await pool.query(find, [player, key])).rows[0];
    if (before) return { request_id: before.id, message: `Your withdrawal of ${before.amount} was requested before.` };
    const request_id = `WR-${randomUUID()}`;
    const where = { location: pageLocation(sent.location), clientIP };
    const report = await outbox.prepare('reportWithdrawalEvent', withdrawalOf(request_id, player, amount), where);
    const inserted = await pool.query(
      `INSERT INTO withdrawals (id, player, key, amount) VALUES ($1, $2, $3, $4)
       ON CONFLICT (player, key) DO NOTHING RETURNING location_sdk.enqueue($5)`,
      [request_id, player, key, amount, report.value],
    );
    if (inserted.rowCount === 1) return { request_id, message: `Your withdrawal of ${amount} is requested.` };
    return this.withdraw(player, sent, clientIP); // another request placed it meanwhile
  },

  /** Step 4. The outbox takes the location of step 3. False if there is no such open withdrawal. */
  payOut: (/** @type {string} */ id, /** @type {string} */ status) =>
    transaction(async (tx) => {
      const { rows } = await tx.query(
        'UPDATE withdrawals SET status = $2 WHERE id = $1 AND status IS NULL RETURNING player, amount',
        [id, status],
      );
      if (!rows[0]) return false;
      const { player, amount } = rows[0];
      const report = { ...withdrawalOf(id, player, Number(amount)), status, timestamp: new Date() };
      await outbox.within(tx).reportSettledWithdrawal(report);
      return true;
    }),
});
