// @module-tag slow: needs PostgreSQL.
import { existsSync, readFileSync } from 'node:fs';
import { expect, inject, it, vi } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox } from '../../../src/entries/outbox.js';
import { newSchema, openStore, pool } from '../../outbox/stores/postgres/world.js';
import { betUser, settledBet, settledWithdrawal } from '../../support/factories.js';
import { csvOf, importFolder } from './import-files.js';

vi.setConfig({ testTimeout: 120_000 });

const url = inject('postgresUrl');

/** An import into a schema in which an instance has created the outbox. */
async function importedIntoPostgres() {
  const schema = newSchema();
  await openStore({ schema });
  const folder = importFolder('', [url, '--schema', schema]);
  const rows = async () =>
    (
      await pool.query<{ reference: string; body: string }>(
        `SELECT reference, body FROM ${schema}.reports ORDER BY sequence`,
      )
    ).rows;
  return { ...folder, schema, rows };
}

const settlements = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    settledBet({ bet_id: `B-${index}`, win_amount: index + 0.1, user: betUser({ nin: '00000000019' }) }),
  );

it('an import into PostgreSQL that broke off continues, and stores each line once, in the order of the file', async () => {
  const { write, run, rows, schema } = await importedIntoPostgres();
  const reports = settlements(1_800);
  const file = write('bets.csv', csvOf(reports));
  await pool.query(`CREATE FUNCTION ${schema}.break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE TRIGGER break_off AFTER INSERT ON ${schema}.reports FOR EACH ROW WHEN (NEW.reference = 'B-1500') EXECUTE FUNCTION ${schema}.break_off()`);
  const { code, err } = await run(file, 'reportSettledBet');
  expect([code, err]).toEqual([1, expect.stringContaining('To continue, run the same command again.')]);
  expect(err).not.toContain(url);
  const before = (await rows()).length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(1_800);
  await pool.query(`DROP FUNCTION ${schema}.break_off CASCADE`);

  const { code: done, out } = await run(file, 'reportSettledBet', '--json');
  expect([done, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ lines: 1_800, already: before, enqueued: 1_800 - before }),
  ]);
  expect((await rows()).map(({ body }) => JSON.parse(body))).toEqual(reports);
});

it('an import into PostgreSQL is compared with the reports of that outbox, and creates no outbox', async () => {
  const { write, run, rows, at } = await importedIntoPostgres();
  await run(write('old.csv', csvOf(settlements(2))), 'reportSettledBet');
  const changed = settlements(3).map((one) => (one.bet_id === 'B-1' ? { ...one, ur: 7 } : one));
  const { code, out } = await run(write('bets.csv', csvOf(changed)), 'reportSettledBet', '--json');
  expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ already: 1, rejected: 1, enqueued: 1 })]);
  expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toContain(
    '\n3,bet_id,the outbox holds other data under this reference,B-1\n',
  );
  expect(await rows()).toHaveLength(3);

  const schema = newSchema();
  const nowhere = importFolder('', [url, '--schema', schema]);
  const refused = await nowhere.run(nowhere.write('bets.csv', csvOf(settlements(1))), 'reportSettledBet');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('has no tables')]);
  expect((await pool.query('SELECT to_regnamespace($1) AS found', [schema])).rows).toEqual([{ found: null }]);
});

it('two imports of one file into PostgreSQL at once store each line once', async () => {
  const { write, run, rows } = await importedIntoPostgres();
  const file = write('bets.csv', csvOf(settlements(1_200)));
  const both = await Promise.all([run(file, 'reportSettledBet', '--json'), run(file, 'reportSettledBet', '--json')]);
  expect(both.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(both.map(({ out }) => JSON.parse(out).enqueued).reduce((sum, one) => sum + one, 0)).toBe(1_200);
  expect(new Set((await rows()).map(({ reference }) => reference)).size).toBe(1_200);
  expect(await rows()).toHaveLength(1_200);
});

/** Random characters, which PostgreSQL cannot compress. */
const random = (length: number, from: number) =>
  Array.from({ length }, () => String.fromCharCode(from + Math.floor(Math.random() * 90))).join('');

it.each([{ more: [] }, { more: ['--skip-rejected'] }])(
  'a reference that is too long is a rejected line, with $more',
  async ({ more }) => {
    const { write, run, rows, at } = await importedIntoPostgres();
    const long = random(3_000, 0x21);
    const reports = [settledBet({ bet_id: 'B-1' }), settledBet({ bet_id: long }), settledBet({ bet_id: 'B-3' })];
    const { code, out } = await run(
      write('bets.ndjson', reports.map((one) => `${JSON.stringify(one)}\n`).join('')),
      'reportSettledBet',
      '--json',
      ...more,
    );
    expect([code, JSON.parse(out)]).toEqual([
      1,
      expect.objectContaining({ rejected: 1, enqueued: more.length > 0 ? 2 : 0 }),
    ]);
    const reason = '"expected a string of at most 255 characters (maxReferenceLength), got a string of length 3000"';
    expect(readFileSync(at('bets.ndjson.rejected.csv'), 'utf8')).toBe(
      `line,field,reason,reference\n2,bet_id,${reason},\n`,
    );
    expect((await rows()).map(({ reference }) => reference)).toEqual(more.length > 0 ? ['B-1', 'B-3'] : []);
  },
);

it.each([{ more: [] }, { more: ['--skip-rejected'] }])(
  'a report that PostgreSQL refuses is a rejected line, and the lines after it enter, with $more',
  async ({ more }) => {
    const { write, run, rows, at, schema } = await importedIntoPostgres();
    // Any rule of the operator's own stands for each refusal that this package does not foresee.
    await pool.query(`ALTER TABLE ${schema}.reports ADD CONSTRAINT no_b_40 CHECK (reference <> 'B-40')`);
    const file = write('bets.csv', csvOf(settlements(100)));
    const { code, out } = await run(file, 'reportSettledBet', '--json', ...more);
    expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ lines: 100, rejected: 1, enqueued: 99 })]);
    const reason = `the outbox cannot store this report: The outbox's database (schema ${schema}) failed (23514).`;
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toBe(
      `line,field,reason,reference\n42,bet_id,${reason},B-40\n`,
    );
    const references = settlements(100).map(({ bet_id }) => bet_id);
    expect((await rows()).map(({ reference }) => reference)).toEqual(references.filter((one) => one !== 'B-40'));

    const again = await run(file, 'reportSettledBet', '--json', ...more);
    expect([again.code, JSON.parse(again.out)]).toEqual([
      1,
      expect.objectContaining({ already: 99, rejected: 1, enqueued: 0 }),
    ]);
    await pool.query(`ALTER TABLE ${schema}.reports DROP CONSTRAINT no_b_40`);
    const last = await run(file, 'reportSettledBet', '--json', ...more);
    expect([last.code, JSON.parse(last.out)]).toEqual([
      0,
      expect.objectContaining({ already: 99, rejected: 0, enqueued: 1 }),
    ]);
    expect(existsSync(at('bets.rejected.csv'))).toBe(false);
  },
);

it('PostgreSQL stores the longest reference that can be allowed, under the longest account, in any characters', async () => {
  const schema = newSchema();
  const client = createClient({
    ...createMockGateway().clientOptions(),
    environment: 'production',
    maxReferenceLength: 800,
  });
  const outbox = createOutbox({ client, store: await openStore({ schema }), account: 'A'.repeat(64) });
  const reference = Array.from({ length: 800 }, () =>
    String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000)),
  ).join('');
  const withdrawal = {
    ...settledWithdrawal({ request_id: reference }),
    location: { latitude: 1, longitude: 2, source: 'gps' },
  };
  await expect(outbox.reportSettledWithdrawal(withdrawal)).resolves.toMatchObject({ state: 'waiting' });
  const { rows } = await pool.query(`SELECT octet_length(id) AS bytes FROM ${schema}.reports`);
  expect(rows).toEqual([{ bytes: 64 + 1 + 10 + 1 + 23 + 1 + 2_400 }]);
  await expect(outbox.reportSettledWithdrawal({ ...withdrawal, request_id: `${reference}x` })).rejects.toMatchObject({
    code: 'validation',
  });
});
