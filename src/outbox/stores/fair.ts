import type { Claimant } from '../store.js';

/** Claims rows of several accounts. The account with the fewest rows gets the next one, so that no account waits for the backlog of another. */
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
