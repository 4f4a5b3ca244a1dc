import type { Row } from '../../state-machine.js';
import type { LogLine } from '../../store.js';
import { type Columns, type Connection, columns } from './database.js';
import { ROW, rowOf } from './row-columns.js';

export const UNLOGGED = `SELECT ${ROW} FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL AND state IN ('recorded', 'dismissed') ORDER BY ended LIMIT ?`;
const LINE = columns('position, id, line');
const lineOf = ({ position, id, line }: Columns): LogLine => ({ index: Number(position), id: String(id), line: String(line) });

/** The receipt log. */
export function createReceipts({ first, all, run }: Connection) {
  const last = (): LogLine | undefined => {
    const found = first(`SELECT ${LINE} FROM outbox_receipts ORDER BY position DESC LIMIT 1`);
    return found && lineOf(found);
  };
  const hasNoLine = (id: string) => first(`SELECT ${columns('1 AS there')} FROM outbox_rows WHERE id = ? AND ended IS NOT NULL`, id) !== undefined;

  return {
    unlogged: (limit: number): Row[] => all(UNLOGGED, limit).map(rowOf),
    /** Checks all lines before it writes the first. */
    append(lines: readonly LogLine[]): boolean {
      const next = (last()?.index ?? -1) + 1;
      const fits = lines.every(({ index, id }, offset) => index === next + offset && hasNoLine(id));
      if (!fits || new Set(lines.map(({ id }) => id)).size < lines.length) return false;
      for (const { index, id, line } of lines) {
        run('INSERT INTO outbox_receipts (position, id, line) VALUES (?, ?, ?)', index, id, line);
        run('UPDATE outbox_rows SET ended = NULL WHERE id = ?', id);
      }
      return true;
    },
    read: (from: number, limit: number): LogLine[] =>
      all(`SELECT ${LINE} FROM outbox_receipts WHERE position >= ? ORDER BY position LIMIT ?`, from, limit).map(lineOf),
    last,
  };
}
