import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import { systemClock } from '../../../src/core/platform/time.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { createOutbox, memoryStore, type OutboxStore, verifyReceipts } from '../../../src/entries/outbox.js';
import { createOperator } from '../../../src/operator/operator.js';
import { appendReceipts } from '../../../src/outbox/receipts/log.js';
import { runCli } from '../../support/cli-in-process.js';
import { betEvent } from '../../support/factories.js';
import { claim, DISMISSED, GATEWAYS, newRow, write } from '../contract/harness.js';
import { newFile, openSqlite, openStore } from '../stores/sqlite/files.js';
import { outboxWorld } from '../world.js';
import { pruneAndDie } from './killed.js';
import { DAY_MS, OLD, recordMany } from './old-reports.js';

const clockBefore = (days: number) => ({ ...systemClock, now: () => Date.now() - days * DAY_MS });

/** A file with reports that ended 500 days ago, and a young one. */
async function oldFile(count = OLD): Promise<string> {
  const file = newFile();
  const past = await openStore(file, { clock: clockBefore(500) });
  await recordMany(past, 'OLD', count);
  await past.close?.();
  const store = await openStore(file);
  await recordMany(store, 'NEW', 1);
  await store.close?.();
  return file;
}

async function looked<T>(file: string, look: (store: OutboxStore) => Promise<T>): Promise<T> {
  const store = await openStore(file);
  try {
    return await look(store);
  } finally {
    await store.close?.();
  }
}

const left = (file: string) => looked(file, async (store) => (await store.list({ limit: 2 * OLD })).length);
const prune = (file: string, ...words: string[]) =>
  runCli(['outbox', file, 'prune', '--older-than', '400d', '--keep-receipts', ...words]);
const patience = { timeout: 45_000 };

/** Dismisses a report before its first attempt was recorded. */
async function dismissOne(store: OutboxStore, reference: string): Promise<void> {
  await store.enqueue([newRow(reference)]);
  const decisions = [{ action: 'dismissed', reason: 'a test bet', at: 1 }] as const;
  for (const row of await claim(store)) await write(store, row, { ...DISMISSED, decisions });
  await appendReceipts(store);
}

it('a reference that is enqueued again after prune has a receipt of its own, and the log is valid', async () => {
  const file = newFile();
  const past = await openStore(file, { clock: clockBefore(500) });
  await dismissOne(past, 'B-1');
  await past.close?.();
  await prune(file);
  await looked(file, (store) => recordMany(store, 'B', 2));
  expect(await runCli(['outbox', file, 'verify'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Sound: 3 receipts, .*\n1 of them are of reports that were pruned\.\n/),
  });
  const other = newFile();
  const earlier = await openStore(other, { clock: clockBefore(500) });
  await dismissOne(earlier, 'B-1');
  await earlier.close?.();
  await prune(other);
  await looked(other, (store) => dismissOne(store, 'B-1'));
  expect((await runCli(['outbox', other, 'verify'])).out).toMatch(/^Sound: 2 receipts/);
  const shown = await looked(other, (store) => createOperator({ over: store }).report(newRow('B-1').id));
  expect(shown?.timeline.at(-1)).toMatchObject({ kind: 'receipt', index: 1 });
});

describe('location-sdk outbox <file> prune', () => {
  it.each(['recorded', 'dismissed'])(
    'a dismissed report is pruned, enqueued again and %s: the log is sound',
    async (end) => {
      const file = newFile();
      const gateway = createMockGateway();
      const client = createClient(gateway.clientOptions());
      const because = { as: 'dismissed', reason: 'a test' } as const;
      const refuse = () => gateway.faults.add({ kind: 'status', status: 422, times: 1 });
      const past = await openStore(file, { clock: clockBefore(500) });
      const before = createOutbox({ client, store: past });
      refuse();
      const { id } = await before.reportBetEvent(betEvent());
      await before.drain();
      await before.resolve(id, because);
      await before.stop();
      await past.close?.();
      expect(await prune(file)).toMatchObject({ code: 0 });

      const store = await openStore(file);
      const outbox = createOutbox({ client, store });
      if (end === 'dismissed') refuse();
      await outbox.reportBetEvent(betEvent());
      await outbox.drain();
      if (end === 'dismissed') await outbox.resolve(id, because);
      expect(await outbox.get(id)).toMatchObject({ state: end });
      await outbox.stop();
      await store.close?.();
      expect(await runCli(['outbox', file, 'verify'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Sound: 2 receipts/),
      });
    },
  );

  it('deletes old reports, keeps their receipts, and the log can still be verified', async () => {
    const file = await oldFile(3);
    expect(await prune(file)).toMatchObject({
      code: 0,
      out: 'default: 3 reports pruned that ended more than 400 days ago\n',
      err: expect.stringContaining('receipts are kept'),
    });
    expect(await left(file)).toBe(1);
    const verified = await runCli(['outbox', file, 'verify']);
    expect(verified).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Sound: 4 receipts, .*\n3 of them are of reports that were pruned\.\n/),
    });
    const { out } = await runCli(['outbox', file, 'export']);
    expect(await verifyReceipts(out)).toMatchObject({ valid: true, count: 4 });
    expect((await runCli(['outbox', file])).out).toMatch(/recorded +4\n/);
    expect(await prune(file, '--json')).toMatchObject({
      code: 0,
      out: '{"account":"default","pruned":0,"olderThanDays":400}\n',
    });
  });

  it('deletes the only report, and the newest one, if they are old', async () => {
    const file = newFile();
    const past = await openStore(file, { clock: clockBefore(500) });
    await recordMany(past, 'OLD', 1);
    await past.close?.();
    expect(await prune(file)).toMatchObject({
      code: 0,
      out: 'default: 1 reports pruned that ended more than 400 days ago\n',
    });
    expect(await left(file)).toBe(0);
    expect(await runCli(['outbox', file, 'verify'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 of them'),
    });
    expect((await prune(file)).err).toContain('No report is that old.');
  });

  it('narrows it to one account', async () => {
    const file = await oldFile(2);
    expect(await prune(file, '--account', 'brandB')).toMatchObject({
      code: 2,
      err: expect.stringContaining('this outbox has no account brandB'),
    });
    expect(await left(file)).toBe(3);
    expect(await prune(file, '--account', 'default')).toMatchObject({
      code: 0,
      out: 'default: 2 reports pruned that ended more than 400 days ago\n',
    });
  });

  it('continues after a killed process', { tags: 'slow' }, async () => {
    const file = await oldFile();
    expect(await pruneAndDie(file)).toBe('SIGKILL');
    const rest = await left(file);
    expect([rest > 1, rest < OLD + 1]).toEqual([true, true]);
    expect(await runCli(['outbox', file, 'verify'])).toMatchObject({ code: 0 });
    expect(await prune(file)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${(rest - 1).toLocaleString('en')} reports pruned`),
    });
    expect(await left(file)).toBe(1);
    expect(await runCli(['outbox', file, 'verify'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${OLD.toLocaleString('en')} of them`),
    });
  });

  it('does not disturb a worker: reports that are enqueued at the same time are recorded once', {
    tags: 'slow',
  }, async () => {
    const file = await oldFile();
    const gateway = createMockGateway();
    const requests: unknown[] = [];
    gateway.subscribe((entry) => void requests.push(entry));
    const [store, beside] = [await openStore(file), await openStore(file)];
    await store.rebind({
      account: 'default',
      environment: 'staging',
      from: GATEWAYS.staging,
      gateway: gateway.clientOptions().gateways.staging.baseUrl,
      reason: 'test',
    });
    const client = createClient({ ...gateway.clientOptions(), fetch: gateway.fetch });
    const outbox = createOutbox({ client, store });
    const problems: string[] = [];
    outbox.on('error', ({ message }) => problems.push(message));
    outbox.start();
    let pruning = true;
    const other = createOutbox({ client, store: beside });
    const pruned = other.prune({ olderThanDays: 400, keepReceipts: true }).finally(() => {
      pruning = false;
    });
    let count = 0;
    for (; (pruning && count < 300) || count < 20; count += 1)
      await outbox.reportBetEvent(betEvent({ bet_id: `B-${count}` }));
    expect(await pruned).toEqual({ pruned: OLD });
    await expect.poll(() => gateway.reports().length, patience).toBe(count);
    await outbox.stop();
    await Promise.all([store.close?.(), beside.close?.()]);
    expect([requests.length, problems]).toEqual([count, []]);
    expect(await left(file)).toBe(count + 1);
    expect(await runCli(['outbox', file, 'verify'])).toMatchObject({ code: 0 });
  });

  it('hides no report that was deleted by other means, and no reference that was added again', async () => {
    const file = await oldFile(2);
    await prune(file);
    await looked(file, (store) => store.enqueue([newRow('OLD-0', { fingerprint: 'other' })]));
    expect(await runCli(['outbox', file, 'verify'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 of them'),
    });
    const database = openSqlite(file);
    database.exec("DELETE FROM outbox_rows WHERE reference = 'NEW-0'");
    database.close();
    const verified = await runCli(['outbox', file, 'verify']);
    expect(verified).toMatchObject({
      code: 1,
      out: expect.stringContaining(`CHANGED: the report ${newRow('NEW-0').id} differs from its receipt.`),
    });
  });

  it('tells reconcile that a report may have been pruned', async () => {
    const file = await oldFile(2);
    const list = `${file}.txt`;
    writeFileSync(list, 'OLD-0\n');
    await prune(file);
    const { code, out, err } = await runCli([
      'outbox',
      file,
      'reconcile',
      list,
      '--operation',
      'reportBetEvent',
      '--environment',
      'staging',
    ]);
    expect([code, out]).toEqual([1, expect.stringMatching(/^never-seen +- +reportBetEvent +OLD-0\n$/)]);
    expect(err).toMatch(/Reports that ended before 20\d\d-\d\d-\d\d 00:00:00 UTC were pruned/);
  });

  it.each([
    [['--keep-receipts'], 'prune needs --older-than'],
    [['--older-than', '400d'], 'prune needs --keep-receipts'],
    [['--older-than', '400', '--keep-receipts'], 'must be a number of days, such as 400d'],
    [['--older-than', '0d', '--keep-receipts'], 'must be a number of days'],
  ])('refuses %j and deletes nothing', async (words, said) => {
    const file = await oldFile(1);
    expect(await runCli(['outbox', file, 'prune', ...words])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(said),
    });
    expect(await left(file)).toBe(2);
  });
});

describe('outbox.prune', () => {
  it('calls onProgress, and ends when it is cancelled', async () => {
    const file = await oldFile();
    await looked(file, async (store) => {
      const { outbox, run } = outboxWorld({ store });
      const controller = new AbortController();
      const progress: number[] = [];
      const onProgress = (pruned: number) => {
        progress.push(pruned);
        if (progress.length === 2) controller.abort();
      };
      const { pruned } = await run(
        outbox.prune({ olderThanDays: 400, keepReceipts: true, onProgress, signal: controller.signal }),
      );
      expect(progress).toEqual([1_000, 2_000]);
      expect(pruned).toBe(2_000);
      expect((await outbox.stats()).states.recorded).toBe(OLD + 1);
    });
  });

  it('waits after each commit for as long as the commit took', async () => {
    const store = memoryStore();
    let steps = 0;
    const slow: OutboxStore = {
      ...store,
      prune: async () => {
        steps += 1;
        const until = performance.now() + 25;
        while (performance.now() < until);
        return { pruned: 1, next: steps < 3 ? steps : undefined };
      },
    };
    const { outbox, run, clock } = outboxWorld({ store: slow });
    expect(await run(outbox.prune({ olderThanDays: 400, keepReceipts: true }))).toEqual({ pruned: 3 });
    expect(clock.waits.length).toBe(2);
    for (const wait of clock.waits) expect(wait).toBeGreaterThanOrEqual(25);
  });

  it('adds missing receipts first', async () => {
    await looked(newFile(), async (store) => {
      const { outbox, run } = outboxWorld({ store });
      await store.enqueue([newRow('B-1'), newRow('B-2')]);
      const [row] = await claim(store, 1);
      if (row) await write(store, row);
      expect(await run(outbox.prune({ olderThanDays: 400, keepReceipts: true }))).toEqual({ pruned: 0 });
      expect(await store.receipts.read(0, 10)).toHaveLength(1);
    });
  });

  it.each([
    [{ olderThanDays: 0, keepReceipts: true }, 'olderThanDays'],
    [{ olderThanDays: 1.5, keepReceipts: true }, 'olderThanDays'],
    [{ olderThanDays: '400', keepReceipts: true }, 'olderThanDays'],
    [{ olderThanDays: 400 }, 'keepReceipts'],
    [undefined, 'olderThanDays'],
  ])('refuses %j', async (options, name) => {
    const { outbox } = outboxWorld();
    const refused = Reflect.apply(outbox.prune, outbox, [options]) as Promise<unknown>;
    await expect(refused).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(new RegExp(`^prune: ${name}: .*Nothing was deleted\\.$`)),
    });
  });

  it('rejects if the store cannot delete', async () => {
    const { outbox } = outboxWorld({ store: memoryStore() });
    await expect(outbox.prune({ olderThanDays: 1, keepReceipts: true })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('cannot delete reports'),
    });
  });
});
