// @module-tag slow: needs PostgreSQL.
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox, type Outbox } from '../../../../src/entries/outbox.js';
import { postgresMigrations } from '../../../../src/outbox/stores/postgres/schema/migration.js';
import { betEvent, settledBet } from '../../../support/factories.js';
import { connectListener, directUrl, newSchema, openStore, pool, within } from './world.js';

const location = {
  latitude: 6.45,
  longitude: 3.39,
  city: 'Lagos',
  region: 'LA',
  country: 'NG',
  accuracy: 10,
  source: 'test',
};
const bet = (bet_id: string) => ({ ...betEvent({ bet_id }), location });
const HOUR_MS = 3_600_000;
const patience = { timeout: 20_000 };

const started: Outbox[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((outbox) => outbox.stop({ timeoutMs: 2_000 })));
});

/** Instances of a backend. Each has its own outbox over the same schema. */
function instances(schema = newSchema()) {
  const gateway = createMockGateway();
  const open = async (pollMs = HOUR_MS) => {
    const client = createClient({ ...gateway.clientOptions(), fetch: gateway.fetch });
    const outbox = createOutbox({ client, store: await openStore({ schema, listen: connectListener }), pollMs });
    started.push(outbox);
    return outbox;
  };
  const applied = () => gateway.reports().map(({ operation, reference }) => `${operation} ${reference}`);
  return { gateway, open, applied, schema };
}

describe('instances of a backend', () => {
  it('that start at once on an empty database all work, and deliver each report once', { tags: 'slice' }, async () => {
    const { open, gateway, applied } = instances();
    const requests: string[] = [];
    gateway.subscribe(({ operation, reference }) => void requests.push(`${operation} ${reference}`));
    const outboxes = await Promise.all([open(), open(), open()]);
    for (const outbox of outboxes) outbox.start();
    await Promise.all(outboxes.map((outbox, index) => outbox.reportBetEvent(bet(`B-${index}`))));
    await expect.poll(applied, patience).toHaveLength(3);
    expect(requests).toHaveLength(3);
  });

  it('that found no schema, and then run the migrations at once, use the schema of one of them', async () => {
    const clients = Array.from(
      { length: 6 },
      () => new pg.Client({ connectionString: directUrl('connections that remember what they saw') }),
    );
    await Promise.all(clients.map((client) => client.connect()));
    const failures: unknown[] = [];
    for (const schema of Array.from({ length: 8 }, () => newSchema())) {
      const migrate = async (client: pg.Client) => {
        await client.query('SELECT to_regclass($1::text)', [`${schema}.meta`]);
        await client.query(postgresMigrations({ schema }));
      };
      for (const made of await Promise.allSettled(clients.map(migrate)))
        if (made.status === 'rejected') failures.push(made.reason);
    }
    await Promise.all(clients.map((client) => client.end()));
    expect(failures).toEqual([]);
  });

  it('that are idle, and poll once an hour, deliver the reports of another instance', { tags: 'slice' }, async () => {
    const { open, applied } = instances();
    const [sender, web] = [await open(), await open()];
    sender.start();
    await sender.reportBetEvent(bet('B-0'));
    await expect.poll(applied, patience).toHaveLength(1);
    await within(async (client) => {
      await web.within(client).reportBetEvent(bet('B-1'));
      await web.within(client).reportSettledBet(settledBet({ bet_id: 'B-1' }));
    });
    await expect.poll(applied, patience).toEqual(['reportBetEvent B-0', 'reportBetEvent B-1', 'reportSettledBet B-1']);
  });

  it('deliver nothing of a transaction that was rolled back', async () => {
    const { open, applied } = instances();
    const [sender, web] = [await open(), await open()];
    sender.start();
    const undone = within(async (client) => {
      await web.within(client).reportBetEvent(bet('B-1'));
      throw new Error('the bet was void');
    });
    await expect(undone).rejects.toThrow('the bet was void');
    await web.reportBetEvent(bet('B-2'));
    await expect.poll(applied, patience).toEqual(['reportBetEvent B-2']);
    expect(await web.list()).toMatchObject([{ reference: 'B-2' }]);
  });

  it('all wait after the gateway has told one of them to wait', async () => {
    const { open, gateway } = instances();
    gateway.faults.add({ kind: 'status', status: 429, retryAfter: 600, times: null });
    let requests = 0;
    gateway.subscribe(() => {
      requests += 1;
    });
    const [told, other] = [await open(), await open(20)];
    told.start();
    await told.reportBetEvent(bet('B-1'));
    await expect
      .poll(async () => (await other.stats()).paused, patience)
      .toMatchObject([{ environment: 'staging', reason: 'rate-limited' }]);
    other.start();
    for (let index = 2; index < 8; index += 1) await other.reportBetEvent(bet(`B-${index}`));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([requests, (await other.stats()).states.waiting]).toEqual([1, 7]);
  });
});

describe('connections of pg that break', () => {
  it('do not end a process that follows the guide, and are replaced', async () => {
    const name = newSchema();
    const own = new pg.Pool({
      connectionString: directUrl('connections that are found by their name, and ended'),
      max: 4,
      application_name: name,
    });
    const lost = new Set<pg.PoolClient>();
    let idle = 0;
    own.on('error', () => {
      idle += 1;
    });
    own.on('connect', (client) => void client.on('error', () => void lost.add(client)));
    const { open, applied, schema } = instances();
    (await open()).start();
    const store = await openStore({ schema, database: own });
    const client = await own.connect();
    await client.query('BEGIN');
    await store.counts();
    await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [name]);
    await expect.poll(() => lost.size, patience).toBe(2);
    expect(idle).toBeGreaterThan(0);
    await expect(client.query('COMMIT')).rejects.toThrow();
    client.release(true);
    const gateway = createMockGateway();
    await createOutbox({
      client: createClient({ ...gateway.clientOptions(), fetch: gateway.fetch }),
      store,
    }).reportBetEvent(bet('B-1'));
    await expect.poll(applied, patience).toEqual(['reportBetEvent B-1']);
    await own.end();
  });
});
