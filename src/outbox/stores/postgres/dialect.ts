import { type Dialect, type Found, namedColumns } from '../sql/dialect.js';
import { isStorable } from '../storable-text.js';
import type { Run } from './database.js';
import type { Columns } from './driver.js';
import { NOW_MS, readRow, selectBodiless } from './sql-parts.js';

/** The shared statements in the words of PostgreSQL. Each value is bound as text. */
export function dialectOf(run: Run): Dialect {
  function send(text: string, values: readonly (string | number | null)[]) {
    let place = 0;
    const bound = text.replace(/\?(#?)/g, (_, number) => {
      place += 1;
      return `$${place}::text${number === '' ? '' : '::bigint'}`;
    });
    return run(
      bound,
      values.map((value) => (value === null ? null : String(value))),
    );
  }
  /** Reads. A text that no row can contain finds nothing. */
  const find = async (text: string, values: readonly (string | number)[]) =>
    values.every((value) => isStorable(String(value))) ? send(text, values) : [];
  const objectOf = <One>({ json }: Columns) => JSON.parse(json ?? 'null') as One;
  return {
    table: (name) => `schema.${name}`,
    columns: (...given) =>
      `json_build_object(${namedColumns(given)
        .map(({ name, value }) => `'${name}', ${value}`)
        .join(', ')})::text AS json`,
    all: async <One>(text: string, ...values: readonly (string | number)[]) =>
      (await find(text, values)).map(objectOf<One>),
    first: async <One>(text: string, ...values: readonly (string | number)[]) =>
      (await find(text, values)).map(objectOf<One>)[0],
    change: async (text, ...values) => (await send(text, values)).map(objectOf<Found>)[0],
    changeByClock: async (text, ...values) =>
      (await send(`WITH clock AS (SELECT ${NOW_MS} AS now) ${text}`, values)).map(objectOf<Found>)[0],
    appended: (column, members) => `${column} || jsonb_build_array(jsonb_build_object(${members}))`,
    bodiless: async (sequences, ...values) => (await find(selectBodiless(sequences), values)).map(readRow),
    rowsTable: `schema.reports`,
    quarantinedTable: `schema.queue AS q`,
    joinOfOperation: ` JOIN schema.reports AS r ON r.sequence = q.sequence`,
    countOfSettlements: `(SELECT count(*) FROM schema.queue AS d WHERE d.waits_for = r.id AND d.blocked)`,
    elements: 'json_array_elements_text(?::json)',
  };
}
