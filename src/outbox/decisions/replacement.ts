import type { AnyReport } from '../../core/delivery/frozen-report.js';
import { hasCode, ValidationError } from '../../core/errors/errors.js';
import { asRecord } from '../../core/platform/as-record.js';
import { operations, reportNames } from '../../core/protocol/operations.js';
import { checkArgument } from '../backend-options.js';
import type { Intake } from '../intake/enqueue.js';
import { decisionsFor } from '../rules/decisions.js';
import { type Change, LONGEST_REASON, type Row } from '../rules/state-machine.js';
import { locationFor } from '../seal/excerpt.js';
import { hasBytes, type Seal } from '../seal/seal.js';
import type { OutboxStore } from '../store/store.js';

/** The row of a method's id. An account does not see the reports of another one. */
export async function ownRow(store: OutboxStore, id: string, account: string, name: Method): Promise<Row> {
  checkArgument(name, { id });
  const [row] = await store.get([id]);
  if (row?.account === account) return row;
  throw refusal(name, `the outbox has no report ${JSON.stringify(id)}`);
}

export type Method = 'retry' | 'resolve' | 'reopen' | 'replace' | 'replaceAll';

export const refusal = (operation: Method, message: string): ValidationError =>
  new ValidationError(`${operation}: ${message}.`, { operation, issues: [{ path: 'id', code: 'invalid', message }] });

export function reasonOf(method: Method, { reason }: { readonly reason?: unknown }): string {
  if (typeof reason === 'string' && reason.trim() && reason.length <= LONGEST_REASON) return reason;
  throw refusal(
    method,
    `reason: expected a text of at most ${LONGEST_REASON.toLocaleString('en')} characters, which is stored with the report`,
  );
}

interface Replacement {
  /** The data in the clear. */
  readonly report: AnyReport;
  readonly replacement: NonNullable<Change['replacement']>;
}

export interface Correction extends Partial<Replacement> {
  readonly isSame: boolean;
  readonly why?: string | undefined;
}

/**
 * As `prepareReplacement`, and compares the data with that of the report. `isOwn`: whether a decision has this
 * correction, so that a report which it has replaced is not compared: its data may be deleted by now.
 */
export async function prepareCorrection(
  intake: Pick<Intake, 'prepare'>,
  seal: Seal,
  row: Row,
  payload: unknown,
  { isOwn = () => false, ...options }: { readonly isOwn?: (decision: string) => boolean } = {},
): Promise<Correction> {
  const latest = row.decisions.filter(({ action }) => action === 'replaced').at(-1)?.id;
  if (latest !== undefined && isOwn(latest)) return { isSame: true };
  const why = decisionsFor(row).replaced;
  try {
    const prepared = await prepareReplacement(intake, seal, row, payload, options);
    return (await hasBytes(seal, row, prepared.report.body))
      ? { ...prepared, isSame: true }
      : { ...prepared, isSame: false, why };
  } catch (error) {
    // The location of a recorded bet is deleted with its body, and data that is not sent needs none.
    if (why !== undefined && hasCode(error, 'location')) return { isSame: false, why };
    throw error;
  }
}

/**
 * Validates, locates, freezes and seals the data that replaces that of a report. Without a location it keeps that of the
 * report. Rejects with a `ValidationError` if it is not a report of the same operation and reference.
 */
export async function prepareReplacement(
  { prepare }: Pick<Intake, 'prepare'>,
  seal: Seal,
  before: Row,
  payload: unknown,
  options: object,
): Promise<Replacement> {
  const { id, operation: name, environment } = before;
  const operation = reportNames.find((one) => one === name);
  if (!operation) throw refusal('replace', `${id}: its operation is not a report`);
  const named = givenMember(payload, operations[operation].reference);
  if (named !== undefined && named !== before.reference) throw otherReport(id);
  // Without it the report would get the time of its correction.
  if (operations[operation].request.optional.includes('timestamp') && !hasAny(payload, ['timestamp']))
    throw new ValidationError(
      `replace: payload.timestamp: ${id} needs the time of the event, not of its correction. Nothing was changed.`,
      { operation: 'replace', issues: [{ path: 'payload.timestamp', code: 'missing', message: 'is required' }] },
    );
  const isLocated = operations[operation].location === 'none' || hasAny(options, PLACE) || hasAny(payload, PLACE);
  const location = isLocated ? undefined : await locationFor(seal, before);
  const ready = await prepare({
    operation,
    payload,
    options: { ...(environment !== 'relay' && { environment }), ...(location && { location }), ...options },
  });
  if (ready.row.id !== id) throw otherReport(id);
  const { body, fingerprint, excerpt } = ready.row;
  return { report: ready.report, replacement: { body, fingerprint, excerpt } };
}

const PLACE = ['location', 'clientIP'];

const hasAny = (value: unknown, names: readonly string[]) =>
  names.some((name) => givenMember(value, name) !== undefined);

/** A member. If its getter throws, the error, which the check of the report refuses. */
export function givenMember(value: unknown, name: string): unknown {
  try {
    return asRecord(value)[name];
  } catch (error) {
    return error;
  }
}

const otherReport = (id: string) =>
  new ValidationError(
    `replace: payload: expected the data of ${id}: its reference and its environment cannot change. Nothing was changed.`,
    { operation: 'replace', issues: [{ path: 'payload', code: 'invalid', message: 'is another report' }] },
  );
