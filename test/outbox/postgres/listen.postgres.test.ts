import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { newRow } from '../../../src/outbox/contract/harness.js';
import { type ListeningClient, listen } from '../../../src/outbox/stores/postgres/listen.js';
import { FakeClock } from '../../delivery/fake-clock.js';
import { newSchema, openStore, pool, within } from './world.js';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Counts what a store tells. */
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

describe('who listens', () => {
  it('is told of a report at its commit, not before, and not where it is rolled back', async () => {
    const schema = newSchema();
    const { seen } = await watched({ schema, listen: () => pool.connect() });
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

  it('is told nothing by a store that does not notify', async () => {
    const schema = newSchema();
    const { seen } = await watched({ schema, listen: () => pool.connect() });
    await (await openStore({ schema, notify: false })).enqueue([newRow('B-1')]);
    await (await openStore({ schema })).enqueue([newRow('B-2')]);
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(2);
  });

  it('connects again when the connection is lost, and looks once more, since something may have been missed', async () => {
    const schema = newSchema();
    const connect = async () => {
      const client = new pg.Client({ connectionString: inject('postgresUrl'), application_name: schema });
      await client.connect();
      return client;
    };
    const { store, seen } = await watched({ schema, listen: connect });
    await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [schema]);
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(2);
    await store.enqueue([newRow('B-1')]);
    await expect.poll(() => seen.times, { timeout: 10_000 }).toBe(3);
    await store.close?.();
    const left = async () => (await pool.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [schema])).rows.length;
    await expect.poll(left, { timeout: 10_000 }).toBe(0);
  });
});

describe('the listening connection', () => {
  /** A client that answers, or not. */
  function fakeClient() {
    const listeners: Record<string, (detail?: unknown) => void> = {};
    const state = { answers: true, released: 0, asked: [] as string[] };
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
    return { client, state, listeners };
  }

  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('is asked now and then whether it is there, and replaced when it does not answer', async () => {
    const clock = new FakeClock();
    const [first, second] = [fakeClient(), fakeClient()];
    const clients = [first.client, second.client];
    let told = 0;
    const stop = listen({ connect: async () => clients.shift() ?? second.client, channel: 'x', clock, random: () => 0 }, () => {
      told += 1;
    });
    await settle();
    expect([told, first.state.asked]).toEqual([1, ['LISTEN x']]);
    first.state.answers = false;
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, 45_000)));
    await settle();
    expect([first.state.released, second.state.asked[0], told]).toEqual([1, 'LISTEN x', 2]);
    stop();
    expect(second.state.released).toBe(1);
  });

  it('is tried less and less often while it cannot be made', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const connect = () => {
      tries += 1;
      throw new Error('ECONNREFUSED');
    };
    const stop = listen({ connect, channel: 'x', clock, random: () => 1 }, () => {});
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, 600_000)));
    expect(tries).toBeGreaterThan(15);
    expect(tries).toBeLessThan(35);
    stop();
  });

  it.each([
    ['nothing', undefined],
    ['a pool of another library', { query: async () => ({ rows: [] }) }],
    ['a client that throws when it is listened to', { query: async () => ({ rows: [] }), on: () => JSON.parse('no') }],
  ])('is tried again, and harms nobody, where connecting gives %s', async (_, given) => {
    const clock = new FakeClock();
    const right = fakeClient();
    const clients = [given as ListeningClient, right.client];
    let told = 0;
    const stop = listen(
      { connect: async () => (clients.length > 1 ? clients.shift() : right.client) as ListeningClient, channel: 'x', clock, random: () => 0 },
      () => {
        told += 1;
      },
    );
    await settle();
    expect(told).toBe(0);
    await clock.run(new Promise<void>((resolve) => clock.setTimeout(resolve, 5_000)));
    await settle();
    expect([told, right.state.asked[0]]).toEqual([1, 'LISTEN x']);
    stop();
  });
});
