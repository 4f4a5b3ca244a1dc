// One of two processes on one file: adds and claims rows as fast as it can, until all are recorded. It uses the built
// package.
import { sqliteStore } from 'location-sdk/outbox/sqlite';

const [file = '', name = '', count = '0'] = process.argv.slice(2);
const gateway = 'https://gateway.example.com';
const store = await sqliteStore({ file });
/** @type {string[]} */
const taken = [];

async function add() {
  for (let index = 0; index < Number(count); index += 1) {
    const reference = `${name}-${index}`;
    const id = `default:staging:reportBetEvent:${reference}`;
    const sent = { waitsFor: undefined, body: '{}', fingerprint: reference };
    await store.enqueue([
      { id, account: 'default', environment: 'staging', operation: 'reportBetEvent', reference, gateway, ...sent },
    ]);
  }
}

async function take() {
  /** @type {Parameters<import('location-sdk/outbox').OutboxStore['turn']>[0]['writes'][number][]} */
  let writes = [];
  for (let idle = 0; idle < 20; ) {
    const { claimed, written } = await store.turn({
      writes,
      claim: { accounts: [{ account: 'default', gateways: { staging: gateway }, busy: 0 }], limit: 3, leaseMs: 60_000 },
    });
    if (written.includes(false)) throw new Error('another one had what this one had claimed');
    taken.push(...claimed.map(({ id }) => id));
    writes = claimed.map(({ id, state, fence, attempts, doubtBefore }) => ({
      id,
      expected: { state, fence },
      change: {
        state: 'recorded',
        fence,
        attempts,
        inDoubt: false,
        doubtBefore,
        delayMs: 0,
        outcome: 'recorded',
        message: undefined,
        requestId: undefined,
        problem: undefined,
        decisions: [],
        keepBody: false,
      },
    }));
    idle = claimed.length > 0 ? 0 : idle + 1;
    if (claimed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

await Promise.all([add(), take(), take()]);
await store.close?.();
process.send?.(taken);
process.disconnect?.();
