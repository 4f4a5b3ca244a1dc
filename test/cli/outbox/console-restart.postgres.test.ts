// @module-tag slow: needs PostgreSQL.

import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { postgresStore } from '../../../src/entries/outbox-postgres.js';
import { newRow } from '../../outbox/contract/harness.js';
import { startCli } from '../../support/cli-in-process.js';
import { startPostgres } from '../../support/postgres-server.js';

let server: Awaited<ReturnType<typeof startPostgres>>;
let database: pg.Pool;

beforeAll(async () => {
  server = await startPostgres();
  database = new pg.Pool({ connectionString: server.url, max: 1 });
  database.on('error', () => {});
  const store = await postgresStore({ database });
  await store.enqueue([newRow('B-1')]);
  await store.close?.();
});

afterAll(async () => {
  await database?.end();
  await server?.stop();
});

test('the console of the command line goes on after its database has restarted', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const console = await startCli(['outbox', server.url, 'console']);
  const { origin, hash } = new URL(console.url);
  const ask = (path: string, body: object, cookie = '') =>
    fetch(origin + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', origin, 'x-location-sdk': '1', cookie },
    });
  const entered = await ask('/enter', { token: hash.slice(1) });
  const cookie = String(entered.headers.get('set-cookie')).split(';')[0];
  /** As the page: several calls at once. */
  const look = async () => {
    const answers = await Promise.all(
      ['overview', 'groups', 'decisions', 'overview'].map((name) => ask(`/api/${name}`, {}, cookie)),
    );
    return Promise.all(answers.map(async (answer) => [answer.status, await answer.text()] as const));
  };
  const statuses = async () => (await look()).map(([status]) => status);
  const works = [200, 200, 200, 200];
  try {
    expect(await statuses()).toEqual(works);

    // The server ends the idle connections, and refuses new ones.
    await server.halt();
    for (const [status, text] of await look()) {
      expect([status, JSON.parse(text).error.code]).toEqual([503, 'store']);
      expect(text).not.toContain(`:${new URL(server.url).password}@`);
    }
    await server.start();
    await expect.poll(statuses).toEqual(works);
    expect(JSON.parse((await look())[0]?.[1] ?? '').states).toMatchObject({ waiting: 1 });

    // An administrator ends them, as a failover or a pooler does.
    const { rowCount } = await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'location-sdk outbox'",
    );
    expect(rowCount).toBeGreaterThan(0);
    await expect.poll(statuses).toEqual(works);
    expect(warned.mock.calls).toEqual([]);
  } finally {
    warned.mockRestore();
    expect(await console.end()).toBe(0);
  }
});
