import { describe, expect, it } from 'vitest';
import { createOutbox, memoryStore, type OutboxStore } from '../../src/entries/outbox.js';
import { readIndexedDbOptions } from '../../src/outbox/stores/indexeddb/options.js';
import { readPostgresOptions } from '../../src/outbox/stores/postgres/options.js';
import { polluted } from '../polluted.js';
import { betEvent } from '../support/factories.js';
import { outboxWorld } from './world.js';

/** A store with only the required methods. */
function plainStore(now: () => number): OutboxStore {
  const {
    durable,
    enqueue,
    turn,
    bind,
    rebind,
    outlook,
    pause,
    get,
    missingKeys,
    list,
    counts,
    getOrCreateSetting,
    receipts,
  } = memoryStore({ now });
  return {
    durable,
    enqueue,
    turn,
    bind,
    rebind,
    outlook,
    pause,
    get,
    missingKeys,
    list,
    counts,
    getOrCreateSetting,
    receipts,
  };
}

describe('a polluted prototype of all objects', () => {
  it('is not the player of a store', async () => {
    const { client, clock } = outboxWorld();
    const store = plainStore(clock.now);
    await polluted({ player: 'P-1' }, async () => {
      expect(() => createOutbox({ client, store })).not.toThrow();
    });
  });

  it('is not a method of a store, required or not', async () => {
    const called: string[] = [];
    const method = (name: string) => () => {
      called.push(name);
      return new Promise(() => {});
    };
    const { client, clock, run } = outboxWorld();
    const store = plainStore(clock.now);
    const { turn: _, ...without } = store;
    await polluted(
      Object.fromEntries(['turn', 'lead', 'watch', 'asValue'].map((name) => [name, method(name)])),
      async () => {
        expect(() => createOutbox({ client, store: without as OutboxStore })).toThrow('store: expected a store');
        const outbox = createOutbox({ client, store });
        const { done } = await run(outbox.reportBetEvent(betEvent()));
        outbox.start();
        expect(await run(done)).toMatchObject({ outcome: 'recorded' });
        await run(outbox.stop());
      },
    );
    expect(called).toEqual([]);
  });

  it('does not make a store transactional', async () => {
    const { client, clock } = outboxWorld();
    const outbox = createOutbox({ client, store: plainStore(clock.now) });
    await polluted({ transactional: true }, async () => {
      expect(() => outbox.within({})).toThrow('transaction');
    });
  });

  it('is not an option of a store', async () => {
    await polluted({ now: () => 5, player: 'P-1', schema: 'public', name: 'other', notify: false }, async () => {
      expect(memoryStore().player).toBeUndefined();
      expect(readPostgresOptions({ database: { query: async () => ({ rows: [] }) } })).toMatchObject({
        schema: 'location_sdk',
        notify: true,
      });
      expect(readIndexedDbOptions({})).toMatchObject({ name: 'location-sdk-outbox', player: undefined });
    });
  });
});
