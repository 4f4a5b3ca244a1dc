import { beforeAll, describe, expect, it } from 'vitest';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { claimCases } from '../outbox/contract/claims.js';
import { orderCases } from '../outbox/contract/order.js';
import { pauseCases } from '../outbox/contract/pauses.js';
import { sampleSize } from '../support/cases.js';
import { type Catalogue, readAnswers } from './answers.js';
import { type Coverage, emptyCoverage, unmet } from './coverage.js';
import { decisions } from './decisions.js';
import { simulate } from './simulate.js';
import { createStore } from './store.js';
import { BOOKKEEPING, VARIANTS } from './variants.js';

/** The first histories of `npm run sim`. `.ci/run` runs 300,000 others for each commit. */
const HISTORIES = sampleSize('histories of the simulation', 2_000);
/** Every situation must be met within this number of histories. */
const MOST = 20_000;
/** Each broken variant must be caught within this number of histories. */
const CAUGHT_WITHIN = 10_000;

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await readAnswers();
});

describe('the simulation', () => {
  let coverage: Coverage;
  const live = (seed: number) => {
    const violation = simulate(seed, { catalogue, coverage });
    if (violation) expect.fail(`${violation.message}; npm run sim -- --seed ${seed}`);
  };

  it(`finds no broken rule in ${HISTORIES} histories`, () => {
    coverage = emptyCoverage();
    for (let seed = 1; seed <= HISTORIES; seed += 1) live(seed);
  }, 60_000);

  it(`meets every situation in them, or within ${MOST} histories`, { tags: 'slow', timeout: 60_000 }, () => {
    for (let seed = HISTORIES + 1; seed <= MOST && unmet(coverage).length > 0; seed += 1) live(seed);
    expect(unmet(coverage)).toEqual([]);
  });

  it('repeats the same history for the same seed', () => {
    const tell = (seed: number) => {
      const lines: string[] = [];
      simulate(seed, { catalogue, coverage: emptyCoverage(), trace: (line) => lines.push(line) });
      return lines;
    };
    expect(tell(7)).toEqual(tell(7));
    expect(tell(7)).not.toEqual(tell(8));
  });

  it.each(VARIANTS.map((variant) => [variant.name, variant] as const))(
    'catches: %s',
    { tags: 'slow' },
    (_, variant) => {
      for (let seed = 1; seed <= CAUGHT_WITHIN; seed += 1)
        if (simulate(seed, { ...variant, catalogue, coverage: emptyCoverage() })) return;
      expect.fail(`not caught within ${CAUGHT_WITHIN} histories`);
    },
  );
});

describe('without the rules about its own books, the simulation', () => {
  const BY_WHAT_FOLLOWS = [
    'no doubt flag',
    'no fence',
    'any 400 while in doubt is success',
    '429 clears the doubt',
    'a settled report waits for nothing',
  ];

  it.each(BY_WHAT_FOLLOWS)('still catches: %s', { tags: 'slow' }, (name) => {
    const variant = VARIANTS.find((one) => one.name === name);
    if (!variant) expect.fail('there is no such variant');
    for (let seed = 1; seed <= CAUGHT_WITHIN; seed += 1) {
      const violation = simulate(seed, { ...variant, catalogue, coverage: emptyCoverage(), overlooked: BOOKKEEPING });
      if (!violation) continue;
      expect(BOOKKEEPING).not.toContain(violation.rule);
      return;
    }
    expect.fail(`not caught within ${CAUGHT_WITHIN} histories`);
  });
});

describe("the simulation's store", () => {
  it.each([...claimCases, ...orderCases, ...pauseCases].map(({ name, run }) => [name, run] as const))(
    '%s',
    (_, run) => {
      let time = 1_795_161_600_000;
      const store = createStore(() => time, decisions);
      return run(() => ({
        store: {
          enqueue: async (rows) => store.enqueue(rows),
          turn: async (turn) => store.turn(turn),
          outlook: async () => store.outlook(),
          bind: async (given) => store.bind(given),
          pause: async (change) => store.pause(change),
          get: async (ids) => ids.map(store.get),
          list: async ({ reference }) => store.rows.filter((row) => row.reference === reference),
        } satisfies Partial<OutboxStore> as unknown as OutboxStore,
        advance: (milliseconds) => {
          time += milliseconds;
        },
      }));
    },
  );
});
