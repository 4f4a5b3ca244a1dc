import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createConsoleData } from '../../src/outbox/console/create-console-data.js';
import { directUrl, newSchema, openStore, pool } from '../outbox/stores/postgres/world.js';
import { quarantineMany } from './quarantined.js';
import { callAt, consoleWorld } from './world.js';

/** A cable to the database that can be cut: its connections end, and new ones are refused until it is mended. */
async function cableTo(url: URL) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(url.port), url.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    close: () => server.close(),
  };
}

test('a retry of a group whose database goes away in the middle says so without details, and continues when it is back', async ({ onTestFinished }) => {
  const schema = newSchema();
  const direct = await openStore({ schema });
  await quarantineMany(direct, 5_000);
  const cable = await cableTo(new URL(directUrl('a cable that is cut')));
  const cutPool = new pg.Pool({ connectionString: cable.url, connectionTimeoutMillis: 5_000, allowExitOnIdle: true });
  // Without a listener, a lost idle connection would end the process.
  cutPool.on('error', () => undefined);
  const store = await openStore({ schema, database: cutPool });
  onTestFinished(async () => {
    await cutPool.end();
    cable.close();
  });
  const { act, send, lines } = consoleWorld({}, createConsoleData({ over: store }));
  const { groups, now } = (await send({ url: callAt('groups') })).body;
  const [{ account, environment, code, words }] = groups;
  const request = {
    decision: crypto.randomUUID(),
    action: 'retry',
    selection: { group: { account, environment, code, words } },
    asOf: now,
    reason: 'the deploy was mended',
  };
  /** Counted by the database itself, over another connection. */
  const retried = async () => {
    const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${schema}.queue WHERE state = 'waiting' AND jsonb_array_length(decisions) = 1`);
    return rows[0]?.n as number;
  };

  const answer = act('decide', request);
  await expect.poll(retried, { interval: 1 }).toBeGreaterThan(0);
  cable.cut();
  const gone = await answer;
  expect([gone.status, gone.body.error.code]).toEqual([500, 'failed']);
  const before = await retried();
  expect([before % 1_000, before < 5_000]).toEqual([0, true]);
  const id = /under ([\w-]+)/.exec(gone.body.error.message)?.[1] ?? 'no id';
  expect(lines.filter((line) => line.includes(id))).toHaveLength(1);
  for (const text of [gone.text, ...lines]) expect(text).not.toMatch(/127\.0\.0\.1|ECONN|terminated|B-\d/);

  cable.mend();
  let last = await act('decide', request);
  while (last.status === 200 && last.body.more) last = await act('decide', request);
  expect([last.status, last.body.decision.touched, last.body.decision.done]).toEqual([200, 5_000, true]);
  expect(await retried()).toBe(5_000);
});
