import type { OutboxReport } from './interface.js';
import type { Row } from './record.js';

/** A row without what only stores and workers need. */
export const shown = ({ body: _, fingerprint: __, fence: ___, doubtBefore: ____, waitsFor: _____, ...report }: Row): OutboxReport => report;
