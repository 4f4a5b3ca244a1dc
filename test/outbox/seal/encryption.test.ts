import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { createOutbox, memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import type { OutboxEncryption } from '../../../src/outbox/seal/encryption.js';
import { betEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { leaksIn, personalBet, personalSettlement, personalWithdrawal } from '../personal.js';
import { newFile, openStore } from '../stores/sqlite/files.js';
import { outboxWorld } from '../world.js';

const key = (byte: number) => new Uint8Array(32).fill(byte);
const encryption = (current: string, ...others: string[]): OutboxEncryption => ({
  keys: Object.fromEntries([current, ...others].map((id) => [id, key(id.charCodeAt(0))])),
  current,
});

/** The complete content of a store. */
async function dump(store: OutboxStore): Promise<string> {
  const [rows, outlook, receipts] = [
    await store.list({ limit: 1_000 }),
    await store.outlook(),
    await store.receipts.read(0, 1_000),
  ];
  return JSON.stringify([rows, outlook, receipts]);
}

const bytesOf = (file: string) =>
  ['', '-wal', '-shm'].map((end) => (existsSync(file + end) ? readFileSync(file + end, 'latin1') : '')).join();

/** Reports of each kind. The gateway refuses one of them with a message that repeats the sent values. */
async function reportAll({ outbox }: ReturnType<typeof outboxWorld>): Promise<void> {
  await outbox.reportBetEvent(personalBet('B-1'));
  await outbox.reportSettledBet(personalSettlement('B-1'));
  await outbox.reportWithdrawalEvent(personalWithdrawal('W-1'));
  await outbox.reportBetEvent(personalBet('B-refused'));
}

const repeatsPersonalData = {
  kind: 'status',
  status: 422,
  body: { message: `velvet-otter: 90817263544 of Zurikel at 77 Vornhill Road is wrong` },
} as const;

describe('a report that can never be opened', () => {
  it('is quarantined if the own key of another store sealed it, and a person can end it', async () => {
    const there = outboxWorld();
    await there.outbox.reportBetEvent(betEvent({ bet_id: 'B-1' }));
    const [row] = await there.store.list({ limit: 1 });
    if (!row) throw new Error('a row: expected one');
    const here = outboxWorld();
    await here.store.enqueue([
      { ...row, body: row.body ?? '', gateway: here.gateway.clientOptions().gateways?.staging?.baseUrl ?? '' },
    ]);
    await here.run(here.outbox.drain());
    expect((await here.outbox.get(row.id))?.problem?.message).toContain(
      'the outbox of another store may have sealed them',
    );
    expect((await here.outbox.get(row.id))?.state).toBe('quarantined');
    expect(here.sent).toEqual([]);
    expect(
      (await here.outbox.resolve(row.id, { as: 'dismissed', reason: 'it was restored from elsewhere' })).state,
    ).toBe('dismissed');
  });
});

describe('personal data in the store', () => {
  it('does not exist while reports wait, with encryption', async () => {
    const world = outboxWorld({ outbox: { encryption: encryption('a') } });
    await reportAll(world);
    expect(leaksIn(await dump(world.store))).toEqual([]);
    expect(world.sent).toEqual([]);
  });

  it('exists without encryption, so that this test can find it', async () => {
    const world = outboxWorld();
    await reportAll(world);
    expect(leaksIn(await dump(world.store)).length).toBeGreaterThan(10);
  });

  it.each([undefined, encryption('a')])(
    'does not exist once reports are recorded, except in a quarantined or dismissed body that is not encrypted',
    async (given) => {
      const world = outboxWorld({ outbox: { encryption: given } });
      world.gateway.faults.add({ ...repeatsPersonalData, when: 'before', reference: 'B-refused', times: null });
      await reportAll(world);
      await world.run(world.outbox.drain());
      const [refused] = await world.outbox.list({ state: 'quarantined' });
      expect(refused?.problem?.message).toContain('is wrong');
      expect(leaksIn(JSON.stringify(await world.outbox.list()))).toEqual([]);
      await world.outbox.resolve(refused?.id ?? '', { as: 'dismissed', reason: 'a test' });
      if (!given) {
        // It is kept, so that the report can be reopened.
        expect(leaksIn(await dump(world.store))).not.toEqual([]);
        await world.outbox.reopen(refused?.id ?? '', { reason: 'a test' });
        world.gateway.faults.clear();
        await world.outbox.retry(refused?.id ?? '', { reason: 'a test' });
        await world.run(world.outbox.drain());
      }
      expect(leaksIn(await dump(world.store))).toEqual([]);
      expect(leaksIn(JSON.stringify(world.events))).toEqual([]);
    },
  );

  it('is in no byte of a SQLite file or its log, with encryption', async () => {
    const file = newFile();
    const world = outboxWorld({ store: await openStore(file), outbox: { encryption: encryption('a') } });
    world.gateway.faults.add({ ...repeatsPersonalData, when: 'before', reference: 'B-refused', times: null });
    await reportAll(world);
    expect(leaksIn(bytesOf(file))).toEqual([]);
    expect(bytesOf(file)).toContain('sealed1.a.');
    await world.run(world.outbox.drain());
    expect((await world.outbox.stats()).states).toMatchObject({ recorded: 3, quarantined: 1 });
    expect(leaksIn(bytesOf(file))).toEqual([]);
    await world.store.close?.();
    expect(leaksIn(bytesOf(file))).toEqual([]);
  });

  it("is beside no API key: a SQLite file contains the gateway's address and not its key", async () => {
    const file = newFile();
    const world = outboxWorld({ store: await openStore(file) });
    await reportAll(world);
    await world.run(world.outbox.drain());
    expect(bytesOf(file)).toContain(String(world.gateway.clientOptions().gateways?.staging?.baseUrl));
    expect(bytesOf(file)).not.toContain('mock-api-key');
    await world.store.close?.();
    expect(bytesOf(file)).not.toContain('mock-api-key');
  });
});

describe('sealed bodies', () => {
  it('are sent unchanged', async () => {
    const [plain, sealed] = [outboxWorld(), outboxWorld({ outbox: { encryption: encryption('a') } })];
    for (const world of [plain, sealed]) {
      await reportAll(world);
      await world.run(world.outbox.drain());
    }
    expect(sealed.sent.sort()).toEqual(plain.sent.sort());
    expect(sealed.sent).toHaveLength(4);
  });

  it('differ each time, and so do fingerprints under another key', async () => {
    const rows = [];
    for (const given of ['a', 'a', 'b']) {
      const world = outboxWorld({ outbox: { encryption: encryption(given) } });
      await world.outbox.reportBetEvent(betEvent({ timestamp: '1795161600' }));
      rows.push((await world.store.list({ limit: 1 }))[0]);
    }
    expect(new Set(rows.map((row) => row?.body)).size).toBe(3);
    expect(rows[0]?.fingerprint).toBe(rows[1]?.fingerprint);
    expect(rows[2]?.fingerprint).not.toBe(rows[0]?.fingerprint);
  });

  it('can be opened with another library: AES-256-GCM under a key of HKDF, bound to the row; the fingerprint is an HMAC-SHA-256', async () => {
    const world = outboxWorld({ outbox: { encryption: encryption('a'), keepBodies: true } });
    await world.outbox.reportBetEvent(betEvent({ timestamp: '1795161600' }));
    await world.run(world.outbox.drain());
    const [row] = await world.store.list({ limit: 1 });
    const [kind = '', keyId = '', , nonce = '', bytes = ''] = (row?.body ?? '').split('.');
    const derived = (purpose: string) =>
      Buffer.from(hkdfSync('sha256', key('a'.charCodeAt(0)), '', `location-sdk outbox ${purpose}`, 32));
    const sealed = Buffer.from(bytes, 'base64url');
    const opening = createDecipheriv('aes-256-gcm', derived('body'), Buffer.from(nonce, 'base64url'));
    opening.setAAD(
      Buffer.from(JSON.stringify([kind, keyId, row?.id, row?.environment, row?.operation, row?.reference])),
    );
    opening.setAuthTag(sealed.subarray(-16));
    const body = opening.update(sealed.subarray(0, -16), undefined, 'utf8') + opening.final('utf8');
    // The report is recorded, and its kept body is encrypted.
    expect([kind, keyId, row?.state, body]).toEqual(['sealed1', 'a', 'recorded', world.sent[0]]);
    expect(row?.fingerprint.split('.').at(-1)).toBe(
      createHmac('sha256', derived('fingerprint')).update(body).digest('hex'),
    );
  });

  it('take keys as bytes and base64 alike', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const base64 = Buffer.from(bytes).toString('base64');
    const world = outboxWorld({ outbox: { encryption: { keys: { k: bytes }, current: 'k' } } });
    const bet = betEvent({ timestamp: '1795161600' });
    await world.outbox.reportBetEvent(bet);
    for (const one of [base64, base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]) {
      const other = world.make({ encryption: { keys: { k: one }, current: 'k' } });
      expect(await other.reportBetEvent(bet)).toMatchObject({ state: 'waiting' });
    }
    await world.run(world.make({ encryption: { keys: { k: base64 }, current: 'k' } }).drain());
    expect(world.sent).toHaveLength(1);
  });

  it('continue under old keys after a rotation, and reports from before the encryption do, too', async () => {
    const world = outboxWorld();
    await world.outbox.reportBetEvent(betEvent({ bet_id: 'B-plain' }));
    await world.make({ encryption: encryption('a') }).reportBetEvent(betEvent({ bet_id: 'B-old' }));
    const rotated = world.make({ encryption: encryption('b', 'a') });
    await rotated.reportBetEvent(betEvent({ bet_id: 'B-new' }));
    expect((await world.store.list({ limit: 3 })).map(({ body = '' }) => body.slice(0, 10))).toEqual([
      '{"bet_id":',
      'sealed1.a.',
      'sealed1.b.',
    ]);
    expect(await world.run(rotated.drain())).toMatchObject({ drained: true, states: { recorded: 3 } });
  });

  it('recognise the same report under an old key, recorded or not', async () => {
    const world = outboxWorld({ outbox: { encryption: encryption('a') } });
    const bet = betEvent({ timestamp: '1795161600' });
    await world.outbox.reportBetEvent(bet);
    await world.run(world.outbox.drain());
    const rotated = world.make({ encryption: encryption('b', 'a') });
    expect(await rotated.reportBetEvent(bet)).toMatchObject({ state: 'recorded' });
    expect(await failureOf(rotated.reportBetEvent({ ...bet, amount: 2 }))).toMatchObject({
      code: 'duplicate',
      conflict: true,
    });
    const forgetful = world.make({ encryption: encryption('b') });
    expect(await failureOf(forgetful.reportBetEvent(bet))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('"a"'),
    });
  });
});

describe('a missing key', () => {
  const world = async () => {
    const made = outboxWorld();
    await made.make({ encryption: encryption('a') }).reportBetEvent(betEvent({ bet_id: 'B-locked' }));
    return made;
  };

  it.each([
    ['is named', encryption('b'), '"a" is not among encryption.keys'],
    ['is named if the encryption was removed', undefined, '"a" is not among encryption.keys'],
    [
      'differs from another key under its id',
      { keys: { a: key(9) }, current: 'a' },
      '"a" is not the key that was used for sealing',
    ],
  ])('%s; its reports wait without quarantine, and the others continue', async (_, given, words) => {
    const { make, run, store, sent, events, clock } = await world();
    const outbox = make({ encryption: given });
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-free' }));
    await run(outbox.drain({ timeoutMs: 600_000 }));
    expect(sent.map((body) => JSON.parse(body).bet_id)).toEqual(['B-free']);
    const [locked] = await outbox.list({ reference: 'B-locked' });
    expect(locked).toMatchObject({
      state: 'waiting',
      attempts: 0,
      inDoubt: false,
      problem: { code: 'configuration', message: expect.stringContaining(words) },
    });
    expect(await outbox.stats()).toMatchObject({ missingKeys: ['a'], paused: [] });
    expect(events.find(([type]) => type === 'locked')?.[1]).toMatchObject({ keyId: 'a', reference: 'B-locked' });
    expect((await store.list({ reference: 'B-locked', limit: 1 }))[0]?.body).toMatch(/^sealed1\.a\./);

    const mended = make({ encryption: encryption('b', 'a') });
    clock.advance(300_000);
    expect(await run(mended.drain())).toMatchObject({ drained: true, states: { recorded: 2 } });
    expect(sent).toHaveLength(2);
  });

  it('is listed by every outbox on the store, until a process that has the key sends the report', async () => {
    const { make, run } = await world();
    const lacking = make({ encryption: encryption('b') });
    expect(await lacking.stats()).toMatchObject({ missingKeys: [] });
    await run(lacking.drain({ timeoutMs: 60_000 }));
    // The state after a restart.
    const restarted = make({ encryption: encryption('b') });
    expect(await restarted.stats()).toMatchObject({ missingKeys: ['a'], states: { waiting: 1 } });
    await run(make({ encryption: encryption('b', 'a') }).drain());
    expect(await lacking.stats()).toMatchObject({ missingKeys: [], states: { recorded: 1 } });
    expect(await restarted.stats()).toMatchObject({ missingKeys: [] });
  });

  it('is used at once by an outbox that starts with it', async () => {
    const { make, run, clock, sent } = await world();
    await run(make({ encryption: encryption('b') }).drain({ timeoutMs: 1 }));
    const before = clock.now();
    expect(await run(make({ encryption: encryption('b', 'a') }).drain())).toMatchObject({
      drained: true,
      states: { recorded: 1 },
    });
    expect([clock.now() - before, sent.length]).toEqual([0, 1]);
  });

  it('is used within a minute by an instance that has it, if another instance has claimed the report first', async () => {
    const { make, run, clock, events } = await world();
    const having = make({ encryption: encryption('a') });
    await run(having.drain());
    having.start();
    const { done } = await make({ encryption: encryption('a') }).reportBetEvent(betEvent({ bet_id: 'B-later' }));
    const before = clock.now();
    await run(make({ encryption: encryption('b') }).drain({ timeoutMs: 1 }));
    expect(events.slice(-2)).toMatchObject([
      ['delayed', { code: 'configuration', delayMs: 300_000 }],
      [
        'error',
        { message: expect.stringMatching(/^Reports wait for the encryption key a, which this process does not/) },
      ],
    ]);
    await run(done);
    expect(clock.now() - before).toBeLessThan(62_000);
    await run(having.stop());
  });

  it.each([
    ['first', ['B-old', 'B-new']],
    ['last', ['B-new', 'B-old']],
  ])(
    'is used at once although a report of another key under its id came %s, and that report is not tried more often',
    async (_, bets) => {
      const { make, run, clock, sent, events } = outboxWorld({ store: memoryStore() });
      const given = { keys: { a: key(9) }, current: 'a' };
      for (const bet of bets)
        await make({ encryption: bet === 'B-new' ? given : encryption('a') }).reportBetEvent(betEvent({ bet_id: bet }));
      await run(make({ encryption: encryption('b') }).drain({ timeoutMs: 1 }));
      const before = clock.now();
      const having = make({ encryption: given });
      await run(having.drain({ timeoutMs: 1 }));
      expect([clock.now() - before < 1_000, sent.map((body) => JSON.parse(body).bet_id)]).toEqual([true, ['B-new']]);
      const tries = events.length;
      await run(having.drain({ timeoutMs: 600_000 }));
      expect(events.slice(tries).filter(([type]) => type === 'locked').length).toBeLessThan(4);
    },
  );

  it('is told once by an instance that lacks it, however long the reports wait', async () => {
    const { make, run, events } = await world();
    await run(make({ encryption: encryption('b') }).drain({ timeoutMs: 3_600_000 }));
    expect(events.filter(([type]) => type === 'locked').length).toBeGreaterThan(5);
    expect(events.filter(([type]) => type === 'error')).toHaveLength(1);
  });

  it('is not looked for among waiting reports again and again if this outbox lacks it', async () => {
    const kept = memoryStore();
    let lists = 0;
    const list: OutboxStore['list'] = (query) => {
      lists += 1;
      return kept.list(query);
    };
    const { make, run } = outboxWorld({ store: { ...kept, list } });
    await make({ encryption: encryption('a') }).reportBetEvent(betEvent());
    await run(make({ encryption: encryption('b') }).drain({ timeoutMs: 600_000 }));
    expect(lists).toBe(1);
  });

  it('of a report that is final is named, without the promise that anything is sent', async () => {
    const { outbox, make, run } = outboxWorld({ outbox: { encryption: encryption('a') } });
    const bet = betEvent({ timestamp: '1795161600' });
    await outbox.reportBetEvent(bet);
    const rotated = make({ encryption: encryption('b') });
    const open = await failureOf(rotated.reportBetEvent(bet));
    expect(open).toMatchObject({
      code: 'configuration',
      outcome: 'not-sent',
      reference: 'BET-1',
      environment: 'staging',
    });
    expect(open.message).toMatch(
      /already \(waiting\).*without the key "a"\. Nothing was enqueued\. Give the outbox that key, or compare your records\.$/,
    );
    await run(outbox.drain());
    const final = await failureOf(rotated.reportBetEvent(bet));
    expect(final).toMatchObject({ code: 'configuration', outcome: 'unknown', reference: 'BET-1' });
    expect(final.message).toMatch(
      /already \(recorded\).*Nothing was enqueued\. Give the outbox that key, or compare your records\.$/,
    );
  });

  it('is tried at most every five minutes', async () => {
    const { make, run, events } = await world();
    await run(make({ encryption: encryption('b') }).drain({ timeoutMs: 2_400_000 }));
    const tries = events.filter(([type]) => type === 'locked').length;
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(13);
  });
});

describe('a changed body is quarantined, and not sent', () => {
  it.each([
    ['a byte changed', (body: string) => `${body.slice(0, -6)}${body.at(-6) === 'A' ? 'B' : 'A'}${body.slice(-5)}`],
    ['cut off', (body: string) => body.slice(0, -40)],
    ['another text', () => 'nothing'],
  ])('%s', async (_, change) => {
    for (const given of [undefined, encryption('a')]) {
      const store = memoryStore();
      const tampering: OutboxStore = {
        ...store,
        enqueue: (rows, transaction) =>
          store.enqueue(
            rows.map((row) => ({ ...row, body: change(row.body) })),
            transaction,
          ),
      };
      const { outbox, run, sent } = outboxWorld({ store: tampering, outbox: { encryption: given } });
      await outbox.reportBetEvent(betEvent());
      await run(outbox.drain());
      expect(await outbox.list()).toMatchObject([
        { state: 'quarantined', problem: { message: expect.stringContaining('damaged') } },
      ]);
      expect(sent).toEqual([]);
    }
  });

  it('moved to another row', async () => {
    const store = memoryStore();
    const rows: { body: string }[] = [];
    const swapping: OutboxStore = {
      ...store,
      enqueue: (given) => {
        rows.push(...given);
        return store.enqueue(given.map((row) => ({ ...row, body: rows[0]?.body ?? '' })));
      },
    };
    const { outbox, run, gateway } = outboxWorld({ store: swapping, outbox: { encryption: encryption('a') } });
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-1' }));
    await outbox.reportBetEvent(betEvent({ bet_id: 'B-2' }));
    await run(outbox.drain());
    expect((await outbox.list()).map(({ reference, state }) => [reference, state])).toEqual([
      ['B-1', 'recorded'],
      ['B-2', 'quarantined'],
    ]);
    expect(gateway.reports()).toHaveLength(1);
  });
});

describe('wrong options', () => {
  const client = createClient({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'k' } } });
  const secret = 'c2VjcmV0LWNhbmFyeS1vZi10aGUta2V5';
  it.each([
    [{ keys: {}, current: 'a' }, ['encryption.keys: expected', 'encryption.current']],
    [{ keys: { a: key(1) }, current: 'b' }, ['encryption.current: expected the id']],
    [{ keys: { a: secret }, current: 'a' }, ["encryption.keys: for 'a', expected 32 bytes"]],
    [{ keys: { [`${secret}=`]: key(1) }, current: `${secret}=` }, ['expected ids of up to 64']],
    [
      { keys: { a: new Uint8Array(16) }, current: 'a', mode: 'x' },
      ["encryption.keys: for 'a'", 'encryption.mode: is not an option'],
    ],
    ['aes', ['encryption.keys: expected']],
  ])('are all named, without the key: %j', async (given, words) => {
    const error = await failureOf(
      () => createOutbox({ client, store: memoryStore(), encryption: given as never }) as never,
    );
    expect(error.code).toBe('configuration');
    for (const word of words) expect(error.message).toContain(word);
    expect(error.message).not.toContain(secret);
  });

  it('refuse a key of another kind', async () => {
    const aes = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    const error = await failureOf(
      () =>
        createOutbox({
          client,
          store: memoryStore(),
          encryption: { keys: { a: aes }, current: 'a' } as never,
        }) as never,
    );
    expect(error.message).toContain('32 bytes');
  });
});

describe('fingerprints without encryption', () => {
  it('use a key that is made once for the store', async () => {
    const world = outboxWorld();
    const bet = betEvent({ timestamp: '1795161600' });
    await world.outbox.reportBetEvent(bet);
    expect(await world.make().reportBetEvent(bet)).toMatchObject({ state: 'waiting' });
    const other = outboxWorld();
    await other.outbox.reportBetEvent(bet);
    const [[first], [second]] = [await world.store.list({ limit: 1 }), await other.store.list({ limit: 1 })];
    expect(first?.body).toBe(second?.body);
    expect(first?.fingerprint).toMatch(/^-\.[0-9a-f]{8}\.[0-9a-f]{64}$/);
    expect(first?.fingerprint).not.toBe(second?.fingerprint);
  });

  it('are an HMAC-SHA-256 under the secret in the store, so a person who has the whole store can test guesses', async () => {
    const world = outboxWorld();
    await world.outbox.reportBetEvent(betEvent());
    const [row] = await world.store.list({ limit: 1 });
    const secret = Buffer.from(await world.store.getOrCreateSetting('fingerprint-key', 'another'), 'base64');
    const derived = Buffer.from(hkdfSync('sha256', secret, '', 'location-sdk outbox fingerprint', 32));
    const guess = createHmac('sha256', derived).update(row?.body ?? '');
    expect([secret.length, row?.fingerprint.split('.').at(-1)]).toEqual([32, guess.digest('hex')]);
  });
});
