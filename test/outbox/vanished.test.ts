import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/entries/outbox.js';
import { betEvent } from '../support/factories.js';
import { newRow } from './contract/harness.js';
import { newFile, openSqlite, openStore } from './stores/sqlite/files.js';
import { ALL_SENT, loseBreaker } from './vanished.js';
import { outboxWorld } from './world.js';

/** Runs plain SQL in a file, like another tool. */
function runElsewhere(file: string, sql: string): void {
  const other = openSqlite(file);
  other.exec(sql);
  other.close();
}

describe('the counts of SQLite', () => {
  it.each([
    ['their accounts', ['default']],
    ['all accounts', undefined],
  ])('of %s include waiting and quarantined reports whose bindings the file has lost', async (_, accounts) => {
    const file = newFile();
    const store = await openStore(file);
    await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3')]);
    runElsewhere(
      file,
      "UPDATE outbox_rows SET state = 'quarantined' WHERE reference = 'B-3'; DELETE FROM outbox_destinations",
    );
    expect((await store.counts(accounts)).states).toMatchObject({ waiting: 2, quarantined: 1 });
    const open = await store.operator?.open();
    expect(open?.places).toMatchObject([{ environment: 'staging', waiting: 2, quarantined: 1 }]);
    await store.close?.();
  });
});

it('drain sends all reports, also while another tool deletes the bindings again and again', async () => {
  const file = newFile();
  const world = outboxWorld();
  const store = await openStore(file);
  const outbox = world.make({ store, concurrency: 1 });
  for (let index = 0; index < 10; index += 1) await outbox.reportBetEvent(betEvent({ bet_id: `B-${index}` }));
  outbox.on('recorded', () => runElsewhere(file, 'DELETE FROM outbox_destinations'));
  const { drained } = await world.run(outbox.drain());
  expect([drained, (await store.counts()).states.recorded]).toEqual([true, 10]);
  await store.close?.();
});

describe('a worker over SQLite', () => {
  it.each([
    ['the row of its open breaker', 'DELETE FROM outbox_breakers'],
    ['all pauses and bindings', 'DELETE FROM outbox_destinations; DELETE FROM outbox_breakers'],
    ['only the bindings', 'DELETE FROM outbox_destinations'],
  ])('whose store loses %s sends all reports once the gateway is well', async (_, sql) => {
    const file = newFile();
    const store = await openStore(file);
    expect(await loseBreaker(store, async () => runElsewhere(file, sql))).toEqual(ALL_SENT);
    await store.close?.();
  });
});

describe('a worker whose store announces a due report and never gives it', () => {
  it('waits longer and longer, and then polls', async () => {
    const world = outboxWorld();
    const { clock, run } = world;
    let turns = 0;
    const store = memoryStore({ now: clock.now });
    const turn: typeof store.turn = async () => {
      turns += 1;
      return { written: [], claimed: [] };
    };
    const outbox = world.make({ store: { ...store, turn }, pollMs: 1_000 });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    await run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 20_000)));
    expect([turns > 20, turns < 40]).toEqual([true, true]);
    await run(outbox.stop());
  });

  it('takes it within a poll when it can be taken again', async () => {
    const world = outboxWorld();
    const { clock, run } = world;
    const store = memoryStore({ now: clock.now });
    let isHeld = true;
    const turn: typeof store.turn = async (one) => (isHeld ? { written: [], claimed: [] } : store.turn(one));
    const outbox = world.make({ store: { ...store, turn }, pollMs: 1_000 });
    await outbox.reportBetEvent(betEvent());
    outbox.start();
    await run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 5_000)));
    isHeld = false;
    const began = clock.now();
    await run(new Promise<void>((resolve) => void outbox.on('recorded', () => resolve())));
    expect(clock.now() - began).toBeLessThanOrEqual(1_000);
    await run(outbox.stop());
  });
});
