import { toPublicReport } from '../../outbox/public-report.js';
import type { Row } from '../../outbox/state-machine.js';
import { EXIT, printable, remark, sayAll } from '../output.js';
import type { OutboxValues } from './options.js';
import { duration, table, type View } from './printable.js';

/** The state that is shown. A report that waits for another one is blocked. */
export type ShownState = Row['state'] | 'blocked';

/** The states that are not final. Reports that need a person come first. */
const OPEN: readonly ShownState[] = ['quarantined', 'in-flight', 'waiting', 'blocked'];
const PAGE = 500;

const stateOf = ({ state, blocked }: Row): ShownState => (blocked ? 'blocked' : state);

/** Prints reports as a table. The id comes last, since it may be long. */
export async function list(view: View, values: OutboxValues): Promise<number> {
  const { state, limit = 50, json } = values;
  let printed = 0;
  let last: Row | undefined;
  /** The first report that is not printed. */
  let next: Row | undefined;

  async function* rows(): AsyncGenerator<Row> {
    for (const one of state === undefined ? OPEN : [state]) {
      for await (const row of rowsOf(view, one, values)) {
        if (printed >= limit) {
          next = row;
          return;
        }
        printed += 1;
        last = row;
        yield row;
      }
    }
  }

  await sayAll(json ? jsonLines(rows()) : tables(rows(), view.now));
  if (json) return EXIT.done;
  if (printed === 0) remark(state === undefined ? 'No report waits, and none needs a person.' : 'No report matches.');
  if (next) remark(`\nThere are more:\n${furtherCommands(view, values, next, last).join('\n')}`);
  if (printed > 0) remark(`\nTo see one of them in full: ${view.command} show <report>`);
  return EXIT.done;
}

async function* rowsOf({ store }: View, state: ShownState, { account, environment, operation, limit = 50, after = 0 }: OutboxValues): AsyncGenerator<Row> {
  // Blocked reports are stored as waiting ones. A page has one row more than the limit, which shows whether there are more.
  const mixed = state === 'waiting' || state === 'blocked';
  const size = mixed ? PAGE : Math.min(PAGE, limit + 1);
  for (let from = after; ; ) {
    const page = await store.list({ state: state === 'blocked' ? 'waiting' : state, account, environment, operation, after: from, limit: size });
    for (const row of page) if (stateOf(row) === state) yield row;
    const end = page.at(-1);
    if (!end || page.length < size) return;
    from = end.sequence;
  }
}

/** The commands that print the rest: of the state at which the list ended, and of the states after it. */
function furtherCommands(
  { command }: View,
  { state, account, environment, operation, limit, after }: OutboxValues,
  next: Row,
  last: Row | undefined,
): string[] {
  const at = stateOf(next);
  const states = state === undefined ? OPEN.slice(OPEN.indexOf(at)) : [state];
  const options = Object.entries({ account, environment, operation, limit }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  return states.map((one) => {
    const from = one === at && last && stateOf(last) === at ? last.sequence : after;
    return [`  ${command} list --state ${one}`, ...options, ...(from === undefined ? [] : [`--after ${from}`])].join(' ');
  });
}

async function* jsonLines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(toPublicReport(row))}\n`;
}

const NAMES = ['STATE', 'FOR', 'TRIES', 'DOUBT', 'PROBLEM', 'REPORT'];

async function* tables(rows: AsyncIterable<Row>, now: number): AsyncGenerator<string> {
  const cells: string[][] = [];
  for await (const row of rows) {
    const { changedAt, attempts, inDoubt, problem, id } = row;
    cells.push([
      stateOf(row),
      duration(now - changedAt),
      String(attempts),
      inDoubt ? 'yes' : '-',
      problem?.conflict ? 'conflict' : (problem?.code ?? '-'),
      printable(id),
    ]);
  }
  if (cells.length > 0) yield `${table(NAMES, cells)}\n`;
}
