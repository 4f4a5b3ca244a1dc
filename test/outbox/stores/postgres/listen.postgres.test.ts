// @module-tag slow: needs PostgreSQL.
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../../../src/core/client/create-client.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { type ListeningClient, listen } from '../../../../src/outbox/stores/postgres/listen.js';
import { betEvent } from '../../../support/factories.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { newRow } from '../../contract/harness.js';
import { connectListener, directUrl, isPooled, newSchema, openStore, pool, within } from './world.js';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Counts the notifications of a store. */
async function watched(options: Parameters<typeof openStore>[0]) {
  const seen = { times: 0 };
  const store = await openStore(options);
  const stop = store.watch?.(() => {
    seen.times += 1;
  });
  if (stop) stops.push(stop);
  await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(1);
  return { store, seen };
}

describe('a listener', () => {
  it('is notified at the commit of a report, not before, and not after a rollback', async () => {
    const schema = newSchema();
    const { seen } = await watched({ schema, listen: connectListener });
    const other = await openStore({ schema });
    await within(async (client) => {
      await other.enqueue([newRow('B-1')], client);
      throw new Error('void');
    }).catch(() => {});
    await within(async (client) => {
      await other.enqueue([newRow('B-1')], client);
      await client.query('SELECT pg_sleep(0.1)');
      expect(seen.times).toBe(1);
    });
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(2);
  });

  it('is not notified by a store with notify: false', async () => {
    const schema = newSchema();
    const { seen } = await watched({ schema, listen: connectListener });
    await (await openStore({ schema, notify: false })).enqueue([newRow('B-1')]);
    await (await openStore({ schema })).enqueue([newRow('B-2')]);
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(2);
  });

  it('connects again when the connection is lost, and polls once more, since a notification may be missing', async () => {
    const schema = newSchema();
    const connect = async () => {
      const client = new pg.Client({
        connectionString: directUrl('a session that is found by its name, and ended'),
        application_name: schema,
      });
      await client.connect();
      return client;
    };
    const { store, seen } = await watched({ schema, listen: connect });
    await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [schema]);
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(2);
    await store.enqueue([newRow('B-1')]);
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(3);
    await store.close?.();
    const left = async () =>
      (await pool.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [schema])).rows.length;
    await expect.poll(left, { timeout: 10_000 }).toBe(0);
  });

  it('gets one error if no notifications arrive, with the advice, and polling continues', async () => {
    // Through PgBouncer if there is one. Otherwise through a connection to another database, which receives nothing
    // either.
    const elsewhere = new URL(inject('directPostgresUrl'));
    elsewhere.pathname = 'template1';
    const connect = async () => {
      if (isPooled) return pool.connect();
      const client = new pg.Client({ connectionString: elsewhere.href });
      await client.connect();
      return client;
    };
    const problems: unknown[] = [];
    const gateway = createMockGateway();
    const store = await openStore({ listen: connect });
    const outbox = createOutbox({
      client: createClient({ ...gateway.clientOptions(), fetch: gateway.fetch }),
      store,
      pollMs: 200,
    });
    outbox.on('error', (problem) => problems.push(problem));
    outbox.start();
    await expect.poll(() => problems, { timeout: 10_000 }).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      message: expect.stringContaining('pollMs'),
      cause: {
        name: 'StoreError',
        code: 'no-notifications',
        message: expect.stringMatching(
          /pooler in transaction mode.*Give listen a client that connects to the server itself/,
        ),
      },
    });
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-1' }));
    await expect.poll(() => gateway.reports().length, { timeout: 10_000 }).toBe(1);
    await outbox.stop();
    await store.close?.();
  });
});

describe('the listening connection', () => {
  /** A client that answers, or does not. */
  function fakeClient() {
    const listeners: Record<string, (detail?: unknown) => void> = {};
    const state = { answers: true, released: 0, asked: [] as string[] };
    const notify = async (payload: string) => listeners.notification?.({ payload });
    const client: ListeningClient = {
      query: (text) => {
        state.asked.push(text);
        return state.answers ? Promise.resolve() : new Promise(() => {});
      },
      on: (event, listener) => {
        listeners[event] = listener;
      },
      release: () => {
        state.released += 1;
      },
    };
    return { client, state, notify };
  }

  const quiet = { channel: 'x', onDeaf: () => expect.unreachable('it hears') };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('is checked from time to time, and replaced when it does not answer', async () => {
    const clock = new FakeClock();
    const [first, second] = [fakeClient(), fakeClient()];
    const clients = [first, second];
    let current = first;
    const connect = async () => {
      current = clients.shift() ?? second;
      return current.client;
    };
    let told = 0;
    const stop = listen(
      { ...quiet, connect, notify: (payload) => current.notify(payload), clock, random: () => 0 },
      () => {
        told += 1;
      },
    );
    await settle();
    expect([told, first.state.asked]).toEqual([1, ['LISTEN x']]);
    first.state.answers = false;
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, 45_000)));
    await settle();
    expect([first.state.released, second.state.asked[0], told]).toEqual([1, 'LISTEN x', 2]);
    stop();
    await settle();
    expect(second.state.released).toBe(1);
  });

  it('is tried less and less often if it cannot be made', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const connect = () => {
      tries += 1;
      throw new Error('ECONNREFUSED');
    };
    const stop = listen({ ...quiet, connect, notify: async () => {}, clock, random: () => 1 }, () => {});
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, 600_000)));
    expect(tries).toBeGreaterThan(15);
    expect(tries).toBeLessThan(35);
    stop();
  });

  it.each([
    ['nothing', undefined],
    ['a pool of another library', { query: async () => ({ rows: [] }) }],
    [
      'a client that throws when a listener is added',
      { query: async () => ({ rows: [] }), on: () => JSON.parse('no') },
    ],
  ])('is tried again without an error if connecting returns %s', async (_, given) => {
    const clock = new FakeClock();
    const right = fakeClient();
    const clients = [given as ListeningClient, right.client];
    let told = 0;
    const connect = async () => (clients.length > 1 ? clients.shift() : right.client) as ListeningClient;
    const stop = listen({ ...quiet, connect, notify: right.notify, clock, random: () => 0 }, () => {
      told += 1;
    });
    await settle();
    expect(told).toBe(0);
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, 5_000)));
    await settle();
    expect([told, right.state.asked[0]]).toEqual([1, 'LISTEN x']);
    stop();
  });

  const pass = async (clock: FakeClock, milliseconds: number) => {
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, milliseconds)));
    await settle();
  };

  it('without notifications is replaced, with one error until a notification arrives', async () => {
    const clock = new FakeClock();
    const { client, state, notify } = fakeClient();
    const seen = { told: 0, deaf: 0, hears: false };
    const stop = listen(
      {
        connect: async () => client,
        channel: 'x',
        notify: async (payload) => (seen.hears ? notify(payload) : undefined),
        onDeaf: () => {
          seen.deaf += 1;
        },
        clock,
        random: () => 0,
      },
      () => {
        seen.told += 1;
      },
    );
    await pass(clock, 120_000);
    expect(seen.deaf).toBe(1);
    expect(state.released).toBeGreaterThan(2);
    expect(seen.told).toBeGreaterThan(2);
    seen.hears = true;
    await pass(clock, 60_000);
    const { released } = state;
    await pass(clock, 120_000);
    expect([seen.deaf, state.released]).toEqual([1, released]);
    stop();
  });

  it('must receive a notification within 5 seconds; otherwise it is replaced, in the end every 30 seconds', async () => {
    const clock = new FakeClock();
    const began = clock.now();
    const connects: number[] = [];
    const deaf: number[] = [];
    const { client } = fakeClient();
    const stop = listen(
      {
        connect: async () => {
          connects.push(clock.now() - began);
          return client;
        },
        channel: 'x',
        notify: async () => {},
        onDeaf: () => void deaf.push(clock.now() - began),
        clock,
        random: () => 1,
      },
      () => {},
    );
    await pass(clock, 600_000);
    expect(deaf).toEqual([5_000]);
    const gaps = connects.slice(1).map((at, index) => at - (connects[index] ?? 0));
    expect([gaps[0], gaps.at(-1)]).toEqual([5_500, 35_000]);
    stop();
  });

  it('is checked every 30 seconds', async () => {
    const clock = new FakeClock();
    const { client, state, notify } = fakeClient();
    const stop = listen({ ...quiet, connect: async () => client, notify, clock, random: () => 0 }, () => {});
    await pass(clock, 29_000);
    expect(state.asked).toEqual(['LISTEN x']);
    await pass(clock, 62_000);
    expect(state.asked).toEqual(['LISTEN x', 'SELECT 1', 'SELECT 1', 'SELECT 1']);
    stop();
  });

  it('is replaced if no test notification could be sent, without an error', async () => {
    const clock = new FakeClock();
    const { client, state, notify } = fakeClient();
    let tries = 0;
    const stop = listen(
      {
        ...quiet,
        connect: async () => client,
        notify: async (payload) => {
          tries += 1;
          if (tries < 3) throw new Error('too many connections');
          await notify(payload);
        },
        clock,
        random: () => 0,
      },
      () => {},
    );
    await pass(clock, 150_000);
    expect([tries, state.released]).toEqual([3, 2]);
    stop();
  });

  it("does not read another instance's test notification as a report", async () => {
    const schema = newSchema();
    const { seen } = await watched({ schema, listen: connectListener });
    await watched({ schema, listen: connectListener });
    await pool.query('SELECT pg_sleep(0.2)');
    expect(seen.times).toBe(1);
  });
});
