// @module-tag slow: kills processes.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { quarantineMany, retryOf } from '../http/console/quarantined.js';
import { newFile, openSqlite, query } from '../outbox/stores/sqlite/files.js';
import { type BuiltCli, buildCli } from '../support/built-cli.js';

const REPORTS = 12_000;

let cli: BuiltCli;
beforeAll(async () => {
  cli = await buildCli();
}, 60_000);
afterAll(() => cli.remove());

/** A console in its own process, with the calls of its page. */
async function startConsole(file: string) {
  const child = cli.start('outbox', file, 'console');
  let found: string | undefined;
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    found = /http:[^"\s]*/.exec(line)?.[0];
    if (found !== undefined) break;
  }
  const address = new URL(found ?? '');
  const own = { origin: address.origin, 'x-location-sdk': '1', 'content-type': 'application/json' };
  const post = (path: string, body: object, headers: object = {}) =>
    fetch(new URL(path, address.origin), {
      method: 'POST',
      headers: { ...own, ...headers },
      body: JSON.stringify(body),
    });
  const cookie =
    (await post('/enter', { token: address.hash.slice(1) })).headers.get('set-cookie')?.split(';')[0] ?? '';
  const { token } = await (await post('/api/session', {}, { cookie })).json();
  const call = async (name: string, body: object = {}) =>
    (await post(`/api/${name}`, body, { cookie, 'x-console-token': token })).json();
  return { child, call };
}

it('a retry of a group whose console is killed in the middle retries each report once', {
  timeout: 120_000,
}, async () => {
  const file = newFile();
  const store = await sqliteStore({ file });
  await quarantineMany(store, REPORTS);
  await store.close?.();
  /** Counted in the file by another program. */
  const retried = () => {
    const database = openSqlite(file);
    try {
      const rows = query(
        database,
        "SELECT count(*) AS n FROM outbox_rows WHERE state = 'waiting' AND json_array_length(decisions) = 1",
      );
      return Number(rows[0]?.n);
    } finally {
      database.close();
    }
  };
  const first = await startConsole(file);
  const request = retryOf(await first.call('groups'));

  let { child, call } = first;
  const afterKills: number[] = [];
  for (let kills = 0; kills < 2; kills += 1) {
    const before = retried();
    const ended = once(child, 'exit');
    call('decide', request).catch(() => undefined);
    while (child.exitCode === null && retried() <= before) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    afterKills.push(retried());
    ({ child, call } = await startConsole(file));
  }
  expect(afterKills[0]).toBeGreaterThan(0);
  expect(afterKills[0]).toBeLessThan(REPORTS);
  // Whole commits only.
  expect(afterKills.map((count) => count % 1_000)).toEqual([0, 0]);

  let last = await call('decide', request);
  while (last.more) last = await call('decide', request);
  expect(last.decision).toMatchObject({ touched: REPORTS, skipped: 0, done: true });
  expect(retried()).toBe(REPORTS);
  child.kill('SIGTERM');
});
