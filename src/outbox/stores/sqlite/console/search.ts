import type { RowPage, RowSearch, Wrong, WrongCount } from '../../../console-store.js';
import type { OutboxEnvironment } from '../../../destination.js';
import type { Row } from '../../../state-machine.js';
import { isStorable } from '../../storable.js';
import { type Columns, type Connection, columns, type SqliteValue } from '../database.js';
import { BODILESS, rowOf } from '../row-columns.js';

const PLACE = columns('sequence, enqueued_at');
const OF_GROUP =
  "INDEXED BY outbox_wrong WHERE state = 'quarantined' AND account = ? AND environment = ? AND wrong_code = ? AND wrong_words = ? AND changed_at <= ?";
export const QUARANTINED_OF = `SELECT ${BODILESS} FROM outbox_rows ${OF_GROUP} AND sequence > ? ORDER BY sequence LIMIT ?`;
export const WRONG = `SELECT ${columns('account, environment, wrong_code, wrong_words', 'count(*) AS count', 'min(changed_at) AS first', 'max(changed_at) AS last', 'min(sequence) AS example')}
  FROM outbox_rows INDEXED BY outbox_wrong WHERE state = 'quarantined' GROUP BY account, environment, wrong_code, wrong_words`;
const SETTLEMENTS =
  "sum((SELECT count(*) FROM outbox_rows AS d INDEXED BY outbox_dependents WHERE d.waits_for = r.id AND d.state = 'waiting' AND d.blocked = 1))";
const TALLY = (settlements: string) =>
  `SELECT ${columns('operation', 'count(*) AS count', 'sum(in_doubt) AS in_doubt', `${settlements} AS settlements`)} FROM outbox_rows AS r ${OF_GROUP} GROUP BY operation`;
/** The tolerance of a search by time. A clock or a long transaction may put rows out of the order of their times. */
const SLACK_MS = 600_000;

const groupOf = ({ account, environment, code, words }: Wrong, asOf: number): SqliteValue[] => [account, environment, code, words, Math.trunc(asOf)];

/** The queries of the console about rows. */
export function createSearch({ first, all }: Connection) {
  const at = (sequence: number) => first(`SELECT ${PLACE} FROM outbox_rows WHERE sequence >= ? ORDER BY sequence LIMIT 1`, sequence);

  /** The approximate lowest `sequence` of the rows that were enqueued at this time or later. It rises with time. */
  function sequenceAt(time: number): number {
    let [low, high] = [1, Number(first(`SELECT ${columns('max(sequence) AS last')} FROM outbox_rows`)?.last ?? 0) + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (Number(at(middle)?.enqueued_at ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function search({ accounts, account, environment, operation, state, blocked, from, to, before, limit, look }: RowSearch): RowPage {
    if (![account, ...(accounts ?? [])].every((text) => text === undefined || isStorable(text))) return { rows: [], reached: undefined };
    const equal = Object.entries({ account, environment, operation, state, blocked: blocked === undefined ? undefined : Number(blocked) });
    const given = equal.flatMap(([name, value]) => (value === undefined ? [] : [{ text: `${name} = ?`, values: [value] }]));
    if (accounts) given.push({ text: `account IN (${accounts.map(() => '?').join()})`, values: [...accounts] });
    if (from !== undefined) given.push({ text: 'enqueued_at >= ?', values: [from] });
    if (to !== undefined) given.push({ text: 'enqueued_at < ?', values: [to] });
    const last = to === undefined ? before : Math.min(before, sequenceAt(to + SLACK_MS));
    const lowest = from === undefined ? 0 : sequenceAt(from - SLACK_MS);
    // A state with few rows is searched by its own index.
    const few = state === 'quarantined' || state === 'in-flight' || state === 'waiting';
    const index = state === 'quarantined' ? 'INDEXED BY outbox_quarantined' : few ? 'INDEXED BY outbox_open' : '';
    const inState = few ? `AND state = '${state}' ${state === 'quarantined' ? '' : "AND state IN ('waiting', 'in-flight')"}` : '';
    const looked = `FROM outbox_rows ${index} WHERE sequence < ? AND sequence >= ? ${inState} ORDER BY sequence DESC LIMIT ?`;
    const where = given.length > 0 ? `WHERE ${given.map(({ text }) => text).join(' AND ')}` : '';
    const rows = all(`SELECT ${BODILESS} FROM (SELECT * ${looked}) ${where} LIMIT ?`, last, lowest, look, ...given.flatMap(({ values }) => values), limit).map(
      rowOf,
    );
    const end = rows.length === limit ? rows.at(-1) : reachedOf(first(`SELECT ${PLACE} ${looked} OFFSET ?`, last, lowest, 1, look - 1));
    const isMore = end && first(`SELECT ${PLACE} ${looked}`, end.sequence, lowest, 1) !== undefined;
    return { rows, reached: isMore ? { sequence: end.sequence, enqueuedAt: end.enqueuedAt } : undefined };
  }

  return {
    search,
    quarantined: (of: Wrong, asOf: number, after: number, limit: number): Row[] => all(QUARANTINED_OF, ...groupOf(of, asOf), after, limit).map(rowOf),
    wrong: (): WrongCount[] =>
      all(WRONG).map((found) => ({
        account: String(found.account),
        environment: String(found.environment) as OutboxEnvironment,
        code: String(found.wrong_code),
        words: String(found.wrong_words),
        count: Number(found.count),
        firstAt: Number(found.first),
        lastAt: Number(found.last),
        example: Number(found.example),
      })),
    tally(of: Wrong, asOf: number, withSettlements: boolean) {
      const found = all(TALLY(withSettlements ? SETTLEMENTS : '0'), ...groupOf(of, asOf));
      const sum = (name: string) => found.reduce((total, one) => total + Number(one[name]), 0);
      const operations = Object.fromEntries(found.map(({ operation, count }) => [String(operation), Number(count)]));
      return { count: sum('count'), inDoubt: sum('in_doubt'), settlements: sum('settlements'), operations };
    },
    rows: (sequences: readonly number[]): Row[] =>
      all(`SELECT ${BODILESS} FROM outbox_rows WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence`, JSON.stringify(sequences)).map(rowOf),
  };
}

const reachedOf = (found: Columns | undefined) => found && { sequence: Number(found.sequence), enqueuedAt: Number(found.enqueued_at) };
