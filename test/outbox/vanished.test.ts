import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/entries/outbox.js';
import { betEvent } from '../support/factories.js';
import { newFile, openLibsql, openStore } from './stores/sqlite/files.js';
import { ALL_SENT, loseBreaker } from './vanished.js';
import { outboxWorld } from './world.js';

describe('a worker over SQLite', () => {
  it.each([
    ['the row of its open breaker', "DELETE FROM outbox_destinations WHERE environment = 'staging/reportSettledBet'"],
    ['all pauses and bindings', 'DELETE FROM outbox_destinations'],
  ])('whose store loses %s sends all reports once the gateway is well', async (_, sql) => {
    const file = newFile();
    const store = await openStore(file);
    const lose = async () => {
      const other = openLibsql(file);
      other.exec(sql);
      other.close();
    };
    expect(await loseBreaker(store, lose)).toEqual(ALL_SENT);
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
