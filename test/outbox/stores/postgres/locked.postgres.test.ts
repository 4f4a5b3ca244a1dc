// @module-tag slow: needs PostgreSQL.
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { type PostgresDatabase, postgresStore } from '../../../../src/entries/outbox-postgres.js';
import { openPostgresStore } from '../../../../src/outbox/stores/postgres/store.js';
import { settledBet } from '../../../support/factories.js';
import { claim, idsOf, newRow, settledRow } from '../../contract/harness.js';
import { newSchema, pool, within } from './world.js';

const BUSY = {
  name: 'StoreError',
  code: 'busy',
  sqlState: '55P03',
  message: expect.stringMatching(/open transaction.*end it.*enqueue again/),
};

/**
 * The lock limit is three seconds instead of five. On a busy machine, reports that do not wait for a lock take a
 * second.
 */
const openStore = () =>
  openPostgresStore(
    { database: pool, schema: newSchema() },
    {
      locks: { one: '3000', many: '200' },
    },
  );

async function openOutbox() {
  const gateway = createMockGateway();
  const store = await openStore();
  const client = createClient({ ...gateway.clientOptions(), fetch: gateway.fetch });
  // A destination that an open transaction binds makes every report for it wait.
  await createOutbox({ client, store }).drain();
  return { store, outbox: createOutbox({ client, store, pollMs: 60_000 }) };
}

describe("a report that the user's open transaction holds", () => {
  it('delays no other report, enqueued with it or after it; the same report is refused, and accepted after the end', async () => {
    const { outbox } = await openOutbox();
    const report = (reference: string) => outbox.reportSettledBet(settledBet({ bet_id: reference }));
    await within(async (client) => {
      await outbox.within(client).reportSettledBet(settledBet({ bet_id: 'B-1' }));
      const refused: unknown[] = [];
      const same = [report('B-1'), report('B-1')].map((one) => one.catch((error) => void refused.push(error)));
      const others = [report('B-2'), report('B-3')];
      await Promise.all(others);
      await Promise.all(Array.from({ length: 5 }, (_, index) => report(`C-${index}`)));
      await report('B-2');
      expect(refused).toEqual([]);
      await Promise.all(same);
      expect(refused).toMatchObject([BUSY, BUSY]);
      expect(await outbox.list()).toHaveLength(7);
    });
    expect(await report('B-1')).toMatchObject({ state: 'waiting' });
    expect(await outbox.list()).toHaveLength(8);
  });

  it('delays no other report if there are several of them', async () => {
    const { outbox } = await openOutbox();
    const report = (reference: string) => outbox.reportSettledBet(settledBet({ bet_id: reference }));
    await within(async (client) => {
      for (const reference of ['B-1', 'B-2', 'B-3'])
        await outbox.within(client).reportSettledBet(settledBet({ bet_id: reference }));
      const same = ['B-1', 'B-2', 'B-3'].map((reference) => report(reference).catch((error) => error));
      await new Promise((resolve) => setTimeout(resolve, 20));
      const winner = await Promise.race([Promise.all(same), report('C-1')]);
      expect(winner).toMatchObject({ state: 'waiting' });
      for (const error of await Promise.all(same)) expect(error).toMatchObject(BUSY);
    });
  });

  it('also blocks a settlement that is enqueued with it', async () => {
    const store = await openStore();
    await within(async (client) => {
      await store.enqueue([newRow('B-1')], client);
      await expect(store.enqueue([newRow('B-1'), settledRow('B-1')])).rejects.toMatchObject(BUSY);
    });
    expect(idsOf(await claim(store, 9))).toEqual([newRow('B-1').id]);
  });

  it('delays an enqueue by 5 seconds, and several reports in one statement by half a second', async () => {
    const limits: string[] = [];
    const database: PostgresDatabase = {
      query: async (text, values) => {
        limits.push(...values.filter((value) => value === '5000' || value === '500').map(String));
        return pool.query(text, values);
      },
    };
    const store = await postgresStore({ database, schema: newSchema() });
    await store.enqueue([newRow('B-1')]);
    await store.enqueue([newRow('B-2'), newRow('B-3')]);
    expect(limits).toEqual(['5000', '500']);
  });

  it("does not change the lock limit of the user's own transaction", async () => {
    const store = await openStore();
    await within(async (client) => {
      await client.query("SET LOCAL lock_timeout = '1234ms'");
      await store.enqueue([newRow('B-1')], client);
      await store.enqueue([newRow('B-2'), newRow('B-3')], client);
      expect((await client.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '1234ms' }]);
    });
    await store.enqueue([newRow('B-4')]);
    const { rows } = await pool.query('SHOW lock_timeout');
    expect(rows).toEqual([{ lock_timeout: '0' }]);
  });
});
