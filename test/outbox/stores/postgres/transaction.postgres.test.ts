// @module-tag slow: needs PostgreSQL.
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import postgres from 'postgres';
import { describe, expect, inject, it } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { ConfigurationError } from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { type PostgresDatabase, postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { betEvent, settledBet } from '../../../support/factories.js';
import { CLAIMANT, claim, GATEWAYS, idsOf, newRow, STAGING, settledRow, write } from '../../contract/harness.js';
import { connectListener, FIRST_PAUSE, newSchema, openStore, pool, within } from './world.js';

const location = {
  latitude: 6.45,
  longitude: 3.39,
  city: 'Lagos',
  region: 'LA',
  country: 'NG',
  accuracy: 10,
  source: 'test',
};

function outboxOver(store: Awaited<ReturnType<typeof openStore>>) {
  const gateway = createMockGateway();
  const client = createClient({ ...gateway.clientOptions(), fetch: gateway.fetch });
  return { gateway, outbox: createOutbox({ client, store, pollMs: 60_000 }) };
}

describe("a report in the user's transaction", () => {
  it('exists once it commits, and is sent at once to a listening worker', { tags: 'slice' }, async () => {
    const { outbox, gateway } = outboxOver(await openStore({ listen: connectListener }));
    outbox.start();
    const { done, id } = await within(async (client) => {
      const reports = outbox.within(client);
      const initiated = await reports.reportBetEvent({ ...betEvent({ bet_id: 'B-1' }), location });
      await reports.reportSettledBet(settledBet({ bet_id: 'B-1' }));
      expect(await outbox.get(initiated.id)).toBe(undefined);
      return initiated;
    });
    expect(await done).toMatchObject({ outcome: 'recorded', reference: 'B-1' });
    expect(id).toBe('default:staging:reportBetEvent:B-1');
    await expect.poll(() => gateway.reports().length, { timeout: 10_000 }).toBe(2);
    await outbox.stop();
  });

  it('needs no second connection', async () => {
    const own = new pg.Pool({ connectionString: inject('postgresUrl'), max: 2, connectionTimeoutMillis: 5_000 });
    const { outbox } = outboxOver(await openStore({ database: own }));
    await outbox.drain();
    const clients = [await own.connect(), await own.connect()];
    try {
      for (const client of clients) await client.query('BEGIN');
      const reports = clients.map((client, index) =>
        outbox.within(client).reportSettledBet(settledBet({ bet_id: `B-${index}` })),
      );
      expect(await Promise.all(reports)).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }]);
      for (const client of clients) await client.query('COMMIT');
    } finally {
      for (const client of clients) client.release(true);
    }
    expect(await outbox.list()).toHaveLength(2);
    await own.end();
  });

  it('does not exist if the transaction is rolled back', { tags: 'slice' }, async () => {
    const schema = newSchema();
    const { outbox } = outboxOver(await openStore({ schema }));
    await expect(
      within(async (client) => {
        await outbox.within(client).reportSettledBet(settledBet({ bet_id: 'B-1' }));
        throw new Error('the bet was void');
      }),
    ).rejects.toThrow('the bet was void');
    expect([await outbox.list(), (await outbox.stats()).states.waiting]).toEqual([[], 0]);
    for (const table of ['reports', 'queue'])
      expect((await pool.query(`SELECT 1 FROM ${schema}.${table}`)).rows).toEqual([]);
    expect(await outbox.reportSettledBet(settledBet({ bet_id: 'B-1', payout_amount: 1 }))).toMatchObject({
      state: 'waiting',
    });
  });

  it('fails the transaction if the database refuses it, and later statements get the error of a failed transaction', async () => {
    const store = await openStore();
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await expect(client.query('SELECT 1 / 0')).rejects.toThrow();
      await expect(store.enqueue([newRow('B-1')], client)).rejects.toMatchObject({
        name: 'StoreError',
        code: 'aborted',
        sqlState: '25P02',
      });
      expect((await client.query('COMMIT')).command).toBe('ROLLBACK');
    } finally {
      client.release();
    }
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it('is refused if the transaction is a pool, or cannot send statements', async () => {
    const store = await openStore();
    await expect(async () => store.enqueue([newRow('B-1')], pool)).rejects.toThrow(ConfigurationError);
    await expect(async () => store.enqueue([newRow('B-1')], {})).rejects.toThrow(ConfigurationError);
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it.each([
    ['has begun none', async (_: pg.PoolClient) => {}],
    ['has committed it', (client: pg.PoolClient) => client.query('BEGIN; SELECT 1; COMMIT')],
    [
      'has rolled it back',
      (client: pg.PoolClient) => client.query('BEGIN; CREATE TEMPORARY TABLE gone (id text); ROLLBACK'),
    ],
  ])('is refused if the connection %s, since it would be committed alone', async (_, before) => {
    const store = await openStore();
    const client = await pool.connect();
    try {
      await before(client);
      for (const rows of [[newRow('B-1')], [newRow('B-1'), newRow('B-2')]])
        await expect(store.enqueue(rows, client)).rejects.toMatchObject({
          code: 'no-transaction',
          message: expect.stringContaining('Nothing was enqueued'),
        });
    } finally {
      client.release();
    }
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it('is refused over an object that sends each statement over a pool, beside an open transaction', async () => {
    const { outbox } = outboxOver(await openStore());
    const db = { query: (text: string, values: (string | null)[]) => pool.query(text, values) };
    await within(async () => {
      await expect(outbox.within(db).reportSettledBet(settledBet({ bet_id: 'B-1' }))).rejects.toMatchObject({
        code: 'no-transaction',
        message: expect.stringContaining('Nothing was enqueued'),
      });
    });
    expect(await outbox.list()).toEqual([]);
  });

  it('is accepted if the client cannot report its state', async () => {
    const store = await openStore();
    await within(async (client) => {
      const silent = {
        query: (text: string, values: (string | null)[]) => client.query(text, values),
        getTransactionStatus: () => {
          throw new TypeError('the binding has no such function');
        },
      };
      expect(await store.enqueue([newRow('B-1')], silent)).toMatchObject([{ added: true }]);
    });
  });

  it.each([true, false])(
    'may be sent together with the rest (a client that sends without waiting: %s): all or nothing',
    async (pipeline) => {
      const own = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1, pipeline });
      const { outbox } = outboxOver(await openStore());
      const client = await own.connect();
      const together = async (id: string, work: string) => {
        await client.query('BEGIN');
        const sent = [client.query(work), outbox.within(client).reportSettledBet(settledBet({ bet_id: id }))];
        await Promise.allSettled(sent);
        await Promise.all(sent).then(
          () => client.query('COMMIT'),
          () => client.query('ROLLBACK'),
        );
      };
      try {
        await together('B-1', 'SELECT 1');
        await together('B-2', 'SELECT 1 / 0');
      } finally {
        client.release();
        await own.end();
      }
      expect((await outbox.list()).map(({ reference }) => reference)).toEqual(['B-1']);
    },
  );

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])('may be %s', async (level) => {
    const store = await openStore();
    await within(async (client) => {
      await client.query(`SET TRANSACTION ISOLATION LEVEL ${level}`);
      expect(await store.enqueue([newRow('B-1'), settledRow('B-1')], client)).toMatchObject([
        { added: true },
        { added: true, row: { blocked: true } },
      ]);
    });
    expect(idsOf(await claim(store))).toEqual([newRow('B-1').id]);
  });

  it('of a level that hides the commits of others fails with the code for which transactions are repeated', async () => {
    const store = await openStore();
    const refusal = within(async (client) => {
      await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await client.query('SELECT 1');
      await store.enqueue([newRow('B-1')]);
      await store.enqueue([newRow('B-1')], client);
    });
    await expect(refusal).rejects.toMatchObject({ code: 'conflict', sqlState: '40001' });
  });
});

describe('the order of reports from concurrent transactions', () => {
  it('is kept if the initiated report is committed after the settled one was enqueued', async () => {
    const store = await openStore();
    await store.bind([{ ...STAGING, gateway: GATEWAYS.staging }]);
    await within(async (first) => {
      await store.enqueue([newRow('B-1')], first);
      await store.enqueue([settledRow('B-1')]);
    });
    expect(idsOf(await claim(store))).toEqual([newRow('B-1').id]);
    expect((await store.get([settledRow('B-1').id]))[0]?.blocked).toBe(true);
    expect(await claim(store)).toEqual([]);
  });

  it('does not block a settled report for ever if its transaction was open while the initiated one was recorded', async () => {
    const store = await openStore();
    await store.enqueue([newRow('B-1')]);
    await within(async (second) => {
      expect(await store.enqueue([settledRow('B-1')], second)).toMatchObject([{ row: { blocked: true } }]);
      const [initiated] = await claim(store);
      if (initiated) await write(store, initiated);
    });
    expect(idsOf(await claim(store))).toEqual([settledRow('B-1').id]);
  });

  it('is kept, and all reports are recorded, while workers race with transactions', async () => {
    const store = await openStore();
    // Otherwise a transaction that is the first of its destination may wait here for the one that waits for it.
    await store.bind([{ ...STAGING, gateway: GATEWAYS.staging }]);
    const count = 120;
    const recorded: string[] = [];
    const enqueue = async (index: number) => {
      const rows = [newRow(`B-${index}`), settledRow(`B-${index}`)];
      if (index % 3 === 0) return void (await store.enqueue(rows));
      const [first, second] = index % 3 === 1 ? rows : rows.reverse();
      await within(async (client) => {
        await store.enqueue(first ? [first] : [], client);
        await Promise.all([
          within((other) => store.enqueue(second ? [second] : [], other)),
          client.query('SELECT pg_sleep(0.005)'),
        ]);
      });
    };
    const work = async () => {
      let writes: Parameters<typeof store.turn>[0]['writes'] = [];
      while (recorded.length < 2 * count) {
        const { claimed, written } = await store.turn({
          writes,
          claim: { accounts: [CLAIMANT], limit: 7, leaseMs: 60_000 },
        });
        expect(written).not.toContain(false);
        for (const { id, operation, reference } of claimed) {
          recorded.push(id);
          // Of every third pair, the settled report is committed first, and may be sent while it is alone.
          if (operation === 'reportSettledBet' && Number(reference.slice(2)) % 3 !== 1)
            expect(recorded).toContain(newRow(reference).id);
        }
        writes = claimed.map((row) => ({
          id: row.id,
          expected: row,
          change: { ...row, state: 'recorded', delayMs: 0, outcome: 'recorded', keepBody: false },
        }));
      }
      await store.turn({ writes, claim: undefined });
    };
    const adding = (async () => {
      for (let index = 0; index < count; index += 4)
        await Promise.all([0, 1, 2, 3].map((more) => enqueue(index + more)));
    })();
    await Promise.all([adding, work(), work(), work()]);
    expect(new Set(recorded).size).toBe(2 * count);
    expect((await store.counts()).states).toEqual({
      waiting: 0,
      blocked: 0,
      'in-flight': 0,
      recorded: 2 * count,
      quarantined: 0,
      dismissed: 0,
    });
  });
});

describe('the same report twice at once', () => {
  it('is added by the first that commits, and the other one gets its row', async () => {
    const store = await openStore();
    const second = await within(async (client) => {
      await store.enqueue([newRow('B-1', { body: 'first' })], client);
      const waits = store.enqueue([newRow('B-1', { body: 'second' }), newRow('B-2')]);
      await client.query('SELECT pg_sleep(0.1)');
      return { waits };
    });
    expect(await second.waits).toMatchObject([
      { added: false, row: { body: 'first' } },
      { added: true, row: { reference: 'B-2' } },
    ]);
  });

  it('is added by the other one if the first is rolled back', async () => {
    const store = await openStore();
    const waiting: Promise<unknown>[] = [];
    await within(async (client) => {
      await store.enqueue([newRow('B-1', { body: 'first' })], client);
      waiting.push(store.enqueue([newRow('B-1', { body: 'second' })]));
      await client.query('SELECT pg_sleep(0.1)');
      throw new Error('void');
    }).catch(() => {});
    expect(await Promise.all(waiting)).toMatchObject([[{ added: true, row: { body: 'second' } }]]);
  });

  it('does not deadlock batches with the same reports in different orders', async () => {
    const store = await openStore();
    const rows = Array.from({ length: 60 }, (_, index) => newRow(`B-${index}`));
    const enqueued = await Promise.all(
      Array.from({ length: 8 }, (_, index) => store.enqueue(index % 2 ? rows : [...rows].reverse())),
    );
    expect(enqueued.flat().filter(({ added }) => added).length).toBe(60);
    expect((await store.counts()).states.waiting).toBe(60);
  });
});

describe('the libraries that send the statements', () => {
  const ways: { readonly [Name: string]: (use: (database: PostgresDatabase) => Promise<void>) => Promise<void> } = {
    'pg that reads types in its own way': async (use) => {
      const text = { getTypeParser: (id: number) => (id === 25 ? String : () => 'not text') };
      const client = new pg.Client({ connectionString: inject('postgresUrl'), types: text as never });
      await client.connect();
      await use(client).finally(() => client.end());
    },
    'postgres.js': async (use) => {
      const client = postgres(inject('postgresUrl'), { max: 2, onnotice: () => {}, transform: postgres.camel });
      await use(client).finally(() => client.end());
    },
    Drizzle: (use) => use(drizzle(pool)),
    'a line around a library that returns rows alone': (use) =>
      use({ query: async (text, values) => (await pool.query(text, values)).rows }),
  };

  it.each(Object.entries(ways))('may be %s', async (_, way) => {
    await way(async (database) => {
      const store = await postgresStore({ database, schema: newSchema() });
      await store.enqueue([newRow('B-1'), settledRow('B-1'), newRow('$1 "odd" \'quoted\'')]);
      const [first, other] = await claim(store);
      if (first) await write(store, first, { message: 'ok' });
      expect(other?.reference).toBe('$1 "odd" \'quoted\'');
      expect((await store.get([newRow('B-1').id]))[0]).toMatchObject({
        state: 'recorded',
        message: 'ok',
        attempts: 1,
        fence: 1,
        body: undefined,
      });
      expect(idsOf(await claim(store))).toEqual([settledRow('B-1').id]);
      expect(await store.pause(FIRST_PAUSE)).toBe(true);
      expect((await store.outlook()).map(({ pause }) => pause.reason)).toContain('unavailable');
      expect(await store.receipts.append([{ index: 0, id: newRow('B-1').id, line: 'a' }])).toBe(true);
      expect(await store.receipts.last()).toEqual({ index: 0, id: newRow('B-1').id, line: 'a' });
      expect(await store.getOrCreateSetting('name', 'value')).toBe('value');
      expect((await store.counts()).states).toMatchObject({ recorded: 1, 'in-flight': 2 });
    });
  });

  const odd: Readonly<Record<string, (text: string, values: (string | null)[]) => Promise<unknown>>> = {
    'that returns no rows': async (text, values) => void (await pool.query(text, values)),
    'that returns rows as lists': async (text, values) => pool.query({ text, values, rowMode: 'array' }),
    'that names columns in its own way': async (text, values) => ({
      rows: (await pool.query(text, values)).rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value])),
      ),
    }),
    'that reads text in its own way': async (text, values) => ({
      rows: (await pool.query(text, values)).rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Buffer.from(String(value))])),
      ),
    }),
    'that knows no placeholders': async (text) => pool.query(text),
    'that fails before it sends': async () => Promise.reject(new Error('Expected 1 bindings, saw 0')),
  };

  it.each(Object.entries(odd))('may not be one %s: the store does not open', async (_, query) => {
    const schema = newSchema();
    const refusal = postgresStore({ database: { query }, schema });
    await expect(refusal).rejects.toThrow(ConfigurationError);
    await expect(refusal).rejects.toThrow(/the library's own object.*Nothing was enqueued/s);
    expect((await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])).rowCount).toBe(0);
  });

  it('are not blamed for a failure of the server', async () => {
    const query = async () => Promise.reject(Object.assign(new Error('canary'), { code: 'XX000' }));
    const refusal = postgresStore({ database: { query }, schema: newSchema() });
    await expect(refusal).rejects.toMatchObject({ name: 'StoreError', code: 'other', sqlState: 'XX000' });
  });

  it('are tried before a report is written in a transaction: a rejected report is not stored after the commit', async () => {
    const schema = newSchema();
    const { outbox } = outboxOver(await openStore({ schema }));
    for (const [name, send] of Object.entries({
      'no rows': async (client: pg.PoolClient, text: string, values: (string | null)[]): Promise<unknown> =>
        void (await client.query(text, values)),
      'rows alone': async (client: pg.PoolClient, text: string, values: (string | null)[]): Promise<unknown> =>
        (await client.query(text, values)).rows,
      'rows as lists': (client: pg.PoolClient, text: string, values: (string | null)[]) =>
        client.query({ text, values, rowMode: 'array' }),
    })) {
      const isStored = await within(async (client) => {
        const query = (text: string, values: (string | null)[]) => send(client, text, values);
        return outbox
          .within({ query })
          .reportSettledBet(settledBet({ bet_id: name }))
          .then(
            () => true,
            (error) => {
              expect(error).toBeInstanceOf(ConfigurationError);
              return false;
            },
          );
      });
      const { rowCount } = await pool.query(`SELECT FROM ${schema}.reports WHERE reference = $1`, [name]);
      expect([name, rowCount]).toEqual([name, isStored ? 1 : 0]);
    }
    expect(await outbox.list()).toHaveLength(2);
  });
});
