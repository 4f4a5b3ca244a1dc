import { printable } from '../../platform/printable.js';
import { partsOf } from '../destination.js';
import type { Outlook } from '../store.js';
import type { ShownPause } from './shown-pause.js';
import { shownText } from './shown-report.js';

/** The pauses in the outlook of a store. */
export const shownPauses = (outlooks: readonly Outlook[]): ShownPause[] =>
  outlooks.flatMap(({ pause }) => {
    const { account, reason, message, since, until, strikes } = pause;
    const { environment, operation = null } = partsOf(pause);
    if (!reason) return [];
    return [{ account: printable(account), environment, operation, reason, message: shownText(message), since, nextProbeAt: until, failedProbes: strikes }];
  });
