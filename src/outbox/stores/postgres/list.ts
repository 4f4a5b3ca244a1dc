import { operationNames } from '../../../protocol/operations.js';
import { ENVIRONMENTS } from '../../destination.js';
import { rowId } from '../../intake/enqueue.js';
import type { Row } from '../../state-machine.js';
import type { RowQuery } from '../../store.js';
import { isStorable } from '../storable.js';
import type { PostgresValue, Run } from './database.js';
import { readRow, selectRows } from './row-columns.js';

/**
 * Lists rows in the order of `sequence`. A row gets its number when it is written, and is visible after its commit. So a page may
 * miss a row with a lower number whose transaction was still open. The outbox does not rely on the order.
 */
export async function listRows(run: Run, schema: string, { account, state, environment, operation, reference, after = 0, limit }: RowQuery): Promise<Row[]> {
  if ([account, state, environment, operation, reference].some((text) => text !== undefined && !isStorable(text))) return [];
  const accounts = account === undefined ? await accountsOf(run, schema) : [account];
  const values: PostgresValue[] = [];
  const bind = (value: string): string => `$${values.push(value)}::text`;
  const conditions = [`r.sequence > ${bind(String(after))}::bigint`];
  // A reference has only a few possible ids, which are found by their index.
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
