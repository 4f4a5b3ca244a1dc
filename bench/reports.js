// Shared by the comparisons of the outbox: reports, a client and turns.
import { createHash } from 'node:crypto';
import { load } from './builds.js';

/** The number of rows that a turn claims. */
export const CLAIMED = 8;

export const bet = (/** @type {string} */ bet_id) => ({
  bet_id,
  amount: 1_500,
  timestamp: '1795161600',
  user: {
    user_id: `U-${bet_id}`,
    first_name: 'Adaeze',
    last_name: 'Okonkwo',
    resident_address: '12 Ogui Road',
    resident_lga: 'Enugu North',
    resident_state: 'ENUGU',
    is_resident: true,
    nin: '99000000001',
    tax_id: '2034567000001',
  },
});

/** @param {string} baseUrl @param {Pick<import('../dist/index.js').ClientOptions, 'transport'>} [options] @param {import('./builds.js').Build} [build] */
export async function clientOf(baseUrl, options, build) {
  const { createClient } = await load('index', build);
  return createClient({
    environment: 'staging',
    gateways: { staging: { baseUrl, apiKey: 'bench-api-key' } },
    location: { fixed: { latitude: 6.4474, longitude: 7.5139, city: 'Enugu', country: 'NG' } },
    ...options,
  });
}

/** The gateway of reports that are never sent. */
export const NOWHERE = 'http://127.0.0.1:9';

/** Rows for a store, as the outbox makes them. @param {string} prefix @param {number} count */
export const rowsOf = (prefix, count, gateway = NOWHERE) =>
  Array.from({ length: count }, (_, index) => {
    const reference = `${prefix}-${index}`;
    const id = `default:staging:reportBetEvent:${reference}`;
    const body = JSON.stringify(bet(reference));
    return /** @type {const} */ ({
      id,
      account: 'default',
      gateway,
      environment: 'staging',
      operation: 'reportBetEvent',
      reference,
      waitsFor: undefined,
      body,
      fingerprint: createHash('sha256').update(body).digest('hex'),
    });
  });

/** For what is measured once, outside of `npm run bench`. @param {string} what @param {boolean} kept */
export function check(what, kept) {
  console.log(`${kept ? 'kept' : 'NOT KEPT'}: ${what}\n`);
  if (!kept) process.exitCode = 1;
}

/**
 * A contender whose turns write back the rows claimed by the turn before, and claim again.
 *
 * @param {string} key
 * @param {string} name
 * @param {import('./stores.js').OutboxStore} store
 */
export function turns(key, name, store) {
  /** @type {Parameters<import('./stores.js').OutboxStore['turn']>[0]['writes'][number][]} */
  let writes = [];
  return {
    key,
    name,
    run: async (/** @type {number} */ times) => {
      for (let done = 0; done < times; done += 1) {
        const { claimed } = await store.turn({
          writes,
          claim: {
            accounts: [{ account: 'default', gateways: { staging: NOWHERE }, busy: 0 }],
            limit: CLAIMED,
            leaseMs: 60_000,
          },
        });
        writes = claimed.map((row) => ({
          id: row.id,
          expected: { state: row.state, fence: row.fence },
          change: { ...row, state: 'waiting', inDoubt: false, delayMs: 0, keepBody: true },
        }));
      }
    },
  };
}
