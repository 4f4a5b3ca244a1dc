import { describe, it } from 'vitest';
import { memoryStore } from '../../../src/entries/outbox.js';
import { FakeClock } from '../../support/fake-clock.js';
import { storeContract } from '../contract/contract.js';
import { expectOddNamesAreUnknown } from '../odd-names.js';

describe('the memory store', () => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))('%s', (_, run) => {
    const { now, advance } = new FakeClock();
    return run(() => ({ store: memoryStore({ now }), advance }));
  });

  it('returns nothing for names that no store can hold', () => expectOddNamesAreUnknown(memoryStore()));
});
