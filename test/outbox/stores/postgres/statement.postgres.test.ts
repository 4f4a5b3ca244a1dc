// @module-tag slow: needs PostgreSQL.
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import fc from 'fast-check';
import pg from 'pg';
import postgres from 'postgres';
import { describe, expect, inject, it } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox, type OutboxOptions } from '../../../../src/entries/outbox.js';
import { type PostgresStoreOptions, postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { betEvent, settledBet } from '../../../support/factories.js';
import { claim, idsOf, newRow } from '../../contract/harness.js';
import { leaksIn, personalBet, personalSettlement } from '../../personal.js';
import { connectListener, newSchema, openStore, pool, within } from './world.js';

const location = {
  latitude: 6.45,
  longitude: 3.39,
  city: 'Lagos',
  region: 'LA',
  country: 'NG',
  accuracy: 10,
  source: 'test',
};

function gatewayClient() {
  const gateway = createMockGateway();
  return { gateway, client: createClient({ ...gateway.clientOptions(), fetch: gateway.fetch }) };
}

/** An outbox, a table with the user's bets, and the statement that inserts a bet with its report. */
async function bettingWorld({
  store: given = {},
  outbox: options = {},
}: {
  store?: Partial<PostgresStoreOptions>;
  outbox?: Partial<OutboxOptions>;
} = {}) {
  const { schema = newSchema() } = given;
  const store = await openStore({ ...given, schema });
  const { gateway, client } = gatewayClient();
  const outbox = createOutbox({ client, store, pollMs: 60_000, ...options });
  await pool.query(`CREATE TABLE ${schema}.bets (id text PRIMARY KEY, settled boolean NOT NULL DEFAULT false)`);
  const bets = async () =>
    (await pool.query<{ id: string }>(`SELECT id FROM ${schema}.bets ORDER BY id`)).rows.map(({ id }) => id);
  const reports = async () => (await outbox.list()).map(({ reference }) => reference).sort();
  const insert = `INSERT INTO ${schema}.bets (id) VALUES ($1) RETURNING ${schema}.enqueue($2) AS added`;
  const place = (bet_id: string) => outbox.prepare('reportBetEvent', { ...betEvent({ bet_id }), location });
  return { schema, store, gateway, outbox, bets, reports, insert, place };
}

const rejection = (work: Promise<unknown>): Promise<{ code?: string; message: string }> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error) => error,
  );

describe("a report in the user's own statement", () => {
  it('is committed with it, and sent at once to a listening worker', { tags: 'slice' }, async () => {
    const { outbox, insert, place, bets, gateway } = await bettingWorld({ store: { listen: connectListener } });
    const heard: string[] = [];
    outbox.on('enqueued', ({ id }) => heard.push(`enqueued ${id}`));
    outbox.on('recorded', ({ id }) => heard.push(`recorded ${id}`));
    outbox.start();
    const report = await place('B-1');
    const { rows } = await within((client) => client.query(insert, ['B-1', report.value]));
    expect([rows, await bets()]).toEqual([[{ added: true }], ['B-1']]);
    const { done } = await report.enqueue();
    expect(await done).toMatchObject({ outcome: 'recorded', reference: 'B-1' });
    expect(gateway.reports()).toHaveLength(1);
    // Only the database knows that the statement has enqueued it.
    expect(heard).toEqual([`recorded ${report.id}`]);
    await outbox.stop();
  });

  it('needs no BEGIN: one statement is a transaction', async () => {
    const { insert, place, bets, reports } = await bettingWorld();
    await pool.query(insert, ['B-1', (await place('B-1')).value]);
    expect([await bets(), await reports()]).toEqual([['B-1'], ['B-1']]);
  });

  it('does not exist if the statement fails or the transaction is rolled back', async () => {
    const { insert, place, bets, reports } = await bettingWorld();
    const { value } = await place('B-1');
    await expect(
      within(async (client) => {
        await client.query(insert, ['B-1', value]);
        throw new Error('the bet was void');
      }),
    ).rejects.toThrow('void');
    await pool.query(insert, ['B-2', (await place('B-2')).value]);
    await expect(pool.query(insert, ['B-2', (await place('B-3')).value])).rejects.toMatchObject({ code: '23505' });
    expect([await bets(), await reports()]).toEqual([['B-2'], ['B-2']]);
  });

  it('follows the changed rows: no row, no report; several rows, one report', async () => {
    const { schema, outbox, reports } = await bettingWorld();
    const settle = `UPDATE ${schema}.bets SET settled = true WHERE id LIKE $1 RETURNING ${schema}.enqueue($2) AS added`;
    const { value } = await outbox.prepare('reportSettledBet', settledBet({ bet_id: 'B-1' }));
    expect([(await pool.query(settle, ['B-%', value])).rows, await reports()]).toEqual([[], []]);
    await pool.query(`INSERT INTO ${schema}.bets (id) VALUES ('B-1'), ('B-2')`);
    expect([(await pool.query(settle, ['B-%', value])).rows, await reports()]).toEqual([
      [{ added: true }, { added: false }],
      ['B-1'],
    ]);
  });

  it('is the same report again, and returns that it was not added', async () => {
    const { schema, outbox, place, reports } = await bettingWorld();
    const report = await place('B-1');
    await report.enqueue();
    expect((await pool.query(`SELECT ${schema}.enqueue($1) AS added`, [report.value])).rows).toEqual([
      { added: false },
    ]);
    await outbox.drain();
    expect((await pool.query(`SELECT ${schema}.enqueue($1) AS added`, [report.value])).rows).toEqual([
      { added: false },
    ]);
    expect([await report.enqueue(), await reports()]).toMatchObject([{ state: 'recorded' }, ['B-1']]);
  });

  it('with other data fails the transaction, without personal data in the error', async () => {
    const { outbox, insert, bets, store } = await bettingWorld();
    await outbox.reportSettledBet(personalSettlement('B-1'));
    const before = await store.list({ limit: 9 });
    const other = await outbox.prepare('reportSettledBet', { ...personalSettlement('B-1'), payout_amount: 1 });
    const error = await rejection(within((client) => client.query(insert, ['B-1', other.value])));
    expect([error.code, error.message]).toEqual([
      'LS003',
      expect.stringContaining('compare your records. Nothing was enqueued'),
    ]);
    expect(leaksIn(JSON.stringify(error) + error.message)).toEqual([]);
    expect([await bets(), await store.list({ limit: 9 })]).toEqual([[], before]);
  });

  it.each([
    ['the payload itself', JSON.stringify(personalBet('B-1')), 'something else'],
    ['nothing', null, 'was given NULL'],
    ['an empty text', '', 'something else'],
    ['half of a value', 'outbox', 'something else'],
    ['a value without its begin', '{"store":"x","row":{}}', 'something else'],
    ['a value with another number of bytes', 'outbox1 x {}', 'something else'],
  ])('is refused if it is %s, and the value is not shown', async (_, value, message) => {
    const { insert, bets, reports } = await bettingWorld();
    const error = await rejection(pool.query(insert, ['B-1', value]));
    expect(error).toMatchObject({
      code: 'LS004',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/ind .*report\.value as a parameter/),
    });
    expect(leaksIn(JSON.stringify(error) + error.message)).toEqual([]);
    expect([await bets(), await reports()]).toEqual([[], []]);
  });

  it.each([
    ['cut off', '$2::varchar(300)', 'UTF8'],
    ['read in another encoding', '$2', 'LATIN1'],
  ])('is refused if it was %s on the way, since it could not be sent', async (_, bound, encoding) => {
    const { insert, outbox, bets, reports } = await bettingWorld();
    const { value } = await outbox.prepare('reportBetEvent', personalBet('B-é'));
    const error = await rejection(
      within(async (client) => {
        await client.query(`SET LOCAL client_encoding = ${encoding}`);
        await client.query(insert.replace('$2', bound), ['B-1', value]);
      }),
    );
    expect(error).toMatchObject({
      code: 'LS004',
      message: expect.stringContaining('was changed on the way. Nothing was enqueued'),
    });
    expect(leaksIn(JSON.stringify(error) + error.message)).toEqual([]);
    expect([await bets(), await reports()]).toEqual([[], []]);
  });

  it.each([
    ['no JSON any more', (content: string) => content.replace('Zurikel', 'Zurik"l')],
    ['a character that cannot be stored', (content: string) => content.replace('Zurikel', 'Z\\u0000')],
    ['half of a pair', (content: string) => content.replace('Zurikel', 'Z\\ud800')],
    ['a row without its operation', (content: string) => content.replace('"operation"', '"operatiom"')],
    ['a row without its body', (content: string) => content.replace('"body"', '"bodi"')],
    ['another value', (content: string) => `"${'x'.repeat(Buffer.byteLength(content) - 2)}"`],
  ])('is refused if it was changed to as many bytes with %s, and nothing of it is shown', async (_, change) => {
    const { insert, outbox, bets, reports } = await bettingWorld();
    const { value } = await outbox.prepare('reportBetEvent', personalBet('B-1'));
    const [begin = '', content = ''] = value.split(/(?=\{)(.*)/s);
    const changed = change(content);
    expect(changed).not.toBe(content);
    expect(Buffer.byteLength(changed)).toBe(Buffer.byteLength(content));
    const error = await rejection(pool.query(insert, ['B-1', begin + changed]));
    expect(error).toMatchObject({
      code: 'LS004',
      message: expect.stringContaining('was changed on the way. Nothing was enqueued'),
    });
    expect(leaksIn(JSON.stringify(error) + error.message)).toEqual([]);
    expect([await bets(), await reports()]).toEqual([[], []]);
  });

  it('is refused if the outbox of another schema prepared it, since its keys may be missing here', async () => {
    const [here, there] = [await bettingWorld(), await bettingWorld()];
    const error = await rejection(pool.query(here.insert, ['B-1', (await there.place('B-1')).value]));
    expect(error).toMatchObject({
      code: 'LS004',
      message: expect.stringContaining('prepared by the outbox of another store'),
    });
    expect([await here.bets(), await here.reports(), await there.reports()]).toEqual([[], [], []]);
  });

  it('does not report another report as its own, if the statement did not insert its row', async () => {
    const { outbox, insert, place } = await bettingWorld();
    await pool.query(insert, ['B-1', (await place('B-1')).value]);
    const other = await outbox.prepare('reportBetEvent', { ...betEvent({ bet_id: 'B-1', amount: 99 }), location });
    const { rows } = await pool.query(insert.replace(' RETURNING', ' ON CONFLICT DO NOTHING RETURNING'), [
      'B-1',
      other.value,
    ]);
    expect(rows).toEqual([]);
    await outbox.drain();
    await expect(other.enqueue()).rejects.toMatchObject({
      code: 'duplicate',
      message: expect.stringContaining('holds other data under this reference'),
    });
  });

  it("fails with the library's message, which may contain the values: only its cause may be logged", async () => {
    const { outbox, schema } = await bettingWorld();
    await outbox.reportBetEvent(personalBet('B-1'));
    const other = await outbox.prepare('reportBetEvent', { ...personalBet('B-1'), amount: 1 });
    const statement = sql`INSERT INTO ${sql.raw(`${schema}.bets`)} (id) VALUES (${'B-1'}) RETURNING ${sql.raw(`${schema}.enqueue`)}(${other.value})`;
    const error = await rejection(drizzle(pool).execute(statement));
    expect(leaksIn(error.message).length).toBeGreaterThan(5);
    expect((error as Error).cause).toMatchObject({ code: 'LS003' });
    expect(leaksIn(String((error as Error).cause))).toEqual([]);
  });

  it('is refused by a store with the same schema name in another database', async () => {
    const { schema, place } = await bettingWorld();
    const { value } = await place('B-1');
    const name = `${schema}_other`;
    // Not from template1, to which another test connects: PostgreSQL only copies an unused database.
    await pool.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    const elsewhere = new pg.Pool({ connectionString: String(url), max: 2 });
    try {
      const there = await postgresStore({ database: elsewhere, schema });
      const error = await rejection(elsewhere.query(`SELECT ${schema}.enqueue($1)`, [value]));
      expect(error).toMatchObject({
        code: 'LS004',
        message: expect.stringContaining('prepared by the outbox of another store'),
      });
      expect((await there.counts()).states.waiting).toBe(0);
    } finally {
      await elsewhere.end();
    }
  });

  it('is refused if its account is bound to another gateway', async () => {
    const { schema, store, place } = await bettingWorld();
    await store.bind([{ account: 'default', environment: 'staging', gateway: 'https://another.example.com' }]);
    const error = await rejection(pool.query(`SELECT ${schema}.enqueue($1)`, [(await place('B-1')).value]));
    expect(error).toMatchObject({ code: 'LS005', message: expect.stringContaining('https://another.example.com') });
    expect((await store.counts()).states.waiting).toBe(0);
  });

  it('waits for the initiated report, like any other', async () => {
    const { insert, place, outbox, store, gateway } = await bettingWorld();
    const settled = await outbox.prepare('reportSettledBet', settledBet({ bet_id: 'B-1' }));
    await within(async (client) => {
      await client.query(insert, ['B-1', (await place('B-1')).value]);
      await client.query(insert, ['B-1 settled', settled.value]);
    });
    expect((await store.counts()).states).toMatchObject({ waiting: 1, blocked: 1 });
    const gateways = { staging: gateway.clientOptions().gateways?.staging?.baseUrl };
    expect(idsOf(await claim(store, 9, [{ account: 'default', gateways, busy: 0 }]))).toEqual([
      'default:staging:reportBetEvent:B-1',
    ]);
  });

  it('is added once by two transactions at the same time', async () => {
    const { insert, place, reports } = await bettingWorld();
    const { value } = await place('B-1');
    const two = await Promise.all(
      ['first', 'second'].map((id) =>
        within(async (client) => {
          const { rows } = await client.query<{ added: boolean }>(insert, [id, value]);
          await client.query('SELECT pg_sleep(0.05)');
          return rows[0]?.added;
        }),
      ),
    );
    expect([two.sort(), await reports()]).toEqual([[false, true], ['B-1']]);
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])('may be in a transaction that is %s', async (level) => {
    const { insert, place, reports } = await bettingWorld();
    await within(async (client) => {
      await client.query(`SET TRANSACTION ISOLATION LEVEL ${level}`);
      await client.query(insert, ['B-1', (await place('B-1')).value]);
    });
    expect(await reports()).toEqual(['B-1']);
  });

  it('is found by polling if notifications are off', async () => {
    const schema = newSchema();
    const heard: string[] = [];
    const listener = await connectListener();
    listener.on('notification', ({ channel }) => heard.push(channel));
    try {
      for (const notify of [true, false]) {
        const { insert, place } = await bettingWorld({ store: { schema: `${schema}_${notify}`, notify } });
        await listener.query(`LISTEN ${schema}_${notify}`);
        await pool.query(insert, ['B-1', (await place('B-1')).value]);
      }
      await listener.query('SELECT 1');
      expect(heard).toEqual([`${schema}_true`]);
    } finally {
      await listener.end();
    }
  });

  it('is unreadable if bodies are encrypted', async () => {
    const encryption = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } };
    const { outbox, insert, gateway } = await bettingWorld({ outbox: { encryption } });
    const report = await outbox.prepare('reportBetEvent', personalBet('B-1'));
    expect(leaksIn(report.value)).toEqual([]);
    await pool.query(insert, ['B-1', report.value]);
    expect(await outbox.drain()).toMatchObject({ drained: true, states: { recorded: 1 } });
    expect(leaksIn(JSON.stringify(gateway.reports())).length).toBeGreaterThan(5);
  });

  it('of an earlier encryption key is other data, and is the same report again after the rollback', async () => {
    const keys = { k1: new Uint8Array(32).fill(7), k2: new Uint8Array(32).fill(8) };
    const { store, outbox, insert, schema } = await bettingWorld({ outbox: { encryption: { current: 'k1', keys } } });
    const bet = { ...betEvent({ bet_id: 'B-1', timestamp: '1795161600' }), location };
    await pool.query(insert, ['B-1', (await outbox.prepare('reportBetEvent', bet)).value]);
    const { client } = gatewayClient();
    const rotated = createOutbox({ client, store, encryption: { current: 'k2', keys } });
    const again = await rotated.prepare('reportBetEvent', bet);
    expect((await rejection(pool.query(`SELECT ${schema}.enqueue($1)`, [again.value]))).code).toBe('LS003');
    expect(await again.enqueue()).toMatchObject({ id: 'default:staging:reportBetEvent:B-1', state: 'waiting' });
    expect((await outbox.stats()).states.waiting).toBe(1);
  });

  it('keeps text of any content unchanged', async () => {
    const { schema, store } = await bettingWorld();
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !one.includes('\0'));
    const odd = fc.constantFrom(
      'NULL',
      'null',
      '{',
      '}',
      '{}',
      ',',
      '"',
      '\\',
      '\\"',
      "'",
      '$1',
      ' ',
      '\n',
      'outbox1 {',
      '\x1f',
      '\u2028',
      '😀',
    );
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, odd),
        fc.oneof(text, odd),
        fc.oneof(text, odd),
        async (reference, fingerprint, body) => {
          rows += 1;
          const given = newRow(`${rows} ${reference}`, { fingerprint, body });
          const { rows: told } = await pool.query(`SELECT ${schema}.enqueue($1) AS added`, [store.asValue?.(given)]);
          expect(told).toEqual([{ added: true }]);
          const { gateway: _, ...kept } = given;
          expect((await store.get([given.id]))[0]).toMatchObject(kept);
        },
      ),
      { numRuns: 200 },
    );
    for (const unfit of ['n\0', 'n\ud800'])
      expect(() => store.asValue?.(newRow(unfit))).toThrow(expect.objectContaining({ code: 'text' }));
    for (const unfit of ['n\0', 'n\ud800'])
      expect(() => store.asValue?.(newRow('n', { body: unfit }))).toThrow(expect.objectContaining({ code: 'text' }));
  });

  it('passes through other libraries unchanged', async () => {
    const { schema, place, reports } = await bettingWorld();
    const client = postgres(inject('postgresUrl'), { max: 1 });
    const name = client(`${schema}.bets`);
    const { value } = await place('B-"1\\');
    expect(
      await client`INSERT INTO ${name} (id) VALUES (${'B-1'}) RETURNING ${client.unsafe(`${schema}.enqueue`)}(${value}) AS added`,
    ).toMatchObject([{ added: true }]);
    await client.end();
    const db = drizzle(pool);
    const through = await place('B-2');
    const statement = sql`INSERT INTO ${sql.raw(`${schema}.bets`)} (id) VALUES (${'B-2'}) RETURNING ${sql.raw(`${schema}.enqueue`)}(${through.value}) AS added`;
    expect((await db.execute(statement)).rows).toEqual([{ added: true }]);
    expect(await reports()).toEqual(['B-"1\\', 'B-2']);
  });
});
