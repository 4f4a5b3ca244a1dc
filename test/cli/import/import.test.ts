import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/cli/main.js';
import { createReferences } from '../../../src/cli/outbox/import/check.js';
import { createClient } from '../../../src/core/client/create-client.js';
import { createOutbox } from '../../../src/entries/outbox.js';
import { CANARIES, leaksIn, personalBet, personalSettlement } from '../../outbox/personal.js';
import { openSqlite, openStore } from '../../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../../outbox/world.js';
import { runCli } from '../../support/cli-in-process.js';
import { betEvent, betUser, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { csvOf, importFolder } from './import-files.js';

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

const settlements = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => settledBet({ bet_id: `B-${from + index}` }));
const location = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
const oldBet = (bet_id: string) => ({ ...betEvent({ bet_id, timestamp: '1763632800' }), location });

it('an imported withdrawal gives its location to its settlement', async () => {
  const { write, run, outbox: file } = importFolder();
  const payload = { ...withdrawalEvent({ request_id: 'W-1' }), timestamp: '1795160000', location };
  expect(await run(write('withdrawals.ndjson', `${JSON.stringify(payload)}\n`), 'reportWithdrawalEvent')).toMatchObject(
    {
      code: 0,
    },
  );
  const store = await openStore(file);
  const client = createClient({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } } });
  const outbox = createOutbox({ client, store });
  expect(await store.list({ limit: 9 })).toMatchObject([{ excerpt: expect.any(String) }]);
  await outbox.reportSettledWithdrawal(settledWithdrawal({ request_id: 'W-1' }));
  const [settled] = await store.list({ operation: 'reportSettledWithdrawal', limit: 1 });
  expect(JSON.parse(settled?.body ?? '')).toMatchObject({ location });
  await store.close?.();
});

it('a settled withdrawal without a location takes that of its initiated one in the outbox', async () => {
  const folder = importFolder();
  const payload = { ...withdrawalEvent({ request_id: 'W-1' }), timestamp: '1795160000', location };
  const initiated = folder.write('withdrawals.ndjson', `${JSON.stringify(payload)}\n`);
  expect(await folder.run(initiated, 'reportWithdrawalEvent')).toMatchObject({ code: 0 });
  const settled = ['W-1', 'W-2'].map((request_id) => `${JSON.stringify(settledWithdrawal({ request_id }))}\n`);
  const both = folder.write('settled.ndjson', settled.join(''));
  for (const words of [['--dry-run'], ['--skip-rejected']])
    expect(await folder.run(both, 'reportSettledWithdrawal', ...words)).toMatchObject({
      code: 1,
      err: expect.stringContaining('1 of 2 lines are rejected'),
    });
  expect(readFileSync(folder.at('settled.ndjson.rejected.csv'), 'utf8')).toMatch(/^2,location,.*W-2$/m);
  expect(folder.rows()).toMatchObject([{ reference: 'W-1' }, { reference: 'W-1', body: { location } }]);
});

it('a settled withdrawal whose player was erased needs its location again, and is known with it', async () => {
  const folder = importFolder();
  const payload = { ...withdrawalEvent({ request_id: 'W-1' }), timestamp: '1795160000', location };
  const settled = settledWithdrawal({ request_id: 'W-1' });
  await folder.run(folder.write('withdrawals.ndjson', `${JSON.stringify(payload)}\n`), 'reportWithdrawalEvent');
  const file = folder.write('settled.ndjson', `${JSON.stringify(settled)}\n`);
  expect(await folder.run(file, 'reportSettledWithdrawal')).toMatchObject({ code: 0 });
  const store = await openStore(folder.outbox);
  const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'mock-api-key' } };
  const world = outboxWorld({ store, client: { gateways } });
  expect(await world.run(world.outbox.drain())).toMatchObject({ states: { recorded: 2 } });
  await store.close?.();
  const erased = await runCli(['outbox', folder.outbox, 'player', settled.userId, '--erase', '--reason', 'asked']);
  expect(erased.err).toContain('Erased: 2 reports');
  expect(await folder.run(file, 'reportSettledWithdrawal')).toMatchObject({ code: 1 });
  expect(readFileSync(folder.at('settled.ndjson.rejected.csv'), 'utf8')).toContain(
    'is missing, and the outbox has none of this withdrawal, or it was erased: give location.latitude',
  );
  const placed = folder.write('placed.ndjson', `${JSON.stringify({ ...settled, location })}\n`);
  expect(await folder.run(placed, 'reportSettledWithdrawal')).toMatchObject({
    code: 0,
    out: expect.stringContaining('0 reports enqueued, 1 were already in the outbox.'),
  });
});

describe('a file with only valid lines', () => {
  it('is enqueued in its order into a new outbox', async () => {
    const { write, run, rows, at } = importFolder();
    const reports = settlements(3);
    const { code, out, err } = await run(
      write('bets.csv', csvOf(reports)),
      'reportSettledBet',
      '--account',
      'brandA',
      '--environment',
      'production',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('bets.csv: 3 reports enqueued.\n')]);
    expect(err).toContain('reportSettledBet of account brandA in production, for https://live.example.com');
    expect(err).toContain('outbox.db was created. Nothing is sent until a worker runs on it.');
    expect(rows()).toEqual(
      reports.map((body) => ({
        reference: body.bet_id,
        account: 'brandA',
        environment: 'production',
        operation: 'reportSettledBet',
        body,
      })),
    );
    expect(readdirSync(at('.')).filter((name) => name.startsWith('bets'))).toEqual(['bets.csv']);
  });

  it('is said to be of an account that the outbox does not know, before anything is enqueued', async () => {
    const { write, run } = importFolder();
    const file = write('bets.csv', csvOf(settlements(1)));
    await run(file, 'reportSettledBet');
    const unknown = 'This outbox has never had reports of account brand in staging';
    for (const words of [['--dry-run'], []])
      expect((await run(file, 'reportSettledBet', '--account', 'brand', ...words)).err).toContain(unknown);
    const { err } = await run(write('more.csv', csvOf(settlements(1, 2))), 'reportSettledBet', '--account', 'brand');
    expect(err).not.toContain(unknown);
    expect(err).toContain('A running worker of this account sends them; if none runs, start one.');
  });

  it('is said to be quarantined or dismissed already, and not to be sent', async () => {
    const { write, run, outbox, rows } = importFolder();
    const file = write('bets.csv', csvOf(settlements(4)));
    await run(file, 'reportSettledBet');
    const database = openSqlite(outbox);
    database.exec("UPDATE outbox_rows SET state = 'quarantined' WHERE reference = 'B-2'");
    database.exec("UPDATE outbox_rows SET state = 'dismissed' WHERE reference IN ('B-1', 'B-3')");
    database.close();
    const again = await run(file, 'reportSettledBet');
    expect(again.out).toContain('0 reports enqueued, 4 were already in the outbox.');
    expect(again.err).toContain('Not sent, since the outbox has them quarantined: 1 report. To see them: npx');
    expect(again.err).toMatch(/has them dismissed: 2 reports\. To see them: npx .* list --state dismissed\n/);
    expect(again.err).not.toContain('worker');
    expect(rows()).toHaveLength(4);
  });

  it('goes to an outbox that was used with a mock gateway, also on another port', async () => {
    const { write, run, rows } = importFolder();
    for (const [index, port] of [4010, 4011].entries()) {
      vi.stubEnv('LOCATION_SDK_MOCK', `http://127.0.0.1:${port}`);
      const file = write(`${port}.csv`, csvOf(settlements(1, index)));
      expect(await run(file, 'reportSettledBet')).toMatchObject({ code: 0 });
    }
    expect(rows()).toHaveLength(2);
  });

  it('is not taken for production while LOCATION_SDK_MOCK is set', async () => {
    vi.stubEnv('LOCATION_SDK_MOCK', 'http://127.0.0.1:4010');
    const { write, run, rows } = importFolder();
    const file = write('one.csv', csvOf(settlements(1)));
    const { code, err } = await run(file, 'reportSettledBet', '--environment', 'production');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('LOCATION_SDK_MOCK is set, and while it is, nothing goes'),
    ]);
    expect(rows).toThrow();
  });

  it('goes to the environment that LOCATION_SDK_ENVIRONMENT names, unless the command names one', async () => {
    vi.stubEnv('LOCATION_SDK_ENVIRONMENT', 'production');
    const { write, run, rows } = importFolder();
    expect(await run(write('one.csv', csvOf(settlements(1))), 'reportSettledBet')).toMatchObject({ code: 0 });
    const staging = ['reportSettledBet', '--environment', 'staging'] as const;
    expect(await run(write('two.csv', csvOf(settlements(1, 2))), ...staging)).toMatchObject({ code: 0 });
    expect(rows().map(({ reference, environment }) => [reference, environment])).toEqual([
      ['B-1', 'production'],
      ['B-2', 'staging'],
    ]);
    vi.stubEnv('LOCATION_SDK_ENVIRONMENT', 'prod');
    const { code, err } = await run(write('three.csv', csvOf(settlements(1, 3))), 'reportSettledBet');
    expect([code === 0, err]).toEqual([
      false,
      expect.stringContaining('LOCATION_SDK_ENVIRONMENT: expected staging or production (did you mean production?)'),
    ]);
  });

  it('is recorded by the gateway, bets before their settlements', async () => {
    const { write, run, outbox } = importFolder();
    const bets = write('bets.csv', csvOf(['B-1', 'B-2'].map(oldBet)));
    const settled = write('settled.csv', csvOf(settlements(2)));
    expect(await run(settled, 'reportSettledBet')).toMatchObject({ code: 0 });
    expect(await run(bets, 'reportBetEvent')).toMatchObject({ code: 0 });
    const store = await openStore(outbox);
    const world = outboxWorld({
      store,
      client: { gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'mock-api-key' } } },
    });
    expect(await world.run(world.outbox.drain())).toMatchObject({ drained: true, states: { recorded: 4 } });
    await store.close?.();
  });

  it('is only checked with --dry-run, and no outbox is created', async () => {
    const { write, run, outbox } = importFolder();
    const { code, out } = await run(
      write('bets.csv', csvOf(settlements(3))),
      'reportSettledBet',
      '--dry-run',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      operation: 'reportSettledBet',
      account: 'default',
      environment: 'staging',
      dryRun: true,
      lines: 3,
      rejected: 0,
      problems: [],
      already: 0,
      quarantined: 0,
      dismissed: 0,
      enqueued: 0,
    });
    expect(existsSync(outbox)).toBe(false);
  });

  it('is enqueued once if it is imported again', async () => {
    const { write, run, rows } = importFolder();
    const file = write('bets.csv', csvOf(settlements(3)));
    await run(file, 'reportSettledBet');
    const again = await run(file, 'reportSettledBet', '--json');
    expect([again.code, JSON.parse(again.out)]).toEqual([0, expect.objectContaining({ enqueued: 0, already: 3 })]);
    expect(rows()).toHaveLength(3);
  });

  it('may be NDJSON, with times as dates', async () => {
    const { write, run, rows } = importFolder();
    const [first, second] = [oldBet('B-1'), oldBet('B-2')];
    const file = write(
      'bets.ndjson',
      `${JSON.stringify({ ...first, timestamp: '2025-11-20T11:00:00+01:00' })}\n\n${JSON.stringify(second)}\n`,
    );
    expect(await run(file, 'reportBetEvent')).toMatchObject({ code: 0 });
    expect(rows().map(({ body }) => body)).toEqual([first, second]);
  });
});

describe('a file with wrong lines', () => {
  const wrong = () => {
    const [good, ...others] = settlements(4).map((one) => ({ ...one, user: betUser() }));
    const [noNin, comma, formula] = others.map((one) => ({ ...one }));
    return [
      good,
      { ...noNin, user: betUser({ nin: '9901234567' }) },
      { ...comma, win_amount: '1,5' },
      { ...formula, bet_id: '=1+1', outcome: undefined },
    ].filter((one) => one !== undefined);
  };
  const REJECTED = [
    'line,field,reason,reference',
    '3,user.nin,"expected a string of exactly 11 digits (a number would lose leading zeros), got a string of length 10",B-2',
    `4,win_amount,"expected digits with at most one decimal point, such as 1234.50 or -3: no spaces, thousands' separators, comma or exponent (for CSV, the file of --map can name the separators)",B-3`,
    "5,outcome,is required: expected a string,'=1+1",
    '6,,"has 1 cells and must have 15, like the first line; is it cut off?",',
    '6,,"does not end with a line break like the first line, so the file may be cut off; if it is complete, add --last-line-complete",',
    '',
  ].join('\n');

  it('enqueues nothing, and lists line, field, reason and reference, without a formula for a spreadsheet', async () => {
    const { write, run, at, outbox } = importFolder();
    const { code, out, err } = await run(write('bets.csv', `${csvOf(wrong())}B-9`), 'reportSettledBet');
    expect([code, out]).toEqual([1, expect.stringContaining('5 lines checked, 4 rejected. Nothing was enqueued.')]);
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toBe(REJECTED);
    expect(err).toContain('1 × outcome: is required');
    expect(err).toContain('1 × does not end with a line break');
    expect(existsSync(outbox)).toBe(false);
  });

  it('does not propose a switch that was given', async () => {
    const { write, run } = importFolder();
    const file = write('bets.csv', csvOf(wrong()));
    const { err } = await run(file, 'reportSettledBet', '--skip-rejected', '--dry-run');
    expect(err).toContain('or run the command without --dry-run to enqueue only the other lines.');
    expect(err).not.toContain('--skip-rejected');
  });

  it('enqueues the others with --skip-rejected, and still fails', async () => {
    const { write, run, rows, at } = importFolder();
    const file = write('bets.csv', csvOf(wrong()));
    const { code, out } = await run(file, 'reportSettledBet', '--skip-rejected');
    expect([code, out]).toEqual([1, expect.stringContaining('1 reports enqueued, 3 lines rejected.')]);
    expect(rows().map(({ reference }) => reference)).toEqual(['B-1']);
    // The corrected file leaves no list of wrong lines behind.
    writeFileSync(file, csvOf(settlements(4)));
    expect(await run(file, 'reportSettledBet')).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 reports enqueued, 1 were already in the outbox.'),
    });
    expect(existsSync(at('bets.rejected.csv'))).toBe(false);
  });

  it('keeps its list of them beside that of a file in another format', async () => {
    const { write, run, at } = importFolder();
    await run(write('bets.csv', csvOf(wrong())), 'reportSettledBet');
    expect(await run(write('bets.ndjson', '{}\n'), 'reportSettledBet')).toMatchObject({ code: 1 });
    await run(
      write(
        'bets.ndjson',
        settlements(1)
          .map((one) => `${JSON.stringify(one)}\n`)
          .join(''),
      ),
      'reportSettledBet',
    );
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toContain('\n3,user.nin,');
    expect(existsSync(at('bets.ndjson.rejected.csv'))).toBe(false);
  });

  it('shows no personal data, in any position', async () => {
    const { write, run, at } = importFolder();
    const [head = '', line = ''] = csvOf([personalSettlement('B-1')]).split('\n');
    const broken = [
      line.replace('90817263544', '9081726354'),
      `${line},77 Vornhill Road`,
      line.replace('true', 'Zurikel'),
      line.replace('2175', '1 90817263544'),
    ];
    const told = [await run(write('bets.csv', [head, ...broken, ''].join('\n')), 'reportSettledBet')];
    const list = readFileSync(at('bets.rejected.csv'), 'utf8');
    // This file has no names of columns.
    told.push(await run(write('headless.csv', `${line}\n`), 'reportSettledBet'));
    const json = JSON.stringify(personalBet('B-1'));
    told.push(
      await run(
        write(
          'bets.ndjson',
          `${json.slice(0, -9)}\n${json.replace('"nin":"9', '"nin":"').replace('"bet_id"', '"Zurikel Golovante":1,"bet_id"')}\n`,
        ),
        'reportBetEvent',
      ),
    );
    expect(told.map(({ code }) => code)).toEqual([1, 2, 1]);
    const all = [
      list,
      readFileSync(at('bets.rejected.csv'), 'utf8'),
      ...told.flatMap(({ out, err }) => [out, err]),
    ].join('\n');
    expect(leaksIn(all)).toEqual([]);
    expect(CANARIES.length).toBeGreaterThan(5);
  });
});

describe('a repeated reference', () => {
  it('is refused, before anything is enqueued', async () => {
    const { write, run, rows, at } = importFolder();
    const [one, two] = settlements(2);
    const file = write('bets.csv', csvOf([one, two, one, { ...two, ur: 1 }].filter((each) => each !== undefined)));
    const first = await run(file, 'reportSettledBet', '--json');
    expect([first.code, JSON.parse(first.out)]).toEqual([
      1,
      expect.objectContaining({ lines: 4, rejected: 2, enqueued: 0 }),
    ]);
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toContain(
      '\n4,bet_id,an earlier line has the same reference,B-1\n5,bet_id,an earlier line has the same reference,B-2\n',
    );
    expect(await run(file, 'reportSettledBet', '--skip-rejected')).toMatchObject({ code: 1 });
    expect(rows().map(({ body }) => body)).toEqual([one, two]);
  });

  it('is found among 300,000 references, at any distance', () => {
    const isNew = createReferences();
    const seen = Array.from({ length: 300_000 }, (_, index) => isNew(`B-${index}`));
    expect(seen.every(Boolean)).toBe(true);
    expect([isNew('B-17'), isNew('B-290000'), isNew('B-300000')]).toEqual([false, false, true]);
  });

  it('that the outbox holds with other data is refused, and the other lines are enqueued', async () => {
    const { write, run, rows, at } = importFolder();
    await run(write('old.csv', csvOf(settlements(2))), 'reportSettledBet');
    const file = write(
      'bets.csv',
      csvOf([settledBet({ bet_id: 'B-1' }), settledBet({ bet_id: 'B-2', ur: 1 }), settledBet({ bet_id: 'B-3' })]),
    );
    const { code, out } = await run(file, 'reportSettledBet', '--json');
    expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ already: 1, rejected: 1, enqueued: 1 })]);
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toContain(
      '\n3,bet_id,the outbox holds other data under this reference,B-2\n',
    );
    expect(rows().map(({ reference, body }) => [reference, body.ur])).toEqual([
      ['B-1', 0],
      ['B-2', 0],
      ['B-3', 0],
    ]);
  });
});

describe('the options of an import', () => {
  it('an old bet needs its time, and its location unless the options allow bets without one', async () => {
    const strict = importFolder();
    const { location: _, ...placeless } = oldBet('B-1');
    const file = strict.write(
      'bets.ndjson',
      `${JSON.stringify({ ...placeless, timestamp: undefined })}\n${JSON.stringify(placeless)}\n`,
    );
    expect(await strict.run(file, 'reportBetEvent')).toMatchObject({ code: 1 });
    const list = readFileSync(strict.at('bets.ndjson.rejected.csv'), 'utf8');
    expect(list).toMatch(/\n1,timestamp,"is required in a file.*\n2,location,"is missing: give location\.latitude/s);
    const lenient = importFolder('location: { required: false }');
    expect(
      await lenient.run(lenient.write('bets.ndjson', `${JSON.stringify(placeless)}\n`), 'reportBetEvent'),
    ).toMatchObject({ code: 0 });
    expect(lenient.rows()[0]?.body).toEqual(placeless);
  });

  it('with partial validation a file may lack columns, and have more', async () => {
    const { write, run, rows } = importFolder("validation: 'partial'");
    expect(
      await run(write('bets.csv', 'bet_id,user.user_id,win_amount,shop\nB-1,U-1,10.50,Lagos 3\n'), 'reportSettledBet'),
    ).toMatchObject({ code: 0 });
    expect(rows()[0]?.body).toEqual({ bet_id: 'B-1', user: { user_id: 'U-1' }, win_amount: 10.5, shop: 'Lagos 3' });
  });

  it('a settled withdrawal takes its location from its columns', async () => {
    const { write, run, rows } = importFolder();
    const report = { ...settledWithdrawal(), location };
    expect(await run(write('paid.csv', csvOf([report])), 'reportSettledWithdrawal')).toMatchObject({ code: 0 });
    expect(rows()[0]?.body).toEqual(report);
  });

  it('an outbox whose reports are encrypted refuses reports in plain text', async () => {
    const folder = importFolder();
    const encryption =
      "export const outbox = { encryption: { keys: { k1: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, current: 'k1' } };";
    const sealing = folder.write('sealing.mjs', `${readFileSync(folder.optionsFile, 'utf8')}\n${encryption}`);
    const file = folder.write('bets.csv', csvOf([personalSettlement('B-1')]));
    expect(await folder.run(file, 'reportSettledBet', '--options', sealing)).toMatchObject({ code: 0 });
    expect(leaksIn(JSON.stringify(folder.rows()))).toEqual([]);
    const { code, err } = await folder.run(file, 'reportSettledBet');
    expect([code, err]).toEqual([2, expect.stringContaining('the reports of this outbox are encrypted')]);
  });

  it('an outbox that began to encrypt later refuses reports in plain text, too', async () => {
    const folder = importFolder();
    const encryption =
      "export const outbox = { encryption: { keys: { k1: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, current: 'k1' } };";
    const sealing = folder.write('sealing.mjs', `${readFileSync(folder.optionsFile, 'utf8')}\n${encryption}`);
    const [first, second, third] = settlements(3).map((report) =>
      folder.write(`${report.bet_id}.csv`, csvOf([report])),
    );
    expect(await folder.run(first ?? '', 'reportSettledBet')).toMatchObject({ code: 0 });
    expect(await folder.run(second ?? '', 'reportSettledBet', '--options', sealing)).toMatchObject({ code: 0 });
    const { code, err } = await folder.run(third ?? '', 'reportSettledBet');
    expect([code, err]).toEqual([2, expect.stringContaining('the reports of this outbox are encrypted')]);
    expect(folder.rows()).toHaveLength(2);
  });

  it('a line whose report needs a retired key is refused, and the lines after it are enqueued', async () => {
    const folder = importFolder();
    const keys = { old: btoa('o'.repeat(32)), new: btoa('n'.repeat(32)) };
    const sealing = (name: 'old' | 'new') =>
      folder.write(
        `${name}.mjs`,
        `${readFileSync(folder.optionsFile, 'utf8')}\nexport const outbox = { encryption: { keys: { ${name}: '${keys[name]}' }, current: '${name}' } };`,
      );
    const before = folder.write('before.csv', csvOf(settlements(1)));
    expect(await folder.run(before, 'reportSettledBet', '--options', sealing('old'))).toMatchObject({ code: 0 });
    const all = folder.write('all.csv', csvOf(settlements(3)));
    const { code, out } = await folder.run(all, 'reportSettledBet', '--options', sealing('new'));
    expect([code, out]).toEqual([1, expect.stringContaining('2 reports enqueued, 1 lines rejected')]);
    expect(readFileSync(folder.at('all.rejected.csv'), 'utf8')).toContain('without the key');
    expect(folder.rows()).toHaveLength(3);
  });

  it('a file of --options with the options of the outbox alone is enough', async () => {
    const folder = importFolder();
    const sealing = folder.write(
      'sealing.mjs',
      "export const outbox = { encryption: { keys: { k1: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, current: 'k1' } };",
    );
    const file = folder.write('bets.csv', csvOf([personalSettlement('B-1')]));
    vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', 'https://gateway.example.com');
    expect(await folder.run(file, 'reportSettledBet', '--options', sealing)).toMatchObject({ code: 0 });
    expect(folder.rows()).toMatchObject([
      { reference: 'B-1', body: { sealed: expect.stringMatching(/^sealed1\.k1\./) } },
    ]);
    expect(leaksIn(JSON.stringify(folder.rows()))).toEqual([]);
  });

  it.each([
    [
      'nothing',
      'export const other = {};',
      'exports no object of client options as default, and no options of an outbox as outbox',
    ],
    ['an outbox of another type', 'export const outbox = 7;', 'its export outbox must be an object'],
  ])('a file of --options that exports %s is refused', async (_, text, words) => {
    const folder = importFolder();
    const { code, err } = await folder.run(
      folder.write('bets.csv', csvOf(settlements(1))),
      'reportSettledBet',
      '--options',
      folder.write('wrong.mjs', text),
    );
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  it('an outbox whose reports go to another gateway is refused', async () => {
    const folder = importFolder();
    const file = folder.write('bets.csv', csvOf(settlements(1)));
    await folder.run(file, 'reportSettledBet');
    const other = folder.write(
      'other.mjs',
      "export default { gateways: { staging: { baseUrl: 'https://other.example.com' } } };",
    );
    const { code, err } = await folder.run(file, 'reportSettledBet', '--options', other);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/go to https:\/\/gateway\.example\.com.*Nothing was stored/),
    ]);
    const none = folder.write('none.mjs', 'export default {};');
    expect(await folder.run(file, 'reportSettledBet', '--options', none, '--environment', 'production')).toMatchObject({
      code: 2,
      err: expect.stringContaining('set LOCATION_SDK_PRODUCTION_BASE_URL'),
    });
  });
});

it.each([
  [['outbox', 'o.db', 'import'], 'import needs one file'],
  [['outbox', 'o.db', 'import', 'bets.csv'], 'import needs --operation'],
  [['outbox', 'o.db', 'import', 'bets.csv', '--operation', 'verifyNin'], '--operation must be reportBetEvent or'],
  [['outbox', 'o.db', 'list', '--dry-run'], '--dry-run does not go with list'],
])('a wrong call is refused: %j', async (words, problem) => {
  const terminal = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() };
  expect([await main(words, terminal), String(terminal.stderr.read())]).toEqual([2, expect.stringContaining(problem)]);
});

it.each([{ more: [] }, { more: ['--skip-rejected'] }])(
  'a report that the file of the outbox refuses is a rejected line, and the lines after it enter, with $more',
  async ({ more }) => {
    const { write, run, rows, at, outbox } = importFolder();
    await run(write('first.csv', csvOf([settledBet({ bet_id: 'B-0' })])), 'reportSettledBet');
    const change = (sql: string) => {
      const database = openSqlite(outbox);
      database.exec(sql);
      database.close();
    };
    change(
      "CREATE TRIGGER refuses BEFORE INSERT ON outbox_rows WHEN NEW.reference = 'B-2' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const file = write('bets.csv', csvOf(['B-1', 'B-2', 'B-3', 'B-4'].map((bet_id) => settledBet({ bet_id }))));
    expect(await run(file, 'reportSettledBet', ...more)).toMatchObject({
      code: 1,
      out: expect.stringContaining('3 reports enqueued, 1 lines rejected.'),
    });
    expect(readFileSync(at('bets.rejected.csv'), 'utf8')).toMatch(
      /^line,field,reason,reference\n3,bet_id,the outbox cannot store this report: .* failed\.,B-2\n$/,
    );
    expect(rows().map(({ reference }) => reference)).toEqual(['B-0', 'B-1', 'B-3', 'B-4']);
    change('DROP TRIGGER refuses');
    expect(await run(file, 'reportSettledBet', ...more)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 reports enqueued, 3 were already'),
    });
  },
);
