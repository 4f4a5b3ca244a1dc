import type { Channel } from '../delivery/channel.js';
import type { Delivery } from '../delivery/deliver.js';
import { untilPageHides } from '../delivery/fetch-transport.js';
import type { AnyReport } from '../delivery/frozen-report.js';
import { ConfigurationError } from '../errors/errors.js';
import { subjectOf } from '../platform/messages.js';
import { type OperationName, operations } from '../protocol/operations.js';
import { reportBytes } from '../protocol/report-bytes.js';
import { isForBackendsOnly, notInPages } from './availability.js';
import { checkCall } from './check-call.js';
import type { Settings } from './config.js';
import type { EarlierLocation } from './internals.js';
import type { createLocationResolver } from './resolve-location.js';

/** Makes the half of every call that sends nothing: it checks and locates. The deadline counts from its start. */
export function createFreezeReport(settings: Settings, resolveLocation: ReturnType<typeof createLocationResolver>) {
  const { clock, inPage, channel } = settings;
  const relayed = channel.kind === 'relay';
  return async (
    operation: OperationName,
    payload: unknown,
    options: unknown,
    forLater?: { readonly earlierLocation: EarlierLocation | undefined },
  ): Promise<{ readonly report: AnyReport; readonly delivery: Delivery }> => {
    const row = operations[operation];
    if ((inPage || relayed) && isForBackendsOnly(operation)) throw notInPages(operation, inPage ? 'page' : 'relay');
    requireChannel(channel, operation);
    const { body, reference, parameters, addsTime } = checkCall(operation, payload, options, settings);
    const { environment, timeoutMs, signal } = parameters;
    // Runs before a player is asked for a location that could not be sent.
    const exchange = channel.open({ operation, environment });
    if ('code' in exchange && !(forLater && channel.addresses[environment ?? 'relay'])) {
      throw new ConfigurationError(`${subjectOf({ operation, reference })}: ${exchange.text}`, {
        operation,
        environment,
        reference,
      });
    }
    const deadline = clock.now() + timeoutMs;
    const purpose = { operation, reference, deadline, required: settings.location.required };
    const isAskedEarlier = row.location === 'field' && parameters.location === undefined;
    const earlier = isAskedEarlier ? await forLater?.earlierLocation?.({ environment, reference }) : undefined;
    const search = () => resolveLocation(earlier ? { ...parameters, location: earlier } : parameters, purpose);
    const location =
      row.location === 'none' ? undefined : (await (relayed ? untilPageHides(search) : search()))?.location;
    const report = {
      operation,
      environment,
      reference,
      location,
      addsTime,
      addsPlace: location !== undefined && !parameters.location,
      body: reportBytes(body, location),
    };
    return { report, delivery: { exchange, deadline, signal, inDoubt: false } };
  };
}

export type FreezeReport = ReturnType<typeof createFreezeReport>;

/**
 * Throws if no report can be sent. It runs before the payload is checked and before the player is asked: neither would
 * help.
 */
export function requireChannel(channel: Channel, operation: string): void {
  const problem = channel.problem();
  if (problem !== undefined) throw new ConfigurationError(`${operation}: ${problem}`, { operation });
}
