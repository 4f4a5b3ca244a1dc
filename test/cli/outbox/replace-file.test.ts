import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { unchanged, writeOf } from '../../../src/outbox/rules/state-machine.js';
import { leaksIn, personalBet } from '../../outbox/personal.js';
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
      'If their settlements are wrong, too, correct those first, with a file of their own.\nRun the command without --dry-run to replace those.\n',
    );
    expect(ended.err).not.toContain('--skip-rejected');
    expect(leaksIn(ended.out + ended.err + readFileSync(join(folder, 'dry.rejected.csv'), 'utf8'))).toEqual([]);
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
    expect(err).toContain(`outbox ${file} replace --from corrected.ndjson --operation`);
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
    expect(again.err).toContain('  3 × it is recorded with the data that was sent, and recorded is final\n');
    expect(readFileSync(join(folder, 'older.rejected.csv'), 'utf8')).toContain('recorded is final');
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
    const rejected = readFileSync(join(folder, 'wrong.rejected.csv'), 'utf8');
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

  it('refuses a call that names reports too, or no operation', async () => {
    const { run, replace } = begin();
    const path = ndjson('call.ndjson', [corrected('B-0')]);
    expect((await replace(path, 'B-0')).err).toContain('--from goes without names of reports');
    expect((await run('replace', '--from', path, ...BECAUSE)).err).toContain('--operation is missing');
  });
});
