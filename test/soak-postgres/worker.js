// A worker of the soak over PostgreSQL: an instance of the operator's backend, which accepts bets of two licences and
// sends their reports.
import { createOutbox, StoreError } from 'location-sdk/outbox';
import { postgresStore } from 'location-sdk/outbox/postgres';
import pg from 'pg';
import { clientsOf } from '../soak/licences.js';
import { sleep } from '../soak/random.js';
import { settledWithdrawal, withdrawal } from '../soak/reports.js';
import { haveSecondThoughts } from '../soak/second-thoughts.js';
import { createBooks } from './bets.js';
import { isDisconnected } from './disconnected.js';

/**
 * `reports`: the number of reports up to which this worker adds more. `isLast`: it ends once no report is left to send.
 */
/** @typedef {{ database: string, listening: string, destinations: import('../soak/licences.js').Destination[], name: string, reports: number, isLast: boolean }} Task */

const ATTEMPT_MS = 1_000;
/** The lease of a report. */
const LEASE_MS = 4_000;
const DRAIN_MS = 180_000;
const MOST_WAITING = 400;
/** Withdrawals are reported without a transaction, one for this number of bets. */
const WITHDRAWAL_EACH = 4;
/** The time between two decisions of a person. */
const THINK_MS = 150;

const { database, listening, destinations, name, reports, isLast } = /** @type {Task} */ (
  JSON.parse(process.argv[2] ?? '')
);
const tell = (/** @type {string} */ type, /** @type {unknown} */ event = undefined) => process.send?.({ type, event });

// A missing answer must not be waited for: a cut connection gives no error.
const pool = new pg.Pool({ connectionString: database, max: 12, connectionTimeoutMillis: 3_000, query_timeout: 4_000 });
pool.on('error', () => tell('disconnected'));
// A connection in use has no other error listener between two statements.
pool.on('connect', (connection) => void connection.on('error', () => tell('disconnected')));

/** Repeats the work while the connection fails. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
async function persist(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDisconnected(error)) throw error;
      tell('again');
    }
    await sleep(50 + Math.random() * 200);
  }
}

const listen = async () => {
  if (listening === database) return pool.connect();
  const own = new pg.Client({ connectionString: listening, connectionTimeoutMillis: 3_000 });
  own.on('error', () => tell('disconnected'));
  await own.connect();
  return own;
};
const store = await persist(() => postgresStore({ database: pool, listen }));
const outbox = createOutbox({
  accounts: clientsOf(destinations, ATTEMPT_MS),
  store,
  leaseMs: LEASE_MS,
  pollMs: 200,
  retry: { baseMs: 20, capMs: 400 },
  keepBodies: true,
});
for (const type of /** @type {const} */ (['recorded', 'quarantined', 'late', 'paused']))
  outbox.on(type, () => tell(type));
outbox.on('error', ({ message, cause }) =>
  tell('error', `${message} ${cause instanceof StoreError ? cause.code : cause}`),
);

const licences = outbox.accounts.map((account) => ({
  account,
  outbox: outbox.for(account),
  ways: createBooks({ pool, account, outbox: outbox.for(account) }),
}));

/** @param {typeof licences[number]} licence @param {string} reference */
async function withdraw({ account, outbox: own }, reference) {
  tell('accepted', (await persist(() => own.reportWithdrawalEvent(withdrawal(account, reference)))).id);
  tell('accepted', (await persist(() => own.reportSettledWithdrawal(settledWithdrawal(account, reference)))).id);
}

/**
 * Bets of a licence, in different ways, and sometimes a withdrawal.
 * @param {typeof licences[number]} licence
 * @param {number} index
 */
async function takeBets(licence, index) {
  const { ways } = licence;
  const each = ways.map(async (way, one) => {
    await persist(() => way(`${name}-${index}-${one}`));
    if (one === ways.length - 1) tell('rolledBack');
  });
  const isTurn = index % WITHDRAWAL_EACH !== 0;
  await Promise.all(isTurn ? [...each, withdraw(licence, `${name}-${index}`)] : each);
}

let isThinking = true;
async function think() {
  while (isThinking) {
    for (const { account, outbox: own } of licences)
      if (await persist(() => haveSecondThoughts(own, account))) tell('decided');
    await sleep(THINK_MS);
  }
}

/** Adds reports up to the limit. */
async function work() {
  for (let index = 0; ; index += 1) {
    const { states } = await persist(() => store.counts());
    if (states.waiting + states.blocked + states['in-flight'] + states.recorded + states.quarantined >= reports) {
      if (isLast) return;
      await sleep(100);
    } else if (states.waiting >= MOST_WAITING) {
      await sleep(30);
    } else {
      await Promise.all(licences.map((licence) => takeBets(licence, index)));
    }
  }
}

outbox.start();
tell('ready');
const thinking = think();
await work();
isThinking = false;
await thinking;
const { drained, states } = await persist(() => outbox.drain({ timeoutMs: DRAIN_MS }));
if (!drained) console.error('not drained:', states);
await outbox.stop();
await store.close?.();
await pool.end();
process.exit(drained ? 0 : 1);
