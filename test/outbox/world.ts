import { createClient } from '../../src/core/client/create-client.js';
import type { Clock } from '../../src/core/platform/time.js';
import type { ClientOptions, Fetch } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import {
  createOutbox,
  memoryStore,
  type OutboxEvents,
  type OutboxOptions,
  type OutboxStore,
} from '../../src/entries/outbox.js';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { FakeClock } from '../support/fake-clock.js';

export const EVENTS: readonly (keyof OutboxEvents)[] = [
  'enqueued',
  'recorded',
  'delayed',
  'locked',
  'quarantined',
  'decided',
  'late',
  'paused',
  'probe-failed',
  'resumed',
  'error',
];

/** An outbox over a memory store, a mock gateway, and a clock without real waits. */
export function outboxWorld({
  outbox: options = {},
  client: clientOptions = {},
  store: given,
  clock = new FakeClock(),
}: {
  outbox?: Partial<OutboxOptions>;
  client?: ClientOptions;
  store?: OutboxStore;
  clock?: FakeClock;
} = {}) {
  const gateway = createMockGateway();
  const store = given ?? memoryStore({ now: clock.now });
  const sent: string[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push(init.body ?? '');
    return gateway.fetch(url, init as object);
  };
  const client = createClient({ ...gateway.clientOptions(), fetch, clock, random: () => 0.5, ...clientOptions });
  const events: [keyof OutboxEvents, object][] = [];
  const make = (more: Partial<OutboxOptions> = {}) => {
    const made = createOutbox({ client, store, ...options, ...more });
    for (const type of EVENTS) made.on(type, (event) => events.push([type, event]));
    return made;
  };
  return {
    clock,
    gateway,
    store,
    client,
    sent,
    events,
    make,
    outbox: make(),
    run: <T>(promise: Promise<T>) => clock.run(promise),
    names: () => events.map(([type]) => type),
  };
}

/** A store with a console, in memory: it keeps decisions. */
export const storeWithConsole = (clock?: Clock): Promise<OutboxStore> => sqliteStore({ file: ':memory:', clock });

/** The same world over a store with a console. */
export async function worldWithConsole(given: Parameters<typeof outboxWorld>[0] = {}) {
  const clock = new FakeClock();
  return outboxWorld({ clock, store: await storeWithConsole(clock), ...given });
}
