import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/core/client/create-client.js';
import { type ConfigurationError, hasCode } from '../../src/core/errors/errors.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { betEvent, LOCATION, settledBet } from '../support/factories.js';
import { collect } from './collect.js';

/** The number of the requests of all licences. */
let requests = 0;

/** A client of one licence. Its gateway notes each request with its key, and answers after a moment. */
function licence(name: string, { status = 200, baseUrl = `https://${name}.example.com` } = {}) {
  const arrived: { readonly address: string; readonly key: string; readonly bet: string; readonly order: number }[] =
    [];
  const logged: string[] = [];
  const client = createClient({
    gateways: { staging: { baseUrl, apiKey: `key-${name}` } },
    logger: { warn: (line) => logged.push(line), error: (line) => logged.push(line) },
    fetch: async (url, { headers, body }) => {
      const { bet_id } = JSON.parse(body ?? '{}') as { bet_id: string };
      arrived.push({
        address: new URL(url).host,
        key: new Headers(headers as Record<string, string>).get('x-api-key') ?? '',
        bet: bet_id,
        order: requests,
      });
      requests += 1;
      await new Promise((resolve) => setTimeout(resolve, 3));
      return new Response('{"message":"x"}', { status, headers: { 'content-type': 'application/json' } });
    },
  });
  return { client, arrived, logged };
}

const bets = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => betEvent({ bet_id: `${prefix}-${index}` }));
const rejection = (work: Promise<unknown>): Promise<ConfigurationError> =>
  work.then(
    () => expect.fail('it resolved'),
    (error: ConfigurationError) => error,
  );

describe('an outbox of several accounts', () => {
  it('sends the reports of each account with its own client, including equal references', async () => {
    const [a, b] = [licence('a'), licence('b')];
    const outbox = createOutbox({ accounts: { brandA: a.client, brandB: b.client }, store: memoryStore() });
    for (const bet of bets('B', 5)) {
      await outbox.for('brandA').reportBetEvent(bet, { location: LOCATION });
      await outbox.for('brandB').reportBetEvent(bet, { location: LOCATION });
    }
    expect((await outbox.drain()).drained).toBe(true);
    expect(new Set(a.arrived.map(({ address, key }) => `${address} ${key}`))).toEqual(new Set(['a.example.com key-a']));
    expect(new Set(b.arrived.map(({ address, key }) => `${address} ${key}`))).toEqual(new Set(['b.example.com key-b']));
    expect([a.arrived.length, b.arrived.length]).toEqual([5, 5]);
    expect((await outbox.for('brandA').stats()).states.recorded).toBe(5);
    expect((await outbox.stats()).states.recorded).toBe(10);
  });

  it.each([1, 4])(
    'does not let the backlog of one account delay another one, with %i attempts at once',
    async (concurrency) => {
      const [a, b] = [licence('a'), licence('b')];
      const outbox = createOutbox({
        accounts: { brandA: a.client, brandB: b.client },
        store: memoryStore(),
        concurrency,
      });
      await outbox
        .for('brandA')
        .reportAll(
          bets('A', 300).map((payload) => ({ operation: 'reportBetEvent', payload, options: { location: LOCATION } })),
        );
      const { done } = await outbox.for('brandB').reportBetEvent(betEvent({ bet_id: 'B-0' }), { location: LOCATION });
      outbox.start();
      await done;
      const [first] = b.arrived;
      expect(a.arrived.filter(({ order }) => order < (first?.order ?? 0)).length).toBeLessThanOrEqual(concurrency);
      expect(a.arrived.length).toBeLessThan(60);
      await outbox.stop();
    },
  );

  it('continues with one account while the other one is paused, and emits the events of each to its own outbox', async () => {
    const [a, b] = [licence('a', { status: 401 }), licence('b')];
    const outbox = createOutbox({ accounts: { brandA: a.client, brandB: b.client }, store: memoryStore() });
    const heard: string[] = [];
    for (const name of ['brandA', 'brandB'] as const) {
      outbox.for(name).on('paused', ({ account }) => heard.push(`${name} heard that ${account} is paused`));
      outbox
        .for(name)
        .on('recorded', ({ account, reference }) =>
          heard.push(`${name} heard that ${reference} of ${account} is recorded`),
        );
    }
    await outbox.for('brandA').reportBetEvent(betEvent({ bet_id: 'A-0' }), { location: LOCATION });
    const { done, id } = await outbox.for('brandB').reportBetEvent(betEvent({ bet_id: 'B-0' }), { location: LOCATION });
    outbox.start();
    await done;
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard.sort()).toEqual(['brandA heard that brandA is paused', 'brandB heard that B-0 of brandB is recorded']);
    expect(await outbox.for('brandA').get(id)).toBeUndefined();
    expect((await outbox.for('brandB').stats()).paused).toEqual([]);
    await expect(outbox.for('brandA').retry(id)).rejects.toThrow('has no report');
    await outbox.stop();
  });

  it('counts the refusals of one account separately from recorded reports of another account', async () => {
    const [a, b] = [licence('a', { status: 422 }), licence('b')];
    const outbox = createOutbox({
      accounts: { brandA: a.client, brandB: b.client },
      store: memoryStore(),
      concurrency: 1,
    });
    for (const name of ['brandA', 'brandB'] as const)
      await outbox
        .for(name)
        .reportAll(
          bets('B', 20).map((payload) => ({ operation: 'reportBetEvent', payload, options: { location: LOCATION } })),
        );
    outbox.start();
    await expect.poll(async () => (await outbox.for('brandB').stats()).states.recorded).toBe(20);
    await expect.poll(async () => (await outbox.for('brandA').stats()).states.quarantined).toBe(5);
    const { paused } = await outbox.for('brandA').stats();
    expect(paused).toMatchObject([{ account: 'brandA', environment: 'staging', reason: 'refusals' }]);
    await outbox.stop();
  });

  it('has only the given accounts', () => {
    const { client } = licence('a');
    const store = memoryStore();
    const outbox = createOutbox({ accounts: { brandA: client }, store });
    expect(() => outbox.for('brandB' as 'brandA')).toThrow('it has brandA');
    for (const account of ['', 'a:b', 'a b', '-a', 'x'.repeat(65)])
      expect(() => createOutbox({ client, store, account })).toThrow(
        'account: expected up to 64 letters, digits, ., _ and -, first a letter or a digit',
      );
    expect(() => createOutbox({ client, store, account: `Lagos_2.b-${'x'.repeat(54)}` })).not.toThrow();
    expect(() => createOutbox({ accounts: {}, store })).toThrow('at least one client');
  });
});

describe('an outbox of several accounts as a whole', () => {
  it('takes no report, so that none goes to the wrong licence', () => {
    const outbox = createOutbox({ accounts: { brandA: licence('a').client }, store: memoryStore() });
    expect(Object.keys(outbox).sort()).toEqual(['accounts', 'drain', 'durable', 'for', 'on', 'start', 'stats', 'stop']);
    expect(outbox.for('brandA')).toHaveProperty('reportBetEvent');
  });

  it('starts and stops with the outbox of any account', async () => {
    const [a, b] = [licence('a'), licence('b')];
    const outbox = createOutbox({ accounts: { brandA: a.client, brandB: b.client }, store: memoryStore() });
    const { done } = await outbox.for('brandB').reportBetEvent(betEvent(), { location: LOCATION });
    outbox.for('brandA').start();
    expect((await done).outcome).toBe('recorded');
    await outbox.for('brandA').stop();
    await outbox.for('brandB').reportBetEvent(betEvent({ bet_id: 'B-2' }), { location: LOCATION });
    expect((await outbox.for('brandA').drain()).drained).toBe(true);
    expect(b.arrived.map(({ bet }) => bet)).toEqual(['BET-1', 'B-2']);
  });

  it('has one log of receipts, which names the account of each report', async () => {
    const outbox = createOutbox({
      accounts: { brandA: licence('a').client, brandB: licence('b').client },
      store: memoryStore(),
    });
    for (const name of ['brandA', 'brandB'] as const)
      await outbox.for(name).reportBetEvent(betEvent(), { location: LOCATION });
    await outbox.drain();
    for (const name of ['brandA', 'brandB'] as const) {
      const lines = (await collect(outbox.for(name).exportReceipts())).join('').trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { account: string }).account).sort()).toEqual([
        'brandA',
        'brandB',
      ]);
    }
  });

  it('has one key for its store, also if each account has an outbox of its own', async () => {
    const store = memoryStore();
    const encryption = (byte: number) => ({ keys: { k: new Uint8Array(32).fill(byte) }, current: 'k' });
    const [a, b] = [licence('a'), licence('b')];
    const ofB = createOutbox({ account: 'brandB', client: b.client, store, encryption: encryption(1) });
    await ofB.reportBetEvent(betEvent(), { location: LOCATION });
    const both = createOutbox({ accounts: { brandA: a.client, brandB: b.client }, store, encryption: encryption(1) });
    await both.for('brandA').reportBetEvent(betEvent(), { location: LOCATION });
    expect((await both.drain()).drained).toBe(true);
    expect([a.arrived.length, b.arrived.length]).toEqual([1, 1]);
  });
});

describe('an outbox with another gateway than the one in its store', () => {
  const used = async (): Promise<OutboxStore> => {
    const store = memoryStore();
    await createOutbox({ client: licence('real').client, store }).reportBetEvent(betEvent({ bet_id: 'B-1' }), {
      location: LOCATION,
    });
    return store;
  };

  it('is refused by enqueue and drain, and sends nothing after its start', async () => {
    const store = await used();
    const { client, arrived, logged } = licence('other');
    const outbox = createOutbox({ client, store, pollMs: 5 });
    const errors: unknown[] = [];
    outbox.on('error', ({ cause }) => errors.push(cause));
    expect(logged).toEqual([]);
    for (const error of [
      await rejection(outbox.reportBetEvent(betEvent({ bet_id: 'B-2' }), { location: LOCATION })),
      await rejection(outbox.drain()),
    ]) {
      expect(hasCode(error, 'configuration')).toBe(true);
      expect(error.message).toContain(
        'go to https://real.example.com, and this outbox would send them to https://other.example.com',
      );
      expect(error.message).toContain(
        'rebind --account default --environment staging --gateway https://other.example.com --reason',
      );
      expect(error.message).not.toContain('key-');
    }
    outbox.start();
    await expect.poll(() => errors.some((error) => hasCode(error, 'configuration'))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await outbox.stop();
    expect(arrived).toEqual([]);
    expect(logged.join('\n')).toContain('go to https://real.example.com');
    expect((await store.counts()).states.waiting).toBe(1);
  });

  it('sends waiting reports after a rebind, and the outbox with the old address sends nothing more', async () => {
    const store = await used();
    const [before, after] = [licence('real'), licence('other')];
    const [old, next] = [
      createOutbox({ client: before.client, store, pollMs: 5 }),
      createOutbox({ client: after.client, store }),
    ];
    const destination = {
      account: 'default',
      environment: 'staging',
      from: 'https://real.example.com',
      gateway: 'https://other.example.com',
    } as const;
    expect(await store.rebind({ ...destination, reason: 'the gateway moved' })).toBe(true);
    old.start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await old.stop();
    expect((await next.drain()).drained).toBe(true);
    expect([before.arrived.length, after.arrived.length]).toEqual([0, 1]);
  });

  describe('in mock mode', () => {
    const mocked = (port: number, store: OutboxStore) => {
      vi.stubEnv('LOCATION_SDK_MOCK', `http://127.0.0.1:${port}`);
      const client = createClient({ logger: {} });
      vi.unstubAllEnvs();
      return createOutbox({ client, store });
    };

    it('uses a store that another mock gateway began', async () => {
      const store = memoryStore();
      await mocked(4010, store).reportBetEvent(betEvent({ bet_id: 'B-1' }), { location: LOCATION });
      await mocked(4011, store).reportBetEvent(betEvent({ bet_id: 'B-2' }), { location: LOCATION });
      expect((await store.counts()).states.waiting).toBe(2);
    });

    it('and a real staging gateway never share a store, in any order', async () => {
      const begun = memoryStore();
      await mocked(4010, begun).reportBetEvent(betEvent({ bet_id: 'B-1' }), { location: LOCATION });
      for (const baseUrl of ['https://real.example.com', 'http://127.0.0.1:4010']) {
        const real = createOutbox({ client: licence('real', { baseUrl }).client, store: begun });
        for (const refused of [
          real.drain(),
          real.reportBetEvent(betEvent({ bet_id: 'B-2' }), { location: LOCATION }),
        ]) {
          const { message } = await rejection(refused);
          expect(message).toContain('go to the mock gateway of mock mode (LOCATION_SDK_MOCK)');
          expect(message).toContain('needs a store of its own');
          expect(message).not.toContain('rebind');
        }
      }
      const { message } = await rejection(mocked(4010, await used()).drain());
      expect(message).toContain('go to https://real.example.com, and this outbox would send them to the mock gateway');
    });
  });

  it('explains mock mode in its error, in both directions', async () => {
    const shared = await used();
    vi.stubEnv('LOCATION_SDK_MOCK', 'http://127.0.0.1:4010');
    try {
      const mock = createOutbox({ client: licence('real').client, store: shared });
      expect(
        (await rejection(mock.reportBetEvent(betEvent({ bet_id: 'B-2' }), { location: LOCATION }))).message,
      ).toContain('the mock gateway of mock mode (LOCATION_SDK_MOCK)');
    } finally {
      vi.unstubAllEnvs();
    }
    const store = memoryStore();
    await createOutbox({ client: licence('mock', { baseUrl: 'http://127.0.0.1:4010' }).client, store }).reportBetEvent(
      betEvent(),
      { location: LOCATION },
    );
    const real = createOutbox({ client: licence('real').client, store });
    expect((await rejection(real.drain())).message).toContain('http://127.0.0.1:4010 may be a mock gateway');
  });
});

describe('an outbox with a polluted prototype of all objects', () => {
  it.each<[string, unknown]>([
    ['account', 'brandB'],
    ['accounts', {}],
    ['concurrency', 0],
    ['leaseMs', 1],
    ['retry', { baseMs: 0 }],
    ['baseMs', 0],
    ['encryption', {}],
    ['seal', {}],
    ['keepBodies', 'yes'],
    ['transaction', {}],
    ['environment', 'production'],
  ])('takes no %s from it', async (name, value) => {
    Object.defineProperty(Object.prototype, name, { value, enumerable: true, configurable: true, writable: true });
    try {
      const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } };
      const outbox = createOutbox({ client: createClient({ gateways }), store: memoryStore() });
      const { id } = await outbox.reportSettledBet(settledBet());
      expect(id).toBe('default:staging:reportSettledBet:BET-1');
    } finally {
      Reflect.deleteProperty(Object.prototype, name);
    }
  });
});
