import { rowsNamed } from '../../outbox/operator/reports.js';
import type { Row } from '../../outbox/rules/state-machine.js';
import { printable, unprintable } from '../../platform/messages.js';
import { EXIT, Failure } from '../output.js';
import type { Narrowing } from './options.js';
import type { View } from './view.js';

export async function findReports({ store }: View, name: string, narrowing: Narrowing): Promise<readonly Row[]> {
  const { account, environment, operation } = narrowing;
  const named = await rowsNamed(store, name);
  // A printed command has the escapes of characters that steer a terminal.
  const rows = (named.length > 0 ? named : await rowsNamed(store, unprintable(name))).filter(
    (row) =>
      (account ?? row.account) === row.account &&
      (environment ?? row.environment) === row.environment &&
      (operation ?? row.operation) === row.operation,
  );
  if (rows.length > 0) return rows;
  const given = Object.entries({ account, environment, operation }).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option} ${value}`],
  );
  const where = given.length > 0 ? ` with ${given.join(' ')}` : '';
  throw new Failure(
    `the outbox has no report ${printable(name)}${where}: no id, bet_id or request_id matches it`,
    EXIT.failed,
  );
}

/** Returns the report that a word names. If several have this reference, it is the only one of them that `fits`. */
export async function findReport(
  view: View,
  name: string,
  narrowing: Narrowing,
  verb: string,
  fits: (row: Row, all: readonly Row[]) => boolean,
): Promise<Row> {
  const rows = await findReports(view, name, narrowing);
  const [row, ...others] = rows.length > 1 ? rows.filter((one) => fits(one, rows)) : rows;
  if (!row) {
    const found = rows.map(({ id, state, blocked }) => `${printable(id)} (${blocked ? 'blocked' : state})`).join(', ');
    throw new Failure(`${verb} fits none of the reports of ${printable(name)}: ${found}`, EXIT.failed);
  }
  if (others.length > 0) {
    const ids = [row, ...others].map(({ id }) => printable(id)).join(', ');
    throw new Failure(
      `${printable(name)} is the reference of several reports; say which, or narrow them with --operation or --environment: ${ids}`,
    );
  }
  return row;
}
