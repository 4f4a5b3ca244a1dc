import { isRarelyProbed } from './pause.js';
import type { OutboxSettings } from './settings-shape.js';
import type { Outlook } from './store.js';

const PAGE = 200;

/** Tells whether trying on would only repeat itself: behind the breaker each report that is left was refused, the gateway may refuse every report. */
export function createOnlyRefused({ store, accounts, breakerAfter }: Pick<OutboxSettings, 'store' | 'accounts' | 'breakerAfter'>) {
  const served = accounts.map(({ account }) => account);
  let seen = '';

  /** Since the pause began: what was tried before it may have failed for another reason. */
  async function wereTried({ account, environment, pause }: Outlook): Promise<boolean> {
    for (let after = 0; ; ) {
      const rows = await store.list({ account, environment, state: 'waiting', after, limit: PAGE });
      if (rows.some(({ blocked, fence, changedAt }) => !blocked && (fence === 0 || changedAt <= pause.since))) return false;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return true;
      after = last.sequence;
    }
  }

  return async (): Promise<boolean> => {
    const open = (await store.outlook(served)).filter(({ nextInMs }) => nextInMs !== undefined);
    if (open.length === 0 || !open.every(({ pause }) => isRarelyProbed(pause, breakerAfter))) return false;
    // Lists are read once for each probe, however often the worker has nothing to do.
    const versions = open.map(({ pause }) => pause.version).join();
    if (versions === seen) return false;
    seen = versions;
    for (const outlook of open) if (!(await wereTried(outlook))) return false;
    return true;
  };
}
