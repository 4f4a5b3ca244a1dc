// @module-tag slow: needs PostgreSQL.
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/client/create-client.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { openPostgresStore } from '../../../../src/outbox/stores/postgres/store.js';
import { settledBet } from '../../../support/factories.js';
import { CLAIMANT, claim, GATEWAYS, idsOf, newRow, STAGING } from '../../contract/harness.js';
import { newSchema, pool } from './world.js';

const OTHER = 'https://other.example.com';
const rowForOther = (reference: string) => newRow(reference, { gateway: OTHER });
const ELSEWHERE = [{ ...CLAIMANT, gateways: { staging: OTHER } }];

/** Two instances whose enqueues wait half a second for a lock. */
async function openTwo() {
  const schema = newSchema();
  const open = () => openPostgresStore({ database: pool, schema }, { one: '500', many: '500' });
  return { schema, one: await open(), other: await open() };
}

/** Transactions that are open at once, each on its own connection. Open ones are rolled back at the end. */
async function withTransactions(work: (begin: () => Promise<pg.PoolClient>) => Promise<void>): Promise<void> {
  const clients: pg.PoolClient[] = [];
  try {
    await work(async () => {
      const client = await pool.connect();
      clients.push(client);
      await client.query('BEGIN');
      return client;
    });
  } finally {
    for (const client of clients) await client.query('ROLLBACK').finally(() => client.release());
  }
}

/** Fails instead of waiting for the end of another transaction. */
const soon = async <T>(promise: Promise<T>): Promise<T> => {
  const began = performance.now();
  const result = await promise;
  expect(performance.now() - began).toBeLessThan(4_000);
  return result;
};

describe('two open transactions, each with the first report of a destination', () => {
  it.each([
    ['commits', 'COMMIT'],
    ['is rolled back', 'ROLLBACK'],
  ])(
    'for two gateways: one is refused, and no report goes to the gateway of the other, if the first %s',
    async (_, end) => {
      const { one, other } = await openTwo();
      await withTransactions(async (begin) => {
        const [first, second] = [await begin(), await begin()];
        await one.enqueue([newRow('B-1')], first);
        const refusal = await other.enqueue([rowForOther('B-2')], second).catch(String);
        expect(refusal).toMatch(/other\.example\.com.*Nothing was stored or sent/);
        // The address of the first report is not committed yet.
        expect(refusal).not.toContain(GATEWAYS.staging);
        await second.query('COMMIT');
        await first.query(end);
      });
      expect(idsOf(await claim(one))).toEqual(end === 'COMMIT' ? [newRow('B-1').id] : []);
      expect(await other.get([newRow('B-2').id])).toEqual([undefined]);
    },
  );

  it('for two gateways, in statements of the user and in batches, at once: at most one gateway is in the store', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { schema, one, other } = await openTwo();
      await withTransactions(async (begin) => {
        const [first, second] = [await begin(), await begin()];
        const value = one.asValue?.(newRow('B-1')) ?? '';
        const ends = await Promise.allSettled([
          first.query(`SELECT ${schema}.enqueue($1)`, [value]),
          other.enqueue([rowForOther('B-2'), rowForOther('B-3')], second),
        ]);
        expect(ends.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
        await first.query('COMMIT');
        await second.query('COMMIT');
      });
      const [bound] = await one.outlook();
      const sent = await claim(one, 9, bound?.gateway === GATEWAYS.staging ? [CLAIMANT] : ELSEWHERE);
      expect(idsOf(sent)).toEqual(
        bound === undefined
          ? []
          : idsOf(bound.gateway === OTHER ? [rowForOther('B-2'), rowForOther('B-3')] : [newRow('B-1')]),
      );
      expect((await one.counts()).states.waiting).toBe(0);
    }
  });

  it('for the same gateway: neither waits, and both are sent, even if the first one is rolled back', async () => {
    const { one, other } = await openTwo();
    await withTransactions(async (begin) => {
      const [first, second, third] = [await begin(), await begin(), await begin()];
      await one.enqueue([newRow('B-1')], first);
      await soon(other.enqueue([newRow('B-2')], second));
      await first.query('ROLLBACK');
      await expect(one.enqueue([rowForOther('B-3')], third)).rejects.toThrow(/other\.example\.com/);
      await soon(other.enqueue([newRow('B-4')], second));
      await second.query('COMMIT');
    });
    await one.bind([{ ...STAGING, gateway: GATEWAYS.staging }]);
    expect(idsOf(await claim(one))).toEqual([newRow('B-2').id, newRow('B-4').id]);
  });

  it('do not delay other destinations or a starting worker', async () => {
    const { one, other } = await openTwo();
    await withTransactions(async (begin) => {
      const [first, second] = [await begin(), await begin()];
      await one.enqueue([newRow('B-1')], first);
      await soon(other.enqueue([newRow('B-1', { account: 'brandB', gateway: OTHER })], second));
      await soon(other.enqueue([newRow('B-2', { environment: 'production' })]));
      expect(await soon(other.bind([{ ...STAGING, gateway: GATEWAYS.staging }]))).toEqual([GATEWAYS.staging]);
      await expect(soon(other.bind([{ ...STAGING, gateway: OTHER }]))).rejects.toThrow(/other\.example\.com/);
      await first.query('COMMIT');
    });
    expect(await other.bind([{ ...STAGING, gateway: OTHER }])).toEqual([GATEWAYS.staging]);
  });
});

describe('a worker', () => {
  it('that has started in the meantime sends the report of the second transaction, if the first one was rolled back', async () => {
    const { one } = await openTwo();
    const gateway = createMockGateway({ requireInitiated: false });
    const outbox = createOutbox({
      client: createClient({ ...gateway.clientOptions(), fetch: gateway.fetch }),
      store: one,
      pollMs: 20,
    });
    try {
      await withTransactions(async (begin) => {
        const [first, second] = [await begin(), await begin()];
        await outbox.within(first).reportSettledBet(settledBet({ bet_id: 'B-1' }));
        await outbox.within(second).reportSettledBet(settledBet({ bet_id: 'B-2' }));
        outbox.start();
        await new Promise((resolve) => setTimeout(resolve, 200));
        await first.query('ROLLBACK');
        await second.query('COMMIT');
      });
      await expect.poll(() => gateway.reports().map(({ reference }) => reference), { timeout: 5_000 }).toEqual(['B-2']);
    } finally {
      await outbox.stop();
    }
  });
});
