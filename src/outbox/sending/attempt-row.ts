import { hasCode } from '../../core/errors/errors.js';
import { memberOf } from '../../core/platform/as-record.js';
import { playerTag } from '../../core/platform/hash.js';
import { subjectOf } from '../../core/platform/messages.js';
import type { Location } from '../../core/schema/location.js';
import type { Events } from '../events.js';
import { endingOf, gatewayRefusal, misconfiguredEnding, relayRefusal } from '../rules/attempt-ending.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { announceLocked } from './missing-keys.js';
import { damaged, isInTime, NOT_SENT } from './plan.js';

interface Stopping {
  /** Aborts at the end of a stop. */
  readonly signal: AbortSignal;
  isStoreDamaged(): boolean;
}

/**
 * Opens the bytes of a claimed row and sends them once. Sends nothing if the attempt could outlast the lease, which
 * began after `askedAt`.
 */
export function createAttemptRow(
  { store, seal, clock, clientOf, attemptTimeoutMs, leaseMs }: OutboxSettings,
  events: Events,
  { signal, isStoreDamaged }: Stopping,
) {
  return async (row: Row, askedAt: number): Promise<Ending> => {
    const { account, operation, environment, reference } = row;
    let body: string;
    try {
      if (row.body === undefined || row.damage !== undefined) throw new Error('no sound bytes');
      body = await seal.open(row.body, row);
    } catch (error) {
      if (hasCode(error, 'configuration'))
        return announceLocked(error, row, events) ?? misconfiguredEnding(error.message);
      return damaged(subjectOf({ operation, reference }), row.damage);
    }
    if (isStoreDamaged() || signal.aborted || !isInTime(askedAt, clock.now(), { leaseMs, attemptTimeoutMs }))
      return NOT_SENT;
    const internals = clientOf(account);
    const limit = { signal, milliseconds: attemptTimeoutMs, attempt: row.attempts };
    if (environment !== 'relay') {
      const report = { operation, environment, reference, body, location: undefined };
      return endingOf(() => internals.attempt(report, limit), gatewayRefusal);
    }
    const player = await playerTag(String(memberOf(store, 'player')));
    // The meaning of a conflict depends on whether the page sent the location.
    const { location } = JSON.parse(body) as { location?: Location };
    const report = { operation, environment: undefined, reference, body, location };
    return endingOf(() => internals.attempt(report, { ...limit, player }), relayRefusal);
  };
}
