// @module-tag slow: needs PostgreSQL, and starts processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWords } from '../../src/cli/args.js';
import { OUTBOX_COMMANDS } from '../../src/cli/outbox/command.js';
import { OUTBOX_OPTIONS } from '../../src/cli/outbox/options.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { type MockServer, serve } from '../../src/entries/node.js';
import { claim, newRow, QUARANTINED, write } from '../outbox/contract/harness.js';
import { directUrl, newSchema, openStore, pool, within } from '../outbox/stores/postgres/world.js';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks, commandsOf, copiedFiles } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { root } from '../support/run.js';

const guide = readGuides('start/backend-with-postgresql', 'how-to/deploy');
const blocks = codeBlocks(guide);

/** A statement of the guide, for a schema of the test. */
function statements(schema: string): string[] {
  const all = blocks.filter(({ language }) => language === 'sql').flatMap(({ code }) => code.split(/;\s*(?:\n|$)/));
  return all.map((one) => one.trim().replaceAll('location_sdk', schema)).filter(Boolean);
}

const statement = (schema: string, part: string): string => {
  const found = statements(schema).find((one) => one.includes(part));
  if (found === undefined) throw new Error(`the guide has no statement with ${part}`);
  return found;
};

describe('the SQL of the guide to PostgreSQL', () => {
  it('is accepted by the server, each statement', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-0')]);
    const role = `${schema}_dashboard`;
    await pool.query(`CREATE ROLE ${role}`);
    const all = statements(schema);
    expect(all.length).toBeGreaterThan(6);
    for (const one of all) await pool.query(one.replace(/ TO dashboard$/, ` TO ${role}`));

    const queries = all.filter((one) => one.startsWith('SELECT'));
    expect(queries).toHaveLength(3);
    await within(async (client) => {
      await client.query(`SET LOCAL ROLE ${role}`);
      const counts = [];
      for (const query of queries) counts.push((await client.query(query)).rowCount);
      expect(counts).toEqual([1, 0, 0]);
      await expect(client.query(`SELECT body FROM ${schema}.reports`)).rejects.toMatchObject({ code: '42501' });
    });
  });

  it('lists quarantined reports, and why', async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    const [row] = await claim(store, 1);
    if (!row) throw new Error('expected one row to claim');
    await write(store, row, { ...QUARANTINED, problem: { code: 'unprocessable', message: 'refused' } });
    const { rows } = await pool.query(statement(schema, "state = 'quarantined'"));
    expect(rows).toEqual([{ id: row.id, code: 'unprocessable', message: 'refused', in_doubt: false, attempts: 1 }]);
  });
});

const commands = blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf);
it.each(commands.filter((command) => command.startsWith('npx location-sdk outbox ')))('%s', (command) => {
  const [, rest = ''] = /^npx location-sdk outbox (.*)$/.exec(command) ?? [];
  const { given } = readWords(OUTBOX_OPTIONS, rest.split(' '), 9);
  expect(OUTBOX_COMMANDS).toHaveProperty(given[1] ?? '');
});

describe('the two processes of the guide', () => {
  const database = `guide_${process.pid}`;
  const gateway = createMockGateway();
  const started: ChildProcess[] = [];
  let folder: string;
  let env: Record<string, string>;
  let server: MockServer;

  beforeAll(async () => {
    expectFreshBuild();
    await pool.query(`CREATE DATABASE ${database}`);
    const address = new URL(directUrl('the processes of the guide have a database of their own'));
    address.pathname = database;
    server = await serve(gateway);
    env = { DATABASE_URL: address.href, LOCATION_SDK_MOCK: server.url };
    // Inside the package, so that its modules find it by its name.
    folder = await mkdtemp(join(root, 'test/.docs-'));
    for (const { code } of blocks) {
      const [, name] = /^\/\/ (\S+\.mjs)\n/.exec(code) ?? [];
      if (name) await writeFile(join(folder, name), code);
    }
    for (const { name, code } of copiedFiles(guide)) await writeFile(join(folder, name), code);
  });

  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** Runs a file of the guide. */
  function start(words: string[], cwd = folder) {
    const child = spawn(process.execPath, words, { cwd, env: { ...process.env, ...env } });
    started.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    return { child, said: () => said, ended: once(child, 'exit') };
  }

  it('pass the test of the guide, over PGlite', { timeout: 60_000 }, async () => {
    const { ended, said } = start(['--test', 'bets.test.mjs']);
    const [code] = await ended;
    expect([code, said()]).toEqual([0, expect.stringMatching(/pass 1\n/)]);
  });

  it('report a bet and its settlement, also those that were enqueued while no worker ran', {
    timeout: 60_000,
  }, async () => {
    expect(await start(['schema.mjs']).ended).toEqual([0, null]);
    for (const round of [1, 2]) {
      const api = start(['api.mjs']);
      const [code] = await api.ended;
      expect([code, api.said()]).toEqual([0, expect.stringMatching(/^BET-\S+$/m)]);
      const worker = start(['worker.mjs']);
      await expect.poll(() => gateway.reports().length, { timeout: 30_000 }).toBe(2 * round);
      await expect.poll(() => worker.said().match(/"outcome":"recorded"/g)?.length, { timeout: 10_000 }).toBe(2);
      if (round === 1) worker.child.kill('SIGKILL');
      else worker.child.kill('SIGTERM');
      await worker.ended;
    }
    expect(
      gateway
        .reports()
        .map(({ operation }) => operation)
        .sort(),
    ).toEqual(['reportBetEvent', 'reportBetEvent', 'reportSettledBet', 'reportSettledBet']);
  });

  it('are sent by the function of the guide to deployment, in the bundle of its command', {
    timeout: 60_000,
  }, async () => {
    const before = gateway.reports().length;
    expect(await start(['api.mjs']).ended).toEqual([0, null]);
    const command = blocks.flatMap(commandsOf).find((one) => one.startsWith('npx esbuild ')) ?? '';
    const [, file = ''] = /--outfile=(\S+)/.exec(command) ?? [];
    const esbuild = join(root, 'node_modules/esbuild/bin/esbuild');
    // This project's own settings lead to its sources.
    const bundled = start([esbuild, ...command.split(' ').slice(2), '--tsconfig-raw={}']);
    expect([await bundled.ended, bundled.said()]).toEqual([[0, null], expect.stringContaining(file)]);
    // Twice, as a platform calls it, without the packages of this project.
    const alone = await mkdtemp(join(tmpdir(), 'location-sdk-deploy-'));
    await copyFile(join(folder, file), join(alone, file));
    const call = `const { handler } = require('./${file}'); handler().then(handler).then((ended) => { console.log(ended); process.exit(); });`;
    const { ended, said } = start(['-e', call], alone);
    expect([await ended, said()]).toEqual([[0, null], expect.stringContaining('{ drained: true, waiting: 0 }')]);
    expect(gateway.reports()).toHaveLength(before + 2);
    await rm(alone, { recursive: true });
  });
});
