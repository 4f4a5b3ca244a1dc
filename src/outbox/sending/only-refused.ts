import { pauseKeyOf } from '../rules/destination.js';
import { isRarelyProbed, type Pause } from '../rules/pause.js';
import type { OutboxSettings } from '../settings.js';
import { type DestinationState, scanRows } from '../store/store.js';

/** Finds out whether `drain` should end: the breaker is open, and each remaining report was tried and refused. */
export function createOnlyRefused({
  store,
  accounts,
  breakerAfter,
}: Pick<OutboxSettings, 'store' | 'accounts' | 'breakerAfter'>) {
  const served = accounts.map(({ account }) => account);
  let seen = '';

  /** Whether each report was tried since its breaker opened. An earlier attempt may have failed for another reason. */
  async function wereTried(outlook: DestinationState, breakers: ReadonlyMap<string, Pause>): Promise<boolean> {
    const { account, environment } = outlook;
    for await (const row of scanRows(store, { account, environment, state: 'waiting' })) {
      const since = breakers.get(pauseKeyOf(row))?.since ?? Number.POSITIVE_INFINITY;
      if (!row.blocked && (row.fence === 0 || row.changedAt <= since)) return false;
    }
    return true;
  }

  return async (): Promise<boolean> => {
    const outlooks = await store.outlook(served);
    const open = outlooks.filter(({ nextInMs }) => nextInMs !== undefined);
    const rare = outlooks.flatMap(({ breakers }) => breakers.filter((one) => isRarelyProbed(one, breakerAfter)));
    if (rare.length === 0 || open.length === 0 || open.some(({ pause }) => pause.reason !== undefined)) return false;
    // The lists are read only once for each probe, even if the worker is idle several times.
    const versions = rare.map((pause) => `${pauseKeyOf(pause)} ${pause.version}`).join();
    if (versions === seen) return false;
    seen = versions;
    const breakers = new Map(rare.map((pause) => [pauseKeyOf(pause), pause]));
    for (const outlook of open) if (!(await wereTried(outlook, breakers))) return false;
    return true;
  };
}
