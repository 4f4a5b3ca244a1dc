import type { ConsoleStore, PaceCount } from '../../../console-store.js';
import { SPANS } from '../../../receipts/pace.js';
import type { Run } from '../database.js';
import { STATEMENT_MS } from '../tables.js';
import { CLASS_COLUMNS } from './tables.js';

const NUMBERS = ['recorded', 'dismissed', 'sum_ms', ...CLASS_COLUMNS];
const KEYS = 'span, start, account, environment';

/** The counts of recorded reports by time. */
export function createPaces(run: Run, schema: string) {
  return {
    reached: async (): Promise<number> => Number((await run(`SELECT reached::text AS reached FROM ${schema}.paced`))[0]?.reached ?? 0),
    /** Adds counts in one statement. Of several at once, only the one that finds `from` succeeds. */
    async add(from: number, to: number, counts: readonly PaceCount[]): Promise<boolean> {
      const values = counts.map(({ sumMs, classes, ...count }) => ({
        ...count,
        sum_ms: Math.round(sumMs),
        ...Object.fromEntries(CLASS_COLUMNS.map((name, place) => [name, classes[place] ?? 0])),
      }));
      const old = Object.entries(SPANS).flatMap(([span, { keptMs }]) =>
        Number.isFinite(keptMs) ? [`p.span = '${span}' AND p.start < ${STATEMENT_MS} - ${keptMs}`] : [],
      );
      const reached = await run(
        `WITH moved AS (UPDATE ${schema}.paced SET reached = $2::text::bigint WHERE reached = $1::text::bigint RETURNING 1),
        added AS (
          INSERT INTO ${schema}.paces AS p (${KEYS}, ${NUMBERS.join(', ')})
          SELECT ${KEYS}, ${NUMBERS.join(', ')} FROM moved CROSS JOIN
            json_to_recordset($3::text::json) AS g(span text, start bigint, account text, environment text, ${NUMBERS.map((name) => `${name} bigint`).join(', ')})
          ON CONFLICT (${KEYS}) DO UPDATE SET ${NUMBERS.map((name) => `${name} = p.${name} + excluded.${name}`).join(', ')}),
        gone AS (DELETE FROM ${schema}.paces AS p WHERE EXISTS (SELECT 1 FROM moved) AND (${old.join(' OR ')}))
        SELECT 'moved' AS moved FROM moved`,
        [String(from), String(to), JSON.stringify(values)],
      );
      return reached.length > 0;
    },
    async ended(): ReturnType<ConsoleStore['ended']> {
      const found = await run(
        `SELECT json_build_object('account', account, 'environment', environment, 'recorded', sum(recorded), 'dismissed', sum(dismissed))::text AS ended
          FROM ${schema}.paces WHERE span = 'day' GROUP BY account, environment`,
      );
      return found.map(({ ended }) => JSON.parse(ended ?? 'null') as Awaited<ReturnType<ConsoleStore['ended']>>[number]);
    },
    async read(span: PaceCount['span'], since: number): Promise<PaceCount[]> {
      const found = await run(
        `SELECT json_build_object('span', span, 'start', start, 'account', account, 'environment', environment, 'recorded', recorded, 'dismissed', dismissed,
          'sumMs', sum_ms, 'classes', json_build_array(${CLASS_COLUMNS.join(', ')}))::text AS pace
          FROM ${schema}.paces WHERE span = $1::text AND start >= $2::text::bigint`,
        [span, String(Math.trunc(since))],
      );
      return found.map(({ pace }) => JSON.parse(pace ?? 'null') as PaceCount);
    },
  };
}
