import { shownName } from '../../core/platform/messages.js';
import { touchedRows } from '../../operator/decision-log.js';
import { hasProblem, stateOf } from '../../operator/reports.js';
import { DISMISSED_WITH_REPORT } from '../../outbox/rules/decisions.js';
import { type Row, SHOWN_STATES, type ShownState } from '../../outbox/rules/state-machine.js';
import { toPublicReport } from '../../outbox/store/public-report.js';
import { scanRows } from '../../outbox/store/store.js';
import { matches } from '../../outbox/stores/row-queries.js';
import { EXIT, remark, sayAll, table } from '../output.js';
import type { OpenedOutbox, RunCommand } from './options.js';
import { refusedNote } from './stats.js';
import { duration, time } from './text.js';

/** Reports that need a person come first. */
const OPEN: readonly ShownState[] = ['quarantined', 'in-flight', 'waiting', 'blocked'];

export const list: RunCommand = async (opened, values) => {
  const { limit = 50, json, schema: _, ...filters } = values;
  const { state, code, since = 0, until = Number.MAX_VALUE, decision, account, environment, operation } = filters;
  let printed = 0;
  let hasMore = false;

  async function* rows(): AsyncGenerator<Row> {
    const states = state === undefined ? (decision === undefined ? OPEN : SHOWN_STATES) : [state];
    const decided = decision === undefined ? undefined : await rowsOf(opened, decision);
    for (const one of states) {
      // Blocked reports are stored as waiting ones.
      const query = { state: one === 'blocked' ? 'waiting' : one, account, environment, operation } as const;
      for await (const row of decided ?? scanRows(opened.store, query)) {
        const { changedAt } = row;
        if (stateOf(row) !== one || !matches(row, query) || changedAt < since || changedAt > until) continue;
        if (!hasProblem(row, code)) continue;
        if (printed >= limit) {
          hasMore = true;
          return;
        }
        printed += 1;
        yield row;
      }
    }
  }

  await sayAll(json ? jsonLines(rows()) : tables(rows(), opened.now));
  if (hasMore) remark('\nThere are more. To see them: a larger --limit, or --state, --environment and --operation');
  if (json) return EXIT.done;
  if (printed === 0)
    remark(
      Object.keys(filters).length > 0
        ? `No ${state || decision ? '' : 'open '}report fits these filters.`
        : 'No report waits, and none needs a person.',
    );
  const { refused } = await opened.store.counts(account === undefined ? undefined : [account]);
  if (refused > 0) remark(`\nOf the waiting reports of all environments, ${refusedNote(refused)}.`);
  const made = decision === undefined ? undefined : (await opened.operator.decisions({ id: decision })).decisions[0];
  if (made) {
    const { action, at, who, reason, about } = made;
    const file = 'file' in about ? `\nIts file has the SHA-256 ${about.file}` : '';
    remark(`\nThe decision: ${action}, ${time(at)}, by ${who}${reason && `: ${reason}`}${file}`);
  }
  if (printed > 0) remark(`\nTo see one of them in full: ${opened.command} show <report>`);
  return EXIT.done;
};

async function rowsOf({ store: { operator } }: OpenedOutbox, decision: string): Promise<Row[]> {
  const rows: Row[] = [];
  if (operator) for await (const some of touchedRows(operator, decision)) rows.push(...some);
  return rows;
}

async function* jsonLines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(toPublicReport(row))}\n`;
}

const NAMES = ['STATE', 'FOR', 'TRIES', 'DOUBT', 'PROBLEM', 'REPORT'];

async function* tables(rows: AsyncIterable<Row>, now: number): AsyncGenerator<string> {
  const cells = [NAMES];
  for await (const row of rows) {
    const { state, changedAt, attempts, inDoubt, problem, id } = row;
    // The gateway has not answered a settlement that was dismissed with its report. Its problem is for a reopening.
    cells.push([
      stateOf(row),
      duration(now - changedAt),
      String(attempts),
      inDoubt ? 'yes' : '-',
      state === 'dismissed' && problem?.message === DISMISSED_WITH_REPORT.message ? '-' : (problem?.code ?? '-'),
      shownName(id),
    ]);
  }
  if (cells.length > 1) yield `${table(cells)}\n`;
}
