import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
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
