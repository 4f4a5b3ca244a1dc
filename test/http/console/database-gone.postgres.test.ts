// @module-tag slow: needs PostgreSQL.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createOperator } from '../../../src/operator/operator.js';
import { directUrl, newSchema, openStore, pool } from '../../outbox/stores/postgres/world.js';
import { quarantineMany, retryOf } from './quarantined.js';
import { callAt, consoleWorld } from './world.js';

/** The function that makes one commit of a decision. */
const STEP = '.decide(';

/**
 * A cable to the database that breaks at the second step of a decision: before the database has it, or after the commit
 * and before the answer. Then it refuses new connections until it is mended.
 */
async function cableTo(url: URL, breaks: 'before' | 'after') {
  const open = new Set<Socket>();
  let steps = 0;
  let isCut = false;
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(url.port), url.hostname);
    let isLast = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          near.destroy();
          far.destroy();
        });
    }
    near.on('data', (piece) => {
      if (piece.includes(STEP)) {
        steps += 1;
        isLast = steps === 2;
      }
      if (isLast && breaks === 'before') return cut();
      far.write(piece);
    });
    far.on('data', (piece) => {
      if (isLast && breaks === 'after') return cut();
      near.write(piece);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    mend() {
      isCut = false;
    },
    close: () => server.close(),
  };
}

test.each([
  ['before', 1_000],
  ['after', 2_000],
] as const)(
  'a retry of a group whose database goes away %s its second commit says so in the words of the store, and continues when it is back',
  async (breaks, made) => {
    const schema = newSchema();
    const direct = await openStore({ schema });
    await quarantineMany(direct, 2_001);
    const cable = await cableTo(new URL(directUrl('a cable that breaks')), breaks);
    const cutPool = new pg.Pool({ connectionString: cable.url, connectionTimeoutMillis: 5_000, allowExitOnIdle: true });
    // Without a listener, a lost idle connection would end the process.
    cutPool.on('error', () => undefined);
    const store = await openStore({ schema, database: cutPool });
    onTestFinished(async () => {
      await cutPool.end();
      cable.close();
    });
    const { act, send, lines } = consoleWorld({}, createOperator({ over: store }));
    const request = retryOf((await send({ url: callAt('groups') })).body);
    /** Counted by the database itself, over another connection. */
    const retried = async () => {
      const { rows } = await pool.query(
        `SELECT count(*)::int AS n FROM ${schema}.queue WHERE state = 'waiting' AND jsonb_array_length(decisions) = 1`,
      );
      return rows[0]?.n as number;
    };

    const gone = await act('decide', request);
    expect([gone.status, gone.body.error.code]).toEqual([503, 'store']);
    expect(gone.body.error.message).toMatch(/^The outbox's database .* cannot be reached at .* look at the server/);
    expect(await retried()).toBe(made);
    expect(lines.filter((line) => line.includes(gone.body.error.message))).toHaveLength(1);
    for (const text of [gone.text, ...lines]) expect(text).not.toMatch(/terminated|B-\d/);

    cable.mend();
    let last = await act('decide', request);
    while (last.status === 200 && last.body.more) last = await act('decide', request);
    expect([last.status, last.body.decision.touched, last.body.decision.done]).toEqual([200, 2_001, true]);
    expect(await retried()).toBe(2_001);
  },
);
