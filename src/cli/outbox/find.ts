import { printable, shownName, storedName } from '../../core/platform/messages.js';
import { rowsNamed } from '../../operator/reports.js';
import { keyOf } from '../../outbox/rules/destination.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import { matches } from '../../outbox/stores/row-queries.js';
import { EXIT, Failure } from '../output.js';
import type { Narrowing, OpenedOutbox } from './options.js';

export async function findReports(
  { store }: OpenedOutbox,
  name: string,
  { account, environment, operation }: Narrowing,
): Promise<readonly Row[]> {
  const narrowing = { account, environment, operation };
  const rows = (await rowsNamed(store, storedName(name))).filter((row) => matches(row, narrowing));
  if (rows.length > 0) return rows;
  const given = Object.entries(narrowing).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option} ${value}`],
  );
  const where = given.length > 0 ? ` with ${given.join(' ')}` : '';
  throw new Failure(
    `the outbox has no report ${printable(name)}${where}: no id, bet_id or request_id matches it`,
    EXIT.failed,
  );
}

/**
 * The report that a word names: if several of one account and environment have this reference, the only one that
 * `fits`. Those of different accounts or environments must be narrowed: otherwise a command that is repeated would take
 * the report of another licence.
 */
export async function findReport(
  opened: OpenedOutbox,
  name: string,
  narrowing: Narrowing,
  verb: string,
  fits: (row: Row, all: readonly Row[]) => boolean,
): Promise<Row> {
  const rows = await findReports(opened, name, narrowing);
  const [row, ...others] = rows.length > 1 ? rows.filter((one) => fits(one, rows)) : rows;
  if (!row) {
    const found = rows.map(({ id, state, blocked }) => `${shownName(id)} (${blocked ? 'blocked' : state})`).join(', ');
    throw new Failure(`${verb} fits none of the reports of ${printable(name)}: ${found}`, EXIT.failed);
  }
  const isInOnePlace = new Set(rows.map(keyOf)).size === 1;
  if (others.length === 0 && isInOnePlace) return row;
  const ids = (isInOnePlace ? [row, ...others] : rows).map(({ id }) => shownName(id)).join(', ');
  const [several, options] = isInOnePlace
    ? ['several reports', '--operation']
    : ['reports of several accounts or environments', '--account or --environment'];
  throw new Failure(
    `${printable(name)} is the reference of ${several}; say which, or narrow them with ${options}. Nothing was changed: ${ids}`,
  );
}
