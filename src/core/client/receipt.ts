import type { Delivered } from '../delivery/deliver.js';
import type { AnyReport } from '../delivery/frozen-report.js';
import type { Environment, FoundStep, LocationStep } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';
import type { Location } from '../schema/location.js';
import type { ClientMode } from './payloads.js';

/** The result of a report that the gateway has recorded. */
export interface Receipt {
  /**
   * `'recorded'`: by this call. `'already-recorded'`: an earlier attempt with the same bytes got no usable answer, and
   * the gateway now says that it has this data.
   */
  readonly outcome: 'recorded' | 'already-recorded';
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** The environment of the report. */
  readonly environment: Environment;
  /** How many times it was sent. */
  readonly attempts: number;
  /** The gateway's message. All words except known ones are masked. */
  readonly message?: string;
  /**
   * The id that the gateway gave the request. Its operator can find the request by it. Left out if the gateway gave
   * none.
   */
  readonly requestId?: string;
  /** The location that was sent. Pass the initiated withdrawal's to `reportSettledWithdrawal`. */
  readonly location?: Location;
}

/**
 * The result of a report through a relay. Its `location` may be one that the relay found. It contains no message of the
 * gateway.
 */
export interface RelayReceipt extends Omit<Receipt, 'outcome' | 'environment'> {
  /**
   * As in `Receipt`. Or `'accepted'`: the operator's outbox has stored the report and delivers it later, so it is not
   * recorded yet.
   */
  readonly outcome: Receipt['outcome'] | 'accepted';
  /**
   * The relay's environment. Absent if its answer does not name it, for example for a report that was recorded before.
   */
  readonly environment?: Environment;
  /** For an accepted report: its state in the outbox. */
  readonly state?: string;
}

/** The result of a report, by how the client was made. */
export type ReceiptOf<Mode extends ClientMode> = Mode extends 'relay' ? RelayReceipt : Receipt;

export function receiptOf(
  report: AnyReport,
  { outcome, attempts, message, requestId, relayReceipt }: Delivered,
): Receipt | RelayReceipt {
  const { operation, reference = '', environment, location } = report;
  return {
    outcome,
    operation,
    reference,
    ...(environment && { environment }),
    attempts,
    ...(message !== undefined && { message }),
    ...(requestId !== undefined && { requestId }),
    ...(location && { location }),
    ...relayReceipt,
  };
}

/**
 * The result of `locate`: a location, and how it was found. You may pass it unchanged as the `location` of a report, in
 * this process or, as JSON, in another: `ageMs` and `steps` are not sent to the gateway.
 */
export interface LocateResult extends Location {
  /** How long ago the location was found, in milliseconds. 0 unless a cached one was used. */
  ageMs: number;
  /**
   * The steps, in order: those that failed and why, then the one that gave the location. Empty for a fixed location.
   */
  steps: readonly (LocationStep | FoundStep)[];
}
