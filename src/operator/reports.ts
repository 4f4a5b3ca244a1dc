import { printable, shownName } from '../core/platform/messages.js';
import type { Problem, Row, ShownState } from '../outbox/rules/state-machine.js';
import type { OutboxStore } from '../outbox/store/store.js';

export interface ShownProblem {
  /** `'conflict'`: the gateway holds other data. */
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly details: string | null;
}

export interface ReportSummary
  extends Pick<
    Row,
    | 'id'
    | 'sequence'
    | 'account'
    | 'environment'
    | 'operation'
    | 'reference'
    | 'attempts'
    | 'inDoubt'
    | 'enqueuedAt'
    | 'changedAt'
  > {
  readonly state: ShownState;
  readonly problem: ShownProblem | null;
}

export const stateOf = ({ state, blocked }: Pick<Row, 'state' | 'blocked'>): ShownState =>
  blocked ? 'blocked' : state;

/** Without a code, every row has it. */
export const hasProblem = ({ problem }: Row, code: string | undefined): boolean =>
  code === undefined || code === problem?.code;

/** Escapes control characters. Null if there is none. */
export const shownText = (text: string | undefined): string | null => (text === undefined ? null : printable(text));

export function shownProblem({ code, message, status, requestId, details }: Problem): ShownProblem {
  return {
    code,
    message: printable(message),
    status: status ?? null,
    requestId: shownText(requestId),
    details: details === undefined ? null : printable(JSON.stringify(details)),
  };
}

export function summaryOf(row: Row): ReportSummary {
  const { sequence, account, environment, operation, attempts, inDoubt, enqueuedAt, changedAt, problem } = row;
  return {
    id: shownName(row.id),
    sequence,
    account,
    environment,
    operation,
    reference: shownName(row.reference),
    state: stateOf(row),
    attempts,
    inDoubt,
    enqueuedAt,
    changedAt,
    problem: problem ? shownProblem(problem) : null,
  };
}

/** Larger than the number of reports of one reference in all accounts and environments. */
const MOST_OF_REFERENCE = 500;

/** The one with this id, or those with this reference. */
export async function rowsNamed(store: Pick<OutboxStore, 'get' | 'list'>, name: string): Promise<readonly Row[]> {
  const [row] = await store.get([name]);
  return row ? [row] : store.list({ reference: name, limit: MOST_OF_REFERENCE });
}
