// A worker of the soak: enqueues reports and sends them, until it is killed. It sends the accepted ones to its parent.
import { inspect } from 'node:util';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { clientsOf } from './licences.js';
import { bet, settledBet, settledWithdrawal, withdrawal } from './reports.js';
import { haveSecondThoughts } from './second-thoughts.js';

/** @typedef {{ file: string, destinations: import('./licences.js').Destination[], name: string, drain: boolean }} Task */

const ATTEMPT_MS = 500;
/** The lease of a report. */
const LEASE_MS = 1_600;
/** No more is enqueued while this number of reports waits, so that the last ones are sent before the last kill. */
const MOST_WAITING = 150;
/** For each licence. */
const AT_ONCE = 4;

const { file, destinations, name, drain } = /** @type {Task} */ (JSON.parse(process.argv[2] ?? ''));
const store = await sqliteStore({ file });
const outbox = createOutbox({
  accounts: clientsOf(destinations, ATTEMPT_MS),
  store,
  concurrency: 6,
  leaseMs: LEASE_MS,
  pollMs: 100,
  retry: { baseMs: 20, capMs: 400 },
  keepBodies: true,
});

const tell = (/** @type {object} */ message) => process.send?.(message);
for (const type of /** @type {const} */ (['recorded', 'quarantined', 'late']))
  outbox.on(type, (event) => tell({ type, event }));
outbox.on('error', ({ message, cause }) => tell({ type: 'error', event: `${message} ${inspect(cause)}` }));

/**
 * Enqueues a report and, once it is accepted, its settlement, like an operator.
 * @param {string} account
 * @param {string} reference
 * @param {boolean} isBet
 */
async function enqueueBoth(account, reference, isBet) {
  const licence = outbox.for(account);
  const first = isBet
    ? await licence.reportBetEvent(bet(account, reference))
    : await licence.reportWithdrawalEvent(withdrawal(account, reference));
  tell({ type: 'accepted', event: first.id });
  const second = isBet
    ? await licence.reportSettledBet(settledBet(account, reference))
    : await licence.reportSettledWithdrawal(settledWithdrawal(account, reference));
  tell({ type: 'accepted', event: second.id });
}

/** Opens the file a second time in this process, like a status route, and closes it. */
async function lookAsSecond() {
  const second = await sqliteStore({ file });
  await second.counts();
  await second.close?.();
}

if (drain) {
  const { drained, states } = await outbox.drain({ timeoutMs: 120_000 });
  await store.close?.();
  if (!drained) console.error('not drained:', states);
  process.exit(drained ? 0 : 1);
}

outbox.start();
tell({ type: 'ready' });
for (let index = 0; ; index += 1) {
  const { states } = await store.counts();
  const references =
    states.waiting < MOST_WAITING ? Array.from({ length: AT_ONCE }, (_, one) => `${name}-${index}-${one}`) : [];
  const enqueued = outbox.accounts.flatMap((account) =>
    references.map((reference, one) => enqueueBoth(account, reference, one % 2 === 0)),
  );
  const thoughts = outbox.accounts.map(async (account) => {
    if (await haveSecondThoughts(outbox.for(account), account)) tell({ type: 'decided', event: '' });
  });
  await Promise.all([lookAsSecond(), ...enqueued, ...thoughts]);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
