import { FARTHEST_SLOT } from '../../../src/outbox/rules/rate.js';
import type { OutboxStore } from '../../../src/outbox/store/store.js';
import { type ContractCase, contractCase, equal, GATEWAYS, STAGING } from './harness.js';

const bindStaging = (store: OutboxStore) => store.bind([{ ...STAGING, gateway: GATEWAYS.staging }]);
const SECOND = 1_000_000;

/** A store in a page keeps no rate. */
async function keepsRates(store: OutboxStore) {
  await bindStaging(store);
  const { takeSlots, keepRate } = store;
  return takeSlots && keepRate && { takeSlots, keepRate };
}

async function rateOfStaging(store: OutboxStore) {
  const found = (await store.outlook()).find(({ environment }) => environment === 'staging');
  if (!found) throw new Error('outlook: expected staging');
  return found.rate;
}

/** Whether a number of milliseconds is at most a second below another, the time that a real clock may take. */
function near(actual: number, expected: number, what: string): void {
  if (actual > expected + 1 || actual < expected - 1_000)
    throw new Error(`${what}: expected about ${expected}, got ${actual}`);
}

export const rateCases: readonly ContractCase[] = [
  contractCase('slots are given once, one after the other', async ({ store, advance }) => {
    const kept = await keepsRates(store);
    if (!kept) return;
    near(await kept.takeSlots(STAGING, 10 * SECOND), 0, 'the first');
    near(await kept.takeSlots(STAGING, 5 * SECOND), 10_000, 'the second');
    await advance(2_000);
    near(await kept.takeSlots(STAGING, 20 * SECOND), 13_000, 'the third, 2 seconds later');
    const [one = 0, other = 0] = await Promise.all([
      kept.takeSlots(STAGING, 30 * SECOND),
      kept.takeSlots(STAGING, 30 * SECOND),
    ]);
    near(Math.abs(one - other), 30_000, 'the distance of two that were taken at once');
  }),
  contractCase('slots in the past are lost, so that no burst follows a quiet time', async ({ store, advance }) => {
    const kept = await keepsRates(store);
    if (!kept) return;
    await kept.takeSlots(STAGING, SECOND);
    await advance(60_000);
    near(await kept.takeSlots(STAGING, SECOND), 0, 'after a minute');
    near(await kept.takeSlots(STAGING, SECOND), 1_000, 'and the next');
  }),
  contractCase('a slot too far ahead shows that the clock has jumped', async ({ store }) => {
    const kept = await keepsRates(store);
    if (!kept) return;
    await kept.takeSlots(STAGING, FARTHEST_SLOT + 60 * SECOND);
    near(await kept.takeSlots(STAGING, SECOND), 0, 'after the jump');
  }),
  contractCase('each destination has its own slots and rate', async ({ store }) => {
    const kept = await keepsRates(store);
    if (!kept) return;
    const other = { ...STAGING, environment: 'production' } as const;
    await store.bind([{ ...other, gateway: GATEWAYS.production }]);
    await kept.takeSlots(STAGING, 60 * SECOND);
    near(await kept.takeSlots(other, SECOND), 0, 'production');
    await kept.keepRate(other, { perSecond: 5, spanMs: 1_000 });
    equal(await rateOfStaging(store), undefined, 'the rate of staging');
  }),
  contractCase('a learned rate is read with its age', async ({ store, advance }) => {
    const kept = await keepsRates(store);
    if (!kept) return;
    equal(await rateOfStaging(store), undefined, 'before the first 429');
    await kept.keepRate(STAGING, { perSecond: 97.25, spanMs: 4_000 });
    await advance(30_000);
    const rate = await rateOfStaging(store);
    equal([rate?.perSecond, rate?.spanMs], [97.25, 4_000], 'the rate');
    near(-(rate?.ageMs ?? 0), -30_000, 'its age, negated');
    await kept.keepRate(STAGING, { perSecond: 90, spanMs: 16_000 });
    near(-((await rateOfStaging(store))?.ageMs ?? 0), 0, 'the age of the next, negated');
    equal((await rateOfStaging(store))?.perSecond, 90, 'the next rate');
    await kept.keepRate(STAGING, { perSecond: 0, spanMs: 0 });
    equal(await rateOfStaging(store), undefined, 'after a rate of 0');
  }),
  contractCase('a destination that is not bound keeps nothing', async ({ store }) => {
    const kept = await keepsRates(store);
    if (!kept) return;
    const other = { account: 'licence-b', environment: 'staging' } as const;
    await kept.keepRate(other, { perSecond: 5, spanMs: 1_000 });
    equal(await kept.takeSlots(other, SECOND), 0, 'its slots');
    equal((await store.outlook()).length, 1, 'the number of destinations');
  }),
];
