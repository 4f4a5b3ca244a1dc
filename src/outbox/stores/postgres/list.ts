import { operationNames } from '../../../protocol/operations.js';
import { ENVIRONMENTS } from '../../destination.js';
import { rowId } from '../../intake/enqueue.js';
import type { Row } from '../../state-machine.js';
import type { RowQuery } from '../../store.js';
import { isStorable } from '../storable.js';
import type { PostgresValue, Run } from './database.js';
import { readRow, selectRows } from './row-columns.js';

/**
 * Rows in the order of `sequence`. A number is given when a row is written and seen when it is committed: a page that was
 * read may miss a row with a lower number whose transaction was open then. Nothing in the outbox relies on it.
 */
export async function listRows(run: Run, schema: string, { account, state, environment, operation, reference, after = 0, limit }: RowQuery): Promise<Row[]> {
  if ([account, state, environment, operation, reference].some((text) => text !== undefined && !isStorable(text))) return [];
  const accounts = account === undefined ? await accountsOf(run, schema) : [account];
  const values: PostgresValue[] = [];
  const bind = (value: string): string => `$${values.push(value)}::text`;
  const conditions = [`r.sequence > ${bind(String(after))}::bigint`];
  // The few ids that a reference can have are found by their index.
  if (reference !== undefined) {
    const destinations = accounts.flatMap((one) => ENVIRONMENTS.map((environment) => ({ account: one, environment })));
    const ids = destinations.flatMap((one) => operationNames.map((name) => rowId(one, name, reference)));
    if (ids.length === 0) return [];
    conditions.push(`r.id IN (${ids.map(bind).join(', ')})`);
  }
  if (account !== undefined) conditions.push(`r.account = ${bind(account)}`);
  if (environment !== undefined) conditions.push(`r.environment = ${bind(environment)}`);
  if (operation !== undefined) conditions.push(`r.operation = ${bind(operation)}`);
  if (state !== undefined) conditions.push(state === 'recorded' || state === 'dismissed' ? `r.state = ${bind(state)}` : `q.state = ${bind(state)}`);
  const order = `ORDER BY ${state === undefined || state === 'recorded' || state === 'dismissed' ? 'r' : 'q'}.sequence`;
  const rows = await run(selectRows(schema, `WHERE ${conditions.join(' AND ')} ${order} LIMIT ${bind(String(limit))}::bigint`), values);
  return rows.map(readRow);
}

const accountsOf = async (run: Run, schema: string): Promise<string[]> =>
  (await run(`SELECT DISTINCT account FROM ${schema}.destinations ORDER BY account`)).flatMap(({ account }) => account ?? []);
