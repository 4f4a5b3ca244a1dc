import { describe, it } from 'vitest';
import { memoryStore } from '../../../src/entries/outbox.js';
import { storeContract } from '../contract/contract.js';
import { expectOddNamesAreUnknown } from '../odd-names.js';

describe('the memory store', () => {
  it.each(storeContract.map(({ name, run }) => [name, run] as const))('%s', (_, run) => {
    let time = 1_795_161_600_000;
    return run(() => ({
      store: memoryStore({ now: () => time }),
      advance: (milliseconds) => {
        time += milliseconds;
      },
    }));
  });

  it('returns nothing for names that no store can hold', () => expectOddNamesAreUnknown(memoryStore()));
});
