import type { Environment } from '../errors/errors.js';
import { underSymbol } from '../platform/as-record.js';
import type { OperationName } from '../protocol/operations.js';
import type { Location } from '../schema/location.js';

/** A validated call with fixed bytes: every attempt sends this body. `protocol/report-bytes.ts` makes it. */
export interface AnyReport {
  readonly operation: OperationName;
  /** Undefined if a relay decides. The report may be incomplete, so it may be sent to a relay only. */
  readonly environment: Environment | undefined;
  /** Undefined for a call that is not a report. */
  readonly reference: string | undefined;
  readonly body: string;
  /** The location within the body, for the receipt. */
  readonly location: Location | undefined;
  /** Whether the client added the time, since its caller gave none. A later call would add another one. */
  readonly addsTime?: boolean;
  /** The same for the location. */
  readonly addsPlace?: boolean;
}

const REPORT = Symbol.for('location-sdk.frozen-report');

/**
 * Keeps a report with an error, for `resend`. It contains personal data, so it is kept inside a function under a symbol
 * that is not enumerable: no printer, serialiser or inspector shows it.
 */
export function attachReport(error: Error, report: AnyReport): void {
  Object.defineProperty(error, REPORT, { value: () => report });
}

/** The error may come from any copy of the package. */
export function attachedReport(error: unknown): AnyReport | undefined {
  const kept = underSymbol(error, REPORT);
  return typeof kept === 'function' ? (kept() as AnyReport) : undefined;
}
