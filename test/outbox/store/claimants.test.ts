import { describe, expect, it } from 'vitest';
import type { BoundDestination } from '../../../src/outbox/rules/destination.js';
import { createClaimants, isServed, mayTakeFrom } from '../../../src/outbox/store/claimants.js';

const gatewayOf = (account: string) => `https://${account}.example.com`;
const accountOf = (account: string) => ({ account, gateways: { staging: gatewayOf(account) } });

describe('a worker', () => {
  const [brandA, brandB] = [accountOf('brandA'), accountOf('brandB')];
  const own: BoundDestination = { account: 'brandB', environment: 'staging', gateway: gatewayOf('brandB') };

  it('serves the destinations of its accounts at their own gateways', () => {
    const accounts = createClaimants([brandA, brandB]).all();
    expect(isServed(own, accounts)).toBe(true);
    expect(isServed({ ...own, account: 'brandC' }, accounts)).toBe(false);
    expect(isServed({ ...own, gateway: gatewayOf('brandA') }, accounts)).toBe(false);
    expect(isServed({ ...own, environment: 'production' }, accounts)).toBe(false);
    expect(isServed(own, [])).toBe(false);
  });
});

describe('the accounts of a worker', () => {
  /**
   * The accounts in the order in which they get the next row, if they hold equally many, with the number of rows that
   * each holds.
   */
  const seen = (claimants: ReturnType<typeof createClaimants>) =>
    claimants.all().map(({ account, busy }) => `${account} ${busy}`);
  const three = () => createClaimants(['A', 'B', 'C'].map(accountOf));

  it('hold nothing at first, and keep their gateways', () => {
    expect(three().all()).toEqual(['A', 'B', 'C'].map((account) => ({ ...accountOf(account), busy: 0 })));
  });

  it('each count their own rows; the last served comes last', () => {
    const claimants = three();
    claimants.took({ account: 'A' });
    expect(seen(claimants)).toEqual(['B 0', 'C 0', 'A 1']);
    claimants.took({ account: 'C' });
    claimants.took({ account: 'C' });
    expect(seen(claimants)).toEqual(['B 0', 'A 1', 'C 2']);
  });

  it('keep their order when a row is given back', () => {
    const claimants = three();
    claimants.took({ account: 'B' });
    claimants.took({ account: 'B' });
    claimants.gave({ account: 'B' });
    expect(seen(claimants)).toEqual(['A 0', 'C 0', 'B 1']);
  });
});

describe('a claim takes rows', () => {
  const here = { account: 'a', environment: 'staging' } as const;
  const open = { ...here, reason: undefined };
  const paused = { ...here, reason: 'unavailable' } as const;

  it('of a destination that is not paused', () => {
    expect([mayTakeFrom(open, undefined), mayTakeFrom(paused, undefined)]).toEqual([true, false]);
  });

  it('for the probe of a pause only of the paused destination', () => {
    expect([
      mayTakeFrom(paused, here),
      mayTakeFrom({ ...paused, account: 'b' }, here),
      mayTakeFrom({ ...open, account: 'b' }, here),
    ]).toEqual([true, false, false]);
  });

  it('for the probe of a breaker only of its own destination, and not while that is paused', () => {
    const probe = { ...here, operation: 'reportBetEvent' } as const;
    expect([
      mayTakeFrom(open, probe),
      mayTakeFrom(paused, probe),
      mayTakeFrom({ ...open, account: 'b' }, probe),
    ]).toEqual([true, false, false]);
  });
});
