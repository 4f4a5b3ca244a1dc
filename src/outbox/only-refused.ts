import { breakerOf, isBreaker, keyOf, partsOf } from './destination.js';
import { isRarelyProbed, type Pause } from './pause.js';
import type { OutboxSettings } from './settings-shape.js';
import type { Row } from './state-machine.js';
import type { Outlook } from './store.js';

const PAGE = 200;

/** Tells whether trying on would only repeat itself: behind the breaker each report that is left was refused, the gateway may refuse every report. */
export function createOnlyRefused({ store, accounts, breakerAfter }: Pick<OutboxSettings, 'store' | 'accounts' | 'breakerAfter'>) {
  const served = accounts.map(({ account }) => account);
  let seen = '';

  /** Since the breaker opened: what was tried before may have failed for another reason. */
  async function wereTried(outlook: Outlook, breakers: ReadonlyMap<string, Pause>): Promise<boolean> {
    const { account } = outlook;
    const { environment } = partsOf(outlook);
    for (let after = 0; ; ) {
      const rows = await store.list({ account, environment, state: 'waiting', after, limit: PAGE });
      const isUntried = (row: Row) => row.fence === 0 || row.changedAt <= (breakers.get(keyOf(breakerOf(row)))?.since ?? Number.POSITIVE_INFINITY);
      if (rows.some((row) => !row.blocked && isUntried(row))) return false;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return true;
      after = last.sequence;
    }
  }

  return async (): Promise<boolean> => {
    const outlooks = await store.outlook(served);
    const open = outlooks.filter(({ nextInMs }) => nextInMs !== undefined);
    const rare = outlooks.flatMap(({ pause }) => (isBreaker(pause) && isRarelyProbed(pause, breakerAfter) ? [pause] : []));
    if (rare.length === 0 || open.length === 0 || open.some(({ pause }) => pause.reason !== undefined)) return false;
    // Lists are read once for each probe, however often the worker has nothing to do.
    const versions = rare.map((pause) => `${keyOf(pause)} ${pause.version}`).join();
    if (versions === seen) return false;
    seen = versions;
    const breakers = new Map(rare.map((pause) => [keyOf(pause), pause]));
    for (const outlook of open) if (!(await wereTried(outlook, breakers))) return false;
    return true;
  };
}
