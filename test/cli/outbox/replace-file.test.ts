import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { unchanged, writeOf } from '../../../src/outbox/rules/state-machine.js';
import { leaksIn, personalBet, personalSettlement, personalWithdrawal } from '../../outbox/personal.js';
import { copyOf, newFile, openSqlite, openStore, query } from '../../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../../outbox/world.js';
import { jsonOf, runCli } from '../../support/cli-in-process.js';
import { FakeClock } from '../../support/fake-clock.js';
import { newFolder } from '../../support/new-folder.js';
import { csvOf } from '../import/import-files.js';

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.unstubAllEnvs());

const GATEWAY = 'https://gateway.example.com';
const client = { gateways: { staging: { baseUrl: GATEWAY, apiKey: 'mock-api-key' } } };
const OPERATION = ['--operation', 'reportBetEvent', '--environment', 'staging'];
const BECAUSE = ['--reason', 'the amount was in kobo'];
const folder = newFolder('replace-file');

/** The corrected bet, without a location: it keeps the stored one. */
function corrected(reference: string, more: object = {}) {
  const { location: _, ...bet } = personalBet(reference) as unknown as Record<string, unknown>;
  return { ...bet, amount: 7, timestamp: '1795161600', ...more };
}
const ndjson = (name: string, lines: readonly object[]): string => {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
};

let made: string;

/**
 * B-9 is recorded. The gateway has refused B-0 to B-6, with a 422 of the breaker of two: the others of them wait. B-7 and
 * B-8 were never sent.
 */
beforeAll(async () => {
  made = newFile();
  const clock = new FakeClock();
  const store = await openStore(made, { clock });
  const world = outboxWorld({ store, clock, client, outbox: { breakerAfter: 3, concurrency: 1 } });
  const report = (index: number) =>
    world.outbox.reportBetEvent({ ...personalBet(`B-${index}`), timestamp: '1795161600' });
  await report(9);
  await world.run(world.outbox.drain());
  world.gateway.faults.add({ kind: 'status', status: 422, times: 1_000 });
  for (let index = 0; index < 7; index += 1) await report(index);
  await world.run(world.outbox.drain());
  for (const index of [7, 8]) await report(index);
  await store.close?.();
}, 60_000);

/** Runs a command on a copy, with the gateway in the environment variables. */
function begin() {
  vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
  const file = copyOf(made);
  return {
    file,
    run: (...words: string[]) => runCli(['outbox', file, ...words]),
    replace: (from: string, ...more: string[]) =>
      runCli(['outbox', file, 'replace', '--from', from, ...OPERATION, ...BECAUSE, ...more]),
    states: async () => {
      const store = await openStore(file);
      const rows = await store.list({ operation: 'reportBetEvent', limit: 100 });
      await store.close?.();
      return Object.fromEntries(rows.map(({ reference, state }) => [reference, state]));
    },
  };
}

/** Sends what waits, and returns what arrives at the gateway, in order. */
async function send(file: string) {
  const store = await openStore(file);
  const world = outboxWorld({ store, client, outbox: { concurrency: 1 } });
  await world.run(world.outbox.drain());
  const arrived = world.sent.map((body) => JSON.parse(body));
  await store.close?.();
  return arrived;
}

describe('outbox replace --from', () => {
  it('counts in a dry run what it would do, and names the fields that differ without a value', async () => {
    const { replace, states } = begin();
    const before = await states();
    const lines = [...[0, 1, 2, 3, 7, 9].map((index) => corrected(`B-${index}`)), corrected('B-none')];
    const ended = await replace(ndjson('dry.ndjson', lines), '--dry-run');
    expect(ended).toMatchObject({
      code: 1,
      out: expect.stringContaining('7 lines checked, 2 rejected. Nothing was changed.'),
    });
    expect(ended.err).toContain('  5 would be replaced\n');
    // Each reason once, and not as if the line or its bet_id was wrong.
    expect(ended.err).toContain('2 of 7 lines are rejected; ');
    expect(ended.err).toContain(
      '  1 × it is recorded with the data that was sent, and recorded is final\n  1 × the outbox does not have this report\n',
    );
    expect(ended.err).not.toMatch(/bet_id: |not in the outbox/);
    expect(ended.err).toContain('  3 reports of reportBetEvent were refused, and are not in the file\n');
    expect(ended.err).toContain('Fields that differ:\n  5 × amount\n');
    expect(ended.err).toContain(
      'If their settlements are wrong, too, add them to the file, without --operation: each line names its own.\nRun the command without --dry-run to replace those.\n',
    );
    expect(ended.err).not.toContain('--skip-rejected');
    expect(leaksIn(ended.out + ended.err + readFileSync(join(folder, 'dry.ndjson.rejected.csv'), 'utf8'))).toEqual([]);
    expect(await states()).toEqual(before);
  });

  it('replaces the data, ends the breaker, and sends no refused report again that is not in the file', async () => {
    const { file, run, replace, states } = begin();
    expect((await run('stats')).out).toContain('refusals');
    const note = 'the gateway refused 4; they wait behind a pause, and need a person if their data is wrong';
    expect((await run('stats')).out).toMatch(new RegExp(`waiting +6  ${note}\\n`));
    expect((await run('list', '--environment', 'production')).err).toContain(
      `Of the waiting reports of all environments, ${note}.`,
    );
    const path = join(folder, 'right.csv');
    writeFileSync(path, csvOf([8, 7, 5, 4, 3, 1].map((index) => corrected(`B-${index}`))));
    const ended = await replace(path);
    expect(ended).toMatchObject({ code: 0, out: `${path}: 6 reports replaced.\n` });
    expect(ended.err).not.toContain('had other data');
    expect(ended.err).toContain('1 report that the gateway had refused is quarantined, and not sent again. To see');
    expect(ended.err).toContain(`outbox ${file} list --state quarantined\n`);
    expect(leaksIn(ended.out + ended.err)).toEqual([]);
    expect(existsSync(join(folder, 'right.rejected.csv'))).toBe(false);
    expect((await run('stats')).out).not.toContain('refusals');
    expect(await states()).toMatchObject({
      'B-0': 'quarantined',
      'B-2': 'quarantined',
      'B-6': 'quarantined',
      'B-1': 'waiting',
    });
    const arrived = await send(file);
    expect(arrived.map(({ bet_id, amount }) => [bet_id, amount])).toEqual(
      [1, 3, 4, 5, 7, 8].map((index) => [`B-${index}`, 7]),
    );
    expect(arrived.every(({ location }) => location.city === 'Wobblington')).toBe(true);
    expect((await run('verify')).code).toBe(0);
    const [entry] = jsonOf((await run('export')).out).filter(({ reference }) => reference === 'B-1');
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    expect(entry.decisions).toMatchObject([{ action: 'replaced', reason: 'the amount was in kobo', file: sha256 }]);
    expect((await run('show', 'B-1')).out.replaceAll(/\s+/g, ' ')).toContain(
      `from the file with the SHA-256 ${sha256}`,
    );
    const [shown] = jsonOf((await run('show', 'B-1', '--json')).out);
    const listed = await run('list', '--decision', shown.decisions[0].id);
    expect(listed.out).toContain('B-8');
    expect(listed.err).toMatch(/The decision: replaced, .+: the amount was in kobo\nIts file has the SHA-256 /);
    expect(listed.err).toContain(sha256);
    expect((await run('list', '--decision', shown.decisions[0].id, '--json')).out).toContain(`"file":"${sha256}"`);
  });

  it('is not needed by resume, which says how many refused reports it quarantined, and the commands for them', async () => {
    const { file, run } = begin();
    const { out, err } = await run('resume');
    expect(out).toBe('staging, reportBetEvent, is no longer paused (it was: refusals)\n');
    expect(err).toMatch(
      /^4 reports that the gateway had refused are quarantined, and not sent again\. To see them, and/,
    );
    expect(err).toContain(`outbox ${file} replace --from corrected.ndjson --environment`);
    expect(jsonOf((await begin().run('resume', '--json')).out)).toMatchObject([
      { operation: 'reportBetEvent', reason: 'refusals', resumed: true, quarantined: 4 },
    ]);
  });

  it('is one decision with the hash of its file, and a second run changes nothing, also after they were sent', async () => {
    const { file, replace } = begin();
    const path = ndjson(
      'twice.ndjson',
      [0, 1, 7].map((index) => corrected(`B-${index}`)),
    );
    const first = await replace(path, '--json');
    const [told] = jsonOf(first.out);
    expect(told).toMatchObject({
      replaced: 3,
      same: 0,
      lines: 3,
      rejected: 0,
      fields: [{ field: 'amount', reports: 3 }],
    });
    expect(told.file).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
    const decisions = async () => {
      const store = await openStore(file);
      const kept = (await store.operator?.decisions(undefined, 10)) ?? [];
      await store.close?.();
      return kept.map(({ action, about, touched, done }) => ({ action, file: JSON.parse(about).file, touched, done }));
    };
    const once = [{ action: 'replaced', file: told.file, touched: 3, done: true }];
    expect(await decisions()).toEqual(once);
    expect(jsonOf((await replace(path, '--json')).out)).toMatchObject([{ replaced: 0, same: 3, rejected: 0 }]);
    // And B-8, which was never sent.
    expect(await send(file)).toHaveLength(4);
    expect(await replace(path)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed') });
    expect(await decisions()).toEqual(once);
  });

  it('takes the same file again with other columns: that is other data', async () => {
    const { file, replace, states } = begin();
    const from = join(folder, 'columns.csv');
    writeFileSync(from, csvOf([7, 9].map((index) => ({ ...corrected(`B-${index}`), amount: 15, stake: 1_500 }))));
    const map = join(folder, 'columns.json');
    const withMap = async (columns: object) => {
      writeFileSync(map, JSON.stringify(columns));
      return replace(from, '--map', map, '--skip-rejected');
    };
    expect((await withMap({ stake: null })).out).toContain(': 1 reports replaced.');
    expect((await withMap({ stake: null })).out).toContain('Nothing was changed');
    expect((await withMap({ amount: null, stake: 'amount' })).out).toContain(': 1 reports replaced.');
    const sent = await send(file);
    expect(sent.find(({ bet_id }) => bet_id === 'B-7').amount).toBe(1_500);
    expect(await states()).toMatchObject({ 'B-7': 'recorded' });
    // Recorded, and its body deleted: the data of the first columns is not what was sent.
    expect((await withMap({ stake: null })).code).toBe(1);
  });

  it('takes after an interruption also a line before it, whose report a worker had then', async () => {
    const { file, replace } = begin();
    const path = ndjson(
      'resumed.ndjson',
      [7, 0, 8].map((index) => corrected(`B-${index}`)),
    );
    const setDoubt = async (inDoubt: boolean) => {
      const store = await openStore(file);
      const [row] = await store.list({ reference: 'B-7', limit: 1 });
      if (!row) throw new Error('B-7 is missing');
      const writes = [writeOf(row, { ...unchanged(row), inDoubt, doubtBefore: inDoubt })];
      await store.turn({ writes, claim: undefined });
      await store.close?.();
    };
    await setDoubt(true);
    expect(jsonOf((await replace(path, '--json')).out)).toMatchObject([{ replaced: 2, rejected: 1 }]);
    // As after a kill before its end.
    const database = openSqlite(file);
    query(database, 'UPDATE outbox_decisions SET done = 0');
    database.close();
    await setDoubt(false);
    expect(jsonOf((await replace(path, '--json')).out)).toMatchObject([{ replaced: 1, same: 2, rejected: 0 }]);
    expect((await send(file)).filter(({ amount }) => amount === 7)).toHaveLength(3);
  });

  it('names the reports that another file corrected, and that are recorded since', async () => {
    const { file, replace } = begin();
    const older = ndjson('older.ndjson', [corrected('B-0'), corrected('B-1'), corrected('B-9')]);
    await replace(ndjson('newer.ndjson', [corrected('B-0', { amount: 8 }), corrected('B-1')]));
    await send(file);
    const again = await replace(older, '--dry-run');
    expect(again.err).toContain(
      '  2 × it is recorded with the data that was sent, and recorded is final\n  1 × it is recorded with the same data; time and place were not compared\n',
    );
    expect(readFileSync(join(folder, 'older.ndjson.rejected.csv'), 'utf8')).toContain('recorded is final');
    expect(jsonOf((await replace(older, '--json')).out)).toMatchObject([
      { replaced: 0, same: 0, recorded: 3, wrong: 0 },
    ]);
  });

  it('takes none of a file with a wrong line, and the others with --skip-rejected', async () => {
    const { replace, states } = begin();
    const before = await states();
    const { timestamp: _, ...timeless } = corrected('B-1');
    const path = ndjson('wrong.ndjson', [
      corrected('B-0'),
      timeless,
      corrected('B-3', { user: { nin: '90817263544x' } }),
    ]);
    const refused = await replace(path);
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('Nothing was changed') });
    expect(await states()).toEqual(before);
    const rejected = readFileSync(join(folder, 'wrong.ndjson.rejected.csv'), 'utf8');
    expect(rejected).toContain('timestamp');
    expect(leaksIn(refused.err + rejected)).toEqual([]);
    expect(await replace(path, '--skip-rejected')).toMatchObject({
      code: 1,
      out: expect.stringContaining('1 reports replaced'),
    });
    expect(await states()).toMatchObject({ 'B-0': 'waiting' });
  });

  it('corrects a report whose reference has an invisible character, and no report that only looks like it', async () => {
    const { file, replace } = begin();
    const references = ['B\u200b-X', 'B\\u200b-X', '\u202e=1+1'];
    const store = await openStore(file);
    const { outbox } = outboxWorld({ store, client });
    for (const reference of references)
      await outbox.reportBetEvent({ ...personalBet(reference), timestamp: '1795161600' });
    await store.close?.();
    const lines = ['B\u200b-X', '\u202e=1+1', 'B-X', 'B\u200b-none'].map((reference) => corrected(reference));
    const ended = await replace(ndjson('invisible.ndjson', lines), '--skip-rejected');
    expect(ended).toMatchObject({ code: 1, out: expect.stringContaining('2 reports replaced') });
    expect(ended.err).toContain('  1 × the outbox does not have this report\n');
    const amounts = (await send(file)).flatMap(({ bet_id, amount }) => (references.includes(bet_id) ? amount : []));
    expect(amounts).toEqual([7, expect.not.toBeOneOf([7]), 7]);
    expect(leaksIn(ended.out + ended.err)).toEqual([]);
  });

  it('needs no reason for a dry run, which stores none', async () => {
    const { file, run } = begin();
    const from = ndjson('why.ndjson', [corrected('B-0')]);
    const words = ['replace', '--from', from, ...OPERATION];
    expect((await run(...words)).err).toContain('replace needs --reason');
    expect((await run(...words, '--dry-run')).out).toContain('1 lines checked, 0 rejected. Nothing was changed.');
    // It would change the report, in place of a check.
    const single = await runCli(['outbox', file, 'replace', 'B-0', from, '--dry-run', ...BECAUSE]);
    expect([single.code, single.err]).toEqual([2, expect.stringContaining('--dry-run goes with --from')]);
  });

  it('refuses a call that names reports too, or no environment', async () => {
    const { run, replace } = begin();
    const path = ndjson('call.ndjson', [corrected('B-0')]);
    expect((await replace(path, 'B-0')).err).toContain('--from goes without names of reports');
    expect((await run('replace', '--from', path, ...BECAUSE)).err).toContain('--environment is missing');
  });
});

/** A line of a file with several operations. */
const lineOf = (operation: string, payload: object) => ({ operation, ...payload });
const correctedSettlement = (reference: string, more: object = {}) => ({
  ...personalSettlement(reference),
  payout_amount: 7,
  ...more,
});

describe('outbox replace --from with a file of several operations', () => {
  /** The gateway refuses wrong amounts: W-0 to W-3 are quarantined, and hold up their settlements. */
  let wrong: string;
  const pairs = [0, 1, 2, 3].map((index) => `W-${index}`);
  beforeAll(async () => {
    wrong = newFile();
    const clock = new FakeClock();
    const store = await openStore(wrong, { clock });
    const world = outboxWorld({ store, clock, client, outbox: { breakerAfter: 100, concurrency: 1 } });
    world.gateway.faults.add({ kind: 'status', status: 422, times: pairs.length });
    for (const reference of pairs)
      await world.outbox.reportBetEvent({ ...personalBet(reference), timestamp: '1795161600' });
    await world.run(world.outbox.drain());
    for (const reference of pairs) await world.outbox.reportSettledBet(personalSettlement(reference));
    await store.close?.();
  }, 60_000);

  function beginMixed() {
    vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
    const file = copyOf(wrong);
    const run = (...words: string[]) => runCli(['outbox', file, ...words]);
    return {
      file,
      run,
      replace: (from: string, ...more: string[]) =>
        run('replace', '--from', from, '--environment', 'staging', ...BECAUSE, ...more),
    };
  }
  const mixedLines = () => [
    ...pairs.map((reference) => lineOf('reportBetEvent', corrected(reference))),
    ...pairs.map((reference) => lineOf('reportSettledBet', correctedSettlement(reference))),
  ];
  const amounts = (arrived: readonly { bet_id: string; amount?: number; payout_amount?: number }[]) =>
    arrived.map(({ bet_id, amount, payout_amount }) => [bet_id, amount ?? 'settled', amount ? '' : payout_amount]);

  it('lists the reports with their blocked settlements, and replaces both in one decision', async () => {
    const { file, run, replace } = beginMixed();
    const listed = jsonOf((await run('list', '--json', '--environment', 'staging', '--limit', '1000000')).out);
    const named = listed.map(({ operation, reference, state }) => `${operation} ${reference} ${state}`).sort();
    expect(named).toEqual([
      ...pairs.map((reference) => `reportBetEvent ${reference} quarantined`),
      ...pairs.map((reference) => `reportSettledBet ${reference} waiting`),
    ]);
    const path = ndjson('mixed.ndjson', mixedLines());
    const dry = await replace(path, '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: `${path}: 8 lines checked, 0 rejected. Nothing was changed.\n` });
    expect(dry.err).toBe(
      'reportBetEvent:\n  4 would be replaced\nFields that differ:\n  4 × amount\n' +
        'reportSettledBet:\n  4 would be replaced\nFields that differ:\n  4 × payout_amount\n' +
        'Run the command without --dry-run to replace those.\n',
    );
    const [told] = jsonOf((await replace(path, '--json')).out);
    expect(told).toMatchObject({ lines: 8, rejected: 0, quarantined: 0, problems: [] });
    expect(told.operation).toBeUndefined();
    const fields = [{ field: 'amount', reports: 4 }];
    expect(told.operations).toMatchObject([
      { operation: 'reportBetEvent', differing: 4, replaced: 4, same: 0, fields },
      { operation: 'reportSettledBet', differing: 4, replaced: 4, fields: [{ field: 'payout_amount' }] },
    ]);
    expect(jsonOf((await replace(path, '--json')).out)[0]?.operations).toMatchObject([
      { replaced: 0, same: 4 },
      { replaced: 0, same: 4 },
    ]);
    // All were in doubt of nothing, in one decision with the settlements first.
    expect(jsonOf((await run('list', '--decision', told.decision, '--json')).out)).toHaveLength(8);
    const arrived = await send(file);
    expect(amounts(arrived.filter(({ amount }) => amount !== undefined))).toEqual(pairs.map((one) => [one, 7, '']));
    expect(amounts(arrived.filter(({ amount }) => amount === undefined))).toEqual(
      pairs.map((one) => [one, 'settled', 7]),
    );
    expect(arrived).toHaveLength(8);
    expect((await run('verify')).code).toBe(0);
    expect(leaksIn(dry.out + dry.err + JSON.stringify(told))).toEqual([]);
  });

  it('writes the settlements before the reports, in any order of the lines', async () => {
    const { file, replace } = beginMixed();
    expect((await replace(ndjson('order.ndjson', mixedLines()))).code).toBe(0);
    const database = openSqlite(file);
    const steps = query(database, 'SELECT sequences FROM outbox_decision_steps ORDER BY began');
    const rows = query(
      database,
      "SELECT sequence FROM outbox_rows WHERE operation = 'reportSettledBet' ORDER BY sequence",
    );
    database.close();
    const changed = steps.flatMap(({ sequences }) => JSON.parse(String(sequences)));
    expect(changed.slice(0, 4).sort()).toEqual(rows.map(({ sequence }) => Number(sequence)));
    expect(changed).toHaveLength(8);
  });

  it('leaves a report whose settlement would keep wrong data, since its line is rejected', async () => {
    const { file, run, replace } = beginMixed();
    const settlements = pairs.map((name) =>
      correctedSettlement(name, name === 'W-0' ? { payout_amount: 'seven' } : {}),
    );
    const path = ndjson('half.ndjson', [
      ...pairs.map((name) => lineOf('reportBetEvent', corrected(name))),
      lineOf('reportSettledBet', correctedSettlement('W-1', { payout_amount: 'seven' })),
      ...settlements.map((payload) => lineOf('reportSettledBet', payload)),
      lineOf('reportSettledBet', correctedSettlement('W-2', { payout_amount: 8 })),
    ]);
    const dry = await replace(path, '--dry-run');
    expect(dry.err).toContain('  1 × the line of its settlement is rejected\n');
    expect(dry.err.match(/ 3 would be replaced/g)).toHaveLength(2);
    const ended = await replace(path, '--skip-rejected');
    expect(ended.out).toContain('6 reports replaced');
    expect(ended.err).toContain('  1 × the line of its settlement is rejected\n');
    // The line that is left makes no new decision.
    expect((await replace(path, '--skip-rejected')).out).toContain('Nothing was changed');
    const database = openSqlite(file);
    expect(query(database, 'SELECT id FROM outbox_decisions')).toHaveLength(1);
    database.close();
    expect((await run('show', 'W-0', '--json')).out).toContain('"state":"quarantined"');
    expect(amounts((await send(file)).filter(({ bet_id }) => pairs.includes(bet_id)))).toHaveLength(6);
  });

  it('names a line without an operation, one of another operation, and a reference twice in one operation', async () => {
    const { replace, run } = beginMixed();
    const lines = [
      lineOf('reportBetEvent', corrected('W-0')),
      lineOf('reportSettledBet', correctedSettlement('W-0')),
      corrected('W-1'),
      lineOf('verifyNin', corrected('W-2')),
      lineOf('reportSettledBet', correctedSettlement('W-0', { payout_amount: 8 })),
      lineOf('reportSettledBet', correctedSettlement('W-none')),
    ];
    const path = ndjson('several.ndjson', lines);
    const refused = await replace(path);
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('6 lines checked, 4 rejected. Nothing') });
    const unnamed =
      'operation,"expected one of reportBetEvent, reportSettledBet, reportWithdrawalEvent, reportSettledWithdrawal, or --operation",';
    const rejected = readFileSync(join(folder, 'several.ndjson.rejected.csv'), 'utf8');
    expect(rejected.split('\n')).toEqual([
      'line,field,reason,reference',
      `3,${unnamed}`,
      `4,${unnamed}`,
      '5,bet_id,an earlier line has the same reference,W-0',
      '6,,the outbox does not have this report,W-none',
      '',
    ]);
    const told = jsonOf((await replace(path, '--json', '--skip-rejected')).out)[0];
    expect(told).toMatchObject({ rejected: 4, wrong: 3 });
    expect(told?.operations).toMatchObject([
      { operation: 'reportBetEvent', replaced: 1, missing: 0, notInFile: 3 },
      { operation: 'reportSettledBet', replaced: 1, missing: 1, notInFile: 0 },
    ]);
    expect(leaksIn(rejected + JSON.stringify(told))).toEqual([]);
    // A file of one operation may name it.
    const one = ndjson('one.ndjson', [
      lineOf('reportBetEvent', corrected('W-1')),
      lineOf('reportSettledBet', correctedSettlement('W-1')),
    ]);
    const ended = await replace(one, '--operation', 'reportBetEvent', '--skip-rejected');
    expect(ended.out).toContain('1 reports replaced');
    expect(ended.err).toContain('  1 × operation: expected reportBetEvent, as --operation says\n');
    expect((await run('show', 'W-1', '--operation', 'reportSettledBet')).out).not.toContain('replaced');
  });

  it('takes CSV with a column operation, and says what a file without one needs', async () => {
    const { file, replace } = beginMixed();
    const path = join(folder, 'mixed.csv');
    writeFileSync(path, csvOf(mixedLines()));
    expect(await replace(path)).toMatchObject({ code: 0, out: `${path}: 8 reports replaced.\n` });
    expect(await send(file)).toHaveLength(8);
    writeFileSync(path, csvOf([corrected('W-0')]));
    expect((await replace(path)).err).toContain('missing columns: operation; or give --operation, for a file of one');
    writeFileSync(path, csvOf([lineOf('reportBetEvent', corrected('W-0', { amuont: 1 }))]));
    expect((await replace(path)).err).toContain('amuont is not a field of a report; did you mean amount?');
  });

  it('replaces a dismissed report and its settlement in one commit, so that the settlement stays behind it', async () => {
    const file = newFile();
    const clock = new FakeClock();
    const store = await openStore(file, { clock });
    const world = outboxWorld({ store, clock, client, outbox: { breakerAfter: 1_000 } });
    // More than one commit holds.
    const names = Array.from({ length: 130 }, (_, index) => `D-${index}`);
    world.gateway.faults.add({ kind: 'status', status: 422, times: names.length });
    const bets = names.map((name) => ({ ...personalBet(name), timestamp: '1795161600' }));
    await world.outbox.reportAll(bets.map((payload) => ({ operation: 'reportBetEvent', payload })));
    await world.run(world.outbox.drain());
    await world.outbox.reportAll(
      names.map((name) => ({ operation: 'reportSettledBet', payload: personalSettlement(name) })),
    );
    await store.close?.();
    vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
    const run = (...words: string[]) => runCli(['outbox', file, ...words, ...BECAUSE]);
    const verdict = ['--as', 'dismissed', '--with-settlement'];
    expect((await run('resolve', '--all', '--yes', '--code', 'unprocessable', ...verdict)).code).toBe(0);
    const settlements = names.map((name) => lineOf('reportSettledBet', correctedSettlement(name)));
    const path = ndjson('dismissed.ndjson', [
      // Nothing changes the report of D-0. A second line of a settlement is rejected.
      ...names.slice(1).map((name) => lineOf('reportBetEvent', corrected(name))),
      ...settlements.reverse(),
      lineOf('reportSettledBet', correctedSettlement('D-7', { payout_amount: 8 })),
    ]);
    const ended = await run('replace', '--from', path, '--environment', 'staging', '--skip-rejected');
    expect(ended.out).toContain('259 reports replaced');
    const database = openSqlite(file);
    const steps = query(
      database,
      "SELECT sequences FROM outbox_decision_steps WHERE decision = (SELECT id FROM outbox_decisions WHERE action = 'replaced') ORDER BY began",
    ).map(({ sequences }) => new Set<number>(JSON.parse(String(sequences))));
    const rows = query(database, 'SELECT sequence, reference, operation, blocked FROM outbox_rows');
    database.close();
    const stepOf = (reference: string, operation: string) => {
      const row = rows.find((one) => one.reference === reference && one.operation === operation);
      return steps.findIndex((step) => step.has(Number(row?.sequence)));
    };
    expect(steps.length).toBeGreaterThan(1);
    for (const name of names.slice(1)) expect(stepOf(name, 'reportSettledBet')).toBe(stepOf(name, 'reportBetEvent'));
    const blocked = rows.flatMap((row) => (row.operation === 'reportSettledBet' ? Number(row.blocked) : []));
    expect(blocked).toEqual(names.map((_, index) => Number(index > 0)));
    const arrived = await send(file);
    for (const name of names.slice(1)) {
      const own = arrived.filter(({ bet_id }) => bet_id === name);
      expect(own.map(({ amount, payout_amount }) => [amount, payout_amount])).toEqual([
        [7, undefined],
        [undefined, 7],
      ]);
    }
  });

  it('ends the breakers of its operations, and no other', async () => {
    const file = newFile();
    const clock = new FakeClock();
    const store = await openStore(file, { clock });
    const world = outboxWorld({ store, clock, client, outbox: { breakerAfter: 2, concurrency: 1 } });
    const bets = ['P-0', 'P-1', 'P-2'];
    const reportBets = (names: readonly string[]) =>
      Promise.all(names.map((name) => world.outbox.reportBetEvent({ ...personalBet(name), timestamp: '1795161600' })));
    await reportBets(bets);
    await world.run(world.outbox.drain());
    world.gateway.faults.add({ kind: 'status', status: 422, times: 1_000 });
    await reportBets(['P-3', 'P-4', 'P-5']);
    for (const name of bets) await world.outbox.reportSettledBet(personalSettlement(name));
    for (const name of bets)
      await world.outbox.reportWithdrawalEvent({ ...personalWithdrawal(name), timestamp: '1795161600' });
    await world.run(world.outbox.drain());
    await store.close?.();
    vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
    const paused = async () =>
      jsonOf((await runCli(['outbox', file, 'stats', '--json'])).out)[0]?.paused.map(
        ({ operation }: Record<string, string>) => operation,
      );
    expect(await paused()).toEqual(['reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent']);
    const path = ndjson('paused.ndjson', [
      lineOf('reportBetEvent', corrected('P-3')),
      lineOf('reportSettledBet', correctedSettlement('P-0')),
    ]);
    const [told] = jsonOf(
      (await runCli(['outbox', file, 'replace', '--from', path, '--environment', 'staging', ...BECAUSE, '--json'])).out,
    );
    expect(told?.operations).toMatchObject([{ replaced: 1 }, { replaced: 1 }]);
    expect(told?.quarantined).toBe(2);
    expect(await paused()).toEqual(['reportWithdrawalEvent']);
  });

  it('goes on after an interruption with all pages, also where one before it has something to do again', async () => {
    const file = newFile();
    const store = await openStore(file);
    const world = outboxWorld({ store, client });
    const many = Array.from({ length: 250 }, (_, index) => `M-${index}`);
    await world.outbox.reportAll(
      many.map((name) => ({
        operation: 'reportBetEvent',
        payload: { ...personalBet(name), timestamp: '1795161600' },
      })),
    );
    const setDoubt = async (names: readonly string[], inDoubt: boolean) => {
      for (const reference of names) {
        const [row] = await store.list({ reference, limit: 1 });
        if (!row) throw new Error(`${reference} is missing`);
        const change = { ...unchanged(row), inDoubt, doubtBefore: inDoubt };
        await store.turn({ writes: [writeOf(row, change)], claim: undefined });
      }
    };
    const doubtful = ['M-0', 'M-120'];
    await setDoubt(doubtful, true);
    vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', GATEWAY);
    const path = ndjson(
      'goes-on.ndjson',
      many.map((name) => corrected(name)),
    );
    const replace = async () =>
      jsonOf((await runCli(['outbox', file, 'replace', '--from', path, ...OPERATION, ...BECAUSE, '--json'])).out)[0];
    expect(await replace()).toMatchObject({ replaced: 248, inDoubt: 2 });
    const database = openSqlite(file);
    // An earlier build stored the operation, and made the same id of it.
    const [kept] = query(database, 'SELECT id, about FROM outbox_decisions');
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    const scope = `"environment":"staging","file":"${sha256}"`;
    const named = `{"account":"default",${scope},"number":0,"operation":"reportBetEvent"}`;
    expect(kept?.id).toBe(createHash('sha256').update(named).digest('hex').slice(0, 32));
    expect(kept?.about).toBe(
      `{"file":"${sha256}","account":"default","environment":"staging","operation":"reportBetEvent"}`,
    );
    query(database, 'UPDATE outbox_decisions SET done = 0, cursor = 248');
    database.close();
    await setDoubt(doubtful, false);
    expect(await replace()).toMatchObject({ replaced: 2, same: 248 });
    await store.close?.();
  });
});
