import type { LogLine, ReceiptLog } from '../../store.js';
import type { Columns, Run } from './database.js';
import { readRow, selectRows } from './row-columns.js';

const LINE = 'position::text AS position, id, line';

const lineOf = ({ position, id, line }: Columns): LogLine => ({ index: Number(position), id: id ?? '', line: line ?? '' });

/** The receipt log. */
export function createReceipts(run: Run, schema: string): ReceiptLog {
  return {
    unlogged: async (limit) => {
      const some = `(SELECT ended, sequence FROM ${schema}.unlogged ORDER BY ended LIMIT $1::text::bigint)`;
      return (await run(selectRows(schema, `JOIN ${some} AS u ON u.sequence = r.sequence ORDER BY u.ended`), [String(limit)])).map(readRow);
    },
    append: async (lines) => {
      const [found] = await run(`SELECT ${schema}.append($1::text::jsonb) AS appended`, [
        JSON.stringify(lines.map(({ index, id, line }) => ({ index, id, line }))),
      ]);
      return found?.appended === 'true';
    },
    read: async (from, limit) =>
      (
        await run(`SELECT ${LINE} FROM ${schema}.receipts WHERE position >= $1::text::bigint ORDER BY receipts.position LIMIT $2::text::bigint`, [
          String(from),
          String(limit),
        ])
      ).map(lineOf),
    last: async () => {
      const [last] = await run(`SELECT ${LINE} FROM ${schema}.receipts ORDER BY receipts.position DESC LIMIT 1`);
      return last && lineOf(last);
    },
  };
}
