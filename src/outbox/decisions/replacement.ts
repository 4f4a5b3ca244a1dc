import type { ClientMode } from '../../core/client/payloads.js';
import type { AnyReport } from '../../core/delivery/frozen-report.js';
import { hasCode, ValidationError } from '../../core/errors/errors.js';
import { isStoreError } from '../../core/errors/store-error.js';
import { asRecord } from '../../core/platform/as-record.js';
import { allSettled, numbered } from '../../core/platform/portable.js';
import { operations, reportNames } from '../../core/protocol/operations.js';
import { checkArgument, checkOptions } from '../backend-options.js';
import { type Intake, type ReportCall, readReportByName } from '../intake/enqueue.js';
import type { Outbox, ReplacedAll } from '../interface.js';
import { inBatches } from '../receipts/log.js';
import { readReference } from '../receipts/reconcile.js';
import { decisionsFor, replaced } from '../rules/decisions.js';
import { operationScope, type PauseScope, pauseKeyOf } from '../rules/destination.js';
import { type Change, type Decision, LONGEST_REASON, type Row } from '../rules/state-machine.js';
import { locationFor } from '../seal/excerpt.js';
import { hasBytes, type Seal } from '../seal/seal.js';
import { ensureOwnGateways } from '../sending/bindings.js';
import type { AccountSettings, OutboxSettings } from '../settings.js';
import type { OutboxStore } from '../store/store.js';
import { type DecidedReport, type DecisionPlace, decideRows, type Planned, TRIES } from './decide-rows.js';
import { endPauses, type PausePlace } from './end-pauses.js';

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
function givenMember(value: unknown, name: string): unknown {
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

/** The number of reports in a commit: workers wait for it. */
export const CORRECTED_TOGETHER = 100;

interface Parts {
  readonly settings: OutboxSettings;
  readonly account: AccountSettings;
  readonly intake: Intake;
  readonly place: DecisionPlace & PausePlace;
  /** Hears of the settlements that could not be reopened with their reports. */
  notReopened(settlements: readonly DecidedReport[]): void;
}

interface Item {
  readonly index: number;
  readonly given: ReportCall;
}

export function replaceAllMethod<Mode extends ClientMode>({
  settings,
  account: { account, internals },
  intake,
  place,
  notReopened,
}: Parts): Outbox<Mode>['replaceAll'] {
  const { store, seal } = settings;

  return async (corrections, given) => {
    checkOptions('replaceAll', given);
    const reason = reasonOf('replaceAll', given);
    const decision: Decision = { action: 'replaced', reason, at: internals.clock.now() };
    await ensureOwnGateways(settings);
    const refused: ReplacedAll['refused'][number][] = [];
    const scopes = new Map<string, PauseScope>();
    let [changed, same] = [0, 0];

    /** Undefined if the report has this data already. */
    async function plan(call: ReportCall): Promise<Planned | undefined> {
      const { operation, payload, options } = readReportByName(call);
      const reference = givenMember(payload, operations[operation].reference);
      const { environment = internals.environment ?? 'relay' } = asRecord(options);
      const names = { method: 'replaceAll', account };
      const row = await ownRow(
        store,
        readReference({ reference, operation, environment }, {}, names).id,
        account,
        'replaceAll',
      );
      const { isSame, why, replacement } = await prepareCorrection(intake, seal, row, payload, asRecord(options));
      if (isSame) return undefined;
      if (!replacement || why !== undefined) throw refusal('replaceAll', `${row.id}: ${why}`);
      return { row, change: replaced(row, decision, replacement) };
    }

    async function commit(batch: readonly Item[], tries = 1): Promise<void> {
      const plans = await allSettled(batch.map(async (one) => ({ ...one, planned: await plan(one.given) })));
      for (const [at, { status, ...one }] of numbered(plans)) {
        if (status === 'fulfilled') continue;
        const error = asRecord(one).reason;
        if (isStoreError(error)) throw error;
        refused.push({ index: batch[at]?.index ?? 0, error });
      }
      const found = plans.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const own = found.flatMap(({ planned }) => planned ?? []);
      same += found.length - own.length;
      const results = await decideRows(place, own, decision);
      const late: Item[] = [];
      for (const { planned, ...item } of found) {
        const result = planned && results.find(({ id }) => id === planned.row.id);
        if (!result) continue;
        if (result.isLate && tries < TRIES) late.push(item);
        else if (!result.row)
          refused.push({ index: item.index, error: refusal('replaceAll', `${result.id}: ${result.why}`) });
        else {
          changed += 1;
          scopes.set(pauseKeyOf(result.row), operationScope(result.row));
        }
      }
      notReopened(results.filter(({ id }) => !own.some(({ row }) => row.id === id)));
      if (late.length > 0) await commit(late, tries + 1);
    }

    let index = 0;
    for await (const batch of inBatches(corrections, CORRECTED_TOGETHER))
      await commit(batch.map((given) => ({ index: index++, given })));
    for (const scope of scopes.values()) await endPauses(place, scope);
    return { replaced: changed, same, refused: refused.sort((a, b) => a.index - b.index) };
  };
}
