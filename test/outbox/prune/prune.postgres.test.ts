// @module-tag slow: needs PostgreSQL.
import { expect, inject, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox } from '../../../src/entries/outbox.js';
import { runCli } from '../../support/cli-in-process.js';
import { betEvent } from '../../support/factories.js';
import { GATEWAYS } from '../contract/harness.js';
import { advance, newSchema, openStore } from '../stores/postgres/world.js';
import { pruneAndDie } from './killed.js';
import { DAY_MS, OLD, recordMany } from './old-reports.js';

const url = inject('postgresUrl');

it('prune continues after a killed process, beside a worker and another prune, and the log can still be verified', {
  timeout: 90_000,
}, async () => {
  const schema = newSchema();
  const store = await openStore({ schema });
  await recordMany(store, 'OLD', OLD, () => advance(schema, 500 * DAY_MS));
  const command = (...words: string[]) => runCli(['outbox', url, ...words, '--schema', schema]);
  const left = async () => (await store.list({ limit: 2 * OLD })).length;

  expect(await pruneAndDie(url, schema)).toBe('SIGKILL');
  const rest = await left();
  expect([rest > 0, rest < OLD]).toEqual([true, true]);
  expect(await command('verify')).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${(OLD - rest).toLocaleString('en')} of them are of reports that were pruned`),
  });

  const gateway = createMockGateway();
  await store.rebind({
    account: 'default',
    environment: 'staging',
    from: GATEWAYS.staging,
    gateway: gateway.clientOptions().gateways.staging.baseUrl,
    reason: 'test',
  });
  const outbox = createOutbox({
    client: createClient({ ...gateway.clientOptions(), fetch: gateway.fetch }),
    store,
    pollMs: 50,
  });
  const problems: string[] = [];
  outbox.on('error', ({ message }) => problems.push(message));
  outbox.start();
  const prune = () => command('prune', '--older-than', '400d', '--keep-receipts', '--json');
  let pruning = true;
  const pruned = Promise.all([prune(), prune()]).finally(() => {
    pruning = false;
  });
  let count = 0;
  for (; (pruning && count < 300) || count < 20; count += 1)
    await outbox.reportBetEvent(betEvent({ bet_id: `B-${count}` }));
  const counts = (await pruned).map(({ out }) => Number(JSON.parse(out).pruned));
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(rest);
  await expect.poll(() => gateway.reports().length, { timeout: 45_000 }).toBe(count);
  await outbox.stop();
  expect(problems).toEqual([]);
  expect(await left()).toBe(count);
  expect((await outbox.stats()).states.recorded).toBe(OLD + count);
  expect(await command('verify')).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${OLD.toLocaleString('en')} of them`),
  });
});
