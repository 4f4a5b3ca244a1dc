import { partsOf } from './destination.js';
import type { OutboxReport, OutboxStats } from './interface.js';
import type { Row } from './state-machine.js';
import type { Outlook } from './store.js';

/** A row without the parts that only stores and workers need. */
export const toPublicReport = ({ body: _, fingerprint: __, fence: ___, doubtBefore: ____, waitsFor: _____, damage: ______, ...report }: Row): OutboxReport =>
  report;

/** The pauses in the outlook of a store. */
export const toPublicPauses = (outlooks: readonly Outlook[]): OutboxStats['paused'] =>
  outlooks.flatMap(({ pause: { account, environment: name, reason, message, since, until } }) => {
    const { environment, operation } = partsOf({ environment: name });
    return reason ? [{ account, environment, ...(operation && { operation }), reason, message, since, until }] : [];
  });
