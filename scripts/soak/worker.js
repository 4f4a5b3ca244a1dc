// A worker of the soak: enqueues reports and sends them, until it is killed. What was accepted it tells its parent.
import { createClient } from 'location-sdk';
import { createOutbox } from 'location-sdk/outbox';
import { sqliteStore } from 'location-sdk/outbox/sqlite';
import { bet, settledBet, settledWithdrawal, withdrawal } from './reports.js';

/** @typedef {{ file: string, urls: import('./licences.js').Urls, name: string, drain: boolean }} Task */

const ATTEMPT_MS = 500;
/** How long a worker has a report to itself. */
const LEASE_MS = 1_600;
/** More is not enqueued while so many wait, so that the last reports are not sent after all kills. */
const MOST_WAITING = 150;
/** Of each licence. */
const AT_ONCE = 2;

const { file, urls, name, drain } = /** @type {Task} */ (JSON.parse(process.argv[2] ?? ''));
const clientOf = (/** @type {string} */ baseUrl) =>
  createClient({
    environment: 'staging',
    gateways: { staging: { baseUrl, apiKey: 'mock-api-key' } },
    location: { fixed: { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG' } },
    attemptTimeoutMs: ATTEMPT_MS,
  });
const store = await sqliteStore({ file });
const outbox = createOutbox({
  accounts: { default: clientOf(urls.default), brandB: clientOf(urls.brandB) },
  store,
  concurrency: 6,
  leaseMs: LEASE_MS,
  pollMs: 100,
  retry: { baseMs: 20, capMs: 400 },
  keepBodies: true,
});
const licences = [outbox.for('default'), outbox.for('brandB')];

const tell = (/** @type {object} */ message) => process.send?.(message);
for (const type of /** @type {const} */ (['recorded', 'quarantined', 'late'])) outbox.on(type, (event) => tell({ type, event }));
outbox.on('error', ({ message, cause }) => tell({ type: 'error', event: `${message} ${cause}` }));

/**
 * Enqueues a report and, once it is accepted, its settlement: as an operator does it.
 *
 * @param {typeof licences[number]} licence @param {string} reference @param {boolean} isBet
 */
async function enqueueBoth(licence, reference, isBet) {
  const first = isBet ? await licence.reportBetEvent(bet(reference)) : await licence.reportWithdrawalEvent(withdrawal(reference));
  tell({ type: 'accepted', event: first.id });
  const second = isBet ? await licence.reportSettledBet(settledBet(reference)) : await licence.reportSettledWithdrawal(settledWithdrawal(reference));
  tell({ type: 'accepted', event: second.id });
}

/** Opens the file a second time in this process, as a status route does, and closes it. */
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
  const references = states.waiting + states.blocked < MOST_WAITING ? Array.from({ length: AT_ONCE }, (_, one) => `${name}-${index}-${one}`) : [];
  await Promise.all([lookAsSecond(), ...licences.flatMap((licence) => references.map((reference, one) => enqueueBoth(licence, reference, one % 2 === 0)))]);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
