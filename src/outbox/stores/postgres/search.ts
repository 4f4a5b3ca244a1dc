import { ENVIRONMENTS } from '../../../core/errors/errors.js';
import { operationNames } from '../../../core/protocol/operations.js';
import { rowId } from '../../intake/enqueue.js';
import { isFinal } from '../../rules/state-machine.js';
import type { RowPage, RowSearch } from '../../store/operator-store.js';
import type { OutboxStore } from '../../store/store.js';
import type { SearchRange } from '../sql/statements.js';
import { isStorable } from '../storable-text.js';
import type { Run } from './database.js';
import type { PostgresValue } from './driver.js';
import { isOpenBefore, LACKS_KEY, readRow, selectBodiless, selectRows } from './sql-parts.js';

export const createQueries = (run: Run): Pick<OutboxStore, 'list' | 'missingKeys'> => ({
  /**
   * Lists rows in the order of `sequence`. A row gets its number when it is written, and is visible after its commit. So
   * a page may miss a row with a lower number whose transaction was still open. The outbox does not rely on the order.
   */
  async list({ account, state, environment, operation, reference, after = 0, limit }) {
    if ([account, state, environment, operation, reference].some((text) => text !== undefined && !isStorable(text)))
      return [];
    const accounts = account === undefined ? await accountsOf(run) : [account];
    const values: PostgresValue[] = [];
    const bind = (value: string): string => `$${values.push(value)}::text`;
    const conditions = [`r.sequence > ${bind(String(after))}::bigint`];
    // A reference has only a few possible ids, which are found by their index.
    if (reference !== undefined) {
      const destinations = accounts.flatMap((one) =>
        ENVIRONMENTS.map((environment) => ({ account: one, environment })),
      );
      const ids = destinations.flatMap((one) => operationNames.map((name) => rowId(one, name, reference)));
      if (ids.length === 0) return [];
      conditions.push(`r.id IN (${ids.map(bind).join(', ')})`);
    }
    for (const [name, value] of Object.entries({ account, environment, operation }))
      if (value !== undefined) conditions.push(`r.${name} = ${bind(value)}`);
    const table = state === undefined || isFinal(state) ? 'r' : 'q';
    if (state !== undefined) conditions.push(`${table}.state = ${bind(state)}`);
    const rest = `WHERE ${conditions.join(' AND ')} ORDER BY ${table}.sequence LIMIT ${bind(String(limit))}::bigint`;
    return (await run(selectRows(rest), values)).map(readRow);
  },
  async missingKeys(accounts) {
    const found = await run(
      `SELECT DISTINCT q.problem->>'keyId' AS key FROM schema.queue AS q
        WHERE ${LACKS_KEY} AND jsonb_typeof(q.problem -> 'keyId') = 'string'
        AND ($1::text IS NULL OR q.account IN (SELECT json_array_elements_text($1::text::json)))`,
      [accounts === undefined ? null : JSON.stringify(accounts)],
    );
    return found.flatMap(({ key }) => key ?? []).sort();
  },
});

const accountsOf = async (run: Run): Promise<string[]> =>
  (await run(`SELECT DISTINCT account FROM schema.destinations ORDER BY account`)).flatMap(
    ({ account }) => account ?? [],
  );

export async function searchRows(
  run: Run,
  { accounts, account, environment, operation, state, blocked, from, to, limit, look }: RowSearch,
  { lowest, end: last }: SearchRange,
): Promise<RowPage> {
  if (![account, environment, operation, ...(accounts ?? [])].every((text) => text === undefined || isStorable(text)))
    return { rows: [], reached: undefined };
  const values: PostgresValue[] = [];
  const bind = (value: string): string => `$${values.push(value)}::text`;
  const isOpen = state !== undefined && !isFinal(state);
  const range = (high: number) =>
    `t.sequence < ${bind(String(high))}::bigint AND t.sequence >= ${bind(String(lowest))}::bigint`;
  // For an open state, the smaller queue is searched.
  const source = isOpen ? `schema.queue` : `schema.reports`;
  // Rows in flight are few and have no index. Reading the table once costs less than following an index through all
  // of it.
  const ofState = state === 'quarantined' ? " AND t.state = 'quarantined'" : '';
  const table =
    state === 'in-flight'
      ? `(SELECT f.sequence, f.account, f.environment FROM ${source} AS f WHERE f.state = 'in-flight' OFFSET 0)`
      : source;
  const looked = (columns: string, high: number, rest: string) =>
    `SELECT ${columns} FROM ${table} AS t WHERE ${range(high)}${ofState} ORDER BY t.sequence DESC ${rest}`;
  const parts = `t.sequence, t.account, t.environment, ${table === source ? 't.state' : "'in-flight' AS state"}${isOpen ? '' : ', t.operation, t.enqueued_at'}`;
  const inner = looked(parts, last, `LIMIT ${Math.trunc(look)}`);
  // These conditions come before the join, so that few rows are joined.
  const seen: string[] = [];
  const conditions: string[] = [];
  const here = isOpen ? conditions : seen;
  const alias = isOpen ? 'r' : 'l';
  for (const [column, value] of Object.entries({ account, environment, state }))
    if (value !== undefined) seen.push(`l.${column} = ${bind(value)}`);
  if (accounts) seen.push(`l.account IN (SELECT json_array_elements_text(${bind(JSON.stringify(accounts))}::json))`);
  if (operation !== undefined) here.push(`${alias}.operation = ${bind(operation)}`);
  if (from !== undefined) here.push(`${alias}.enqueued_at >= ${bind(String(Math.trunc(from)))}::bigint`);
  if (to !== undefined) here.push(`${alias}.enqueued_at < ${bind(String(Math.trunc(to)))}::bigint`);
  const isBlocked = `(q.state = 'waiting' AND q.waits_for IS NOT NULL AND ${isOpenBefore('q.waits_for')})`;
  if (blocked !== undefined) conditions.push(blocked ? isBlocked : `NOT coalesce(${isBlocked}, false)`);
  const all = (list: readonly string[]) => (list.length > 0 ? `WHERE ${list.join(' AND ')}` : '');
  const limited = `LIMIT ${bind(String(limit))}::bigint`;
  const kept = `SELECT l.sequence FROM (${inner}) AS l ${all(seen)} ORDER BY l.sequence DESC ${conditions.length > 0 ? '' : limited}`;
  const found = await run(selectBodiless(kept, `${all(conditions)} ORDER BY looked.sequence DESC ${limited}`), values);
  const rows = found.map(readRow);
  const end = rows.length === limit ? rows.at(-1) : state === 'in-flight' ? undefined : await endOf();
  return {
    rows,
    reached: end && (await isMore(end.sequence)) ? { sequence: end.sequence, enqueuedAt: end.enqueuedAt } : undefined,
  };

  async function endOf() {
    values.length = 0;
    const [one] = await run(
      `SELECT r.sequence::text AS sequence, r.enqueued_at::text AS at FROM (${looked('t.sequence', last, `OFFSET ${Math.trunc(look) - 1} LIMIT 1`)}) AS l
        JOIN schema.reports AS r ON r.sequence = l.sequence`,
      values,
    );
    return one && { sequence: Number(one.sequence), enqueuedAt: Number(one.at) };
  }
  async function isMore(sequence: number): Promise<boolean> {
    values.length = 0;
    return (await run(looked('t.sequence::text AS sequence', sequence, 'LIMIT 1'), values)).length > 0;
  }
}
