import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createOperator } from '../../src/operator/operator.js';
import { QUARANTINED, read, write } from '../outbox/contract/harness.js';
import { leaksIn, personalBet, personalSettlement } from '../outbox/personal.js';
import { copyOf, newFile, openStore } from '../outbox/stores/sqlite/files.js';
import { outboxWorld } from '../outbox/world.js';
import { jsonOf, runCli } from '../support/cli-in-process.js';
import { readGuides } from '../support/documents.js';

vi.setConfig({ testTimeout: 60_000 });

/** A file with reports in many states; see `beforeAll`. */
let sample: string;

const idOf = (operation: string, reference: string, environment = 'staging') =>
  `default:${environment}:${operation}:${reference}`;
const bet = (reference: string, environment?: string) => idOf('reportBetEvent', reference, environment);
const settlement = (reference: string) => idOf('reportSettledBet', reference);

beforeAll(async () => {
  sample = newFile();
  const store = await openStore(sample);
  const { outbox, gateway, run } = outboxWorld({ store });
  const refuse = (operation: 'reportBetEvent' | 'reportSettledBet', reference: string) =>
    void gateway.faults.add({
      kind: 'status',
      status: 422,
      operation,
      reference,
      times: null,
      body: { message: 'no' },
    });
  refuse('reportBetEvent', 'B-bad');
  refuse('reportSettledBet', 'B-late');
  refuse('reportBetEvent', 'B-two');
  // The first report of each environment is recorded, so that no circuit breaker opens.
  for (const reference of ['B-ok', 'B-late', 'B-bad', 'B-two']) await outbox.reportBetEvent(personalBet(reference));
  for (const reference of ['B-ok', 'B-two'])
    await outbox.reportBetEvent(personalBet(reference), { environment: 'production' });
  for (const reference of ['B-ok', 'B-late', 'B-bad', 'S-1', 'S-2'])
    await outbox.reportSettledBet(personalSettlement(reference));
  await run(outbox.drain());
  await store.close?.();
}, 60_000);

const copy = () => copyOf(sample);

const outbox = (...words: string[]) => runCli(['outbox', ...words]);
/** Expects words in the output of the command and in the guide. */
const guide = readGuides('how-to/encryption');
function expectSaid(said: string, words: string): void {
  expect(said).toContain(words);
  expect(guide).toContain(words);
}
const stateOf = async (file: string, id: string): Promise<string> =>
  jsonOf((await outbox(file, 'show', id, '--json')).out)[0].state;
const dismiss = ['--as', 'dismissed', '--reason', 'a test bet'];

describe('a reference of several reports', () => {
  it.each([
    ['the quarantined one beside a blocked one', 'B-bad', bet('B-bad')],
    ['the quarantined one beside a recorded one', 'B-late', settlement('B-late')],
  ])('names %s', async (_, reference, id) => {
    const file = copy();
    expect(await outbox(file, 'retry', reference, '--reason', 'mended')).toMatchObject({
      code: 0,
      out: `${id} waits to be sent again\n`,
    });
    const other = copy();
    expect(await outbox(other, 'resolve', reference, ...dismiss)).toMatchObject({
      code: 0,
      out: `${id} is dismissed\n`,
    });
  });

  it('is decided once, even if it is given twice', async () => {
    expect((await outbox(copy(), 'retry', 'B-late', settlement('B-late'))).out).toBe(
      `${settlement('B-late')} waits to be sent again\n`,
    );
  });

  it('must be narrowed if two of them match, and nothing changes until then', async () => {
    const file = copy();
    const { code, out, err } = await outbox(file, 'retry', 'B-late', 'B-two');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('say which, or narrow them with --account or --environment');
    expect(err).toContain(`: ${bet('B-two')}, ${bet('B-two', 'production')}\n`);
    expect(await stateOf(file, settlement('B-late'))).toBe('quarantined');
    expect((await outbox(file, 'retry', 'B-two', '--environment', 'production')).out).toBe(
      `${bet('B-two', 'production')} waits to be sent again\n`,
    );
    expect(await stateOf(file, bet('B-two'))).toBe('quarantined');
  });

  it('does not reach the report of another environment if the command is repeated', async () => {
    const file = copy();
    expect(await outbox(file, 'resolve', 'B-two', '--environment', 'staging', ...dismiss)).toMatchObject({ code: 0 });
    for (const words of [
      ['resolve', 'B-two', ...dismiss],
      ['retry', 'B-two'],
      ['reopen', 'B-two', '--reason', 'x'],
    ])
      expect(await outbox(file, ...words)).toMatchObject({
        code: 2,
        err: expect.stringContaining('accounts or environments'),
      });
    expect(await stateOf(file, bet('B-two'))).toBe('dismissed');
    expect(await stateOf(file, bet('B-two', 'production'))).toBe('quarantined');
  });

  it('fails with the state of each report if none of them matches', async () => {
    const { code, err } = await outbox(copy(), 'retry', 'B-ok', '--environment', 'staging');
    expect(code).toBe(1);
    expect(err).toContain('retry fits none of the reports of B');
    expect(err).toBe(
      `location-sdk: retry fits none of the reports of B-ok: ${bet('B-ok')} (recorded), ${settlement('B-ok')} (recorded)\n`,
    );
  });
});

describe('--operation and --environment', () => {
  it.each([
    ['list', ['--environment', 'production'], [bet('B-two', 'production')]],
    [
      'list',
      ['--operation', 'reportSettledBet'],
      [settlement('B-late'), settlement('S-1'), settlement('S-2'), settlement('B-bad')],
    ],
    ['show', ['--operation', 'reportSettledBet', 'B-late'], [settlement('B-late')]],
    ['show', ['--environment', 'production', 'B-two'], [bet('B-two', 'production')]],
    ['retry', ['--all', '--yes', '--operation', 'reportSettledBet', '--code', 'unprocessable'], [settlement('B-late')]],
    ['retry', ['--operation', 'reportBetEvent', 'B-bad'], [bet('B-bad')]],
    [
      'resolve',
      ['--all', '--yes', '--code', 'not-found', '--environment', 'staging', ...dismiss],
      [settlement('S-1'), settlement('S-2')],
    ],
    ['resolve', ['--environment', 'production', 'B-two', ...dismiss], [bet('B-two', 'production')]],
  ])('narrow %s %j', async (command, words, ids) => {
    const { code, out } = await outbox(copy(), command, ...words, '--json');
    expect([code, jsonOf(out).map(({ id }) => id)]).toEqual([0, ids]);
  });

  it.each(['show', 'retry'])('narrow ids of %s, too', async (command) => {
    const { code, err } = await outbox(copy(), command, bet('B-bad'), '--environment', 'production');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`no report ${bet('B-bad')} with --environment production`),
    ]);
  });

  it('narrow resume to all pauses of one environment, or to the pause of one operation', async () => {
    const file = newFile();
    const store = await openStore(file);
    const { outbox: made, gateway, clock } = outboxWorld({ store, outbox: { breakerAfter: 1 } });
    gateway.faults.add({ kind: 'status', status: 422, times: null });
    for (const environment of ['staging', 'production'] as const)
      await made.reportBetEvent(personalBet('B-1'), { environment });
    await made.reportSettledBet(personalSettlement('S-1'));
    await clock.run(made.drain({ timeoutMs: 500 }));
    await store.close?.();
    expect((await outbox(file, 'resume', '--operation', 'reportWithdrawalEvent')).err).toContain(
      'reportWithdrawalEvent is not paused.',
    );
    const paused = async () =>
      JSON.parse((await outbox(file, 'stats', '--json')).out).paused.map(
        ({ environment, operation }: Record<string, string>) => `${environment} ${operation}`,
      );
    expect(await paused()).toEqual(['production reportBetEvent', 'staging reportBetEvent', 'staging reportSettledBet']);
    const all = copyOf(file);
    expect((await outbox(all, 'resume', '--environment', 'staging')).code).toBe(0);
    expect(JSON.parse((await outbox(all, 'stats', '--json')).out).paused).toMatchObject([
      { environment: 'production', operation: 'reportBetEvent' },
    ]);
    expect((await outbox(file, 'stats')).out.replaceAll(/\s+/g, ' ')).toContain(
      'correct its reports: "npx location-sdk outbox <store> replace --from"',
    );
    const { out } = await outbox(file, 'resume', '--environment', 'staging', '--operation', 'reportBetEvent');
    expect(out).toBe('staging, reportBetEvent, is no longer paused (it was: refusals)\n');
    expect(await paused()).toEqual(['production reportBetEvent', 'staging reportSettledBet']);
  });

  it('are refused for commands about a whole log, file, environment or account', async () => {
    for (const [command, narrowing, value] of [
      ['stats', 'environment', 'staging'],
      ['export', 'environment', 'staging'],
      ['verify', 'environment', 'staging'],
      ['move', 'environment', 'staging'],
      ['export', 'account', 'default'],
      ['verify', 'account', 'default'],
      ['move', 'account', 'default'],
      ['prune', 'environment', 'staging'],
      ['prune', 'operation', 'reportBetEvent'],
      ['rebind', 'operation', 'reportBetEvent'],
    ] as const)
      expect(await outbox(sample, command, `--${narrowing}`, value)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`--${narrowing} does not go with ${command}`),
      });
  });
});

describe('--account', () => {
  const idIn = (account: string) => `${account}:staging:reportBetEvent:B-1`;
  /** One quarantined report of each of two accounts, with the same reference. */
  let shared: string;

  beforeAll(async () => {
    shared = newFile();
    const store = await openStore(shared);
    const { make, gateway, clock } = outboxWorld({ store, outbox: { breakerAfter: 1 } });
    gateway.faults.add({ kind: 'status', status: 422, times: null });
    for (const account of ['default', 'brandB']) {
      const one = make({ account });
      await one.reportBetEvent(personalBet('B-1'));
      await clock.run(one.drain({ timeoutMs: 500 }));
    }
    await store.close?.();
  }, 60_000);

  it.each([
    ['list', []],
    ['show', ['B-1']],
    ['retry', ['--all', '--yes']],
    ['retry', ['B-1']],
    ['resolve', ['B-1', ...dismiss]],
    ['resolve', ['--all', '--yes', '--code', 'unprocessable', ...dismiss]],
  ])('narrows %s %j, which otherwise means all accounts', async (command, words) => {
    const one = await outbox(copyOf(shared), command, ...words, '--account', 'brandB', '--json');
    expect([one.code, jsonOf(one.out).map(({ id }) => id)]).toEqual([0, [idIn('brandB')]]);
    const all = await outbox(copyOf(shared), command, ...words, '--json');
    if (command !== 'show' && words.includes('B-1'))
      expect(all).toMatchObject({ code: 2, err: expect.stringContaining(idIn('default')) });
    else
      expect(
        jsonOf(all.out)
          .map(({ id }) => id)
          .sort(),
      ).toEqual([idIn('brandB'), idIn('default')]);
  });

  it('narrows stats and resume, which otherwise mean all accounts', async () => {
    const file = copyOf(shared);
    const accounts = async (...words: string[]) =>
      JSON.parse((await outbox(file, 'stats', '--json', ...words)).out).paused.map(
        ({ account }: { account: string }) => account,
      );
    expect(await accounts()).toEqual(['brandB', 'default']);
    expect(await accounts('--account', 'brandB')).toEqual(['brandB']);
    await outbox(file, 'resume', '--account', 'brandB');
    expect(await accounts()).toEqual(['default']);
    const other = copyOf(shared);
    expect((await outbox(other, 'resume')).code).toBe(0);
    expect(JSON.parse((await outbox(other, 'stats', '--json')).out).paused).toEqual([]);
  });

  it('of reconcile and rebind is default, if none is given', async () => {
    const file = copyOf(shared);
    await outbox(file, 'resolve', idIn('brandB'), ...dismiss);
    const list = `${newFile()}.txt`;
    writeFileSync(list, 'B-1\n');
    const states = async (...words: string[]) =>
      jsonOf(
        (
          await outbox(
            file,
            'reconcile',
            list,
            '--operation',
            'reportBetEvent',
            '--environment',
            'staging',
            '--json',
            ...words,
          )
        ).out,
      ).map(({ state }) => state);
    expect([await states(), await states('--account', 'brandB')]).toEqual([['quarantined'], ['dismissed']]);
    const { out } = await outbox(
      file,
      'rebind',
      '--environment',
      'staging',
      '--gateway',
      'https://next.example.com',
      '--reason',
      'moved',
      '--json',
    );
    expect(JSON.parse(out)).toMatchObject({ account: 'default', gateway: 'https://next.example.com' });
  });
});

describe('a decision by command', () => {
  it.each([
    ['--all', ['--all', '--yes', '--operation', 'reportSettledBet'], { all: { operation: 'reportSettledBet' } }, 3],
    ['the name of a report', ['B-late'], { ids: [settlement('B-late')] }, 1],
  ])('with %s is in the log of decisions, and can be undone in the console', async (_, words, about, touched) => {
    const file = copy();
    const { code } = await outbox(file, 'retry', ...words, '--reason', 'mended');
    expect(code).toBe(0);
    const store = await openStore(file);
    const operator = createOperator({ over: store });
    const who = expect.stringMatching(/command line\)?$/);
    const { decisions } = await operator.decisions();
    expect(decisions).toMatchObject([{ action: 'retry', who, reason: 'mended', about, touched, done: true }]);
    expect((await read(store, settlement('B-late'))).state).toBe('waiting');
    const by = { decision: crypto.randomUUID(), who: 'ada', reason: 'too early' };
    expect(await operator.undo({ ...by, of: decisions[0]?.id ?? '' })).toMatchObject({ decision: { touched } });
    expect(await read(store, settlement('B-late'))).toMatchObject({
      state: 'quarantined',
      problem: { code: 'unprocessable' },
    });
    await store.close?.();
    expect((await outbox(file, 'show', settlement('B-late'))).out).toMatch(/undone .+, by ada: too early/);
  });

  it('that finds no report is not in the log', async () => {
    const file = copy();
    expect((await outbox(file, 'retry', '--all', '--yes', '--code', 'validation')).err).toBe(
      'No such report is quarantined.\n',
    );
    const store = await openStore(file);
    expect(await createOperator({ over: store }).decisions()).toEqual({ decisions: [], next: null, reached: null });
    await store.close?.();
  });

  it('to end a pause is in the log of decisions', async () => {
    const file = copyOf(sample);
    const store = await openStore(file);
    const destination = { account: 'default', environment: 'staging' } as const;
    await store.pause({
      ...destination,
      version: 0,
      reason: 'unavailable',
      message: 'down',
      strikes: 1,
      forMs: 60_000,
      continues: false,
      repeats: false,
    });
    expect((await outbox(file, 'resume', '--reason', 'it is up')).code).toBe(0);
    expect((await createOperator({ over: store }).decisions()).decisions).toMatchObject([
      { action: 'resume', reason: 'it is up', about: destination },
    ]);
    await store.close?.();
  });
});

describe('dismissing an initiated report', () => {
  it('is shown beforehand with its effect on the settlement', async () => {
    const { out } = await outbox(sample, 'show', bet('B-bad'));
    expect(out).toContain(`Its settlement ${settlement('B-bad')} is then sent`);
    expect(out).toContain(`resolve ${bet('B-bad')} --as dismissed --with-settlement --reason`);
    expect((await outbox(sample, 'show', bet('B-two'))).out).not.toContain('--with-settlement');
  });

  it('is followed by a message about the settlement, which comes true', async () => {
    const file = copy();
    const { code, out, err } = await outbox(file, 'resolve', 'B-bad', ...dismiss);
    expect([code, out]).toEqual([0, `${bet('B-bad')} is dismissed\n`]);
    expect(err).toContain(`Its settlement ${settlement('B-bad')} is no longer blocked`);
    expect(err).toContain('is no longer blocked: a worker sends it now');
    expect(err).toContain(`resolve ${settlement('B-bad')} --as dismissed --reason`);
    const store = await openStore(file);
    const { outbox: made, run } = outboxWorld({ store });
    await run(made.drain());
    await store.close?.();
    const [row] = jsonOf((await outbox(file, 'show', settlement('B-bad'), '--json')).out);
    expect(row).toMatchObject({ state: 'quarantined', problem: { code: 'not-found', status: 404 } });
    expect(await outbox(file, 'resolve', settlement('B-bad'), ...dismiss)).toMatchObject({ code: 0, err: '' });
  });

  it('also dismisses the settlement with --with-settlement, and logs both', async () => {
    const file = copy();
    expect(await outbox(file, 'resolve', 'B-bad', '--with-settlement', ...dismiss)).toEqual({
      code: 0,
      out: `${bet('B-bad')} is dismissed\n${settlement('B-bad')} is dismissed\n`,
      err: '',
    });
    const ended = jsonOf((await outbox(file, 'export')).out).slice(-2);
    expect(ended).toMatchObject(
      [bet('B-bad'), settlement('B-bad')].map((id) => ({
        id,
        outcome: 'dismissed',
        decisions: [{ reason: 'a test bet' }],
      })),
    );
    expect(await outbox(file, 'verify')).toMatchObject({ code: 0 });
  });

  it('also dismisses the settlements of all, even if they have the same problem', async () => {
    const file = copy();
    await outbox(file, 'retry', 'B-late');
    const store = await openStore(file);
    const row = await read(store, settlement('B-bad'));
    await write(store, row, { ...QUARANTINED, problem: { code: 'unprocessable', message: 'no' } });
    await store.close?.();
    const { code, out } = await outbox(
      file,
      'resolve',
      '--all',
      '--yes',
      '--code',
      'unprocessable',
      '--with-settlement',
      ...dismiss,
      '--json',
    );
    const both = [bet('B-bad'), bet('B-two'), bet('B-two', 'production'), settlement('B-bad')].map((id) => ({
      id,
      done: true,
      state: 'dismissed',
    }));
    expect([code, jsonOf(out)]).toEqual([0, both]);
  });

  it('names the settlement in JSON, and refuses --with-settlement for recorded', async () => {
    expect(jsonOf((await outbox(copy(), 'resolve', 'B-bad', ...dismiss, '--json')).out)).toEqual([
      { id: bet('B-bad'), done: true, state: 'dismissed', settlement: settlement('B-bad') },
    ]);
    expect(
      await outbox(copy(), 'resolve', 'B-bad', '--with-settlement', '--as', 'recorded', '--reason', 'x'),
    ).toMatchObject({
      code: 2,
      err: expect.stringContaining('--with-settlement goes with --as dismissed'),
    });
  });
});

it('show prints the hash of the body, so that two stores can be compared', async () => {
  const [row] = jsonOf((await outbox(sample, 'show', bet('B-bad'), '--json')).out);
  expect(row.fingerprint).toMatch(/^-\.[0-9a-f]{8}\.[0-9a-f]{64}$/);
  expect((await outbox(sample, 'show', bet('B-bad'))).out).toMatch(
    new RegExp(`^ *hash +${row.fingerprint.replaceAll('.', '\\.')}$`, 'm'),
  );
});

describe('encryption keys', () => {
  const key = (byte: number) => new Uint8Array(32).fill(byte);
  const encryption = { '2026-05': key(1), '2026-08': key(2), '2026-11': key(3) };

  /** Three keys: no report needs the first, a quarantined report needs the second, and the third is the current key. */
  async function rotated(): Promise<string> {
    const file = newFile();
    const store = await openStore(file);
    const { gateway, make, run } = outboxWorld({ store });
    gateway.faults.add({ kind: 'status', status: 422, reference: 'B-bad', times: null });
    for (const [current, reference] of [
      ['2026-05', 'B-1'],
      ['2026-08', 'B-bad'],
      ['2026-11', 'B-2'],
    ] as const) {
      const made = make({ encryption: { keys: encryption, current }, keepBodies: false });
      await made.reportBetEvent(personalBet(reference));
      await run(made.drain());
    }
    await store.close?.();
    return file;
  }

  it('are counted, and a key that no report needs can be retired', async () => {
    const file = await rotated();
    expect(jsonOf((await outbox(file, 'keys', '--json')).out)).toEqual([
      { keyId: '2026-05', open: 0, kept: 0, locations: 0, fingerprints: 1, newest: false, canBeRetired: true },
      { keyId: '2026-08', open: 1, kept: 0, locations: 0, fingerprints: 0, newest: false, canBeRetired: false },
      { keyId: '2026-11', open: 0, kept: 0, locations: 0, fingerprints: 1, newest: true, canBeRetired: false },
    ]);
    const { code, out, err } = await outbox(file, 'keys');
    expect([code, out.trimEnd().split('\n')]).toEqual([
      0,
      [
        'KEY      OPEN  KEPT  LOCATIONS  HASHES',
        '2026-05  0     0     0          1       can be retired',
        '2026-08  1     0     0          0       needed to send',
        '2026-11  0     0     0          1       made the newest hash',
      ],
    ]);
    for (const words of ['can be retired', 'made the newest hash']) expectSaid(out, words);
    expect(err).toContain('Retire a key once no instance names it as current.');
    expect(leaksIn(out + err)).toEqual([]);
  });

  it('that can be retired are not needed by a worker, and a kept body needs its key', async () => {
    const file = await rotated();
    await outbox(file, 'resolve', 'B-bad', '--keep-body', ...dismiss);
    expect(jsonOf((await outbox(file, 'keys', '--json')).out)[1]).toEqual({
      keyId: '2026-08',
      open: 0,
      kept: 1,
      locations: 0,
      fingerprints: 1,
      newest: false,
      canBeRetired: false,
    });
    const store = await openStore(file);
    const { '2026-05': _, ...left } = encryption;
    const { outbox: made, run } = outboxWorld({ store, outbox: { encryption: { keys: left, current: '2026-11' } } });
    await made.reportBetEvent(personalBet('B-3'));
    expect(await run(made.drain())).toMatchObject({ drained: true, states: { waiting: 0, recorded: 3 } });
    await store.close?.();
  });

  it('are none in an outbox without encryption', async () => {
    expect(await outbox(sample, 'keys')).toMatchObject({
      code: 0,
      out: '',
      err: 'No report was encrypted.\n',
    });
  });
});
