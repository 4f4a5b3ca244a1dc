import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createOutboxEvents } from '../../src/outbox/events.js';
import { announceWentBack } from '../../src/outbox/sending/restored-database.js';
import { leaksIn, personalBet, personalSettlement } from '../outbox/personal.js';
import { copyOf, newFile, openStore } from '../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../outbox/world.js';
import { jsonOf, runCli } from '../support/cli-in-process.js';

vi.setConfig({ testTimeout: 60_000 });

const run = (...words: string[]) => runCli(['outbox', ...words]);

/** A standby without the last commits takes over, while another one has every commit. */
async function failover() {
  const file = newFile();
  const log = `${newFile()}.log`;
  writeFileSync(log, 'a line of another program\n');
  const store = await openStore(file);
  const onReceipt = vi.fn((line: string) => {
    appendFileSync(log, `Nov 28 07:00:00 worker-1 ${line}\n`);
    throw new Error('a listener that fails stops nothing');
  });
  const world = outboxWorld({ store, outbox: { onReceipt } });
  const { outbox } = world;
  for (const bet_id of ['B-1', 'B-2']) await outbox.reportBetEvent(personalBet(bet_id));
  await world.run(outbox.drain());
  await world.run(outbox.stop());
  await outbox.reportBetEvent(personalBet('B-3'));
  const standby = copyOf(file);
  await outbox.reportBetEvent(personalBet('B-4'));
  await outbox.reportSettledBet(personalSettlement('B-1'));
  await world.run(outbox.drain());
  await world.run(outbox.stop());
  await store.close?.();
  return { ...world, file, standby, log, onReceipt };
}

it('the guide of a failover finds what the database has lost, with the lines that left it before', async () => {
  const { file, standby, log, gateway, onReceipt } = await failover();
  const text = readFileSync(log, 'utf8');
  const lines = onReceipt.mock.calls.map(([line]) => JSON.parse(line));
  expect(lines.filter(({ reference }) => reference).map(({ at, ...line }) => line)).toEqual(
    [
      ['reportBetEvent', 'B-1'],
      ['reportBetEvent', 'B-2'],
      ['reportBetEvent', 'B-3'],
      ['reportBetEvent', 'B-4'],
      ['reportSettledBet', 'B-1'],
    ].map(([operation, reference]) => ({
      account: 'default',
      environment: 'staging',
      operation,
      reference,
      outcome: 'recorded',
      attempts: 1,
    })),
  );
  for (const { at } of lines) expect(at).toMatch(/^2026-11-20T08:/);
  expect(leaksIn(text)).toEqual([]);

  const [, hash = ''] = /.*"hash":"([0-9a-f]*)"/s.exec(text) ?? [];
  expect(lines.at(-1)).toMatchObject({ count: 5, hash });
  expect((await run(file, 'verify', '--head', hash)).code).toBe(0);
  const lost = await run(standby, 'verify', '--head', hash);
  expect([lost.code, lost.out]).toEqual([1, expect.stringContaining('entries at the end are missing')]);

  const of = ['--environment', 'staging'];
  expect((await run(file, 'reconcile', log, ...of)).code).toBe(0);
  const found = await run(standby, 'reconcile', log, ...of);
  expect(found.out.split('\n').map((line) => line.split(/ +/).join(' '))).toEqual([
    'waiting - reportBetEvent B-3',
    'never-seen - reportBetEvent B-4',
    'never-seen - reportSettledBet B-1',
    '',
  ]);
  expect(found.err).toContain('recorded: 2 of 5;');

  // The gateway alone holds B-4. B-3 is sent again without doubt, and is resolved by the line.
  const store = await openStore(standby);
  const again = outboxWorld({ store, client: { fetch: (url, init) => gateway.fetch(url, init as object) } });
  await again.run(again.outbox.drain());
  await store.close?.();
  const dupes = await run(standby, 'list', '--state', 'quarantined', '--json');
  expect(jsonOf(dupes.out).map(({ id, problem }) => [id, problem])).toEqual([
    ['default:staging:reportBetEvent:B-3', expect.objectContaining({ code: 'duplicate' })],
  ]);
  const resolved = await run(
    standby,
    'resolve',
    '--all',
    '--code',
    'duplicate',
    '--as',
    'recorded',
    '--reason',
    'failover',
    '--yes',
  );
  expect(resolved.code).toBe(0);
  const after = await run(standby, 'reconcile', log, ...of, '--json');
  expect(jsonOf(after.out).map(({ reference, outcome, state }) => `${reference} ${outcome ?? state}`)).toEqual([
    'B-1 recorded',
    'B-2 recorded',
    'B-3 declared-recorded',
    'B-4 never-seen',
    'B-1 never-seen',
  ]);
});

it('an exported log of receipts is compared in the same way, without its dismissed reports', async () => {
  const { file, standby } = await failover();
  const list = await run(file, 'list', '--state', 'recorded', '--limit', '1', '--json');
  expect(list.code).toBe(0);
  const exported = `${newFile()}.jsonl`;
  writeFileSync(exported, (await run(file, 'export')).out);
  const { code, out } = await run(standby, 'reconcile', exported, '--environment', 'staging', '--json');
  expect([code, jsonOf(out).map(({ reference, state }) => `${reference} ${state}`)]).toEqual([
    1,
    ['B-1 recorded', 'B-2 recorded', 'B-3 waiting', 'B-4 never-seen', 'B-1 never-seen'],
  ]);
});

it('a database in use is not read as a list, and an export begins at an entry, not in a file', async () => {
  const { file } = await failover();
  const list = newFile();
  for (const name of [list, `${list}-wal`]) writeFileSync(name, '');
  for (const words of [
    ['reconcile', list],
    ['resolve', '--from', list, '--as', 'recorded'],
    ['replace', '--from', list],
  ])
    expect((await run(file, ...words, '--environment', 'staging')).err).toContain('is a database in use');
  const before = process.cwd();
  process.chdir(dirname(list));
  try {
    writeFileSync('1-wal', '');
    const { code, out } = await run(file, 'export', '--from', '1');
    expect([code, jsonOf(out)[0]]).toEqual([0, expect.objectContaining({ index: 1 })]);
  } finally {
    process.chdir(before);
    rmSync(join(dirname(list), '1-wal'));
  }
});

it('a log of receipts resolves what the standby sends or shows to a person, although the gateway has it', async () => {
  const file = newFile();
  const log = `${newFile()}.log`;
  const store = await openStore(file);
  const onReceipt = (line: string) => appendFileSync(log, `${line}\n`);
  const world = outboxWorld({ store, outbox: { onReceipt } });
  const { outbox, gateway } = world;
  const names = ['R-0', 'R-1', 'R-2', 'R-3'];
  gateway.faults.add({ kind: 'status', status: 422, times: 3 });
  for (const name of names.slice(0, 3)) await outbox.reportBetEvent(personalBet(name));
  await world.run(outbox.drain());
  for (const name of names) await outbox.reportSettledBet(personalSettlement(name));
  await outbox.reportBetEvent(personalBet('R-3'));
  const dismissed = await outbox.list({ reference: 'R-2', state: 'quarantined' });
  for (const { id } of dismissed) await outbox.resolve(id, { as: 'dismissed', reason: 'by mistake' });
  await world.run(outbox.stop());
  const standby = copyOf(file);
  // All is mended before the failover, except R-1.
  for (const { id } of dismissed) await outbox.reopen(id, { reason: 'it is a bet' });
  for (const name of ['R-0', 'R-2'])
    for (const { id } of await outbox.list({ reference: name, state: 'quarantined' }))
      await outbox.retry(id, { reason: 'the gateway was mended' });
  await world.run(outbox.drain());
  await world.run(outbox.stop());
  await store.close?.();

  const restored = await openStore(standby);
  expect((await run(standby, 'show', 'R-0')).out).not.toContain('lost commits');
  await announceWentBack(restored, createOutboxEvents(), 'found', []);
  await restored.close?.();
  expect((await run(standby, 'show', 'R-0')).out).toMatch(
    /The database had lost commits at .*:\s+the\s+gateway.*First find out whether the gateway has it/s,
  );

  const call = [standby, 'resolve', '--from', log, '--environment', 'staging', '--reason', 'failover'];
  expect((await run(...call, '--as', 'dismissed', '--yes')).err).toContain('--from goes with --as recorded');
  const wrong = `${newFile()}.csv`;
  writeFileSync(wrong, 'reference,operation\nR-0,verifyNin\n');
  const misnamed = await run(standby, 'resolve', '--from', wrong, '--as', 'recorded', ...call.slice(4));
  expect([misnamed.code, misnamed.err]).toEqual([2, expect.stringContaining('operation: expected reportBetEvent')]);
  const asked = await run(...call, '--as', 'recorded');
  expect([asked.code, asked.err]).toEqual([
    2,
    expect.stringContaining(
      'resolve --from is about 6 reports: 3 × reportBetEvent, 3 × reportSettledBet; recorded is final',
    ),
  ]);
  // Lines that arrive while it asks were not counted, so they are not decided.
  const lines = readFileSync(log, 'utf8').split(/(?<=\n)/);
  const first = lines.findIndex((line) => line.includes('"reference"')) + 1;
  const growing = `${newFile()}.log`;
  writeFileSync(growing, lines.slice(0, first).join(''));
  const answer = function* () {
    appendFileSync(growing, `${lines.slice(first).join('')}{"torn`);
    yield Buffer.from('y\n');
  };
  const counted = await runCli(
    ['outbox', standby, 'resolve', '--from', growing, '--as', 'recorded', ...call.slice(4)],
    answer(),
    { canAsk: true },
  );
  expect([counted.code, counted.err]).toEqual([0, expect.stringContaining('Decided: 1 of 1 report.')]);
  const ended = await run(...call, '--as', 'recorded', '--yes');
  expect(ended.code).toBe(1);
  expect(ended.err).toContain('R-2: it is dismissed: reopen it, and run the command again.');
  expect(ended.err).toContain('Decided: 4 of 5 reports. 1 were recorded already.');
  await run(standby, 'reopen', 'R-2', '--reason', 'failover');
  const again = await run(...call, '--as', 'recorded', '--yes');
  expect([again.code, again.err]).toEqual([
    0,
    expect.stringContaining('Decided: 1 of 1 report. 5 were recorded already.'),
  ]);
  const states = jsonOf((await run(standby, 'reconcile', log, '--environment', 'staging', '--json')).out);
  expect(states.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'declared-recorded'));
  expect((await run(standby, 'list')).out).toMatch(/R-1\n.*R-1\n$/s);
  expect((await run(standby, 'verify')).code).toBe(0);
  expect(leaksIn(ended.out + ended.err + readFileSync(log, 'utf8'))).toEqual([]);
  const unknown = `${newFile()}.csv`;
  writeFileSync(unknown, 'reference,operation\nR-9,reportBetEvent\nR-0,reportBetEvent\n');
  const short = await run(standby, 'resolve', '--from', unknown, '--as', 'recorded', ...call.slice(4), '--yes');
  expect([short.code, short.err]).toEqual([
    1,
    expect.stringContaining('The outbox does not have 1 report of the list'),
  ]);
  // A report that is recorded again has two lines.
  appendFileSync(log, readFileSync(log, 'utf8'));
  expect((await run(...call, '--as', 'recorded', '--yes')).err).toContain('6 were recorded already.');
});

it('a list that is another one once a person has agreed, one that names nothing, and other operations', async () => {
  const file = newFile();
  const store = await openStore(file);
  const world = outboxWorld({ store });
  world.gateway.faults.add({ kind: 'status', status: 422, times: 1_000 });
  for (const name of ['R-0', 'R-1']) await world.outbox.reportBetEvent(personalBet(name));
  await world.outbox.reportSettledBet(personalSettlement('R-0'));
  await world.run(world.outbox.drain());
  await store.close?.();
  const list = `${newFile()}.csv`;
  const call = (...more: string[]) => [
    'outbox',
    file,
    'resolve',
    '--from',
    list,
    '--as',
    'recorded',
    '--environment',
    'staging',
    '--reason',
    'failover',
    ...more,
  ];
  const open = async () =>
    jsonOf((await run(file, 'list', '--json')).out).map(({ id }) => id.split(':').slice(2).join(' '));
  const all = ['reportBetEvent R-0', 'reportBetEvent R-1', 'reportSettledBet R-0'];

  writeFileSync(list, 'reference,operation\n');
  expect(await runCli(call('--yes'))).toMatchObject({ code: 2, err: expect.stringContaining('names no report') });
  const piped = await runCli(call('--yes').map((word) => (word === list ? '/dev/null' : word)));
  expect(piped).toMatchObject({ code: 2, err: expect.stringContaining('--from must be a file') });
  writeFileSync(list, 'reference,operation\nR-0,reportBetEvent\n');
  const answer = function* () {
    writeFileSync(list, 'reference,operation\nR-1,reportBetEvent\n');
    yield Buffer.from('y\n');
  };
  expect(await runCli(call(), answer(), { canAsk: true })).toMatchObject({
    code: 2,
    err: expect.stringContaining('was changed while the command read it. Nothing was changed'),
  });
  writeFileSync(list, 'reference,operation\nR-0,reportBetEvent\nR-1,reportBetEvent\nR-0,reportSettledBet\n');
  expect(await runCli(call('--yes', '--operation', 'reportWithdrawalEvent'))).toMatchObject({ code: 2 });
  expect((await open()).sort()).toEqual(all);
  expect(await runCli(call('--yes', '--operation', 'reportSettledBet'))).toMatchObject({ code: 0 });
  expect((await open()).sort()).toEqual(all.slice(0, 2));
});
