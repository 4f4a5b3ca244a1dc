import PgBoss from 'pg-boss';
import { expect, inject, test } from 'vitest';
import { createClient } from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { betEvent, settledBet } from '../../../support/factories.js';
import { newSchema, openStore, pool } from './world.js';

test('a job of pg-boss wakes the outbox of another instance long before it polls', async () => {
  const schema = newSchema();
  const bossSchema = `boss_${schema}`;
  const boss = new PgBoss({
    connectionString: inject('postgresUrl'),
    schema: bossSchema,
    max: 4,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => {});
  await boss.start();
  const gateway = createMockGateway();
  const make = async () =>
    createOutbox({
      client: createClient(gateway.clientOptions()),
      store: await openStore({ schema, notify: false }),
      pollMs: 600_000,
    });
  const [web, sending] = [await make(), await make()];
  try {
    // The lines of the guide "Many backends, one outbox".
    await boss.createQueue('send-reports');
    await boss.work('send-reports', { pollingIntervalSeconds: 0.5 }, async () => {
      await sending.drain({ timeoutMs: 10_000 });
    });
    const wake = () => boss.send('send-reports', {}, { retryLimit: 0 });

    const bet = await web.reportBetEvent(betEvent());
    await web.reportSettledBet(settledBet());
    await wake();

    await expect.poll(async () => (await web.stats()).states.recorded, { timeout: 10_000 }).toBe(2);
    expect(gateway.reports().map(({ operation }) => operation)).toEqual(['reportBetEvent', 'reportSettledBet']);
    // A second job for the same reports sends nothing.
    await wake();
    const done = await web.get(bet.id);
    expect(done?.attempts).toBe(1);
  } finally {
    await boss.stop({ graceful: true, wait: true });
    await Promise.all([web, sending].map((outbox) => outbox.stop()));
    await pool.query(`DROP SCHEMA ${bossSchema} CASCADE`);
  }
});
