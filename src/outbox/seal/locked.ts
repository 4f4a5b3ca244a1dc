import { aboutReport, type Events } from '../events.js';
import { withoutKey } from '../plan.js';
import type { Ending, Row } from '../state-machine.js';
import { missingKeyOf } from './seal.js';

/** The end of an attempt whose body needs a missing key. Undefined if the error has another cause. */
export function lockedEnding(error: Error, row: Row, events: Events): Ending | undefined {
  const keyId = missingKeyOf(error);
  if (keyId === undefined) return undefined;
  events.emit('locked', { ...aboutReport(row), keyId });
  return withoutKey(error.message, keyId);
}
