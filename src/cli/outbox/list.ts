import { shownName } from '../../core/platform/messages.js';
import { stateOf } from '../../operator/reports.js';
import type { Row, ShownState } from '../../outbox/rules/state-machine.js';
import { toPublicReport } from '../../outbox/store/public-report.js';
import { scanRows } from '../../outbox/store/store.js';
import { EXIT, remark, sayAll, table } from '../output.js';
import type { OpenedOutbox } from './opened-outbox.js';
import type { OutboxValues } from './options.js';
import { duration } from './text.js';

/** Reports that need a person come first. */
const OPEN: readonly ShownState[] = ['quarantined', 'in-flight', 'waiting', 'blocked'];

export async function list(opened: OpenedOutbox, values: OutboxValues): Promise<number> {
  const { state, account, environment, operation, limit = 50, json } = values;
  let printed = 0;
  let hasMore = false;

  async function* rows(): AsyncGenerator<Row> {
    for (const one of state === undefined ? OPEN : [state]) {
      // Blocked reports are stored as waiting ones.
      const query = { state: one === 'blocked' ? 'waiting' : one, account, environment, operation } as const;
      for await (const row of scanRows(opened.store, query)) {
        if (stateOf(row) !== one) continue;
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
  if (json) return EXIT.done;
  if (printed === 0) remark(state === undefined ? 'No report waits, and none needs a person.' : 'No report matches.');
  if (hasMore) remark('\nThere are more. To see them: a larger --limit, or --state, --environment and --operation');
  if (printed > 0) remark(`\nTo see one of them in full: ${opened.command} show <report>`);
  return EXIT.done;
}

async function* jsonLines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(toPublicReport(row))}\n`;
}

const NAMES = ['STATE', 'FOR', 'TRIES', 'DOUBT', 'PROBLEM', 'REPORT'];

async function* tables(rows: AsyncIterable<Row>, now: number): AsyncGenerator<string> {
  const cells = [NAMES];
  for await (const row of rows) {
    const { changedAt, attempts, inDoubt, problem, id } = row;
    cells.push([
      stateOf(row),
      duration(now - changedAt),
      String(attempts),
      inDoubt ? 'yes' : '-',
      problem?.code ?? '-',
      shownName(id),
    ]);
  }
  if (cells.length > 1) yield `${table(cells)}\n`;
}
