import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Fetch } from '../../src/entries/index.js';
import { createOutbox, type OutboxStore } from '../../src/entries/outbox.js';
import { createOperator } from '../../src/operator/operator.js';
import { betEvent, settledBet } from '../support/factories.js';
import { outboxWorld, storeWithConsole, worldWithConsole } from './world.js';

const ID = 'default:staging:reportBetEvent:BET-1';
const SETTLED = 'default:staging:reportSettledBet:BET-1';
/** No virtual wait of these tests is longer. */
const LIMIT = { timeoutMs: 3_600_000 };

const GUIDE = readFileSync(new URL('../../docs/how-to/on-call.md', import.meta.url), 'utf8');
const [, LIST = ''] = /^## Why a report waits\n[\s\S]*?^The report waits for:\n([\s\S]*?)\n## /m.exec(GUIDE) ?? [];
/** The causes in the list of the guide. An entry may have several. */
const CAUSES = [...LIST.matchAll(/^- \*\*(.*?)\*\*:/gm)].flatMap(([, causes = '']) => causes.split(', '));

/** An outbox whose gateway answers with one status until it is `well`. */
async function waiting({ status, ...given }: { status?: number } & Parameters<typeof worldWithConsole>[0] = {}) {
  const world = await worldWithConsole(given);
  const { gateway, outbox, clock, run } = world;
  if (status !== undefined) gateway.faults.add({ kind: 'status', status, times: null });
  return {
    ...world,
    well: () => gateway.faults.clear(),
    /** The words of `show` and of the console about a report. */
    async means(id = ID): Promise<string> {
      return (await createOperator({ over: outbox }).report(id))?.means ?? 'It is not in the outbox.';
    },
    reasons: async () => (await outbox.stats()).paused.map(({ reason }) => reason),
    /** Sends until the gateway has answered this often. */
    answered: (count: number) => {
      outbox.start();
      return run(
        (async () => {
          while (world.sent.length < count)
            await new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 100));
          await outbox.stop({ timeoutMs: 1_000 });
        })(),
      );
    },
    stateOf: async (id = ID) => (await outbox.get(id))?.state,
    ends: async (id = ID) => {
      await run(outbox.drain(LIMIT));
      expect((await outbox.get(id))?.state).toBe('recorded');
    },
  };
}

const bet = { location: { latitude: 6.45, longitude: 3.39, source: 'test' } };

/** A pause of the whole environment: its reason is shown, and after the cause is removed the next probe ends it. */
async function pauses(status: number, reason: string, words: RegExp): Promise<void> {
  const { outbox, answered, means, reasons, well, ends } = await waiting({ status });
  await outbox.reportBetEvent(betEvent(), bet);
  await answered(1);
  expect(await reasons()).toEqual([reason]);
  expect(await means()).toMatch(words);
  well();
  await ends();
  expect(await reasons()).toEqual([]);
}

/** Each cause of a wait: how it comes about, how a person sees it, and what ends it. */
const WAITS: Readonly<Record<string, () => Promise<void>>> = {
  async 'a free worker'() {
    const { outbox, means, ends } = await waiting();
    await outbox.reportBetEvent(betEvent(), bet);
    expect(await means()).toMatch(/^It is due, and the next free worker sends it\./);
    await ends();
  },
  async 'its next attempt'() {
    const { outbox, answered, means, ends, well, reasons } = await waiting({
      status: 500,
      outbox: { retry: { baseMs: 600_000, capMs: 600_000 } },
    });
    await outbox.reportBetEvent(betEvent(), bet);
    await answered(1);
    expect(await reasons()).toEqual([]);
    expect(await means()).toMatch(/^It waits for its next attempt, in \d+ min\. The command retry sends it at once\.$/);
    well();
    await outbox.retry(ID);
    expect(await means()).toMatch(/^It is due/);
    await ends();
  },
  async 'its initiated report'() {
    const { outbox, gateway, answered, means, ends } = await waiting();
    gateway.faults.add({ kind: 'status', status: 422 });
    await outbox.reportBetEvent(betEvent(), bet);
    await outbox.reportSettledBet(settledBet());
    await answered(1);
    expect(await means()).toMatch(/until a person decides/);
    expect(await means(SETTLED)).toBe(
      'It waits for its initiated report. It is sent once that one is recorded or dismissed. If that one is quarantined, decide about it.',
    );
    await outbox.retry(ID);
    await ends(SETTLED);
  },
  async 'the answer of an attempt'() {
    const { outbox, gateway, clock, run, means, ends } = await waiting();
    gateway.faults.add({ kind: 'hang' });
    await outbox.reportBetEvent(betEvent(), bet);
    outbox.start();
    await run(new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 2_000)));
    expect(await means()).toMatch(/^A worker sends it\./);
    await ends();
    await run(outbox.stop({ timeoutMs: 1_000 }));
  },
  async 'the lease of a worker that died'() {
    const { outbox, store, clock, means, ends } = await waiting();
    await outbox.reportBetEvent(betEvent(), bet);
    const gateways = { staging: (await store.outlook())[0]?.gateway ?? '' };
    // A worker that claims the report and never writes its result.
    await store.turn({
      writes: [],
      claim: { accounts: [{ account: 'default', gateways, busy: 0 }], limit: 1, leaseMs: 30_000 },
    });
    expect(await means()).toMatch(/^A worker sends it\. If that worker dies, another one takes it after the lease\.$/);
    clock.advance(31_000);
    expect(await means()).toMatch(/^Its worker has not finished within the lease\./);
    await ends();
  },
  'a valid key': () => pauses(401, 'authentication', /refuses the API key.*valid key/),
  'the right address': () => pauses(405, 'address', /Another server answers.*base address/),
  async 'a setting'() {
    let key = () => 'mock-api-key';
    const { gateways } = outboxWorld().gateway.clientOptions();
    const staging = { baseUrl: gateways?.staging?.baseUrl ?? '', apiKey: () => key() };
    const { outbox, answered, run, clock, means, reasons, ends, sent, gateway } = await waiting({
      client: { gateways: { staging } },
    });
    key = () => {
      throw new Error('no key');
    };
    await outbox.reportBetEvent(betEvent(), bet);
    outbox.start();
    await run(new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 3_000)));
    expect([await reasons(), sent.length, gateway.reports().length]).toEqual([['configuration'], 0, 0]);
    expect(await means()).toMatch(
      /paused \(configuration\)\. A setting of the outbox is missing or wrong\. Correct the setting/,
    );
    key = () => 'mock-api-key';
    await answered(1);
    await ends();
  },
  async 'the gateway'() {
    await pauses(429, 'rate-limited', /asks for fewer requests.*by itself/);
    await pauses(503, 'unavailable', /is unavailable.*by itself/);
    let isUp = false;
    const world = outboxWorld();
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    });
    const fetch: Fetch = (url, init) => (isUp ? world.gateway.fetch(url, init as object) : Promise.reject(refused));
    const { outbox, run, clock, means, reasons, ends } = await waiting({ client: { fetch } });
    await outbox.reportBetEvent(betEvent(), bet);
    outbox.start();
    await run(new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 3_000)));
    await run(outbox.stop({ timeoutMs: 1_000 }));
    expect(await reasons()).toEqual(['unreachable']);
    expect(await means()).toMatch(/cannot be reached.*by itself/);
    isUp = true;
    await ends();
  },
  async 'an end of the refusals'() {
    const { outbox, answered, means, reasons, well, ends } = await waiting({
      status: 422,
      outbox: { breakerAfter: 1 },
    });
    await outbox.reportBetEvent(betEvent({ bet_id: 'BET-0' }), bet);
    await outbox.reportBetEvent(betEvent(), bet);
    await answered(2);
    expect(await reasons()).toEqual(['refusals']);
    expect(await means()).toMatch(/^It waits, since reportBetEvent is paused \(refusals\)\./);
    well();
    expect(await outbox.resume('staging')).toBe(true);
    // Wrong data would be refused again.
    expect((await outbox.get(ID))?.state).toBe('quarantined');
    await outbox.retry(ID);
    await ends();
  },
  async 'an encryption key'() {
    const encryption = (id: string) => ({ current: id, keys: { [id]: crypto.getRandomValues(new Uint8Array(32)) } });
    const [old, next] = [encryption('2025'), encryption('2026')];
    const world = await waiting({ outbox: { encryption: old } });
    await world.run(world.outbox.reportBetEvent(betEvent(), bet));
    const without = world.make({ encryption: next });
    await world.run(without.drain({ timeoutMs: 5_000 }));
    expect((await without.stats()).missingKeys).toEqual(['2025']);
    expect(await world.means()).toMatch(/^It waits for the encryption key 2025\. Add the key to encryption\.keys/);
    const withBoth = world.make({ encryption: { current: '2026', keys: { ...old.keys, ...next.keys } } });
    await world.run(withBoth.drain(LIMIT));
    expect(await world.stateOf()).toBe('recorded');
  },
  async 'the gateway of the store'() {
    const { outbox, store, gateway, clock, run, ends } = await waiting();
    await outbox.reportBetEvent(betEvent(), bet);
    const elsewhere = outboxWorld({
      client: { gateways: { staging: { baseUrl: 'https://other.example.com', apiKey: 'key' } } },
    });
    const other = createOutbox({ client: elsewhere.client, store });
    const errors: string[] = [];
    other.on('error', ({ cause }) => errors.push(String(cause)));
    other.start();
    await run(new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 3_000)));
    await elsewhere.run(other.stop({ timeoutMs: 1_000 }));
    expect(errors.join()).toMatch(/The reports in this store \(account default, staging\) go to .*rebind/);
    expect([elsewhere.sent.length, gateway.reports().length]).toEqual([0, 0]);
    await ends();
  },
  async 'a worker for its account'() {
    const store = await storeWithConsole();
    const brandA = await waiting({ store, outbox: { account: 'brandA' } });
    const id = 'brandA:staging:reportBetEvent:BET-1';
    await brandA.outbox.reportBetEvent(betEvent(), bet);
    const brandB = await waiting({ store, outbox: { account: 'brandB' } });
    await brandB.run(brandB.outbox.drain({ timeoutMs: 5_000 }));
    expect(brandB.sent).toEqual([]);
    expect(await brandA.means(id)).toMatch(/no running worker serves its account/);
    await brandA.ends(id);
  },
  async 'a person'() {
    const { outbox, answered, means, well, ends } = await waiting({ status: 422 });
    await outbox.reportBetEvent(betEvent(), bet);
    await answered(1);
    expect(await means()).toBe('It is not sent until a person decides.');
    well();
    await outbox.retry(ID);
    await ends();
  },
  async 'the store'() {
    const inner = await storeWithConsole();
    let isAway = false;
    const store: OutboxStore = {
      ...inner,
      turn: (turn) => (isAway ? Promise.reject(new Error('the database is away')) : inner.turn(turn)),
    };
    const { outbox, events, run, clock, sent, ends } = await waiting({ store });
    await outbox.reportBetEvent(betEvent(), bet);
    isAway = true;
    outbox.start();
    await run(new Promise((resolve) => clock.setTimeout(() => resolve(undefined), 10_000)));
    const errors = events.filter(([type]) => type === 'error');
    // Each try says so, and the waits between the tries grow.
    expect([errors.length > 1, errors.length < 10, sent.length]).toEqual([true, true, 0]);
    isAway = false;
    await ends();
    await run(outbox.stop());
  },
  async 'your transaction'() {
    // Only PostgreSQL and SQLite have transactions: their own tests roll back and commit.
    expect(() => outboxWorld().outbox.within({})).toThrow(/transaction/);
    expect(await (await waiting()).means()).toBe('It is not in the outbox.');
  },
};

test('the guide names each cause for which a report waits', () => {
  expect(CAUSES.sort()).toEqual(Object.keys(WAITS).sort());
});

test.each(Object.entries(WAITS))('a report that waits for %s says so, and the wait ends as the guide says', (_, walk) =>
  walk(),
);
