import type { EarlierLocation } from '../../core/client/internals.js';
import type { AnyReport } from '../../core/delivery/frozen-report.js';
import { AbortedError, ConfigurationError, DuplicateReportError, ValidationError } from '../../core/errors/errors.js';
import { memberOf } from '../../core/platform/as-record.js';
import { subjectOf } from '../../core/platform/messages.js';
import { lastOf } from '../../core/platform/portable.js';
import { unlessThrown } from '../../core/platform/unless-thrown.js';
import type { AbortSignalLike } from '../../core/platform/web-types.js';
import { type OperationName, operations, type ReportName, reportNames } from '../../core/protocol/operations.js';
import type { Location } from '../../core/schema/location.js';
import { nearest } from '../../core/schema/option-rules.js';
import { aboutReport, type Events } from '../events.js';
import type { Destination, OutboxEnvironment } from '../rules/destination.js';
import type { Row } from '../rules/state-machine.js';
import type { Excerpts } from '../seal/excerpt.js';
import type { AccountSettings, OutboxSettings } from '../settings.js';
import type { NewRow, OutboxStore } from '../store/store.js';
import { createInsertBatch } from './insert-batch.js';
import { sameReport } from './same-report.js';

export interface ReportCall {
  readonly operation: ReportName;
  readonly payload: unknown;
  readonly options?: unknown;
  /** The user's own transaction, for `within`. */
  readonly transaction?: unknown;
}

export interface Committed {
  /** The row in the store, or in the user's transaction, which may still roll back. */
  readonly row: Row;
  readonly location: Location | undefined;
}

/** The location of a report with one of these ids that shares the commit. */
type LocationAmong = (ids: readonly string[]) => Promise<Location | undefined>;

export interface ReadyRow {
  readonly report: AnyReport;
  readonly row: NewRow;
}

/** Control characters and unpaired surrogates. Some databases cut or change such text, and relays refuse it. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;

/** Whether every store can tell this reference from all others. */
export const isDistinctReference = (reference: string): boolean => !UNFIT.test(reference);

export const rowId = ({ account, environment }: Destination, operation: OperationName, reference: string): string =>
  `${account}:${environment}:${operation}:${reference}`;

/** The id of the row that must be final before this one is sent, if it exists (specification, section 1). */
export function rowBefore(destination: Destination, operation: OperationName, reference: string): string | undefined {
  const row = operations[operation];
  return 'after' in row ? rowId(destination, row.after, reference) : undefined;
}

/** The intake of one account: validates, locates, freezes, seals and commits reports. */
export function createIntake(
  { store, seal, clock }: OutboxSettings,
  { account, internals, gateways }: AccountSettings,
  events: Events,
  given: Excerpts | undefined,
  adviceFor?: (row: Row) => string,
) {
  // A page keeps nothing of a report that was sent, and reports no settlement.
  const excerpts = internals.kind === 'relay' ? undefined : given;
  const enqueue = createInsertBatch(store, clock);

  /** All steps before the commit. */
  async function prepare(
    { operation, payload, options, transaction }: ReportCall,
    locationAmong?: LocationAmong,
  ): Promise<ReadyRow> {
    /**
     * The location of a settled report that was given none: that of the same report, if it was enqueued before, since
     * the same call is the same data; else that of its initiated report.
     */
    let isMissed = false;
    const earlierLocation: EarlierLocation = async ({ environment, reference = '' }) => {
      const destination: Destination = { account, environment: environment ?? 'relay' };
      const ids = [rowId(destination, operation, reference), rowBefore(destination, operation, reference) ?? []].flat();
      const stored = isDistinctReference(reference) ? await excerpts?.locationIn(ids, transaction) : undefined;
      const location = stored ?? (await locationAmong?.(ids));
      isMissed = location === undefined;
      return location;
    };
    const { report, signal } = await internals
      .freeze(operation, payload, options, excerpts && earlierLocation)
      .catch((error) => Promise.reject((isMissed && excerpts?.missedLocation(error)) || error));
    refuseAborted(report, signal);
    const { reference } = report;
    const environment: OutboxEnvironment = report.environment ?? 'relay';
    if (reference === undefined)
      throw new ValidationError(`${operation}: only a report can be enqueued. Nothing was sent.`, { operation });
    if (!isDistinctReference(reference)) throw unfit(operation);
    const destination = { account, environment };
    // Each spread last: V8 takes a microsecond for a member that is added after one.
    const key = { id: rowId(destination, operation, reference), operation, reference, ...destination };
    const waitsFor = rowBefore(destination, operation, reference);
    const gateway = gateways[environment] ?? '';
    const sealed = await seal.seal(report.body, key);
    const excerpt = await excerpts?.make({ fingerprint: sealed.fingerprint, ...key }, report.body);
    const { body, fingerprint } = sealed;
    return { report, row: { gateway, waitsFor, body, fingerprint, excerpt, ...key } };
  }

  async function accept({ report, row }: ReadyRow, transaction?: unknown): Promise<Committed> {
    const enqueued = transaction === undefined ? await enqueue(row) : (await store.enqueue([row], transaction))[0];
    if (!enqueued) throw new Error('The store returned no result.');
    const { row: there, added } = enqueued;
    if (added && transaction === undefined) events.emit('enqueued', aboutReport(there));
    const keptLocation = async () => excerpts?.locationIn([there.id], transaction);
    const same = added ? report : await sameReport(seal, there, report, keptLocation);
    if (!same) throw otherData(report, excerpts?.erasedAdvice(there) ?? adviceFor?.(there));
    return { row: there, location: same.location };
  }

  return {
    prepare,
    /** Resolves once the row is committed. Rejects if the store holds other data under the reference. */
    accept,
    commit: async (given: ReportCall): Promise<Committed> => accept(await prepare(given), given.transaction),
  };
}

export type Intake = ReturnType<typeof createIntake>;

/**
 * Throws if the signal of a report for an outbox was aborted before its commit. After the commit the signal has no
 * effect.
 */
function refuseAborted({ operation, reference, environment }: AnyReport, signal: AbortSignalLike | undefined): void {
  const isAborted = unlessThrown(() => signal?.aborted === true);
  if (isAborted === false) return;
  const named = { operation, reference, environment };
  const problem = isAborted ? 'cancelled by its signal' : 'the signal that you passed threw an error';
  const text = `${subjectOf(named)}: ${problem}. Nothing was enqueued.`;
  throw isAborted ? new AbortedError(text, named) : new ConfigurationError(text, named);
}

function unfit(operation: ReportName): ValidationError {
  const found = {
    path: operations[operation].reference,
    code: 'invalid',
    message: 'expected a string without control characters and halves of characters',
  } as const;
  return new ValidationError(`${operation}: ${found.path}: ${found.message}. Nothing was stored or sent.`, {
    operation,
    issues: [found],
  });
}

function otherData({ operation, reference, environment }: AnyReport, advice = ''): DuplicateReportError {
  const subject = subjectOf({ operation, reference });
  const text = `${subject}: the outbox holds other data under this reference (a new timestamp or location is other data too)`;
  return new DuplicateReportError(
    `${text}; compare your records. Nothing was sent.${advice && ` About the stored report: ${advice}`}`,
    {
      operation,
      reference,
      environment,
      outcome: 'rejected',
      conflict: true,
    },
  );
}

export function requireTransactions(store: OutboxStore): void {
  if (memberOf(store, 'transactional') === true) return;
  throw new ConfigurationError(
    'transaction: the store of this outbox cannot write within your transaction. Nothing was enqueued. Use postgresStore or sqliteStore over the database of the transaction. In a test, memoryStore has no transactions: use postgresStore with a schema of its own on a test server or over PGlite, or sqliteStore with a new file.',
  );
}

export function readReportByName(given: ReportCall): ReportCall {
  if (typeof given !== 'object' || given === null)
    throw refused('report', 'expected an object with operation and payload');
  const { operation, payload, options } = readMembers(given);
  if (reportNames.some((name) => name === operation)) return { operation, payload, options };
  const meant = typeof operation === 'string' ? nearest(operation, reportNames) : undefined;
  throw refused(
    'operation',
    `expected ${reportNames.slice(0, -1).join(', ')} or ${lastOf(reportNames)}${meant ? ` (did you mean ${meant}?)` : ''}`,
  );
}

const MEMBERS: readonly string[] = ['operation', 'payload', 'options'];

function readMembers(given: ReportCall): ReportCall {
  try {
    const { operation, payload, options } = given;
    // Only a misspelt name: the object may be a row of the user's own, with more members.
    const wrong = Object.keys(given).find((name) => !MEMBERS.includes(name) && nearest(name, MEMBERS) !== undefined);
    if (wrong !== undefined) throw refused('report', `unknown field; did you mean ${nearest(wrong, MEMBERS)}?`);
    return { operation, payload, options };
  } catch (error) {
    if (error instanceof ValidationError) throw error;
    throw refused('report', 'could not be read: a getter or proxy threw');
  }
}

export function readReportList(reports: readonly ReportCall[]): ReportCall[] {
  try {
    if (Array.isArray(reports)) return [...reports];
  } catch {
    // A proxy that throws is refused like any other value.
  }
  throw refused('reports', 'expected an array of objects with operation and payload');
}

const refused = (path: string, message: string) =>
  new ValidationError(`${path}: ${message}. Nothing was stored or sent.`, {
    issues: [{ path, code: 'invalid', message }],
  });
