import type { Row, RowState } from '../../../outbox/record.js';
import { shown } from '../../../outbox/shown.js';
import { EXIT, remark, sayAll } from '../output.js';
import type { OutboxValues } from './command.js';
import { duration, printable, table, type View } from './printable.js';

/** What is not recorded, in the order in which it needs a person. */
const OPEN: readonly RowState[] = ['quarantined', 'in-flight', 'waiting'];
const PAGE = 500;

/** Prints reports as a table; the id comes last, since it may be long. */
export async function list(view: View, { state, environment, operation, limit = 50, after, json }: OutboxValues): Promise<number> {
  let printed = 0;
  let last: Row | undefined;
  let more = false;

  async function* rows(): AsyncGenerator<Row> {
    for (const one of state === undefined ? OPEN : [state]) {
      for (let from = after ?? 0; ; ) {
        // One more than asked for, to know whether there are any.
        const page = await view.store.list({ state: one, environment, operation, after: from, limit: Math.min(PAGE, limit - printed + 1) });
        for (const row of page) {
          more = printed >= limit;
          if (more) return;
          printed += 1;
          last = row;
          yield row;
        }
        const end = page.at(-1);
        if (!end || page.length < Math.min(PAGE, limit - printed + 1)) break;
        from = end.sequence;
      }
    }
  }

  await sayAll(json ? jsonLines(rows()) : tables(rows(), view.now));
  if (json) return EXIT.done;
  const next = view.command;
  if (printed === 0) remark(state === undefined ? 'No report waits, and none needs a person.' : 'No such report.');
  else if (more)
    remark(
      state === undefined
        ? `\nThere are more: use --limit, or --state and --after.`
        : `\nThere are more: ${next} list --state ${state} --after ${last?.sequence}`,
    );
  if (printed > 0) remark(`\nOne of them in full: ${next} show <report>`);
  return EXIT.done;
}

async function* jsonLines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(shown(row))}\n`;
}

const NAMES = ['STATE', 'FOR', 'TRIES', 'DOUBT', 'PROBLEM', 'REPORT'];

async function* tables(rows: AsyncIterable<Row>, now: number): AsyncGenerator<string> {
  const cells: string[][] = [];
  for await (const row of rows) {
    const { blocked, state, changedAt, attempts, inDoubt, problem, id } = row;
    const doubt = inDoubt ? 'yes' : '-';
    cells.push([blocked ? 'blocked' : state, duration(now - changedAt), String(attempts), doubt, problem?.code ?? '-', printable(id)]);
  }
  if (cells.length > 0) yield `${table(NAMES, cells)}\n`;
}
