import { betEvent, settledBet } from '../schema/bet.js';
import type { Model } from '../schema/model.js';
import { ninVerificationRequest } from '../schema/nin.js';
import { settledWithdrawal, withdrawalEvent } from '../schema/withdrawal.js';

/** The operations of the gateway, by function name. */
export type OperationName =
  | 'reportBetEvent'
  | 'reportSettledBet'
  | 'reportWithdrawalEvent'
  | 'reportSettledWithdrawal'
  | 'verifyNin';

/** The operations that are reports. Each is a method of the outbox. */
export type ReportName = Exclude<OperationName, 'verifyNin'>;

/** A new operation is a new row of `operations` and its schema. */
export interface Operation {
  readonly name: OperationName;
  /** The path below `{baseUrl}/integration-gateway/external/`. */
  readonly path: string;
  /** The body, without `location`. */
  readonly request: Model;
  /**
   * How the body gets its `location`. `'parameter'`: the caller may pass one, else the SDK finds it. `'field'`: the
   * same, but in the payload it is a field of the report and so must be complete. `'none'`: it has none.
   */
  readonly location: 'parameter' | 'field' | 'none';
  /** The field that identifies the report. Absent if the operation is not a report. */
  readonly reference?: 'bet_id' | 'request_id';
  /** The operation that must be recorded first under the same reference (specification, section 1). */
  readonly after?: OperationName;
  /** Whether a page may call it. */
  readonly browser: boolean;
}

/** The one table of operations: client, relay, mock gateway, documents and tests all read it. */
export const operations = {
  reportBetEvent: {
    name: 'reportBetEvent',
    path: 'report-bet-event',
    request: betEvent,
    location: 'parameter',
    reference: 'bet_id',
    browser: true,
  },
  reportSettledBet: {
    name: 'reportSettledBet',
    path: 'report-settled-bet-event',
    request: settledBet,
    location: 'none',
    reference: 'bet_id',
    after: 'reportBetEvent',
    browser: false,
  },
  reportWithdrawalEvent: {
    name: 'reportWithdrawalEvent',
    path: 'report-withdrawal-event',
    request: withdrawalEvent,
    location: 'parameter',
    reference: 'request_id',
    browser: true,
  },
  reportSettledWithdrawal: {
    name: 'reportSettledWithdrawal',
    path: 'settle-withdrawal',
    request: settledWithdrawal,
    location: 'field',
    reference: 'request_id',
    after: 'reportWithdrawalEvent',
    browser: false,
  },
  verifyNin: {
    name: 'verifyNin',
    path: 'nin/verify',
    request: ninVerificationRequest,
    location: 'none',
    browser: false,
  },
} as const satisfies { readonly [Name in OperationName]: Operation & { readonly name: Name } };

export const operationNames = Object.keys(operations) as OperationName[];

export const reportNames: readonly ReportName[] = /* @__PURE__ */ operationNames.filter(
  (name): name is ReportName => 'reference' in operations[name],
);

/** An object with a member for each report, by its name. */
export const ofReports = <T>(make: (name: ReportName) => T): Readonly<Record<ReportName, T>> =>
  Object.fromEntries(reportNames.map((name) => [name, make(name)])) as Record<ReportName, T>;

/** The start of the paths of all operations, below the base address (specification, section 4). */
export const GATEWAY_PATH = '/integration-gateway/external/';
