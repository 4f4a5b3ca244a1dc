import type { OutboxReport, OutboxStats } from '../interface.js';
import { operationScope } from '../rules/destination.js';
import type { Row } from '../rules/state-machine.js';
import { type DestinationState, pausesOf } from './store.js';

/** A row without the parts that only stores and workers need. */
export const toPublicReport = ({
  body: _,
  excerpt: __,
  fingerprint: ___,
  fence: ____,
  doubtBefore: _____,
  waitsFor: ______,
  damage: _______,
  ...report
}: Row): OutboxReport => report;

/** The pauses in the outlook of a store, as a program sees them. */
export const toPublicPauses = (outlooks: readonly DestinationState[]): OutboxStats['paused'] =>
  pausesOf(outlooks).flatMap(({ reason, message, triedAt, since, until, ...scope }) =>
    reason ? [{ ...operationScope(scope), reason, message, triedAt, since, until }] : [],
  );
