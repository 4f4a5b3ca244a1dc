// @module-tag slow: needs PostgreSQL.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { sampleOf } from '../../../support/cases.js';
import { personalBet, personalSettlement } from '../../personal.js';
import { newSchema, openStore, pool } from './world.js';

// Another tool writes a wrong value into one column of one row. Either the database refuses it, or every other report
// is recorded, and the damaged one is recorded or quarantined.

const NUMBERS = ['-1', '2', '999999999', '1000000000', '2147483647', '9223372036854775807', '-9223372036854775808'];
const WRONG = [null, 'zz', '', 'true', 'false', '[]', '{}', ...NUMBERS];
const SOUND = ['B-0', 'B-1', 'B-2'];
const bad = (index: number) => `B-bad-${index}`;

/** Columns that no tool may change, and columns whose wrong values are refused. */
const OF_REPORTS = {
  reports: (schema: string, id: string) => `${schema}.reports SET :column = $1 WHERE id = '${id}'`,
  queue: (schema: string, id: string) =>
    `${schema}.queue SET :column = $1 WHERE sequence = (SELECT sequence FROM ${schema}.reports WHERE id = '${id}')`,
} as const;

const OTHERS = ['destinations', 'settings', 'receipts', 'unlogged', 'tally', 'meta'] as const;

const gateway = createMockGateway();
const client = createClient(gateway.clientOptions());

/** A schema with a recorded bet, bets to damage, and later bets. */
async function waitingSchema(damaged = 0): Promise<string> {
  const schema = newSchema();
  const store = await openStore({ schema });
  const outbox = createOutbox({ client, store, pollMs: 20 });
  const suffixed = (bet: string) => `${schema}-${bet}`;
  await outbox.reportBetEvent(personalBet(suffixed('B-0')));
  await outbox.drain({ timeoutMs: 10_000 });
  await outbox.reportAll(
    [...Array.from({ length: damaged }, (_, index) => bad(index)), 'B-1', 'B-2'].map((bet) => ({
      operation: 'reportBetEvent',
      payload: personalBet(suffixed(bet)),
    })),
  );
  await outbox.reportSettledBet(personalSettlement(suffixed('B-1')));
  await outbox.stop();
  await store.close?.();
  return schema;
}

/** Whether the database accepted the value. */
async function damage(sql: string, value: string | null): Promise<boolean> {
  // As a literal, which PostgreSQL reads in the column's type.
  const literal = value === null ? 'NULL' : `'${value}'`;
  const { code, rowCount } = await pool.query(`UPDATE ${sql.replace('$1', literal)}`).then(
    (result) => ({ code: undefined, rowCount: result.rowCount }),
    (error: unknown) => ({ code: (error as { code?: string }).code, rowCount: undefined }),
  );
  expect([sql, rowCount]).not.toEqual([sql, 0]);
  // A wrong type, a value out of range, NULL, a duplicate, or a refusal by a check or trigger of the outbox.
  if (code !== undefined)
    expect([sql, ['22P02', '22003', '23502', '23505', '23514']]).toEqual([sql, expect.arrayContaining([code])]);
  return code === undefined;
}

/** The columns of a table, four in each part: the columns of a part share the time that is spent on waiting. */
async function columnsOf(table: string): Promise<string[][]> {
  const { rows } = await pool.query(
    'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2',
    [await waitingSchema(), table],
  );
  const names = rows.map(({ name }) => String(name));
  const left = [...sampleOf(`damaged columns of ${table} in PostgreSQL`, names)];
  return Array.from({ length: Math.ceil(left.length / 4) }, () => left.splice(0, 4));
}

/** Runs an outbox over a damaged schema. Returns its effect on the reports, and the errors. */
async function drained(schema: string) {
  const store = await openStore({ schema });
  const outbox = createOutbox({ client, store, pollMs: 20 });
  const trouble: string[] = [];
  outbox.on('error', ({ cause }) => trouble.push(String(cause)));
  await outbox.drain({ timeoutMs: 3_000 });
  await outbox.stats();
  const rows = await store.list({ limit: 1_000 });
  for (const { id } of rows) await outbox.get(id);
  await outbox.stop();
  await store.close?.();
  const isRecorded = (reference: string, operation: string) =>
    rows.some(
      (row) => row.operation === operation && row.reference === `${schema}-${reference}` && row.state === 'recorded',
    );
  trouble.push(...SOUND.filter((reference) => !isRecorded(reference, 'reportBetEvent')));
  if (!isRecorded('B-1', 'reportSettledBet')) trouble.push('the settlement of B-1');
  return { rows, trouble };
}

describe('a wrong value in a column of the PostgreSQL store', () => {
  it.each(Object.entries(OF_REPORTS))(
    'of %s is refused by the database, or stops no other report',
    { timeout: 300_000 },
    async (table, statement) => {
      for (const columns of await columnsOf(table)) {
        const wrong = columns.flatMap((column) => WRONG.map((value) => [column, value] as const));
        const schema = await waitingSchema(wrong.length);
        for (const [index, [column, value]] of wrong.entries())
          await damage(
            statement(schema, `default:staging:reportBetEvent:${schema}-${bad(index)}`).replace(':column', column),
            value,
          );
        const { rows, trouble } = await drained(schema);
        expect([columns, trouble]).toEqual([columns, []]);
        const rest = rows.filter(({ state }) => state !== 'recorded' && state !== 'quarantined');
        expect(rest.map(({ id, state, damage: found }) => [columns, id, state, found])).toEqual([]);
        expect(rows.length).toBe(wrong.length + 4);
      }
    },
  );

  it.each(OTHERS)(
    'of %s is refused by the database, or stops no report without an error',
    { timeout: 300_000 },
    async (table) => {
      const ofColumn = async (column: string) => {
        const schema = await waitingSchema();
        for (const value of WRONG) {
          const [before] = (await pool.query(`SELECT ${column}::text AS value FROM ${schema}.${table} LIMIT 1`)).rows;
          if (before === undefined || before.value === value) continue;
          if (!(await damage(`${schema}.${table} SET ${column} = $1`, value))) continue;
          // Another address, and tables of another version, are refused with an error: no report of that destination is
          // sent.
          if ((table === 'destinations' && column === 'gateway') || (table === 'meta' && column === 'version')) {
            await expect(drained(schema)).rejects.toThrow(/rebind|version/);
            await damage(`${schema}.${table} SET ${column} = $1`, before.value);
            continue;
          }
          const { trouble } = await drained(schema);
          expect([column, value, trouble]).toEqual([column, value, []]);
        }
      };
      for (const columns of await columnsOf(table)) await Promise.all(columns.map(ofColumn));
    },
  );
});
