import type { ClientMode } from '../../core/client/payloads.js';
import type { AnyReport } from '../../core/delivery/frozen-report.js';
import { hasCode, ValidationError } from '../../core/errors/errors.js';
import { isStoreError } from '../../core/errors/store-error.js';
import { asRecord } from '../../core/platform/as-record.js';
import { inBatches } from '../../core/platform/in-batches.js';
import { allSettled, numbered } from '../../core/platform/portable.js';
import type { Refused } from '../../core/platform/refused.js';
import { operations, reportNames } from '../../core/protocol/operations.js';
import { contentsOf } from '../../core/protocol/repeats.js';
import { checkArgument, checkOptions } from '../backend-options.js';
import { type Intake, type ReportCall, readReportByName } from '../intake/enqueue.js';
import type { Outbox, ReplacedAll } from '../interface.js';
import { readReference } from '../receipts/reconcile.js';
import { decisionsFor, isChange, replaced } from '../rules/decisions.js';
import { operationScope, type PauseScope, pauseKeyOf } from '../rules/destination.js';
import { type Change, type Decision, LONGEST_REASON, type Row } from '../rules/state-machine.js';
import { hasContents, locationFor } from '../seal/excerpt.js';
import { hasBytes, type Seal } from '../seal/seal.js';
import { ensureOwnGateways } from '../sending/bindings.js';
import type { AccountSettings, OutboxSettings } from '../settings.js';
import type { OutboxStore } from '../store/store.js';
import {
  DECIDED_TOGETHER,
  type DecidedReport,
  type DecisionPlace,
  decideRows,
  type Planned,
  TRIES,
} from './decide-rows.js';
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

interface Correction {
  /** Whether the report has this data already. */
  readonly isSame: boolean;
  readonly change: Change | Refused;
  /** The data in the clear. */
  readonly report?: AnyReport;
}

/** `isOwn`: whether a decision has this correction: data that it has replaced may be deleted by now. */
export interface Corrector {
  readonly intake: Pick<Intake, 'prepare'>;
  readonly seal: Seal;
  readonly isOwn?: (decision: string) => boolean;
}

const RECORDED_ALIKE = 'it is recorded with the same data; time and place were not compared';

/** The one way to plan a correction, of one report or of many. */
export async function planCorrection(
  { intake, seal, isOwn }: Corrector,
  row: Row,
  payload: unknown,
  decision: Decision,
  options: object = {},
): Promise<Correction> {
  const same = { isSame: true, change: { why: 'it has this data already; retry sends it again' } };
  const latest = row.decisions.filter(({ action }) => action === 'replaced').at(-1)?.id;
  if (latest !== undefined && isOwn?.(latest)) return same;
  try {
    const { report, replacement } = await prepareReplacement(intake, seal, row, payload, options);
    const change = replaced(row, decision, replacement);
    // Without its bytes, a report can only be sent with the same data.
    const isErased = row.body === undefined && isChange(change);
    return !isErased && (await hasBytes(seal, row, report.body)) ? same : { isSame: false, change, report };
  } catch (error) {
    const why = decisionsFor(row).replaced;
    // The location of a recorded bet is deleted with its body, and data that is not sent needs none.
    if (why !== undefined && hasCode(error, 'location')) {
      const isLike = await hasContents(seal, row, contentsOf(asRecord(payload))).catch(() => false);
      return { isSame: false, change: { why: isLike ? RECORDED_ALIKE : why } };
    }
    throw error;
  }
}

/**
 * Validates, locates, freezes and seals the data that replaces that of a report. Without a location it keeps that of the
 * report. Rejects with a `ValidationError` if it is not a report of the same operation and reference.
 */
async function prepareReplacement(
  { prepare }: Pick<Intake, 'prepare'>,
  seal: Seal,
  before: Row,
  payload: unknown,
  options: object,
) {
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
    const noteScope = (row: Row) => scopes.set(pauseKeyOf(row), operationScope(row));
    let [changed, same] = [0, 0];

    async function plan(call: ReportCall): Promise<Planned & Pick<Correction, 'isSame'>> {
      const { operation, payload, options } = readReportByName(call);
      const reference = givenMember(payload, operations[operation].reference);
      const { environment = internals.environment ?? 'relay' } = asRecord(options);
      const { id } = readReference({ reference, operation, environment }, {}, { method: 'replaceAll', account });
      const row = await ownRow(store, id, account, 'replaceAll');
      return { row, ...(await planCorrection({ intake, seal }, row, payload, decision, asRecord(options))) };
    }

    async function commit(batch: readonly Item[], tries = 1): Promise<void> {
      const plans = await allSettled(batch.map(({ given }) => plan(given)));
      const found: (Planned & { readonly item: Item })[] = [];
      /** Of a report that an earlier item names, too: the later data wins, as in a batch of its own. */
      const later: Item[] = [];
      const refuse = ({ index }: Item, error: unknown) => void refused.push({ index, error });
      for (const [at, item] of numbered(batch)) {
        const one = plans[at];
        if (one?.status === 'fulfilled') {
          if (found.some(({ row }) => row.id === one.value.row.id)) later.push(item);
          else if (one.value.isSame) {
            same += 1;
            // An earlier call may have been interrupted before it ended the pauses.
            if (one.value.row.decisions.at(-1)?.action === 'replaced') noteScope(one.value.row);
          } else found.push({ ...one.value, item });
        } else if (isStoreError(one?.reason)) throw one.reason;
        else refuse(item, one?.reason);
      }
      const results = await decideRows(place, found, decision);
      const late: Item[] = [];
      for (const {
        row: { id },
        change,
        item,
      } of found) {
        const result = results.find((one) => one.id === id);
        // A settlement may be reopened with its report, and keep the data that it had.
        if (!isChange(change)) refuse(item, refusal('replaceAll', `${id}: ${change.why}`));
        else if (result?.row) {
          changed += 1;
          noteScope(result.row);
        } else if (result?.isLate && tries < TRIES) late.push(item);
        else if (result) refuse(item, refusal('replaceAll', `${id}: ${result.why}`));
      }
      notReopened(results.filter(({ id }) => !found.some(({ row }) => row.id === id)));
      if (late.length > 0) await commit(late, tries + 1);
      if (later.length > 0) await commit(later);
    }

    let index = 0;
    for await (const batch of inBatches(corrections, DECIDED_TOGETHER))
      await commit(batch.map((given) => ({ index: index++, given })));
    for (const scope of scopes.values()) await endPauses(place, scope);
    return { replaced: changed, same, refused: refused.sort((a, b) => a.index - b.index) };
  };
}
