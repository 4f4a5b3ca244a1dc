// @module-tag slow: needs PostgreSQL.
import type pg from 'pg';
import PgBoss from 'pg-boss';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox, memoryStore, type Outbox, type OutboxStore } from '../../../../src/entries/outbox.js';
import { type PgBossStoreOptions, pgBossStore } from '../../../../src/entries/outbox-pg-boss.js';
import { newRow } from '../../../../src/outbox/contract/harness.js';
import { betEvent, settledBet } from '../../../support/factories.js';
import { leaksIn, personalBet } from '../../personal.js';
import { newSchema, openStore, pool } from '../postgres/world.js';

const QUEUE = 'location-sdk-outbox';
const LOCATION = { latitude: 6.45, longitude: 3.39, city: 'Lagos', region: 'LA', country: 'NG', accuracy: 10, source: 'test' };

let boss: PgBoss;
let bossSchema: string;
let open: Outbox[];

beforeEach(async () => {
  bossSchema = `boss_${newSchema()}`;
  boss = await startBoss();
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((outbox) => outbox.stop()));
  await boss.stop({ graceful: false, wait: true });
  await pool.query(`DROP SCHEMA ${bossSchema} CASCADE`);
});

async function startBoss(): Promise<PgBoss> {
  const made = new PgBoss({ connectionString: inject('postgresUrl'), schema: bossSchema, max: 4, supervise: false, schedule: false });
  made.on('error', () => {});
  return made.start();
}

/** An outbox over PostgreSQL that polls only once a minute by default. */
async function bossWorld({ schema = newSchema(), pollMs = 60_000, ...options }: Partial<PgBossStoreOptions> & { schema?: string; pollMs?: number } = {}) {
  const gateway = createMockGateway();
  const sent: string[] = [];
  const client = createClient({
    ...gateway.clientOptions(),
    fetch: (url, init) => {
      sent.push(init.body ?? '');
      return gateway.fetch(url, init as object);
    },
  });
  const postgres = await openStore({ schema, notify: false });
  let asleep = false;
  const inner: OutboxStore = {
    ...postgres,
    async outlook() {
      const outlook = await postgres.outlook();
      asleep = true;
      return outlook;
    },
  };
  const store = await pgBossStore({ store: inner, boss, ...options });
  const outbox = createOutbox({ client, store, pollMs });
  open.push(outbox);
  const within = async (work: (transaction: pg.PoolClient) => Promise<unknown>, end = 'COMMIT') => {
    const transaction = await pool.connect();
    try {
      await transaction.query('BEGIN');
      await work(transaction);
      await transaction.query(end);
    } finally {
      transaction.release();
    }
  };
  /** Starts it, and waits until it has polled and found nothing. */
  const start = async () => {
    outbox.start();
    await expect.poll(() => asleep).toBe(true);
    // Its last steps before it sleeps do not wait for the database.
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  return { gateway, sent, start, store, outbox, schema, within };
}

const jobs = async (): Promise<{ state: string; data: unknown; keepUntil: Date }[]> =>
  (await pool.query(`SELECT state, data, keep_until AS "keepUntil" FROM ${bossSchema}.job WHERE name = $1 ORDER BY created_on`, [QUEUE])).rows;

/** Resolves when a report is recorded. */
const recorded = (store: OutboxStore, count: number) => expect.poll(async () => (await store.counts()).states.recorded, { timeout: 10_000 }).toBe(count);

describe('an outbox that pg-boss wakes', () => {
  it('sends a report of another instance, long before its next poll', async () => {
    const { start, store, schema } = await bossWorld();
    const other = await bossWorld({ schema });
    await start();
    await other.outbox.reportBetEvent(betEvent());
    await recorded(store, 1);
    await expect.poll(async () => (await jobs()).map(({ state }) => state)).toEqual(['completed']);
  });

  it('sends the reports of a committed transaction, and none of one that is rolled back', async () => {
    const { start, store, schema, sent } = await bossWorld();
    const { outbox, within } = await bossWorld({ schema });
    await start();
    await within((transaction) => outbox.reportBetEvent(betEvent({ bet_id: 'BET-no' }), { transaction }), 'ROLLBACK');
    await within((transaction) => outbox.reportBetEvent(betEvent(), { transaction }));
    await recorded(store, 1);
    expect(await store.counts()).toMatchObject({ states: { waiting: 0, recorded: 1 } });
    expect(sent).toHaveLength(1);
  });

  it('has a job for a report that follows an existing one', async () => {
    const { outbox } = await bossWorld();
    const bet = { ...betEvent(), timestamp: '1767225600', location: LOCATION };
    await outbox.reportBetEvent(bet);
    await expect.poll(async () => (await jobs()).length).toBe(1);
    await outbox.reportBetEvent(bet);
    await outbox.reportBetEvent(betEvent({ bet_id: 'BET-next' }));
    await expect.poll(async () => (await jobs()).map(({ data }) => (data as { reference: string }).reference)).toContain('BET-next');
  });

  it('delivers in order although pg-boss keeps no order', async () => {
    const { outbox, store, within, gateway } = await bossWorld();
    await within(async (transaction) => {
      await outbox.reportSettledBet(settledBet(), { transaction });
      await outbox.reportBetEvent(betEvent(), { transaction });
    });
    outbox.start();
    await recorded(store, 2);
    expect(gateway.requests().map(({ operation }) => operation)).toEqual(['reportBetEvent', 'reportSettledBet']);
  });

  it('delivers a report whose job was lost, by polling', async () => {
    const { outbox, store } = await bossWorld({ pollMs: 300 });
    await outbox.reportBetEvent(betEvent());
    await expect.poll(async () => (await jobs()).length).toBe(1);
    await pool.query(`DELETE FROM ${bossSchema}.job`);
    outbox.start();
    await recorded(store, 1);
  });

  it('delivers once if a job is repeated or late', async () => {
    const { outbox, store, sent } = await bossWorld();
    outbox.start();
    await outbox.reportBetEvent(betEvent());
    await recorded(store, 1);
    const [job] = await jobs();
    for (const startAfter of [0, 1]) await boss.send(QUEUE, job?.data as object, { startAfter });
    await boss.send(QUEUE, { environment: 'staging', operation: 'reportBetEvent', reference: 'BET-unknown' });
    await expect.poll(async () => (await jobs()).filter(({ state }) => state === 'completed').length, { timeout: 10_000 }).toBe(4);
    expect(sent).toHaveLength(1);
    expect(await store.counts()).toMatchObject({ states: { recorded: 1, waiting: 0, quarantined: 0 } });
  });

  it('distributes reports over instances, and each report is sent once', async () => {
    const schema = newSchema();
    const other = await startBoss();
    try {
      const first = await bossWorld({ schema, batchSize: 1 });
      const second = await bossWorld({ schema, batchSize: 1, boss: other });
      for (const { outbox } of [first, second]) outbox.start();
      for (let bet = 0; bet < 30; bet += 1) await first.outbox.reportBetEvent(betEvent({ bet_id: `BET-${bet}` }));
      await recorded(first.store, 30);
      const references = [...first.sent, ...second.sent].map((body) => JSON.parse(body).bet_id);
      expect([references.length, new Set(references).size]).toEqual([30, 30]);
    } finally {
      await other.stop({ graceful: false, wait: true });
    }
  });
});

describe('a failure of pg-boss', () => {
  it('undoes no statement of a transaction, even with several statements at once', async () => {
    const { outbox, store, within, schema } = await bossWorld();
    await pool.query(`CREATE TABLE ${schema}.bets (id text)`);
    await pool.query(`ALTER TABLE ${bossSchema}.job RENAME TO gone`);
    await within((transaction) =>
      Promise.all([
        outbox.within(transaction).reportBetEvent(betEvent({ bet_id: 'BET-1' })),
        transaction.query(`INSERT INTO ${schema}.bets VALUES ('BET-1')`),
        outbox.within(transaction).reportBetEvent(betEvent({ bet_id: 'BET-2' })),
        ...Array.from({ length: 20 }, (_, index) =>
          new Promise((resolve) => setTimeout(resolve, index)).then(() => transaction.query(`INSERT INTO ${schema}.bets VALUES ('${index}')`)),
        ),
      ]),
    );
    expect((await pool.query(`SELECT count(*)::int AS count FROM ${schema}.bets`)).rows).toEqual([{ count: 21 }]);
    expect((await store.list({ limit: 10 })).map(({ reference }) => reference).sort()).toEqual(['BET-1', 'BET-2']);
    await pool.query(`ALTER TABLE ${bossSchema}.gone RENAME TO job`);
  });

  it('does not fail a transaction: bet and report commit, and polling finds the report', async () => {
    const errors: unknown[] = [];
    const { outbox, store, within } = await bossWorld({ pollMs: 300, onError: (error) => errors.push(error) });
    await pool.query(`ALTER TABLE ${bossSchema}.job RENAME TO gone`);
    outbox.start();
    await within(async (transaction) => {
      await outbox.reportBetEvent(betEvent(), { transaction });
      await transaction.query('SELECT 1');
    });
    await recorded(store, 1);
    // The report may be found before the queue has failed.
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await pool.query(`ALTER TABLE ${bossSchema}.gone RENAME TO job`);
  });

  it('refuses no report, and ignores an onError that throws', async () => {
    const { outbox, store } = await bossWorld({
      pollMs: 300,
      onError: () => {
        throw new Error('mine');
      },
    });
    await pool.query(`ALTER TABLE ${bossSchema}.job RENAME TO gone`);
    outbox.start();
    await outbox.reportBetEvent(betEvent());
    await recorded(store, 1);
    await store.close?.();
    await pool.query(`ALTER TABLE ${bossSchema}.gone RENAME TO job`);
  });

  it('is refused with all problems at once if the options are wrong', async () => {
    await expect(pgBossStore({ store: {}, boss: {}, batchSize: 0, retries: 3 } as never)).rejects.toThrow(
      /store: expected.*boss: expected an object with createQueue, send, work, offWork.*batchSize: expected.*unknown field retries/s,
    );
  });
});

it('a job contains account, environment, operation and reference, lives for a day, and contains no personal data', async () => {
  const { outbox } = await bossWorld();
  await outbox.reportBetEvent(personalBet('BET-7'));
  await expect.poll(async () => (await jobs()).length).toBe(1);
  const [job] = await jobs();
  expect(job?.data).toEqual({ account: 'default', environment: 'staging', operation: 'reportBetEvent', reference: 'BET-7' });
  const keptMs = (job?.keepUntil.getTime() ?? 0) - Date.now();
  expect(keptMs).toBeGreaterThan(23 * 3_600_000);
  expect(keptMs).toBeLessThan(25 * 3_600_000);
  const everything = (await pool.query(`SELECT row_to_json(j)::text AS text FROM ${bossSchema}.job AS j`)).rows;
  expect(leaksIn(JSON.stringify(everything))).toEqual([]);
});

/** pg-boss with another `createQueue`. */
const withQueue = (createQueue: () => Promise<void>): PgBoss => Object.assign(Object.create(boss) as PgBoss, { createQueue });

it('two instances that start at once make one queue', async () => {
  const store = await openStore();
  for (const queue of ['at-once-1', 'at-once-2', 'at-once-3', 'at-once-4']) {
    const stores = await Promise.all([1, 2, 3, 4].map(() => pgBossStore({ store, boss, queue })));
    expect(stores).toHaveLength(4);
    expect((await boss.getQueues()).filter(({ name }) => name === queue)).toHaveLength(1);
  }
});

it.each(['40P01', '40001', '23505', '42P07'])('an instance that conflicts with another one (%s) makes the queue again', async (code) => {
  let calls = 0;
  const createQueue = async () => {
    calls += 1;
    if (calls < 3) throw Object.assign(new Error('deadlock detected'), { code });
  };
  await pgBossStore({ store: memoryStore(), boss: withQueue(createQueue) });
  expect(calls).toBe(3);
});

it('an instance whose queue cannot be made rejects: at once, or after several tries', async () => {
  const calls: string[] = [];
  for (const code of ['42501', '40P01']) {
    const createQueue = async () => {
      calls.push(code);
      throw Object.assign(new Error('no queue'), { code });
    };
    await expect(pgBossStore({ store: memoryStore(), boss: withQueue(createQueue) })).rejects.toMatchObject({ code });
  }
  expect(calls).toEqual(['42501', ...Array.from({ length: 6 }, () => '40P01')]);
});

it('the job of a report in a transaction waits for a second, since the transaction commits later', async () => {
  const waits: unknown[] = [];
  const send = async (_: string, __: object, options: { startAfter: number }) => {
    waits.push(options.startAfter);
    return null;
  };
  const { enqueue, ...kept } = memoryStore();
  const inner: OutboxStore = { ...kept, transactional: true, enqueue: (rows) => enqueue(rows) };
  const store = await pgBossStore({ store: inner, boss: Object.assign(Object.create(boss) as PgBoss, { createQueue: async () => {}, send }) });
  await store.enqueue([newRow('B-1')]);
  await store.enqueue([newRow('B-2')], {});
  await expect.poll(() => waits).toEqual([0, 1]);
});
