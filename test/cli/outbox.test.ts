import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OUTBOX_COMMANDS } from '../../src/cli/outbox/command.js';
import { verifyReceipts } from '../../src/entries/outbox.js';
import { claim, newRow, write } from '../outbox/contract/harness.js';
import { leaksIn, personalBet, personalSettlement } from '../outbox/personal.js';
import { recordMany } from '../outbox/prune/old-reports.js';
import { copyOf, newFile, openSqlite, openStore } from '../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../outbox/world.js';
import { type BuiltCli, buildCli } from '../support/built-cli.js';
import { jsonOf, runCli } from '../support/cli-in-process.js';
import { FakeClock } from '../support/fake-clock.js';

vi.setConfig({ testTimeout: 60_000 });

/** Two recorded reports, a quarantined one, and a settlement that it blocks. */
let sample: string;

beforeAll(async () => {
  sample = newFile();
  const store = await openStore(sample);
  const { outbox, gateway, run } = outboxWorld({ store });
  gateway.faults.add({
    kind: 'status',
    status: 422,
    reference: 'B-bad',
    times: null,
    body: { message: 'Zurikel is wrong', code: 'LIC-4711' },
  });
  for (const bet_id of ['B-1', 'B-2', 'B-bad']) await outbox.reportBetEvent(personalBet(bet_id));
  await outbox.reportSettledBet(personalSettlement('B-bad'));
  await run(outbox.drain());
  await store.close?.();
}, 60_000);

const BAD = 'default:staging:reportBetEvent:B-bad';

/** A copy of the sample that a test may change. */
const copy = () => copyOf(sample);

const outbox = (...words: string[]) => runCli(['outbox', ...words]);

describe('commands that only read', () => {
  it('begin with the state of the outbox', async () => {
    const { code, out } = await outbox(sample);
    expect(code).toBe(0);
    expect(out).toMatch(/^waiting +0\nblocked +1 {2}wait for/);
    expect(out).toMatch(/quarantined +1 {2}need a person/);
    expect(out).toContain('The oldest report that is still to be sent was enqueued ');
    expect(out).toMatch(/Receipts: 2, head [0-9a-f]{64}\n/);
    const { out: json } = await outbox(sample, 'stats', '--json');
    expect(JSON.parse(json)).toMatchObject({
      states: { recorded: 2, quarantined: 1, blocked: 1 },
      paused: [],
      receipts: { count: 2 },
    });
  });

  it('list open reports, quarantined ones first, with names to copy', async () => {
    const { out } = await outbox(sample, 'list');
    const [head = '', ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^STATE +FOR +TRIES +DOUBT +PROBLEM +REPORT$/);
    expect(rows.map((row) => row.split(/ {2,}/)).map(([state, , , , , report]) => [state, report])).toEqual([
      ['quarantined', BAD],
      ['blocked', 'default:staging:reportSettledBet:B-bad'],
    ]);
    expect(Math.max(...rows.map((row) => row.replace(/\S+$/, '').length))).toBeLessThanOrEqual(50);
  });

  it('list by state', async () => {
    const { out, err } = await outbox(sample, 'list', '--state', 'recorded', '--limit', '1');
    const asJson = await outbox(sample, 'list', '--state', 'recorded', '--limit', '1', '--json');
    expect([jsonOf(asJson.out).length, asJson.err]).toEqual([1, expect.stringContaining('There are more.')]);
    expect(out).toContain('reportBetEvent:B-1');
    expect(err).toContain('There are more. To see them: a larger --limit');
    const { out: none, err: why, code } = await outbox(sample, 'list', '--environment', 'production');
    expect([none, code]).toEqual(['', 0]);
    expect(why).toBe('No open report fits these filters.\n');
    expect((await outbox(sample, 'list', '--code', 'conflict')).err).toBe('No open report fits these filters.\n');
    expect((await outbox(sample, 'list', '--since', '2999-01-01T00:00Z')).err).not.toContain('none needs a person');
    expect((await outbox(sample, 'list', '--decision', 'none')).err).toBe('No report fits these filters.\n');
    const empty = newFile();
    await (await openStore(empty)).close?.();
    expect((await outbox(empty, 'list')).err).toBe('No report waits, and none needs a person.\n');
  });

  it('list blocked reports apart from waiting ones', async () => {
    const { out } = await outbox(sample, 'list', '--state', 'blocked', '--json');
    expect(jsonOf(out).map(({ id }) => id)).toEqual(['default:staging:reportSettledBet:B-bad']);
    expect(await outbox(sample, 'list', '--state', 'waiting')).toMatchObject({ code: 0, out: '' });
  });

  it('show a report and the commands to decide about it', async () => {
    const { out } = await outbox(sample, 'show', BAD);
    expect(out).toContain('quarantined, for ');
    expect(out).toContain('unprocessable (HTTP 422)');
    expect(out).toContain(`resolve ${BAD} --as dismissed --reason`);
    expect(out).toMatch(/^ {2}request {5}abcdefab-cdef-4abc-8def-\w{12}$/m);
    expect(out).toContain('  answer      {"message":"[masked] is wrong","code":"[masked]"}');
    expect((await outbox(sample, 'show', 'B-1')).out).toMatch(/^ {2}request {5}abcdefab-cdef-4abc-8def-\w{12}$/m);
    const { out: both } = await outbox(sample, 'show', 'B-bad', '--json');
    expect(jsonOf(both)[0]).toMatchObject({
      problem: { requestId: expect.stringMatching(/^abcdefab-/), details: { code: '[masked]' } },
    });
    expect(jsonOf(both).map(({ state }) => state)).toEqual(['quarantined', 'waiting']);
  });

  it('print no personal data and no control characters', async () => {
    for (const words of [
      ['stats'],
      ['list'],
      ['list', '--json'],
      ['show', 'B-bad'],
      ['show', 'B-bad', '--json'],
      ['export'],
      ['verify'],
    ]) {
      const { out, err } = await outbox(copy(), ...words);
      expect(leaksIn(out + err)).toEqual([]);
    }
    const file = newFile();
    const store = await openStore(file);
    // Outboxes refuse this reference, but a file may still contain it.
    await store.enqueue([newRow('B\u001b[2J\u202e')]);
    await store.close?.();
    const { out } = await outbox(file, 'list');
    expect(out).toContain('B\\u001b[2J\\u202e');
    expect(out).not.toContain('\u001b');
  });

  it.each([
    ['list', '--json'],
    ['show', 'ODD', '--json'],
    ['show', 'ODD'],
    ['resolve', 'ODD', '--as', 'dismissed', '--reason', 'x', '--json'],
    ['reconcile', '--operation', 'reportBetEvent', '--environment', 'staging', '--json', 'LIST'],
    ['export'],
  ])('print no raw control characters: %s %s', async (...words) => {
    const reference = 'B\u009b2J\u202e\u2066\u007f\u{e0001}';
    const file = newFile();
    const store = await openStore(file);
    await store.enqueue([newRow(reference)]);
    const [row] = await claim(store);
    if (!row) throw new Error('a row to claim: expected one');
    await write(store, row, { state: 'quarantined', message: `no ${reference}` });
    await store.close?.();
    if (words[0] === 'export') await outbox(file, 'resolve', row.id, '--as', 'dismissed', '--reason', 'x');
    const list = `${file}.txt`;
    writeFileSync(list, `${reference}\n`);
    const given = words.map((word) => (word === 'ODD' ? row.id : word === 'LIST' ? list : word));
    const { out, err } = await runCli(['outbox', file, ...given], '', { isTTY: true });
    rmSync(list);
    expect(`${out}${err}`).not.toMatch(/[\p{Cf}\u007f-\u009f]/u);
    expect(out).toContain('\\u009b2J\\u202e\\u2066\\u007f\\udb40\\udc01');
    if (out.startsWith('{')) expect(JSON.stringify(jsonOf(out))).toContain(JSON.stringify(reference).slice(1, -1));
    // A file gets the unchanged log, so that it can be checked.
    if (words[0] === 'export') expect((await outbox(file, 'export')).out).toContain(reference);
  });
});

describe('commands that decide', () => {
  it('send a report again, by its id', async () => {
    const file = copy();
    const { code, out } = await outbox(file, 'retry', BAD, '--reason', 'mended');
    expect([code, out]).toEqual([0, `${BAD} waits to be sent again\n`]);
    const [row] = jsonOf((await outbox(file, 'show', BAD, '--json')).out);
    expect(row).toMatchObject({ state: 'waiting', decisions: [{ action: 'retry', reason: 'mended' }] });
  });

  it('send all quarantined reports again', async () => {
    const file = copy();
    expect((await outbox(file, 'retry', '--all', '--yes', '--environment', 'production')).err).toContain(
      'No such report is quarantined',
    );
    expect(jsonOf((await outbox(file, 'retry', '--all', '--yes', '--json')).out)).toEqual([
      { id: BAD, done: true, state: 'waiting' },
    ]);
  });

  it('decide about all reports with the same problem', async () => {
    const file = copy();
    for (const words of [['retry'], ['resolve', '--as', 'recorded', '--reason', 'their list']]) {
      for (const problem of ['duplicate', 'damaged']) {
        const { code, err } = await outbox(file, ...words, '--all', '--yes', '--code', problem);
        expect([code, err]).toEqual([0, expect.stringContaining('No such report is quarantined')]);
      }
    }
    expect(await outbox(file, 'resolve', '--all', '--yes', '--as', 'dismissed', '--reason', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs --code'),
    });
    expect(await outbox(file, 'retry', BAD, '--code', 'not-found')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--code goes with --all only'),
    });
    expect((await outbox(file, 'retry', '--all', '--yes', '--account', 'brandB')).err).toContain(
      'this outbox has no account brandB; known are default',
    );
    expect(jsonOf((await outbox(file, 'retry', '--all', '--yes', '--code', 'unprocessable', '--json')).out)).toEqual([
      { id: BAD, done: true, state: 'waiting' },
    ]);
    const other = copy();
    const decided = await outbox(
      other,
      'resolve',
      '--all',
      '--yes',
      '--code',
      'unprocessable',
      '--environment',
      'staging',
      '--as',
      'dismissed',
      '--reason',
      'test bets',
    );
    expect(decided).toMatchObject({ code: 0, out: `${BAD} is dismissed\n` });
    expect(jsonOf((await outbox(other, 'export')).out).at(-1)).toMatchObject({
      outcome: 'dismissed',
      decisions: [{ reason: 'test bets' }],
    });
  });

  it('list a duplicate with other data as a conflict, and decide about it apart from other duplicates', async () => {
    const file = newFile();
    const store = await openStore(file);
    const { outbox: made, client, run } = outboxWorld({ store });
    const [same, other] = ['B-same', 'B-other'].map((bet_id) => ({ ...personalBet(bet_id), timestamp: '1795161600' }));
    if (!same || !other) throw new Error('expected two bets');
    await client.reportBetEvent(same);
    await client.reportBetEvent({ ...other, amount: 7 });
    for (const bet of [same, other]) await made.reportBetEvent(bet);
    await run(made.drain());
    await store.close?.();
    const rows = (await outbox(file, 'list')).out.trimEnd().split('\n').slice(1);
    expect(
      rows.map((row) => row.split(/ {2,}/)).map(([, , , , problem, report]) => [problem, report?.split(':').at(-1)]),
    ).toEqual([
      ['duplicate', 'B-same'],
      ['conflict', 'B-other'],
    ]);
    const decided = async (code: string) =>
      jsonOf(
        (
          await outbox(
            file,
            'resolve',
            '--all',
            '--yes',
            '--code',
            code,
            '--as',
            'recorded',
            '--reason',
            'their list',
            '--json',
          )
        ).out,
      ).map(({ id }) => id);
    expect(await decided('duplicate')).toEqual(['default:staging:reportBetEvent:B-same']);
    expect(await decided('conflict')).toEqual(['default:staging:reportBetEvent:B-other']);
  });

  it("write a person's verdict and reason into the log", async () => {
    const file = copy();
    expect(await outbox(file, 'resolve', BAD, '--as', 'dismissed')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--reason'),
    });
    expect(await outbox(file, 'resolve', BAD, '--reason', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('resolve needs --as <verdict> (recorded: '),
    });
    expect(await outbox(file, 'resolve', BAD, '--as', 'dismissed', '--reason', 'a test bet')).toMatchObject({
      code: 0,
      out: `${BAD} is dismissed\n`,
    });
    expect(await outbox(file, 'resolve', BAD, '--as', 'recorded', '--reason', 'no')).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is dismissed'),
    });
    const { out } = await outbox(file, 'export');
    expect(jsonOf(out).at(-1)).toMatchObject({ outcome: 'dismissed', decisions: [{ reason: 'a test bet' }] });
  });

  it('name the report that a blocked one waits for, and write no decision', async () => {
    const file = copy();
    const id = 'default:staging:reportSettledBet:B-bad';
    const { code, out, err } = await outbox(file, 'retry', id);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`${id}: it is blocked: it is sent once ${BAD} is recorded or dismissed`);
    expect(jsonOf((await outbox(file, 'show', id, '--json')).out)[0].decisions ?? []).toEqual([]);
  });

  it('name a report that does not exist', async () => {
    expect(await outbox(copy(), 'retry', 'B-none')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no report B-none'),
    });
  });
});

describe('pauses and keys', () => {
  it('a pause is shown and ended', async () => {
    const file = newFile();
    const store = await openStore(file);
    const { outbox: made, gateway, clock } = outboxWorld({ store });
    gateway.faults.add({ kind: 'status', status: 401, times: null });
    await made.reportBetEvent(personalBet('B-1'));
    await clock.run(made.drain({ timeoutMs: 500 }));
    await store.close?.();
    const { out } = await outbox(file);
    expect(out).toContain('staging is paused (authentication)');
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /At \d{4}-[\d-]{5} [\d:]{8} UTC: reportBetEvent B-1 \(staging\): HTTP 401/,
    );
    expect((await outbox(file, 'resume', '--environment', 'production')).err).toContain('production is not paused');
    expect((await outbox(file, 'resume')).out).toBe('staging is no longer paused (it was: authentication)\n');
    expect((await outbox(file)).out).toContain('No environment is paused.');
    expect((await outbox(file, 'resume')).err).toContain('No environment is paused');
  });

  it('a rate that a 429 taught is shown and forgotten', async () => {
    const file = newFile();
    const store = await openStore(file);
    const place = { account: 'default', environment: 'production' } as const;
    await store.bind([{ ...place, gateway: 'https://gateway.example' }]);
    await store.keepRate?.(place, { perSecond: 13, spanMs: 60_000 });
    await store.close?.();
    expect((await outbox(file)).out.replaceAll(/\s+/g, ' ')).toMatch(
      /At most 13 a second for now: the gateway answered 429 at \d{4}-[\d-]{5} [\d:]{8} UTC\./,
    );
    const rates = async () =>
      JSON.parse((await outbox(file, 'stats', '--json')).out).destinations.map(
        (one: { learnedRate: number | null }) => one.learnedRate,
      );
    expect(await rates()).toEqual([13]);
    expect((await outbox(file, 'resume', '--environment', 'staging')).err).toContain('staging is not paused');
    expect((await outbox(file, 'resume')).out).toBe('production forgets the rate that a 429 taught\n');
    expect(await rates()).toEqual([null]);
    expect((await outbox(file)).out).not.toContain('At most');
    const again = await openStore(file);
    await again.keepRate?.(place, { perSecond: 13, spanMs: 60_000 });
    await again.close?.();
    expect(JSON.parse((await outbox(file, 'resume', '--json')).out)).toEqual({ ...place, learnedRate: null });
  });

  it('an attempt that is under way for long is named with its age', async () => {
    const file = newFile();
    const clock = new FakeClock(Date.now() - 45_000);
    const store = await openStore(file, { clock });
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    expect(await claim(store, 1)).toHaveLength(1);
    clock.advance(44_000);
    expect(await claim(store, 1)).toHaveLength(1);
    await store.close?.();
    expect((await outbox(file)).out.replaceAll(/\s+/g, ' ')).toMatch(
      /The oldest report in flight was taken (4[4-9]|[5-9]\d) s ago: the gateway does not answer/,
    );
    expect(JSON.parse((await outbox(file, 'stats', '--json')).out)).toMatchObject({
      states: { 'in-flight': 2 },
      oldestClaimAt: expect.any(Number),
    });
    expect((await outbox(sample)).out).not.toContain('in flight was taken');
    expect(JSON.parse((await outbox(sample, 'stats', '--json')).out)).toMatchObject({ oldestClaimAt: null });
  });

  it('a key that waiting reports need is named', async () => {
    const file = newFile();
    const store = await openStore(file);
    const key = (byte: number) => new Uint8Array(32).fill(byte);
    const sealing = outboxWorld({ store, outbox: { encryption: { keys: { '2026-08': key(1) }, current: '2026-08' } } });
    await sealing.outbox.reportBetEvent(personalBet('B-1'));
    const lacking = outboxWorld({ store, outbox: { encryption: { keys: { '2026-11': key(2) }, current: '2026-11' } } });
    await lacking.clock.run(lacking.outbox.drain({ timeoutMs: 500 }));
    await store.close?.();
    expect((await outbox(file)).out).toContain('The encryption key 2026-08 was missing');
    expect(JSON.parse((await outbox(file, 'stats', '--json')).out)).toMatchObject({ missingKeys: ['2026-08'] });
    expect(JSON.parse((await outbox(sample, 'stats', '--json')).out)).toMatchObject({ missingKeys: [] });
  });
});

describe('the gateway of an account', () => {
  it('is changed by a person with a reason, which is kept and shown', async () => {
    const file = copy();
    const staging = async (): Promise<object & { gateway: string }> =>
      JSON.parse((await outbox(file, 'stats', '--json')).out).destinations.find(
        ({ environment }: { environment: string }) => environment === 'staging',
      );
    const before = (await staging()).gateway;
    const to = ['--environment', 'staging', '--gateway', 'https://next.example.com/'];
    expect(await outbox(file, 'rebind', ...to)).toMatchObject({ code: 2, err: expect.stringContaining('--reason') });
    expect(await outbox(file, 'rebind', ...to, '--reason', 'x', '--account', 'brandB')).toMatchObject({
      code: 2,
      err: expect.stringContaining('brandB'),
    });
    const { code, out } = await outbox(file, 'rebind', ...to, '--reason', 'it moved');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /now go to https:\/\/next\.example\.com \(before: .*\)\.\n.*: \d+\. Those of staging are sent to the new address/,
      ),
    ]);
    expect((await outbox(file, 'rebind', ...to, '--reason', 'again')).err).toContain('already');
    expect(await staging()).toMatchObject({
      account: 'default',
      gateway: 'https://next.example.com',
      rebound: [{ from: before, reason: 'it moved' }],
    });
    expect((await outbox(file)).out).toContain('it moved');
    expect((await outbox(file, 'list', '--account', 'brandB')).err).toContain(
      'this outbox has no account brandB; known are default',
    );
  });
});

describe('the books', () => {
  const of = ['--operation', 'reportBetEvent', '--environment', 'staging'];
  const list = (...references: string[]) => {
    const file = `${newFile()}.txt`;
    writeFileSync(file, references.map((reference) => `${reference}\n`).join(''));
    return file;
  };

  it('are compared with the outbox, and references that are not recorded are printed', async () => {
    const { code, out, err } = await outbox(sample, 'reconcile', list('B-1', 'B-bad', 'B-9', 'B-2'), ...of);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'quarantined unprocessable     reportBetEvent          B-bad',
      'never-seen  -                 reportBetEvent          B-9',
      '',
    ]);
    expect(err).toContain('recorded: 2 of 4; declared recorded by a person: 0\n');
    const twice = await outbox(sample, 'reconcile', list('B-1', 'B-9', 'B-1', 'B-9'), ...of);
    expect(twice.out).toBe('never-seen  -                 reportBetEvent          B-9\n');
    expect(twice.err).toContain('recorded: 1 of 2; declared recorded by a person: 0\n');
    expect(twice.err).toContain('named again, and counted once: 2\n');
    const all = await outbox(sample, 'reconcile', list('B-1', 'B-2'), ...of, '--json');
    expect([all.code, jsonOf(all.out).map(({ state }) => state)]).toEqual([0, ['recorded', 'recorded']]);
  });

  it('are proven in one run: bets and settlements from CSV, with the day, the hash of the list, the head and receipts', async () => {
    const file = copy();
    const said = await outbox(file, 'resolve', BAD, '--as', 'dismissed', '--with-settlement', '--reason', 'a test bet');
    expect(said.code).toBe(0);
    // The gateway has never answered the settlement.
    const dismissed = (await outbox(file, 'list', '--state', 'dismissed')).out.split('\n').slice(1, 3);
    expect(dismissed.map((row) => row.split(/ {2,}/).slice(2))).toEqual([
      ['1', '-', 'unprocessable', BAD],
      ['0', '-', '-', 'default:staging:reportSettledBet:B-bad'],
    ]);
    const books = `${newFile()}.csv`;
    const text = '\uFEFFamount;operation;bet_id\r\n"5";reportBetEvent;"B-1"\r\n5;reportSettledBet;B-bad\r\n7;;B-9\r\n';
    writeFileSync(books, text);
    const { code, out, err } = await outbox(file, 'reconcile', books, ...of, '--csv');
    const head = JSON.parse((await outbox(file, 'stats', '--json')).out).receipts;
    const rows = out.split('\r\n');
    const facts = Object.fromEntries(rows.slice(0, 7).map((row) => row.split(/,(.*)/)));
    expect(facts).toEqual({
      'made at': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      'SHA-256 of the list': createHash('sha256').update(text).digest('hex'),
      account: 'default',
      'only enqueued on': 'any day',
      'first and last enqueued': expect.stringMatching(/^\d{4}-\S+Z to \d{4}-\S+Z$/),
      recorded: '"1 of 3; declared recorded by a person: 0"',
      'head of the log of receipts': `"${head.count} entries, ${head.hash}"`,
    });
    expect(head.count).toBe(4);
    const lines = (await outbox(file, 'export')).out.split('\n').map((line) => (line ? JSON.parse(line) : undefined));
    const found = rows.slice(9, -1).map((row) => row.split(','));
    expect(found.map((cells) => cells.slice(0, 6))).toEqual([
      ['B-1', 'reportBetEvent', 'staging', 'recorded', 'recorded', ''],
      ['B-bad', 'reportSettledBet', 'staging', 'dismissed', '', expect.any(String)],
      ['B-9', 'reportBetEvent', 'staging', 'never-seen', '', ''],
    ]);
    for (const [reference, operation, , , , , , ended, receipt] of found.slice(0, 2))
      expect(lines[Number(receipt)]).toMatchObject({ reference, operation, endedAt: ended });
    expect([code, err.split('\n')[0]]).toEqual([1, `made at: ${facts['made at']}`]);
    expect(leaksIn(out + err)).toEqual([]);
  });

  it('are compared for one day in Nigeria, which may be yesterday, and with each settlement', async () => {
    const two = list('B-1', 'B-9');
    const on = (day: string, ...words: string[]) => outbox(sample, 'reconcile', two, ...of, '--day', day, ...words);
    const { enqueuedAt } = jsonOf((await outbox(sample, 'reconcile', two, ...of, '--json')).out)[0] ?? {};
    const dayAt = (days: number) =>
      new Date(Number(enqueuedAt) + (days * 24 + 1) * 3_600_000).toISOString().slice(0, 10);
    expect((await on(dayAt(0))).err).toContain(`only enqueued on: ${dayAt(0)}, in Nigeria; others left out: 0\n`);
    for (const day of [dayAt(-1), dayAt(1)]) {
      const { out, err } = await on(day);
      expect(out).toBe('never-seen  -                 reportBetEvent          B-9\n');
      expect(err).toContain(`${day}, in Nigeria; others left out: 1\n`);
    }
    // A proof of nothing would read as a proof.
    const nothing = await outbox(sample, 'reconcile', list('B-1'), ...of, '--day', dayAt(1), '--csv');
    expect(nothing).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`is of the day ${dayAt(1)}`) });
    vi.useFakeTimers({ now: Date.parse('2026-11-21T23:30:00Z'), toFake: ['Date'] });
    try {
      expect((await on('yesterday')).err).toContain('only enqueued on: 2026-11-21');
      expect((await on('today')).err).toContain('only enqueued on: 2026-11-22');
    } finally {
      vi.useRealTimers();
    }
    expect((await on('monday')).err).toContain('--day must be yesterday, today or a day such as 2026-11-27');
    const { out } = await outbox(sample, 'reconcile', list('B-bad', 'B-1'), ...of, '--settlements', '--json');
    expect(jsonOf(out).map(({ reference, operation, state }) => `${reference} ${operation} ${state}`)).toEqual([
      'B-bad reportBetEvent quarantined',
      'B-bad reportSettledBet waiting',
      'B-1 reportBetEvent recorded',
      'B-1 reportSettledBet never-seen',
    ]);
  });

  it('are not compared up to a reference that may be cut off, and not without a reference', async () => {
    // B-11 was cut off, and B-1 is recorded.
    const cut = list('B-2', 'B-11');
    truncateSync(cut, 'B-2\nB-1'.length);
    const said = await outbox(sample, 'reconcile', cut, ...of, '--json');
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('does not end with a line break')]);
    expect(await outbox(sample, 'reconcile', cut, ...of, '--last-line-complete')).toMatchObject({ code: 0 });
    const none = await outbox(sample, 'reconcile', list(''), ...of);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('names no report')]);
  });

  it('may be a log of receipts with lines that a crash has cut off: they are named at the end, and the rest is compared', async () => {
    const line = (reference: string) =>
      JSON.stringify({ environment: 'staging', operation: 'reportBetEvent', reference, outcome: 'recorded' });
    const half = line('B-7').slice(0, -20);
    const log = list(line('B-1'), half, line('B-9'), `${half}${line('B-2')}`, line('B-bad'));
    const { code, out, err } = await outbox(sample, 'reconcile', log, '--environment', 'staging');
    expect([code, out.split('\n').map((row) => row.split(/ +/).at(-1))]).toEqual([1, ['B-9', 'B-bad', '']]);
    expect(err).toContain(`recorded: 1 of 3; declared recorded by a person: 0\n`);
    expect(err).toContain('not complete JSON, as after a crash: 2, with the numbers 2, 4. Each line of a log may hold');
    const proof = await outbox(sample, 'reconcile', log, '--environment', 'staging', '--csv');
    expect(proof.out).toContain('\r\nlines not read,"2, 4"\r\n');

    // All that can be read is recorded, and the file ends within a line.
    const cut = list(line('B-1'), half);
    truncateSync(cut, statSync(cut).size - 1);
    for (const more of [[], ['--json'], ['--last-line-complete']]) {
      const said = await outbox(sample, 'reconcile', cut, '--environment', 'staging', ...more);
      expect([said.code, said.err]).toEqual([1, expect.stringContaining(': 1, with the numbers 2. ')]);
    }
    const none = await outbox(sample, 'reconcile', list(half, half), '--environment', 'staging');
    expect(none).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('not complete JSON, or have no reference: 1, 2'),
    });
  });

  it('may be a log of several licences: the receipts of the others are counted', async () => {
    const line = (reference: string, account = 'default', environment = 'staging') =>
      JSON.stringify({ account, environment, operation: 'reportBetEvent', reference, outcome: 'recorded' });
    const log = list(line('B-1'), line('B-7', 'brandB'), line('B-8', 'default', 'production'));
    const of = ['--environment', 'staging'];
    const { code, out, err } = await outbox(sample, 'reconcile', log, ...of, '--csv');
    const left = 'receipts of other accounts or environments, left out';
    expect([code, err]).toEqual([0, expect.stringContaining(`${left}: 2\n`)]);
    expect(out).toContain(`\r\n"${left}",2\r\n`);
    expect((await outbox(sample, 'reconcile', log, ...of, '--json')).err).toBe(`${left}: 2\n`);
    const resolved = await outbox(sample, 'resolve', '--from', log, '--as', 'recorded', ...of, '--reason', 'failover');
    expect(resolved).toMatchObject({ code: 0, err: expect.stringContaining(`${left}: 2\n`) });
    expect((await outbox(sample, 'reconcile', list(line('B-1')), ...of)).err).not.toContain('left out');
  });

  it('are not proven by a list with rows without a reference: these are named', async () => {
    const books = list(
      'operation,bet_id,request_id',
      'reportBetEvent,B-1,',
      'reportWithdrawalEvent,B-1,',
      'reportBetEvent',
    );
    const { code, out, err } = await outbox(sample, 'reconcile', books, '--environment', 'staging', '--csv');
    expect([code, err]).toEqual([1, expect.stringContaining('recorded: 1 of 1;')]);
    expect(err).toContain('with the numbers 3, 4.');
    expect(out).toContain('\r\nlines not read,"3, 4"\r\n');
    const resolved = [
      'resolve',
      '--from',
      books,
      '--as',
      'recorded',
      '--environment',
      'staging',
      '--reason',
      'their list',
    ];
    expect(await outbox(sample, ...resolved)).toMatchObject({
      code: 1,
      err: expect.stringContaining('with the numbers 3, 4.'),
    });
  });

  it('need an operation, an environment and a file', async () => {
    expect((await outbox(sample, 'reconcile', list('B-1'))).err).toContain('reconcile needs --environment <name>');
    expect((await outbox(sample, 'reconcile', list('B-1'), '--environment', 'staging')).err).toMatch(
      /\.txt has no column operation, so the command needs --operation <name>/,
    );
    const wrong = list('bet_id,operation', 'B-1,reportBet');
    expect((await outbox(sample, 'reconcile', wrong, ...of)).err).toContain('references[0].operation: expected report');
    expect((await outbox(sample, 'reconcile', list('bet_id', '"B-1'), ...of)).err).toContain('a quote is not closed');
    expect((await outbox(sample, 'reconcile', ...of)).err).toContain('needs a file');
    expect((await outbox(sample, 'reconcile', newFile(), ...of)).err).toContain('cannot be read (ENOENT)');
    expect((await outbox(sample, 'reconcile', list(' '), ...of)).err).toContain('names no report');
  });
});

describe('the log', () => {
  it('is exported, and verified in the outbox and in the exported file', async () => {
    const { code, out, err } = await outbox(copy(), 'export');
    const { head } = await verifyReceipts(out);
    expect([code, head?.count]).toEqual([0, 2]);
    expect(err).toContain(head?.hash);
    const file = `${newFile()}.jsonl`;
    writeFileSync(file, out);
    for (const given of [file, sample]) {
      expect(await outbox(given, 'verify')).toMatchObject({ code: 0, out: expect.stringContaining('Without --head') });
      expect(await outbox(given, 'verify', '--head', head?.hash ?? '')).toMatchObject({
        code: 0,
        out: expect.stringContaining('nothing came after it'),
      });
      expect(await outbox(given, 'verify', '--head', 'x')).toMatchObject({
        code: 2,
        err: expect.stringContaining('64 hexadecimal digits'),
      });
      expect(await outbox(given, 'verify', '--head', 'f'.repeat(64))).toMatchObject({
        code: 1,
        out: expect.stringContaining('BROKEN'),
      });
    }
    writeFileSync(file, out.replace('"B-1"', '"B-x"').replace('"B-2"', '"B-y"'));
    const { code: broken, out: said } = await outbox(file, 'verify', '--json');
    expect([broken, JSON.parse(said)]).toMatchObject([
      1,
      { valid: false, count: 0, break: { line: 1, kind: 'changed' } },
    ]);
  });

  it('is compared with the reports', async () => {
    const file = copy();
    const database = openSqlite(file);
    database.exec("UPDATE outbox_rows SET fingerprint = 'x' WHERE reference = 'B-1'");
    database.close();
    expect(await outbox(file, 'verify')).toMatchObject({
      code: 1,
      out: expect.stringContaining('CHANGED: the report default:staging:reportBetEvent:B-1 differs from its receipt.'),
    });
  });

  it('counts every report that differs from its receipts, each once', async () => {
    const file = newFile();
    const store = await openStore(file);
    await recordMany(store, 'B', 700);
    await store.close?.();
    const database = openSqlite(file);
    database.exec("UPDATE outbox_rows SET fingerprint = 'x'");
    database.close();
    expect((await outbox(file, 'verify')).out).toContain('… and 680 more.');
    const { differing, changed } = JSON.parse((await outbox(file, 'verify', '--json')).out);
    expect([differing.length, changed]).toEqual([500, 700]);
  });
});

describe('a file that cannot be used', () => {
  const text = () => {
    const file = newFile();
    writeFileSync(file, 'hello, this is a text file');
    return file;
  };
  const foreign = () => {
    const file = newFile();
    const database = openSqlite(file);
    database.exec('CREATE TABLE theirs (x)');
    database.close();
    return file;
  };
  const newer = () => {
    const file = copy();
    const database = openSqlite(file);
    database.exec("UPDATE outbox_meta SET value = 99 WHERE name = 'version'");
    database.close();
    return file;
  };
  const cut = () => {
    const file = newFile();
    writeFileSync(file, readFileSync(sample).subarray(0, 10_000));
    return file;
  };
  const folder = () => {
    const path = newFile();
    mkdirSync(path);
    return path;
  };

  it.each([
    ['is missing', newFile, 'there is no file'],
    ['is a folder', folder, 'is not a regular file'],
    ['is not a database', text, 'is not a SQLite database; it was not changed'],
    ['is another database', foreign, 'without an outbox in it'],
    ['is newer', newer, 'newer version'],
    ['is damaged', cut, 'is damaged'],
  ])('%s', async (_, make, words) => {
    const file = make();
    const before = existsSync(file) && make !== folder ? readFileSync(file) : undefined;
    for (const command of ['stats', 'list', 'export', 'verify', 'retry']) {
      const { code, out, err } = await outbox(file, command, ...(command === 'retry' ? ['x'] : []));
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(/^location-sdk: .*\n$/);
      expect(err).toContain(words);
    }
    expect(existsSync(file) && make !== folder ? readFileSync(file) : undefined).toEqual(before);
  });

  it('can still be used if it is open in the same process', async () => {
    const file = copy();
    const store = await openStore(file);
    const { code, out } = await outbox(file, 'stats');
    await store.close?.();
    expect([code, out]).toEqual([0, expect.stringMatching(/^waiting +0\n/)]);
  });

  it('is locked by another process', { tags: 'slow', timeout: 20_000 }, async () => {
    const file = copy();
    const database = openSqlite(file);
    database.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
    const { code, err } = await outbox(file, 'retry', BAD);
    database.exec('ROLLBACK');
    database.close();
    expect([code, err]).toEqual([1, expect.stringContaining('is locked by others')]);
  });
});

describe('a wrong call', () => {
  it.each([
    [[], 'the file is missing'],
    [['list', 'x.db'], 'the file comes first'],
    [['FILE', 'frob'], 'unknown command frob'],
    [['FILE', 'list', 'more'], "unexpected word 'more'"],
    [['FILE', 'list', '--head', 'x'], '--head does not go with list'],
    [['FILE', 'list', '--state', 'lost'], '--state must be waiting'],
    [['FILE', 'show'], 'show needs one report'],
    [['FILE', 'retry', 'x', '--all', '--yes'], '--all goes without'],
    [['FILE', 'retry', 'x', '--except'], '--except goes with --all or --decision'],
    [['FILE', 'retry', '--all', '--except'], '--except goes with --all or --decision, and names'],
    [['FILE', 'list', '--since', 'yesterday'], '--since must be 30m, 2h or 1d ago'],
    [['FILE', 'verify', '--head', 'x'], '64 hexadecimal digits'],
    [['FILE', 'resume', '--reason', ' '], '--reason must be a text of at most 2,000 characters'],
    [['FILE', 'resume', '--reason', 'LONG'], '--reason must be a text of at most 2,000 characters'],
    [['FILE', '--nope'], 'unknown option --nope'],
  ])('%j', async (words, said) => {
    const meant: Record<string, string> = { FILE: sample, LONG: 'x'.repeat(2_001) };
    expect(await outbox(...words.map((word) => meant[word] ?? word))).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(said),
    });
  });

  it('has help within eighty columns, for all commands and for each', async () => {
    const { code, out } = await outbox('--help');
    expect(code).toBe(0);
    for (const name of Object.keys(OUTBOX_COMMANDS)) {
      expect(out).toContain(`\n  ${name}`);
      for (const words of [[name], [sample, name]]) {
        const { out: help } = await outbox(...words, '--help');
        expect(help).toContain(`\nUsage: location-sdk outbox <file> ${name}`);
        expect(Math.max(...`${out}${help}`.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
      }
    }
    const { out: listHelp } = await outbox('list', '--help');
    expect(listHelp.match(/(?<=\n {2}--)[a-z-]+/g)).toEqual([
      'state',
      'code',
      'since',
      'until',
      'decision',
      'account',
      'environment',
      'operation',
      'limit',
      'json',
      'schema',
      'help',
    ]);
  });

  it('lists all its problems at once', async () => {
    expect((await outbox(sample, 'list', '--limit', '0', '--nope')).err).toBe(
      'location-sdk: --limit must be a whole number from 1 to 1000000; unknown option --nope; see --help\n',
    );
  });
});

describe('in a separate process', () => {
  let cli: BuiltCli;
  beforeAll(async () => {
    cli = await buildCli();
  });
  afterAll(() => cli.remove());

  it('the command prints, changes the file for the next process, and returns the code of a failure', async () => {
    const file = copy();
    expect(await cli.run('outbox', file, 'list')).toMatchObject({
      code: 0,
      out: expect.stringContaining(BAD),
      err: expect.not.stringContaining('Error'),
    });
    expect(await cli.run('outbox', file, 'resolve', BAD, '--as', 'dismissed', '--reason', 'a test bet')).toMatchObject({
      code: 0,
      out: `${BAD} is dismissed\n`,
    });
    expect(await cli.run('outbox', file, 'resolve', BAD, '--as', 'recorded', '--reason', 'no')).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is dismissed'),
    });
  });
});
