import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/entries/index.js';
import { createOutbox } from '../../../../src/entries/outbox.js';
import { connect } from '../../../../src/outbox/stores/sqlite/database.js';
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
      { id: BAD, problem: { code: 'damaged', message: expect.stringMatching(/damaged .*compare it with your books/) } },
    ]);

    // Its settlement waits for the person's decision, and is sent after it.
    await outbox.resolve(BAD, { as: 'recorded', reason: 'seen in their list' });
    await run(outbox.drain());
    expect((await outbox.stats()).states).toMatchObject({ recorded: 3, blocked: 0 });
    expect(sent.filter((body) => body.includes('B-bad')).length).toBeGreaterThan(0);
    await store.close?.();
  });
});

describe('a row that differs from its id', () => {
  it('in its operation is quarantined, and sent to no gateway under any path', async () => {
    const file = await waitingFile();
    const database = openSqlite(file);
    const bound = query(database, 'SELECT environment, gateway FROM outbox_destinations');
    connect(database).run("UPDATE outbox_rows SET operation = 'reportWithdrawalEvent', due_at = 0 WHERE id = ?", BAD);
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

describe('a value that would keep a report from being sent, or send it to another gateway', () => {
  it.each([
    "state = 'Waiting'",
    "state = X'7A7B'",
    'blocked = 2',
    'in_doubt = NULL',
    'fence = 9007199254740993',
    "due_at = 'soon'",
    "environment = 'production'",
    "account = 'brandB'",
  ])('is refused by the tables: %s', async (change) => {
    const file = await waitingFile();
    const database = openSqlite(file);
    expect(() => database.exec(`UPDATE outbox_rows SET ${change} WHERE id = '${BAD}'`)).toThrow(
      /constraint|cannot store/,
    );
    database.close();
  });

  it.each(["'x'", '9007199254740993', '-1'])('is refused by the tables: a pause of the version %s', async (version) => {
    const file = await waitingFile();
    const database = openSqlite(file);
    expect(() => database.exec(`UPDATE outbox_destinations SET version = ${version}`)).toThrow(
      /constraint|cannot store/,
    );
    database.close();
  });
});
