import { ValidationError } from '../../core/errors/errors.js';
import { asRecord } from '../../core/platform/as-record.js';
import { operations, reportNames } from '../../core/protocol/operations.js';
import type { Intake } from '../intake/enqueue.js';
import { checkName } from '../method-options.js';
import { appendReceipts } from '../receipts/log.js';
import { type Change, changedRow, type Decision, type Row } from '../rules/state-machine.js';
import { locationFor } from '../seal/excerpt.js';
import type { Seal } from '../seal/seal.js';
import type { OutboxStore } from '../store/store.js';
import { type DecidedReport, isChanging, resultsOf, writeOf } from './commit-decision.js';
import { addSettlements, isReopening } from './settlements.js';

/** The number of tries to write a decision while workers change the row. */
const TRIES = 5;

/**
 * Writes the decision of a program about one report: without a name, and not in the log of decisions. Returns the
 * report, and then the results of the settlements that are reopened with it. Rejects with a `ValidationError` if the
 * row does not allow it, or belongs to another account.
 */
export async function decideRow(
  store: OutboxStore,
  id: string,
  account: string,
  decision: Decision,
  planRow: (row: Row) => Change | string,
): Promise<readonly [Row, ...DecidedReport[]]> {
  const name = METHODS[decision.action];
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (isReopening(decision.action)) await appendReceipts(store);
    const row = await ownRow(store, id, account, name);
    const own = { row, change: planRow(row) };
    const planned = isReopening(decision.action) ? await addSettlements(store, [own], decision) : [own];
    const [{ change } = own] = planned;
    if (typeof change === 'string') throw refusal(name, `${id}: ${change}`);
    const writes = planned.filter(isChanging).map(writeOf);
    const { written } = await store.turn({ writes, claim: undefined });
    if (written[0] !== true) continue;
    return [changedRow(row, change), ...resultsOf({ planned: planned.slice(1) }, written.slice(1))];
  }
  throw refusal(name, `${id}: other processes keep changing it; try again`);
}

/** The row of a method's id. An account does not see the reports of another one. */
export async function ownRow(store: OutboxStore, id: string, account: string, name: Method): Promise<Row> {
  checkName(name, { id });
  const [row] = await store.get([id]);
  if (row?.account === account) return row;
  throw refusal(name, `the outbox has no report ${JSON.stringify(id)}`);
}

type Method = 'retry' | 'resolve' | 'reopen' | 'replace';

const METHODS: Readonly<Record<Decision['action'], Method>> = {
  retry: 'retry',
  recorded: 'resolve',
  dismissed: 'resolve',
  reopened: 'reopen',
  replaced: 'replace',
};

export const refusal = (operation: Method, message: string): ValidationError =>
  new ValidationError(`${operation}: ${message}.`, { operation, issues: [{ path: 'id', code: 'invalid', message }] });

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
): Promise<NonNullable<Change['replacement']>> {
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
  return { body, fingerprint, excerpt };
}

/** The members that say where an event happened. */
const PLACE = ['location', 'clientIP'];

/** Whether a value has one of these members. */
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
