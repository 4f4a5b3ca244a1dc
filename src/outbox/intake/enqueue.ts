import type { AnyReport } from '../../delivery/frozen-report.js';
import { ConfigurationError, DuplicateReportError, ValidationError } from '../../errors/errors.js';
import { isReportingError } from '../../errors/guards.js';
import { asOwnRecord, memberOf } from '../../platform/as-record.js';
import { subjectOf } from '../../platform/messages.js';
import { type OperationName, operations, type ReportName } from '../../protocol/operations.js';
import type { Location } from '../../schema/location.js';
import { boundGatewayOf, type Destination, type OutboxEnvironment, otherGateway } from '../destination.js';
import { adviceFor } from '../error-of.js';
import { aboutReport, type Events } from '../events.js';
import { hasBytes } from '../seal/seal.js';
import type { AccountSettings, OutboxSettings } from '../settings-shape.js';
import type { Row } from '../state-machine.js';
import type { Enqueued, NewRow, OutboxStore } from '../store.js';
import { createInsertBatch } from './insert-batch.js';

/** The arguments of a report method. */
export interface Given {
  readonly operation: ReportName;
  readonly payload: unknown;
  readonly options?: unknown;
  /** The user's own transaction, if it was passed to `within` and not in the options. */
  readonly transaction?: unknown;
}

/** A report that is written. */
export interface Committed {
  /** The row in the store, or in the user's transaction, which may still roll back. */
  readonly row: Row;
  readonly location: Location | undefined;
}

/** A report that is ready to be committed. */
export interface ReadyRow {
  readonly report: AnyReport;
  readonly row: NewRow;
  /** The user's own transaction, if the row is written within one. */
  readonly transaction: unknown;
}

/** Control characters and unpaired surrogates. Some databases cut text there or change it, and relays refuse it. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;

/** Whether every store can tell this reference from all others. */
export const isDistinctReference = (reference: string): boolean => !UNFIT.test(reference);

/** The id of a report's row. Each account, environment, operation and reference has one row. */
export const rowId = ({ account, environment }: Destination, operation: OperationName, reference: string): string =>
  `${account}:${environment}:${operation}:${reference}`;

/** The id of the row that must be final before this one is sent, if it exists (specification, section 1). */
export function rowBefore(destination: Destination, operation: OperationName, reference: string): string | undefined {
  const row = operations[operation];
  return 'after' in row ? rowId(destination, row.after, reference) : undefined;
}

/** The intake of one account: validates, locates, freezes, seals and commits reports. Reports that arrive during a commit share the next one. */
export function createEntrance({ store, seal, clock }: OutboxSettings, { account, internals, gateways, mockMode }: AccountSettings, events: Events) {
  const enqueue = createInsertBatch(store, clock);

  /** All steps before the commit. If one fails, nothing reaches the store. */
  async function prepare(one: Given): Promise<ReadyRow> {
    const { operation, payload, options, transaction: given } = { transaction: undefined, ...one };
    const { transaction = given, ...callOptions } = readTransaction(options);
    if (transaction !== undefined) requireTransactions(store);
    const report = await internals.freeze(operation, payload, options === undefined || !isObject(options) ? options : callOptions);
    const { reference } = report;
    const environment: OutboxEnvironment = report.environment ?? 'relay';
    if (reference === undefined) throw new ValidationError(`${operation}: only a report can be enqueued. Nothing was sent.`, { operation });
    if (!isDistinctReference(reference)) throw unfit(operation);
    const destination = { account, environment };
    const key = { id: rowId(destination, operation, reference), ...destination, operation, reference };
    const waitsFor = rowBefore(destination, operation, reference);
    const gateway = gateways[environment] ?? '';
    return { report, row: { ...key, gateway, waitsFor, ...(await seal.seal(report.body, key)) }, transaction };
  }

  async function write({ row, transaction }: ReadyRow): Promise<Enqueued | undefined> {
    try {
      return transaction === undefined ? await enqueue(row) : (await store.enqueue([row], transaction))[0];
    } catch (error) {
      const bound = !mockMode ? undefined : boundGatewayOf(error);
      throw bound === undefined ? error : otherGateway(row, bound, mockMode);
    }
  }

  async function accept(prepared: ReadyRow): Promise<Committed> {
    const { report, transaction } = prepared;
    const enqueued = await write(prepared);
    if (!enqueued) throw new Error('The store returned no result for the row.');
    if (enqueued.added) {
      if (transaction === undefined) events.emit('enqueued', aboutReport(enqueued.row));
    } else if (!(await hasBytes(seal, enqueued.row, report.body))) {
      throw otherData(report, enqueued.row);
    }
    return { row: enqueued.row, location: report.location };
  }

  return {
    prepare,
    /** Resolves once the row is committed. Rejects with a `DuplicateReportError` if the store holds other data under the reference. */
    accept,
    /** Prepares and accepts. Rejects with the errors of the client or of the store. */
    commit: async (given: Given): Promise<Committed> => accept(await prepare(given)),
  };
}

export type Entrance = ReturnType<typeof createEntrance>;

function unfit(operation: ReportName): ValidationError {
  const found = {
    path: operations[operation].reference,
    code: 'invalid',
    message: 'expected a string without control characters and halves of characters',
  } as const;
  return new ValidationError(`${operation}: ${found.path}: ${found.message}. Nothing was stored or sent.`, { operation, issues: [found] });
}

/** The error of a report whose reference is stored with other data. `there`: the stored row. */
export function otherData({ operation, reference, environment }: AnyReport, there: Pick<Row, 'state'>): DuplicateReportError {
  const subject = subjectOf({ operation, reference });
  const text = `${subject}: the outbox holds other data under this reference (a new timestamp or location is other data too)`;
  const advice = adviceFor(there.state);
  return new DuplicateReportError(`${text}; compare your records. Nothing was sent.${advice && ` About the stored report: ${advice}`}`, {
    operation,
    reference,
    environment,
    outcome: 'rejected',
    conflict: true,
  });
}

/** Throws if a store cannot write within the user's own transaction. */
export function requireTransactions(store: OutboxStore): void {
  if (memberOf(store, 'transactional') === true) return;
  throw new ConfigurationError(
    'transaction: the store of this outbox cannot write within your transaction; the stores of PostgreSQL and SQLite can. Nothing was enqueued.',
  );
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

function readTransaction(options: unknown): { transaction?: unknown } {
  try {
    return asOwnRecord(isObject(options) ? options : undefined);
  } catch (error) {
    if (isReportingError(error)) throw error;
    throw new ValidationError('options could not be read: a getter or proxy threw. Nothing was sent.', { issues: [] });
  }
}
