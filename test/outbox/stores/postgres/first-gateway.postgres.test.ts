// @module-tag slow: needs PostgreSQL.
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../../src/outbox/stores/postgres/store.js';
import { CLAIMANT, claim, GATEWAYS, idsOf, newRow, STAGING } from '../../contract/harness.js';
import { newSchema, pool } from './world.js';

const OTHER = 'https://other.example.com';
const rowForOther = (reference: string) => newRow(reference, { gateway: OTHER });
const ELSEWHERE = [{ ...CLAIMANT, gateways: { staging: OTHER } }];

/** Two instances whose enqueues wait half a second for a lock. */
async function openTwo() {
  const schema = newSchema();
  const open = () => openPostgresStore({ database: pool, schema }, { locks: { one: '500', many: '500' } });
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

describe('the first report of a destination, in an open transaction', () => {
  it('binds the gateway if it commits: a report for another gateway waits for it, and is refused', async () => {
    const { one, other } = await openTwo();
    await withTransactions(async (begin) => {
      const [first, second] = [await begin(), await begin()];
      await one.enqueue([newRow('B-1')], first);
      const refusal = other.enqueue([rowForOther('B-2')], second).catch(String);
      await first.query('COMMIT');
      expect(await refusal).toMatch(/other\.example\.com.*Nothing was stored or sent/);
      await second.query('COMMIT');
    });
    expect(idsOf(await claim(one))).toEqual([newRow('B-1').id]);
    expect(await other.get([rowForOther('B-2').id])).toEqual([undefined]);
  });

  it('binds nothing if it is rolled back: the report for the other gateway is sent', async () => {
    const { one, other } = await openTwo();
    await withTransactions(async (begin) => {
      const [first, second] = [await begin(), await begin()];
      await one.enqueue([newRow('B-1')], first);
      const added = other.enqueue([rowForOther('B-2')], second);
      await first.query('ROLLBACK');
      expect(await added).toMatchObject([{ added: true }]);
      await second.query('COMMIT');
    });
    expect(idsOf(await claim(other, 9, ELSEWHERE))).toEqual([rowForOther('B-2').id]);
  });

  it('at the same moment as one for another gateway, in statements of the user and in batches: at most one gateway is in the store', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { schema, one, other } = await openTwo();
      await withTransactions(async (begin) => {
        const [first, second] = [await begin(), await begin()];
        const value = one.asValue?.(newRow('B-1')) ?? '';
        const ends = await Promise.allSettled([
          first.query(`SELECT ${schema}.enqueue($1)`, [value]).then(() => first.query('COMMIT')),
          other.enqueue([rowForOther('B-2'), rowForOther('B-3')], second).then(() => second.query('COMMIT')),
        ]);
        expect(ends.filter(({ status }) => status === 'fulfilled').length).toBe(1);
      });
      const [bound] = await one.outlook();
      const isOther = bound?.gateway === OTHER;
      expect(idsOf(await claim(one, 9, isOther ? ELSEWHERE : [CLAIMANT]))).toEqual(
        idsOf(isOther ? [rowForOther('B-2'), rowForOther('B-3')] : [newRow('B-1')]),
      );
      expect((await one.counts()).states.waiting).toBe(0);
    }
  });

  it('delays no other destination, and reports of its own destination are refused as busy', async () => {
    const { one, other } = await openTwo();
    await withTransactions(async (begin) => {
      const [first, second] = [await begin(), await begin()];
      await one.enqueue([newRow('B-1')], first);
      await other.enqueue([newRow('B-1', { account: 'brandB', gateway: OTHER })], second);
      await other.enqueue([newRow('B-2', { environment: 'production' })]);
      await expect(other.enqueue([newRow('B-3')])).rejects.toMatchObject({ code: 'busy' });
      await first.query('COMMIT');
    });
    expect(await other.bind([{ ...STAGING, gateway: OTHER }])).toEqual([GATEWAYS.staging]);
    await other.enqueue([newRow('B-3')]);
    const sent = [newRow('B-1'), newRow('B-2', { environment: 'production' }), newRow('B-3')];
    expect(idsOf(await claim(one)).sort()).toEqual(idsOf(sent).sort());
  });
});
