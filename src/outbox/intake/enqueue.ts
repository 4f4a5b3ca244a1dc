import type { AnyReport } from '../../delivery/frozen.js';
import { ConfigurationError, DuplicateReportError, ValidationError } from '../../errors/errors.js';
import { isReportingError } from '../../errors/guards.js';
import { asOwnRecord, memberOf } from '../../platform/as-record.js';
import { subjectOf } from '../../platform/messages.js';
import { type OperationName, operations } from '../../protocol/operations.js';
import type { Location } from '../../schema/location.js';
import { boundGatewayOf, type Destination, type OutboxEnvironment, otherGateway } from '../destination.js';
import { aboutReport, type Events } from '../events.js';
import type { AccountSettings, OutboxSettings } from '../settings-shape.js';
import type { Row } from '../state-machine.js';
import type { Enqueued, NewRow, OutboxStore } from '../store.js';
import { createInsertBatch } from './insert-batch.js';

/** The calls that are reports; each is a method of the outbox. */
export type ReportName = Exclude<OperationName, 'verifyNin'>;

/** A report as it is given. */
export interface Given {
  readonly operation: ReportName;
  readonly payload: unknown;
  readonly options?: unknown;
  /** The user's own, given once for several reports rather than with the options of each. */
  readonly transaction?: unknown;
}

/** A report that is committed. */
export interface Committed {
  /** In the store; or in the user's transaction, and then nobody knows whether that will be committed. */
  readonly row: Row;
  readonly location: Location | undefined;
}

/** A report that is ready to be committed. */
export interface ReadyRow {
  readonly report: AnyReport;
  readonly row: NewRow;
  /** The user's own, where the row is written in it. */
  readonly transaction: unknown;
}

/** Control characters, and halves of characters: databases cut text there or take it for another, and relays refuse it. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;

/** Whether every store tells this reference from every other one. */
export const isDistinctReference = (reference: string): boolean => !UNFIT.test(reference);

/** The id of a report's row: one row for each account, environment, operation and reference. */
export const rowId = ({ account, environment }: Destination, operation: OperationName, reference: string): string =>
  `${account}:${environment}:${operation}:${reference}`;

/** The id of the row that must be final before this one is sent, wherever there is such a row (specification, section 1). */
export function rowBefore(destination: Destination, operation: OperationName, reference: string): string | undefined {
  const row = operations[operation];
  return 'after' in row ? rowId(destination, row.after, reference) : undefined;
}

/** The way in of one account: validates, locates, freezes, seals and commits. What is enqueued while a commit is under way shares the next one. */
export function createEntrance({ store, seal, clock }: OutboxSettings, { account, internals, gateways, mockMode }: AccountSettings, events: Events) {
  const enqueue = createInsertBatch(store, clock);

  /** Everything before the commit: nothing of it reaches the store unless all of it went well. */
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
    if (!enqueued) throw new Error('The store did not say what became of the row.');
    if (enqueued.added) {
      if (transaction === undefined) events.emit('enqueued', aboutReport(enqueued.row));
    } else if (!(await seal.matches(enqueued.row.fingerprint, report.body, enqueued.row))) {
      throw otherData(report);
    }
    return { row: enqueued.row, location: report.location };
  }

  return {
    prepare,
    /** Resolves once the row is committed; those of the same turn share commits. Rejects with a `DuplicateReportError` where other data is there. */
    accept,
    /** Both. Rejects as the client does, too, or with the store's error. */
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

export function otherData({ operation, reference, environment }: AnyReport): DuplicateReportError {
  const subject = subjectOf({ operation, reference });
  const text = `${subject}: the outbox holds other data under this reference (a new timestamp or location is other data too)`;
  return new DuplicateReportError(`${text}; compare your records. Nothing was sent.`, {
    operation,
    reference,
    environment,
    outcome: 'rejected',
    conflict: true,
  });
}

/** Throws where a store would write what belongs into a transaction of the user's at once. */
export function requireTransactions(store: OutboxStore): void {
  if (memberOf(store, 'transactional') === true) return;
  throw new ConfigurationError(
    'transaction: the store of this outbox cannot write within one of yours; those of PostgreSQL and SQLite can. Nothing was enqueued.',
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
