import type { Row } from '../../outbox/state-machine.js';
import { EXIT, Failure, printable } from '../output.js';
import type { View } from './printable.js';

/** The reports of an id, or of a reference. */
export async function findReports({ store }: View, name: string, account?: string): Promise<readonly Row[]> {
  const [row] = await store.get([name]);
  const rows = row ? [row] : await store.list({ account, reference: name, limit: 20 });
  if (rows.length === 0) throw new Failure(`the outbox has no report ${printable(name)}: no id and no bet_id or request_id is like it`, EXIT.failed);
  return rows;
}

/** The one report that a word names. */
export async function findReport(view: View, name: string, account?: string): Promise<Row> {
  const [row, ...others] = await findReports(view, name, account);
  if (!row || others.length > 0) {
    const ids = [row, ...others].map((one) => printable(one?.id ?? '')).join(', ');
    throw new Failure(`${printable(name)} is the reference of several reports; say which: ${ids}`);
  }
  return row;
}
