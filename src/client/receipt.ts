import type { Delivered } from '../delivery/deliver.js';
import type { AnyReport } from '../delivery/frozen.js';
import type { Environment } from '../errors/errors.js';
import type { OperationName } from '../protocol/operations.js';
import type { Location } from '../schema/location.js';
import type { ClientMode } from './payloads.js';

/** What a report resolves with: the gateway holds it. */
export interface Receipt {
  /**
   * `'recorded'`: by this call. `'already-recorded'`: an earlier attempt with the same bytes had ended without
   * an answer, and the gateway now says that it holds them.
   */
  readonly outcome: 'recorded' | 'already-recorded';
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: OperationName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** Where the report goes. */
  readonly environment: Environment;
  /** How many times it was sent. */
  readonly attempts: number;
  /** The gateway's words, with everything but known words masked. */
  readonly message?: string;
  /** The id that the gateway gave to the request, by which its operator finds it; left out where it gave none. */
  readonly requestId?: string;
  /** The location that was sent; pass the initiated withdrawal's to `reportSettledWithdrawal`. */
  readonly location?: Location;
}

/**
 * What a report through a relay resolves with. Its `location` may be one that the relay found; the gateway's words stay
 * with the relay.
 */
export interface RelayReceipt extends Omit<Receipt, 'outcome' | 'environment'> {
  /**
   * As of `Receipt`; or `'accepted'`: the operator's outbox has stored the report and delivers it later, so that it is not
   * recorded yet.
   */
  readonly outcome: Receipt['outcome'] | 'accepted';
  /** The relay's; absent where its answer does not say, as of a report that was recorded already. */
  readonly environment?: Environment;
  /** Of an accepted report: where it stands, in the outbox's word. */
  readonly state?: string;
}

/** What a report resolves with, by how the client was made. */
export type ReceiptOf<Mode extends ClientMode> = Mode extends 'relay' ? RelayReceipt : Receipt;

/** The receipt of a report that was delivered. */
export function receiptOf(report: AnyReport, { outcome, attempts, message, requestId, relayReceipt }: Delivered): Receipt | RelayReceipt {
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
