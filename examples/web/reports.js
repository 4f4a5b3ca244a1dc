// The site's use of the SDK: the client, which has the API key; the relay, through which its pages report; and the
// reports of the back office. The maps replace your database.
import { randomUUID } from 'node:crypto';
import { createClient, isReportingError } from 'location-sdk';
import { createRelay } from 'location-sdk/relay';

/**
 * @typedef {{ id: string, nickname: string, first: string, last: string, address: string, lga: string, state: string,
 * nin: string, tax_id: string, bank: string, account: string, balance: number }} Player
 * @typedef {'open' | 'in-doubt' | 'reported' | 'held' | 'settled'} State `open`: not reported; `in-doubt`: its report
 * may be recorded; `held`: refused finally, a person must check it.
 * @typedef {{ kind: 'bet' | 'withdrawal', id: string, player: Player, event: { amount: number, timestamp: string } &
 * Record<string, unknown>, state: State, about: string, odds?: number, payout?: number, location?:
 * import('location-sdk').Location | undefined, onItsWay?: Promise<import('location-sdk').Receipt> | undefined,
 * isReserved?: boolean, isSettling?: boolean, unsettled?: import('location-sdk').ReportingError | undefined }} Entry
 * `isReserved`: its money is set aside, since its report is being sent or in doubt; `unsettled`: a settlement in doubt.
 */

/** @type {Map<string, Player>} */
export const players = new Map();
/** Bets and withdrawals, by `bet_id` and `request_id`. @type {Map<string, Entry>} */
export const entries = new Map();

/** The amount that a player can still spend: the balance without the reserved money. @param {Player} player */
export const availableTo = (player) =>
  [...entries.values()].reduce(
    (rest, entry) => (entry.player === player && entry.isReserved ? rest - entry.event.amount : rest),
    player.balance,
  );

/**
 * Moves the player's money once, even if the receipt comes several times.
 * @param {Entry} entry
 * @param {import('location-sdk').Location | undefined} location
 */
function accept(entry, location) {
  if (!isUndecided(entry)) return;
  entry.player.balance -= entry.event.amount;
  entry.isReserved = false;
  entry.state = 'reported';
  entry.location = location; // a withdrawal's location is needed again when it is settled
}

/** Whether it may still be reported. @param {Entry | undefined} entry @returns {entry is Entry} */
const isUndecided = (entry) => entry?.state === 'open' || entry?.state === 'in-doubt';

/** Whether the report certainly did not arrive. @param {unknown} error */
const isCertain = (error) => isReportingError(error) && error.outcome !== 'unknown' && error.code !== 'duplicate';

/**
 * A player's two tabs may report one bet at once, each from its own place. The second waits, and sends only if the
 * first certainly did not arrive. Otherwise the gateway would call one of them a duplicate before the other is known to
 * be recorded.
 * @template {{ timeoutMs: number, location?: import('location-sdk').LocationInput }} Call
 * @param {unknown} id
 * @param {Call} call
 * @param {(call: Call) => Promise<import('location-sdk').Receipt>} send
 */
async function oneAtATime(id, call, send) {
  const entry = entries.get(String(id));
  if (!isUndecided(entry)) return send(call);
  while (entry.onItsWay) {
    try {
      return await entry.onItsWay;
    } catch (error) {
      if (!isCertain(error)) throw error;
    }
  }
  entry.isReserved = true;
  // A report in doubt must be repeated unchanged, also after a reload of the page: so its location is kept.
  entry.location ??= /** @type {import('location-sdk').Location | undefined} */ (call.location);
  const sent = send({ ...call, ...(entry.location && { location: entry.location }) }).catch((error) => {
    if (isCertain(error) && entry.state === 'open') {
      entry.isReserved = false; // nothing was recorded: the money is free again,
      entry.location = undefined; // and the next attempt may find another location
    }
    throw error;
  });
  entry.onItsWay = sent.finally(() => {
    entry.onItsWay = undefined;
  });
  return entry.onItsWay;
}

/** @param {Player} player */
const identity = ({ id, nin, tax_id }) => ({ user_id: id, nin, tax_id });

/** The user object of bets (specification, section 2.1). @param {Player} player */
function betUser(player) {
  const { first, last, address, lga, state } = player;
  const home = { resident_address: address, resident_lga: lga, resident_state: state, is_resident: true };
  return { ...identity(player), first_name: first, last_name: last, ...home };
}

/** The user object of withdrawals (section 2.2), with other field names. @param {Player} player */
function withdrawalUser(player) {
  const { first, last, address, lga, state } = player;
  const home = { residence_address: address, residence_lga: lga, residence_state: state, residency_status: 'RESIDENT' };
  return { ...identity(player), full_name: `${first} ${last}`, ...home };
}

/**
 * @param {import('location-sdk').ClientOptions<'strict'>} options
 * @param {(cookie: string | null) => Player | undefined} findPlayer returns the logged-in player
 */
export function createReports(options, findPlayer) {
  const client = createClient(options);
  const isOver = createLimit({ most: 120, perMs: 60_000 });

  const relay = createRelay({
    client: {
      reportBetEvent: (event, call) => oneAtATime(event.bet_id, call, (sent) => client.reportBetEvent(event, sent)),
      reportWithdrawalEvent: (event, call) =>
        oneAtATime(event.request_id, call, (sent) => client.reportWithdrawalEvent(event, sent)),
      resend: (error, call) =>
        oneAtATime(isReportingError(error) && error.reference, call, ({ timeoutMs }) =>
          client.resend(error, { timeoutMs }),
        ),
    },

    // The player comes from the session, never from the page.
    authorize(request, { operation }) {
      const player = findPlayer(request.headers.get('cookie'));
      return (
        player && { user: operation === 'reportBetEvent' ? betUser(player) : withdrawalUser(player), account: player }
      );
    },

    // The report comes from the operator's own records. The page says only which bet it is, and where the player is.
    complete(event, { operation, player: { account } }) {
      const entry = entries.get(String(operation === 'reportBetEvent' ? event.bet_id : event.request_id));
      const isOurs =
        entry?.player === account && entry.kind === (operation === 'reportBetEvent' ? 'bet' : 'withdrawal');
      if (!isOurs || entry.state === 'held') return null; // the relay answers 403
      // Two bets at once may not spend the same money: it is set aside before the report is sent.
      if (entry.state === 'open' && !entry.isReserved && entry.event.amount > availableTo(account)) return null;
      if (entry.state === 'open') entry.isReserved = true;
      return { ...entry.event, ...(entry.location && { location: entry.location }) };
    },

    limit: ({ account }) => isOver(account.id),

    // Called before the page gets its answer. The gateway has recorded the report: now the bet counts, and the money
    // moves.
    onReceipt({ reference, location }) {
      const entry = entries.get(reference);
      if (entry) accept(entry, location);
    },

    onError(error) {
      const entry = entries.get(error.reference ?? '');
      if (!isUndecided(entry)) return;
      // The gateway has the same data, and it can only be from here: an earlier attempt was left in doubt.
      if (error.code === 'duplicate' && !error.conflict && entry.state === 'in-doubt') accept(entry, entry.location);
      else if (error.code === 'duplicate') {
        entry.isReserved = entry.state === 'in-doubt'; // the recorded report may be from here: a person must decide
        entry.state = 'held';
      } else if (error.outcome === 'unknown') entry.state = 'in-doubt';
    },
  });

  /**
   * Settles an entry. If no answer says whether a settlement arrived, the next call sends the same bytes again, so that
   * it is never counted twice; the first decision stands. A second settlement is refused while one is being sent:
   * false.
   * @param {Entry} entry
   * @param {boolean} won
   */
  async function settle(entry, won) {
    if (entry.isSettling || entry.state !== 'reported') return false;
    entry.isSettling = true;
    if (!entry.unsettled) entry.payout = won ? Math.round(entry.event.amount * (entry.odds ?? 0)) : 0;
    try {
      await (entry.unsettled ? client.resend(entry.unsettled) : sendSettlement(entry));
    } catch (error) {
      if (isReportingError(error) && error.outcome === 'unknown') entry.unsettled = error;
      throw error;
    } finally {
      entry.isSettling = false;
    }
    entry.unsettled = undefined;
    entry.state = 'settled';
    entry.player.balance += entry.payout ?? 0;
    return true;
  }

  /** @param {Entry} entry */
  function sendSettlement({ kind, id, player, event, location, payout = 0 }) {
    const { amount } = event;
    if (kind === 'bet') {
      const result = {
        outcome: payout > amount ? 'WIN' : 'LOSS',
        win_amount: Math.max(0, payout - amount),
        payout_amount: payout,
      };
      return client.reportSettledBet({ bet_id: id, user: betUser(player), ...result, ggr: amount - payout, ur: 0 });
    }
    const report = { ...withdrawalFields(id, player, amount), user: withdrawalUser(player), location };
    return client.reportSettledWithdrawal({ ...report, status: 'SUCCESS', timestamp: new Date() });
  }

  /** Operators must verify a player's number before they pay. @param {Player} player */
  const isVerified = async ({ nin }) => (await client.verifyNin({ nin })).success;

  return { relay, settle, isVerified };
}

const now = () => String(Math.floor(Date.now() / 1000));

/** @param {Player} player @param {number} amount @param {{ about: string, odds: number }} pick */
export function addBet(player, amount, { about, odds }) {
  const id = `BET-${randomUUID()}`;
  return add({
    kind: 'bet',
    id,
    player,
    about,
    odds,
    event: { amount, timestamp: now(), metadata: { selection: about, odds } },
  });
}

/** @param {Player} player @param {number} amount */
export function addWithdrawal(player, amount) {
  const id = `WR-${randomUUID()}`;
  return add({
    kind: 'withdrawal',
    id,
    player,
    about: 'To your bank account',
    event: { ...withdrawalFields(id, player, amount), timestamp: now() },
  });
}

/** @param {string} id @param {Player} player @param {number} amount */
function withdrawalFields(id, { id: userId, bank, account }, amount) {
  const metadata = { method: 'bank_transfer', bank, account_last4: account.slice(-4) };
  return { request_id: id, amount, metadata, withdrawalId: `W-${id}`, userId };
}

/** @param {Omit<Entry, 'state'>} fields */
function add(fields) {
  /** @type {Entry} */
  const entry = { ...fields, state: 'open' };
  entries.set(entry.id, entry);
  return entry;
}

/** A limit for each player: at most this many in the period. @param {{ most: number, perMs: number }} limit */
function createLimit({ most, perMs }) {
  /** @type {Map<string, number[]>} */
  const times = new Map();
  return (/** @type {string} */ id) => {
    const recent = (times.get(id) ?? []).filter((time) => Date.now() - time < perMs);
    if (recent.length >= most) return { retryAfterMs: perMs };
    times.set(id, [...recent, Date.now()]);
    return false;
  };
}
