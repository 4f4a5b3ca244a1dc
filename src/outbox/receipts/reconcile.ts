import { ValidationError } from '../../core/errors/errors.js';
import { type AnyIterable, inBatches } from '../../core/platform/in-batches.js';
import { type ReportName, reportNames } from '../../core/protocol/operations.js';
import { checkOptions } from '../backend-options.js';
import { isDistinctReference, rowId } from '../intake/enqueue.js';
import type { OutboxEnvironment } from '../rules/destination.js';
import { outcomeOf } from '../rules/receipt-entry.js';
import { isFinal, type Row, type RowState } from '../rules/state-machine.js';
import type { OutboxStore } from '../store/store.js';
import { createReceiptFinder } from './find-receipt.js';

/** An item of the operator's own list. */
export interface ReportReference {
  /** Its `bet_id` or `request_id`. */
  readonly reference: string;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation?: ReportName | undefined;
  /** The environment to which the report went. */
  readonly environment?: OutboxEnvironment | undefined;
}

/** The values for items that leave them out. */
export interface ReconcileDefaults {
  /** The called function, for example `'reportBetEvent'`. */
  operation?: ReportName | undefined;
  /** The environment to which the reports went. */
  environment?: OutboxEnvironment | undefined;
}

/** The state of a report in the outbox. */
export interface Reconciled {
  /** Its identifier. */
  readonly id: string;
  /** The environment to which the report went. */
  readonly environment: OutboxEnvironment;
  /** The called function, for example `'reportBetEvent'`. */
  readonly operation: ReportName;
  /** The report's `bet_id` or `request_id`. */
  readonly reference: string;
  /** Its state. `'never-seen'`: this store does not have the report. */
  readonly state: RowState | 'never-seen';
  /** The result of a recorded report. `'declared-recorded'`: a person said that the gateway holds it. */
  readonly outcome: Row['outcome'] | 'declared-recorded';
  /** The problem of a report that is not recorded yet. */
  readonly problem: Row['problem'];
  /** The time of enqueueing, in milliseconds since 1970, by the store's clock. Undefined if it was never seen. */
  readonly enqueuedAt: number | undefined;
  /** The time at which it was recorded or dismissed. Undefined if it is open. */
  readonly endedAt: number | undefined;
  /** The `index` of its entry in the receipt log. Undefined if there is none yet. */
  readonly receipt: number | undefined;
}

type ComparedStore = Pick<OutboxStore, 'get' | 'receipts'>;
type AskedReport = Pick<Reconciled, 'id' | 'environment' | 'operation' | 'reference'>;

const BATCH = 500;

export async function* reconcile(
  store: ComparedStore,
  account: string,
  references: AnyIterable<string | ReportReference>,
  defaults: ReconcileDefaults = {},
): AsyncGenerator<Reconciled> {
  checkOptions('reconcile', defaults);
  const findReceipt = createReceiptFinder(store.receipts);
  async function* asked() {
    let index = 0;
    for await (const item of references) {
      yield readReference(item, defaults, { method: 'reconcile', account, path: `references[${index}].` });
      index += 1;
    }
  }
  for await (const batch of inBatches(asked(), BATCH)) yield* look(store, findReceipt, batch);
}

async function* look(
  store: ComparedStore,
  findReceipt: ReturnType<typeof createReceiptFinder>,
  asked: readonly AskedReport[],
): AsyncGenerator<Reconciled> {
  // A store may fail at an invalid reference, or take it for another one. No report has one.
  const ids = asked.filter(({ reference }) => isDistinctReference(reference)).map(({ id }) => id);
  const rows = ids.length > 0 ? await store.get(ids) : [];
  const found = new Map(ids.map((id, place) => [id, rows[place]]));
  for (const one of asked) {
    const row = found.get(one.id);
    const isOver = row !== undefined && isFinal(row.state);
    const outcome = row?.state === 'recorded' ? outcomeOf(row) : undefined;
    yield {
      ...one,
      state: row?.state ?? 'never-seen',
      outcome: outcome === 'dismissed' ? undefined : outcome,
      problem: row?.problem,
      enqueuedAt: row?.enqueuedAt,
      endedAt: isOver ? row.changedAt : undefined,
      receipt: isOver ? await findReceipt(row) : undefined,
    };
  }
}

/** Reads the name of a report. The error shows no value, which may be personal data. */
export function readReference(
  item: unknown,
  defaults: ReconcileDefaults,
  { method, account, path = '' }: { method: string; account: string; path?: string },
): AskedReport {
  const elsewhere = path === '' ? '' : ', here or in the second argument';
  const given: Record<string, unknown> = {
    ...defaults,
    ...definedMembers(typeof item === 'string' ? { reference: item } : item),
  };
  const { reference, operation, environment } = given;
  const problems: [string, string][] = [];
  if (typeof reference !== 'string' || reference.trim() === '')
    problems.push(['reference', 'expected a bet_id or request_id as text']);
  if (!isReport(operation)) problems.push(['operation', `expected ${reportNames.join(', ')}${elsewhere}`]);
  if (environment !== 'staging' && environment !== 'production' && environment !== 'relay')
    problems.push(['environment', `expected staging or production${elsewhere}`]);
  if (problems.length > 0) {
    const issues = problems.map(([name, message]) => ({ path: `${path}${name}`, code: 'invalid', message }) as const);
    throw new ValidationError(`${method}: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`, {
      operation: method,
      issues,
    });
  }
  const [where, what, name] = [environment as OutboxEnvironment, operation as ReportName, reference as string];
  return {
    id: rowId({ account, environment: where }, what, name),
    environment: where,
    operation: what,
    reference: name,
  };
}

const isReport = (name: unknown): name is ReportName => reportNames.some((report) => report === name);

const definedMembers = (item: unknown): Record<string, unknown> =>
  typeof item === 'object' && item !== null
    ? Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))
    : {};
