import type { Environment } from './errors.js';
import type { OperationName } from './operations.js';
import type { Location } from './schema/location.js';

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
  readonly environment: Environment;
  /** How many times it was sent. */
  readonly attempts: number;
  /** The gateway's words, with every sent value masked. */
  readonly message?: string;
  /** The location that was sent; pass the initiated withdrawal's to `reportSettledWithdrawal`. */
  readonly location?: Location;
}
