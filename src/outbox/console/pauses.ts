import { printable } from '../../platform/printable.js';
import { partsOf } from '../destination.js';
import { PAUSE_WORDS } from '../operator/meaning.js';
import type { Outlook } from '../store.js';
import type { ShownPause } from './shown-pause.js';
import { shownText } from './shown-report.js';

/** The pauses in the outlook of a store. */
export const shownPauses = (outlooks: readonly Outlook[]): ShownPause[] =>
  outlooks.flatMap(({ pause }) => {
    const { account, reason, message, since, until, strikes } = pause;
    const { environment, operation = null } = partsOf(pause);
    if (!reason) return [];
    const shown = { account: printable(account), environment, operation, reason, message: shownText(message), ...PAUSE_WORDS[reason] };
    return [{ ...shown, since, nextProbeAt: until, failedProbes: strikes }];
  });
