import { expect, it } from 'vitest';
import { DAY_MS, systemClock } from '../../src/core/platform/time.js';
import type { OutboxStore } from '../../src/entries/outbox.js';
import { appendReceipts } from '../../src/outbox/receipts/log.js';
import { claim, newRow, QUARANTINED, read, settledRow, write } from '../outbox/contract/harness.js';
import { newFile, openStore } from '../outbox/stores/sqlite/files.js';
import { jsonOf, runCli } from '../support/cli-in-process.js';

const bet = (reference: string) => newRow(reference).id;
const settlement = (reference: string) => settledRow(reference).id;
const REFERENCES = ['B-1', 'B-2', 'B-3', 'B-4'];

/** Four refused bets, one of them in doubt. A settlement waits for each of the first two. */
async function refused(): Promise<string> {
  const file = newFile();
  await within(file, async (store) => {
    await store.enqueue([
      ...REFERENCES.map((reference) => newRow(reference)),
      ...['B-1', 'B-2'].map((reference) => settledRow(reference)),
    ]);
    for (const row of await claim(store, 10)) {
      const code = row.reference === 'B-4' ? 'not-found' : 'unprocessable';
      const inDoubt = row.reference === 'B-3';
      await write(store, row, { ...QUARANTINED, inDoubt, problem: { code, message: `B: no`, status: 422 } });
    }
  });
  return file;
}

async function within<T>(file: string, work: (store: OutboxStore) => Promise<T>): Promise<T> {
  const store = await openStore(file);
  return work(store).finally(() => store.close?.());
}

const states = (file: string, ...ids: string[]) =>
  within(file, (store) => Promise.all(ids.map(async (id) => (await read(store, id)).state)));
const statesOfBets = (file: string) => states(file, ...REFERENCES.map(bet));
const listed = async (file: string, ...words: string[]) =>
  jsonOf((await runCli(['outbox', file, 'list', '--json', ...words])).out || '{}').map(({ id }) => id);

const SEND = ['retry', '--all', '--reason', 'mended'];
const DISMISS = ['resolve', '--all', '--code', 'unprocessable', '--as', 'dismissed', '--reason', 'test bets'];
const UNTOUCHED = REFERENCES.map(() => 'quarantined');

it('a decision about all counts them and asks, and anything but yes changes nothing', async () => {
  const file = await refused();
  for (const answer of ['n\n', '\n', '', 'yesterday\n']) {
    const { code, out, err } = await runCli(['outbox', file, ...SEND], answer, { canAsk: true });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      'retry --all is about 4 reports: 4 × reportBetEvent; 1 of them in doubt: the gateway may hold them. Go on? [y/N] ',
    );
    expect(err).toContain('Nothing was changed');
    expect(await statesOfBets(file)).toEqual(UNTOUCHED);
  }
  const { code, err } = await runCli(['outbox', file, ...SEND], 'y\n', { canAsk: true });
  expect([code, await statesOfBets(file)]).toEqual([0, REFERENCES.map(() => 'waiting')]);
  expect(err).toContain('Decided: 4 of 4 reports.');
});

it('without a terminal it needs --yes, and says what it would be about', async () => {
  const file = await refused();
  const { code, out, err } = await runCli(['outbox', file, ...DISMISS]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(
    'resolve --all is about 3 reports: 3 × reportBetEvent; 1 of them in doubt: the gateway may hold them; 2 settlements wait for them, and are sent then; --with-settlement dismisses them, too. Nothing was changed: without a terminal to ask, add --yes',
  );
  expect(await statesOfBets(file)).toEqual(UNTOUCHED);
  const done = await runCli(['outbox', file, ...DISMISS, '--yes', '--with-settlement']);
  expect([done.code, await statesOfBets(file)]).toEqual([0, ['dismissed', 'dismissed', 'dismissed', 'quarantined']]);
  expect(await states(file, settlement('B-1'), settlement('B-2'))).toEqual(['dismissed', 'dismissed']);
  expect(done.err).toContain('Decided: 5 of 5 reports.');
  // Nothing to ask about.
  expect(await runCli(['outbox', file, ...DISMISS])).toMatchObject({
    code: 0,
    err: 'No such report is quarantined.\n',
  });
});

it('counts only the reports that may be decided so, as the console does, and says why others may not', async () => {
  const file = await refused();
  const recorded = ['resolve', '--all', '--as', 'recorded', '--reason', 'backup', '--code'];
  const none = await runCli(['outbox', file, ...recorded, 'not-found', '--yes']);
  expect([none.code, none.out]).toEqual([1, '']);
  expect(none.err).toBe(
    `location-sdk: resolve --as recorded is not allowed for 1 report, such as ${bet('B-4')}: the gateway has refused it, and no attempt is in doubt. Nothing was changed\n`,
  );
  expect(await statesOfBets(file)).toEqual(UNTOUCHED);
  const some = await runCli(['outbox', file, ...recorded, 'unprocessable']);
  expect(some.err).toContain(
    `resolve --all is about 1 report: 1 × reportBetEvent; 1 of them in doubt: the gateway may hold them; it is not allowed for 2 reports, such as ${bet('B-1')}: the gateway has refused it, and no attempt is in doubt. Nothing was changed`,
  );
  const done = await runCli(['outbox', file, ...recorded, 'unprocessable', '--yes']);
  expect(await statesOfBets(file)).toEqual(['quarantined', 'quarantined', 'recorded', 'quarantined']);
  expect(done.err).toContain('Decided: 1 of 1 report.');
});

it('--except leaves out the reports that are named, and a wrong name changes nothing', async () => {
  const file = await refused();
  const wrong = await runCli(['outbox', file, ...SEND, '--yes', '--except', 'B-1', 'B-9']);
  expect([wrong.code, await statesOfBets(file)]).toEqual([1, UNTOUCHED]);
  const { code, err } = await runCli(['outbox', file, ...SEND, '--yes', '--except', 'B-1', bet('B-4')]);
  expect([code, await statesOfBets(file)]).toEqual([0, ['quarantined', 'waiting', 'waiting', 'quarantined']]);
  expect(err).toContain('Decided: 2 of 2 reports.');
});

it('a retry is taken back by the command that it prints, except reports that a worker has claimed since', async () => {
  const file = await refused();
  const sent = await runCli(['outbox', file, ...SEND, '--yes']);
  const decision = /reopen --decision (\S+) --reason/.exec(sent.err)?.[1] ?? '';
  expect((await runCli(['outbox', file, 'show', bet('B-2')])).out).toContain(`reopen --decision ${decision} --reason`);
  await within(file, (store) => claim(store, 1));
  expect(await listed(file, '--decision', decision, '--state', 'waiting')).toEqual(['B-2', 'B-3', 'B-4'].map(bet));
  const back = ['reopen', '--decision', decision, '--reason', 'too early', '--except', 'B-4'];
  expect(await runCli(['outbox', file, ...back])).toMatchObject({
    code: 1,
    out: 'Quarantined again: 2 of 4 reports. The others stay as they are:\n  1 × a worker has claimed it since: it may have been sent\n  1 × you named it, or its bet or withdrawal\n',
  });
  expect(await statesOfBets(file)).toEqual(['in-flight', 'quarantined', 'quarantined', 'waiting']);
  expect(await within(file, (store) => read(store, bet('B-2')))).toMatchObject({ problem: { code: 'unprocessable' } });
  // The one that was left out, by the same command. A whole undo ends the decision.
  const rest = ['reopen', '--decision', decision, '--reason', 'this one, too'];
  expect((await runCli(['outbox', file, ...rest])).out).toContain('Quarantined again: 1 of 4 reports. The others');
  expect(await statesOfBets(file)).toEqual(['in-flight', 'quarantined', 'quarantined', 'quarantined']);
});

it('a dismissal is taken back, except of the reports that are named, with their settlements', async () => {
  const file = await refused();
  const done = await runCli(['outbox', file, ...DISMISS, '--yes', '--with-settlement']);
  const decision = /reopen --decision (\S+) --reason/.exec(done.err)?.[1] ?? '';
  const back = ['reopen', '--decision', decision, '--reason', 'placed', '--except', bet('B-1')];
  expect(await runCli(['outbox', file, ...back])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Reopened: 3 of 5 reports. The others stay as they are:\n  2 × you named it'),
  });
  expect(await statesOfBets(file)).toEqual(['dismissed', 'quarantined', 'quarantined', 'quarantined']);
  expect(await states(file, settlement('B-1'), settlement('B-2'))).toEqual(['dismissed', 'waiting']);
  // The one that was left out can still be reopened.
  expect(await runCli(['outbox', file, 'reopen', bet('B-1'), '--reason', 'it too'])).toMatchObject({ code: 0 });
});

it('the reports of a decision that were pruned since are counted, apart from those that are named', async () => {
  const file = await refused();
  const done = await runCli(['outbox', file, ...DISMISS, '--yes']);
  const decision = /reopen --decision (\S+) --reason/.exec(done.err)?.[1] ?? '';
  const later = await openStore(file, { clock: { ...systemClock, now: () => Date.now() + 3 * DAY_MS } });
  await appendReceipts(later);
  const { account, sequence } = await read(later, bet('B-3'));
  const step = await later.prune?.({ account, olderThanMs: DAY_MS, after: sequence - 1, limit: 1 });
  await later.close?.();
  expect(step?.pruned).toBe(1);
  const back = ['reopen', '--decision', decision, '--reason', 'placed'];
  const some = await runCli(['outbox', file, ...back, '--except', bet('B-2')]);
  expect([some.code, some.out]).toEqual([
    1,
    'Reopened: 1 of 3 reports. The others stay as they are:\n  1 × it was pruned\n  1 × you named it, or its bet or withdrawal\n',
  ]);
});

it('list shows the reports of a problem, of a time and of a decision', async () => {
  const file = await refused();
  expect(await listed(file, '--code', 'not-found')).toEqual([bet('B-4')]);
  expect(await listed(file, '--state', 'quarantined', '--since', '1h')).toEqual(REFERENCES.map(bet));
  expect(await listed(file, '--state', 'quarantined', '--until', '1h')).toEqual([undefined]);
  expect(await listed(file, '--state', 'quarantined', '--since', '2999-01-01T00:00Z')).toEqual([undefined]);
  const done = await runCli(['outbox', file, ...DISMISS, '--yes', '--with-settlement']);
  const decision = /reopen --decision (\S+) --reason/.exec(done.err)?.[1] ?? '';
  const both = [bet('B-1'), bet('B-2'), bet('B-3'), settlement('B-1'), settlement('B-2')];
  expect((await listed(file, '--decision', decision)).sort()).toEqual(both.sort());
  const narrowed = ['--decision', decision, '--operation', 'reportSettledBet'];
  expect(await listed(file, ...narrowed)).toEqual([settlement('B-1'), settlement('B-2')]);
});
