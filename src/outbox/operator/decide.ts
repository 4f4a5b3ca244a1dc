import { hasCode, ValidationError } from '../../errors/errors.js';
import { asRecord } from '../../platform/as-record.js';
import { printable } from '../../platform/messages.js';
import { operations, reportNames } from '../../protocol/operations.js';
import type { Intake } from '../intake/enqueue.js';
import { checkName } from '../method-options.js';
import { appendReceipts } from '../receipts/log.js';
import {
  type Change,
  changedRow,
  type Decision,
  DISMISSED_WITH_REPORT,
  decided,
  dismissedWithReport,
  isFinal,
  type Row,
  reopenedWithReport,
  replaced,
  wasDismissedWith,
  wrongOf,
} from '../rules/state-machine.js';
import type { DecisionStep, KeptDecision } from '../store/operator-store.js';
import type { OutboxStore } from '../store/store.js';
import { isShown, type OperatorContext } from './context.js';
import {
  type AllQuarantined,
  beginOrGoOn,
  type DecisionRecord,
  recordOf,
  type Selection,
  type Who,
} from './decision-log.js';
import { relatedRows } from './reports.js';

export interface DecideRequest extends Who {
  /** `'retry'`: send it again. `'recorded'`: the gateway holds it. `'dismissed'`: never send it. */
  readonly action: 'retry' | 'recorded' | 'dismissed';
  readonly selection: Selection | AllQuarantined;
  /**
   * For a group: only reports that were quarantined by this time. Pass the `now` of the answer that the person saw.
   * Default: the begin of the decision.
   */
  readonly asOf?: number | undefined;
  /**
   * Whether a dismissal also dismisses the open settlements of the reports, each in the commit of its report: no worker
   * can send one in between.
   */
  readonly withSettlements?: boolean | undefined;
  /** The time limit of this call. It makes at least one commit. Default: 2,000. */
  readonly forMs?: number | undefined;
}

export interface DecisionProgress {
  readonly decision: DecisionRecord;
  /** Whether there is more to do: call again with the same request. */
  readonly more: boolean;
  /** At most 20 reports that this call did not change, with the reasons. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/** A report after a decision: its row, or the reason why it was not changed. */
export type DecidedReport =
  | { readonly id: string; readonly row: Row; readonly why?: undefined }
  | { readonly id: string; readonly why: string; readonly row?: undefined };

/** The number of rows in a commit. Ending a row costs more than a retry, and workers wait for the rows of a commit. */
const PAGES: Readonly<Record<Decision['action'], number>> = {
  retry: 1_000,
  recorded: 100,
  dismissed: 100,
  reopened: 100,
  replaced: 1,
};
export const DEFAULT_MS = 2_000;
const MOST_REFUSED = 20;

/**
 * Carries out a person's decision about reports, and stores it in the log of decisions. Works in small commits: while
 * `more` is true, call it again with the same request. Each row is changed once, however often it is called. `tell` gets
 * the results of each commit of this call.
 */
export const decide = (
  context: OperatorContext,
  request: DecideRequest,
  tell: (results: readonly DecidedReport[]) => void = () => {},
): Promise<DecisionProgress> => carryOut(context, request, tell);

export interface ReopenRequest extends Who, Pick<DecideRequest, 'forMs'> {
  /** At most 500. */
  readonly ids: readonly string[];
}

/**
 * Reopens dismissed reports: each is as before its dismissal, with its doubt and its problem. A settlement that was
 * dismissed with its initiated report is reopened with it. Works in small commits, as `decide`. To reopen all reports of
 * a dismissal, undo it.
 */
export const reopen = (
  context: OperatorContext,
  { ids, ...request }: ReopenRequest,
  tell: (results: readonly DecidedReport[]) => void = () => {},
): Promise<DecisionProgress> => carryOut(context, { ...request, action: 'reopened', selection: { ids } }, tell);

export interface ReplaceRequest extends Who {
  readonly id: string;
  /** The sealed bytes of the new data, with the reference and the operation of the report. */
  readonly replacement: NonNullable<Change['replacement']>;
}

/**
 * Sends other data under the reference of a report, while it is certain that the gateway has recorded nothing under it.
 * A settlement that was dismissed with the report is reopened.
 */
export const replace = (
  context: OperatorContext,
  { id, replacement, ...request }: ReplaceRequest,
  tell: (results: readonly DecidedReport[]) => void = () => {},
): Promise<DecisionProgress> =>
  carryOut(context, { ...request, action: 'replaced', selection: { ids: [id] } }, tell, (row, decision) =>
    replaced(row, decision, replacement),
  );

type AnyRequest = Omit<DecideRequest, 'action'> & Pick<Decision, 'action'>;

async function carryOut(
  context: OperatorContext,
  request: AnyRequest,
  tell: (results: readonly DecidedReport[]) => void,
  planRow = (row: Row, decision: Decision): Change | string => plan(row, decision, context.keepBodies),
): Promise<DecisionProgress> {
  const { action, selection, who, reason, asOf, forMs = DEFAULT_MS } = request;
  const withSettlements = request.withSettlements === true && action === 'dismissed';
  const begun = await beginOrGoOn(context, request, { action, about: selection, asOf, done: false });
  const decision: Decision = { action, reason, at: begun.at, by: who, id: begun.id };
  const refused: DecidedReport[] = [];

  async function next(at: KeptDecision): Promise<Page> {
    if (isReopening(action)) await appendReceipts(context.store);
    const { rows, ...page } = await selectRows(context, selection, at, PAGES[action]);
    const own = rows
      .filter((row) => !isLeftToItsReport(row) && !isLater(row, at))
      .map((row) => ({ row, change: planRow(row, decision) }));
    const planned = isReopening(action) || withSettlements ? await addSettlements(context.store, own, decision) : own;
    return { ...page, planned };
  }

  /** Whether a row was quarantined after the begin of a verdict about all reports: the person has not seen it. */
  const isLater = ({ changedAt }: Row, { asOf }: KeptDecision): boolean =>
    'all' in selection && action !== 'retry' && Math.trunc(changedAt) > asOf;

  /** Whether a row that is named is a settlement that is dismissed with its initiated report, which is named too. */
  const isLeftToItsReport = ({ waitsFor = '', blocked, state }: Row): boolean =>
    withSettlements && 'ids' in selection && (blocked || state === 'dismissed') && selection.ids.includes(waitsFor);

  async function made(results: readonly DecidedReport[], { planned }: Page): Promise<void> {
    const now = results.flatMap(({ row }) => row ?? []);
    refused.push(...results.filter(({ row }) => !row).slice(0, MOST_REFUSED - refused.length));
    if (now.length > 0) context.decided(now, action);
    tell(results);
    const isMade = (id: string | undefined) => now.some((row) => row.id === id);
    for (const { row, change } of planned)
      if (isAlong(row, change) && isMade(row.id) && !isMade(row.waitsFor))
        await reopenAlone(context.store, row, decision);
  }

  const kept = await makeCommits(context, begun, forMs, next, made);
  await context.afterDecision(action);
  return {
    decision: recordOf(kept),
    more: !kept.done && kept.undoneBy === undefined,
    refused: refused.map(({ id, why = '' }) => ({ id: printable(id), why: printable(why) })),
  };
}

/** The change of a row by a decision, or the reason why it is refused. Each decision changes a row once. */
export function plan(row: Row, decision: Decision, keepBodies: boolean): Change | string {
  if (decision.id !== undefined && row.decisions.some(({ id }) => id === decision.id))
    return 'this decision has already changed it';
  if (row.blocked && decision.action === 'retry')
    return `it is blocked: it is sent once ${row.waitsFor ?? 'another report'} is recorded or dismissed; decide on that one`;
  return decided(row, decision, keepBodies);
}

interface SelectedRows {
  readonly rows: readonly Row[];
  /** The ids of rows that do not exist, or that are not shown. */
  readonly missing: readonly string[];
  readonly to: number;
  readonly done: boolean;
}

/** Reads the rows of the next step. The cursor counts ids, or is the `sequence` of the last row. */
export async function selectRows(
  context: OperatorContext,
  selection: DecideRequest['selection'],
  { asOf, cursor }: Pick<KeptDecision, 'asOf' | 'cursor'>,
  limit: number,
): Promise<SelectedRows> {
  const { store } = context;
  if ('ids' in selection) {
    const ids = selection.ids.slice(cursor, cursor + limit);
    const found = (await store.get(ids)).map((row) => (row && isShown(context, row.account) ? row : undefined));
    return {
      rows: found.flatMap((row) => row ?? []),
      missing: ids.filter((_, index) => !found[index]),
      to: cursor + ids.length,
      done: cursor + limit >= selection.ids.length,
    };
  }
  const isAll = 'all' in selection;
  const { code = undefined, ...where } = isAll ? selection.all : {};
  const read = isAll
    ? await store.list({ ...where, state: 'quarantined', after: cursor, limit })
    : isShown(context, selection.group.account)
      ? await context.console.quarantined({ of: selection.group, asOf, after: cursor, limit })
      : [];
  return {
    rows: isAll
      ? read.filter(
          (row) => isShown(context, row.account) && (code ?? wrongOf(row.problem).code) === wrongOf(row.problem).code,
        )
      : read,
    missing: [],
    to: read.at(-1)?.sequence ?? cursor,
    done: read.length < limit,
  };
}

/** A row with its change, or with the reason why it is not changed. */
export interface Planned {
  readonly row: Row;
  readonly change: Change | string;
}

export interface Page extends Pick<SelectedRows, 'to' | 'done'> {
  readonly planned: readonly Planned[];
  readonly missing?: readonly string[];
}

/** The pause after each commit is half as long as the commit, within these limits, so that others can write. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

const isChanging = (one: Planned): one is Planned & { readonly change: Change } => typeof one.change !== 'string';

const writeOf = ({ row, change }: { row: Row; change: Change }): DecisionStep['writes'][number] => ({
  id: row.id,
  sequence: row.sequence,
  expected: { state: row.state, fence: row.fence },
  change,
});

/**
 * Makes the commits of a stored decision, until it is done or the time limit is reached. If other processes work on the
 * same decision, only one of them makes each commit. `made` gets the results of each commit, and none in the others.
 */
export async function makeCommits(
  { clock, console: store }: OperatorContext,
  begun: KeptDecision,
  forMs: number,
  next: (decision: KeptDecision) => Promise<Page>,
  made: (results: readonly DecidedReport[], page: Page) => unknown,
): Promise<KeptDecision> {
  const end = clock.now() + forMs;
  let decision = begun;
  while (!decision.done && decision.undoneBy === undefined) {
    const began = performance.now();
    const page = await next(decision);
    const { planned, missing = [], to, done } = page;
    const changing = planned.filter(isChanging);
    const skipped = planned.length - changing.length + missing.length;
    const { id, cursor: from } = decision;
    const written = await store.step({ id, from, to, done, skipped, writes: changing.map(writeOf) });
    // Without a result, another process has made this step or undone the decision, and nothing is decided here.
    await made(written ? resultsOf(page, written) : [], page);
    decision = (await store.decision(id)) ?? { ...decision, done: true };
    if (decision.done || clock.now() >= end) break;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, (performance.now() - began) / 2));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, pauseMs));
  }
  return decision;
}

/** The results of a commit. `written` has an item for each row with a change. */
function resultsOf(
  { planned, missing = [] }: Pick<Page, 'planned' | 'missing'>,
  written: readonly boolean[],
): DecidedReport[] {
  const isWritten = written.values();
  return [
    ...missing.map((id) => ({ id, why: 'the outbox does not have this report' })),
    ...planned.map((one) => {
      const { id } = one.row;
      if (!isChanging(one)) return { id, why: String(one.change) };
      if (isWritten.next().value !== true) return { id, why: 'it was changed in the meantime' };
      return { id, row: changedRow(one.row, one.change) };
    }),
  ];
}

/** Whether an action changes dismissed rows. Each of them has a line in the receipt log first. */
const isReopening = (action: Decision['action']): boolean => action === 'reopened' || action === 'replaced';

const isOpenSettlementOf = ({ waitsFor, state }: Row, { id }: Row): boolean => waitsFor === id && !isFinal(state);

/**
 * Adds the settlements about which a decision decides in the commit of their initiated reports, each with its change:
 * those that were dismissed with them are reopened, or the open ones are dismissed. A settlement that is among the
 * reports is decided about with its initiated one, too.
 */
export async function addSettlements(
  store: OutboxStore,
  planned: readonly Planned[],
  decision: Decision,
): Promise<Planned[]> {
  const isBack = isReopening(decision.action);
  const found: Planned[] = [];
  for (const { row } of planned.filter(isChanging)) {
    const isMeant = (one: Row) => (isBack ? wasDismissedWith(one, row) : isOpenSettlementOf(one, row));
    const settlement = (await relatedRows(store, row)).find(isMeant);
    const planSettlement = isBack ? reopenedWithReport : dismissedWithReport;
    if (settlement) found.push({ row: settlement, change: planSettlement(settlement, decision) });
  }
  return [...planned.filter(({ row }) => !found.some((one) => one.row.id === row.id)), ...found];
}

/** The number of tries to write a decision while workers change the row. */
const TRIES = 5;

/**
 * Writes the decision of a program about one report: without a name, and not in the log of decisions. Returns the report,
 * and then the results of the settlements that are reopened with it. Rejects with a `ValidationError` if the row does
 * not allow it, or belongs to another account.
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
    const change = planRow(row);
    if (typeof change === 'string') throw refusal(name, `${id}: ${change}`);
    const own = { row, change };
    const planned = isReopening(decision.action) ? await addSettlements(store, [own], decision) : [own];
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

/** The open settlement that waits for an initiated report. */
export const openSettlementOf = async (store: OutboxStore, row: Row): Promise<Row | undefined> =>
  (await relatedRows(store, row)).find((one) => isOpenSettlementOf(one, row));

/** Whether a waiting settlement was dismissed with its initiated report. */
const isAlong = ({ state }: Row, change: Change | string): boolean =>
  state === 'waiting' && typeof change !== 'string' && change.problem === DISMISSED_WITH_REPORT;

/**
 * Reopens a settlement whose initiated report another person has changed at the moment of its dismissal: that report may
 * be sent, and its settlement after it.
 */
async function reopenAlone(
  store: OutboxStore,
  { id, account, waitsFor = '' }: Row,
  { id: _, ...decision }: Decision,
): Promise<void> {
  const [initiated] = await store.get([waitsFor]);
  if (initiated?.state === 'dismissed') return;
  try {
    const reopening: Decision = { ...decision, action: 'reopened' };
    await decideRow(store, id, account, reopening, (row) => reopenedWithReport(row, reopening));
  } catch (error) {
    // Another person has decided about it since, and that decision stays.
    if (!hasCode(error, 'validation')) throw error;
  }
}

/**
 * Validates, locates, freezes and seals the data that replaces that of a report. Rejects with a `ValidationError` if it
 * is not a report of the same operation and reference.
 */
export async function prepareReplacement(
  { prepare }: Pick<Intake, 'prepare'>,
  { id, operation: name, environment }: Row,
  payload: unknown,
  options: object,
): Promise<NonNullable<Change['replacement']>> {
  const operation = reportNames.find((one) => one === name);
  if (!operation) throw refusal('replace', `${id}: its operation is not a report`);
  // Without it the report would get the time of its correction.
  if (operations[operation].request.optional.includes('timestamp') && !hasTime(payload))
    throw new ValidationError(
      `replace: payload.timestamp: is required: the time of the event, not of its correction. Nothing was changed.`,
      { operation: 'replace', issues: [{ path: 'payload.timestamp', code: 'missing', message: 'is required' }] },
    );
  const ready = await prepare({
    operation,
    payload,
    options: environment === 'relay' ? options : { environment, ...options },
  });
  if (ready.row.id !== id) throw otherReport(id);
  const { body, fingerprint, excerpt } = ready.row;
  return { body, fingerprint, excerpt };
}

/** Whether data has a time. The check of the payload refuses a getter that throws. */
function hasTime(payload: unknown): boolean {
  try {
    return asRecord(payload).timestamp !== undefined;
  } catch {
    return true;
  }
}

const otherReport = (id: string) =>
  new ValidationError(
    `replace: payload: expected the data of ${id}: its reference and its environment cannot change. Nothing was changed.`,
    { operation: 'replace', issues: [{ path: 'payload', code: 'invalid', message: 'is another report' }] },
  );
