// @module-tag slow: needs PostgreSQL.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type BetEvent, createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox } from '../../src/entries/outbox.js';
import { postgresStore } from '../../src/entries/outbox-postgres.js';
import { directUrl, newSchema, pool } from '../outbox/stores/postgres/world.js';
import { runCli } from '../support/cli-in-process.js';
import { inlineCode } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { betEvent, LOCATION, settledBet, withdrawalEvent } from '../support/factories.js';
import { newFolder } from '../support/new-folder.js';

const [, section = ''] = readGuides('start/backend-with-postgresql').split('### If the tables changed');
const [, openBets = '', openWithdrawals = '', openAll = ''] = inlineCode(section.split('\n## ')[0] ?? '')
  .map(({ code }) => code)
  .filter((words) => /^(?:migrate|list)\b/.test(words));

it('the guide changes the tables through a second schema: each report is recorded once', async () => {
  const [older, newer] = [newSchema(), newSchema()];
  const gateway = createMockGateway();
  const open = async (schema: string) => {
    const store = await postgresStore({ database: pool, schema, migrate: schema === older });
    const client = createClient({ ...gateway.clientOptions(), location: { fixed: LOCATION } });
    return createOutbox({ client, store, retry: { baseMs: 1 } });
  };
  const address = directUrl('the commands of the guide connect by themselves');
  /** Runs a command in the old schema. */
  const run = (command: string) => runCli(['outbox', address, ...command.split(' '), '--schema', older]);

  const old = await open(older);
  const bet = betEvent({ bet_id: 'B-old', timestamp: new Date() });
  await old.reportBetEvent(bet);
  await old.reportBetEvent(betEvent({ bet_id: 'B-older' }));
  await old.reportWithdrawalEvent(withdrawalEvent({ request_id: 'W-old' }));

  // 1 and 2: the new processes enqueue. An old one still settles a bet that they have placed.
  const made = await runCli(['outbox', address, 'migrate', '--schema', newer]);
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining(`GRANT USAGE ON SCHEMA ${newer}`) });
  const now = await open(newer);
  await now.reportBetEvent(betEvent({ bet_id: 'B-new' }));
  await now.reportSettledBet(settledBet({ bet_id: 'B-old' }));
  const settled = { ...withdrawalEvent({ request_id: 'W-old' }), status: 'SUCCESSFUL', timestamp: new Date() };
  await now.reportSettledWithdrawal({ ...settled, location: LOCATION });
  await old.reportSettledBet(settledBet({ bet_id: 'B-new' }));
  expect((await run(openBets)).out).toContain('B-old');
  old.start();

  // 3: the old worker goes on, then the new ones start.
  const none = expect.stringContaining('No open report fits these filters.');
  for (const command of [openBets, openWithdrawals])
    await expect.poll(() => run(command)).toMatchObject({ code: 0, err: none });
  expect((await now.stats()).states).toMatchObject({ waiting: 3, recorded: 0 });
  await expect.poll(async () => (await old.stats()).states.quarantined).toBe(1);

  now.start();
  await expect.poll(async () => (await now.stats()).states.recorded).toBe(3);
  for (const { id, problem } of await old.list({ state: 'quarantined' })) {
    expect(problem?.code).toBe('not-found');
    await old.retry(id);
  }
  await expect.poll(async () => (await old.stats()).states).toMatchObject({ recorded: 4, quarantined: 0, waiting: 0 });

  // Nothing is left in the old schema.
  expect(await run(openAll)).toMatchObject({ out: '', err: 'No report waits, and none needs a person.\n' });
  await old.stop();

  // Each command knows one schema.
  const books = join(newFolder('books'), 'bets.txt');
  writeFileSync(books, 'B-old\n');
  const reconcile = `reconcile ${books} --operation reportBetEvent --environment staging`;
  expect(await run(reconcile)).toMatchObject({ code: 0 });
  const inNewer = await runCli(['outbox', address, ...reconcile.split(' '), '--schema', newer]);
  expect(inNewer).toMatchObject({ code: 1, out: expect.stringContaining('never-seen') });

  // The new schema does not know the old references.
  const repeat = async (payload: BetEvent) => {
    const { id, done } = await now.reportBetEvent(payload);
    done.catch(() => {});
    await expect.poll(async () => (await now.get(id))?.state).toBe('quarantined');
    const problem = (await now.get(id))?.problem;
    return { id, code: problem?.code };
  };
  const { id, code: same } = await repeat(bet);
  await now.resolve(id, { as: 'recorded', reason: 'the old schema has its receipt' });
  const { code: other } = await repeat(betEvent({ bet_id: 'B-older', timestamp: '1795161600' }));
  expect([same, other]).toEqual(['duplicate', 'conflict']);
  await now.stop();
  const recorded = gateway.reports().map(({ operation, reference }) => `${operation} ${reference}`);
  expect(recorded.sort()).toEqual([
    'reportBetEvent B-new',
    'reportBetEvent B-old',
    'reportBetEvent B-older',
    'reportSettledBet B-new',
    'reportSettledBet B-old',
    'reportSettledWithdrawal W-old',
    'reportWithdrawalEvent W-old',
  ]);
});
