import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/entries/index.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { connect } from '../../../../src/outbox/stores/sqlite/database.js';
import { DISMISSED, QUARANTINED, read, write } from '../../contract/harness.js';
import { personalBet, personalSettlement } from '../../personal.js';
import { outboxWorld } from '../../world.js';
import { newFile, openSqlite, openStore, query } from './files.js';

const BAD = 'default:staging:reportBetEvent:B-bad';

/** A file with a bet that failed once and waits, its settlement, and bets that wait. It is not open. */
async function waitingFile() {
  const file = newFile();
  const store = await openStore(file);
  const { outbox, gateway, run } = outboxWorld({ store });
  gateway.faults.add({ kind: 'status', status: 500, reference: 'B-bad' });
  await outbox.reportBetEvent(personalBet('B-bad'));
  await run(outbox.drain({ timeoutMs: 100 }));
  await outbox.reportSettledBet(personalSettlement('B-bad'));
  for (const bet_id of ['B-1', 'B-2']) await outbox.reportBetEvent(personalBet(bet_id));
  await store.close?.();
  return file;
}

/** Changes one byte of a file: the first byte of a text. */
function flip(file: string, text: string): void {
  const bytes = readFileSync(file);
  const place = bytes.indexOf(text);
  expect(place).toBeGreaterThan(0);
  bytes[place] = (bytes[place] ?? 0) ^ 0x08;
  writeFileSync(file, bytes);
}

it('a report of an unknown state is quarantined in doubt when the file is opened, and counted', async () => {
  const file = await waitingFile();
  const database = openSqlite(file);
  database.exec("UPDATE outbox_rows SET state = 'Waiting' WHERE reference = 'B-1'");
  database.close();
  const store = await openStore(file);
  expect((await store.counts()).states).toMatchObject({ quarantined: 1, waiting: 2, blocked: 1 });
  const [row] = await store.list({ state: 'quarantined', limit: 10 });
  expect(row).toMatchObject({ reference: 'B-1', inDoubt: true, problem: { code: 'damaged' } });
  await store.close?.();
});

it.each(["'x'", '9007199254740993', '-1'])('a pause with the damaged version %s can be lifted', async (version) => {
  const file = await waitingFile();
  const database = openSqlite(file);
  database.exec(
    `UPDATE outbox_destinations SET version = ${version}, reason = 'unavailable', until = 9e15 WHERE environment = 'staging'`,
  );
  database.close();
  const { outbox } = outboxWorld({ store: await openStore(file) });
  expect(await outbox.resume('staging')).toBe(true);
  expect((await outbox.stats()).paused).toEqual([]);
});

describe('one byte of one row, changed on the disk', () => {
  it.each([
    ['its problem', '{"code":"gateway"'],
    ['the name of its call', 'reportBetEventB-bad'],
  ])('in %s quarantines that report as damaged, unsent, and all others continue', async (_, text) => {
    const file = await waitingFile();
    flip(file, text);
    const store = await openStore(file);
    const { outbox, events, sent, run } = outboxWorld({ store });

    expect((await outbox.list()).map(({ reference, problem }) => [reference, problem?.code])).toEqual([
      ['B-bad', 'damaged'],
      ['B-bad', undefined],
      ['B-1', undefined],
      ['B-2', undefined],
    ]);
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({
      recorded: 2,
      quarantined: 1,
      blocked: 1,
      waiting: 0,
      'in-flight': 0,
    });
    expect(sent.filter((body) => body.includes('B-bad'))).toEqual([]);
    expect(events.filter(([type]) => type === 'quarantined')).toMatchObject([
      ['quarantined', { id: BAD, code: 'damaged', inDoubt: true }],
    ]);
    expect(await outbox.list({ state: 'quarantined' })).toMatchObject([
      { id: BAD, problem: { code: 'damaged', message: expect.stringMatching(/damaged .*Compare it with your books/) } },
    ]);

    // Its settlement waits for the person's decision, and is sent after it.
    await outbox.resolve(BAD, { as: 'recorded', reason: 'seen in their list' });
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: 3, blocked: 0 });
    expect(sent.filter((body) => body.includes('B-bad')).length).toBeGreaterThan(0);
    await store.close?.();
  });
});

describe('a row whose time is damaged', () => {
  it('is due, and does not delay others', async () => {
    const file = await waitingFile();
    const database = openSqlite(file);
    connect(database).run("UPDATE outbox_rows SET due_at = X'7A7B' WHERE id = ?", BAD);
    database.close();
    const store = await openStore(file);
    const { outbox, run } = outboxWorld({ store });
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: 4, waiting: 0 });
    await store.close?.();
  });
});

describe('a row that differs from its id', () => {
  it.each([
    ['environment', 'production'],
    ['operation', 'reportWithdrawalEvent'],
  ])('in its %s is quarantined, and sent to no gateway under any path', async (column, value) => {
    const file = await waitingFile();
    const database = openSqlite(file);
    const bound = query(database, 'SELECT environment, gateway FROM outbox_destinations');
    connect(database).run(`UPDATE outbox_rows SET ${column} = ?, due_at = 0 WHERE id = ?`, value, BAD);
    database.close();
    const store = await openStore(file);
    const urls: string[] = [];
    const clientOf = (addressOf: (environment: string) => string) =>
      createClient({
        gateways: {
          staging: { baseUrl: addressOf('staging'), apiKey: 'key' },
          production: { baseUrl: addressOf('production'), apiKey: 'key' },
        },
        fetch: async (url, { body }) => {
          urls.push(`${String(url)} ${String(body)}`);
          return new Response('{"message":"ok"}');
        },
      });
    const own = clientOf((environment) => String(bound.find((one) => one.environment === environment)?.gateway));
    const other = clientOf((environment) => `https://${environment}.example.com`);
    const outbox = createOutbox({ accounts: { default: own, brandB: other }, store });
    await outbox.drain({ timeoutMs: 2_000 });
    await outbox.stop();
    expect(urls.filter((sent) => sent.includes('B-bad'))).toEqual([]);
    expect(await outbox.for('default').list({ state: 'quarantined' })).toMatchObject([
      { id: BAD, problem: { code: 'damaged' } },
    ]);
    await store.close?.();
  });
});

describe('a row whose account is the name of another licence, whose outbox opens the file', () => {
  it('is quarantined and not sent', async () => {
    const file = await waitingFile();
    const other = { account: 'brandB', environment: 'staging', gateway: 'https://brand-b.example.com' } as const;
    const before = await openStore(file);
    await before.bind([other]);
    await before.close?.();
    const database = openSqlite(file);
    connect(database).run("UPDATE outbox_rows SET account = 'brandB', due_at = 0 WHERE id = ?", BAD);
    database.close();
    const store = await openStore(file);
    const { outbox, sent, run } = outboxWorld({ store });
    await run(outbox.drain({ timeoutMs: 60_000 }));
    const accounts = [{ account: 'brandB', gateways: { staging: other.gateway }, busy: 0 }];
    const [row] = (await store.turn({ writes: [], claim: { accounts, limit: 9, leaseMs: 1 } })).claimed;
    expect(row).toMatchObject({ id: BAD, damage: 'account', problem: { code: 'damaged' } });
    for (const claimed of row ? [row] : []) {
      await write(store, claimed, QUARANTINED);
      await write(store, await read(store, claimed.id), DISMISSED);
      expect([
        (await store.counts(['default'])).states.dismissed,
        (await store.counts(['brandB'])).states.dismissed,
      ]).toEqual([1, 0]);
    }
    expect(sent.filter((body) => body.includes('B-bad'))).toEqual([]);
    await store.close?.();
  });
});

describe('a damaged history of gateways', () => {
  it('is ignored, and every report is sent', async () => {
    const file = await waitingFile();
    const database = openSqlite(file);
    connect(database).run("UPDATE outbox_destinations SET rebound = X'7A7B'");
    database.close();
    const store = await openStore(file);
    const { outbox, run } = outboxWorld({ store });
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: 4, waiting: 0 });
    await store.close?.();
  });
});
