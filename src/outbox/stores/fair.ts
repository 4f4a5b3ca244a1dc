import type { Claimant } from '../store.js';

/** Claims rows of several accounts: the one with the fewest is given the next, so that none waits behind another one's backlog. */
export function claimFairly<T>(accounts: readonly Claimant[], limit: number, claimNext: (account: Claimant) => T | undefined): T[] {
  let open = accounts.map((account) => ({ account, has: account.busy }));
  const taken: T[] = [];
  while (taken.length < limit && open.length > 0) {
    const next = open.reduce((least, one) => (one.has < least.has ? one : least));
    const row = claimNext(next.account);
    if (row === undefined) open = open.filter((one) => one !== next);
    else taken.push(row);
    next.has += 1;
  }
  return taken;
}
