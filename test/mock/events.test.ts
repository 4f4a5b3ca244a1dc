import { expect, test } from 'vitest';
import { createMockGateway, type MockGateway, type MockGatewayOptions } from '../../src/entries/mock.js';
import { createEventStream } from '../../src/mock/events.js';
import { systemClock } from '../../src/platform/time.js';
import { betEvent } from '../support/factories.js';

const ADDRESS = 'http://mock.localhost';

const report = (gateway: MockGateway, bet_id: string) =>
  gateway.fetch(`${ADDRESS}/integration-gateway/external/report-bet-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
    body: JSON.stringify({
      ...betEvent({ bet_id, timestamp: '1795161600' }),
      location: { latitude: 6.45, longitude: 3.39, source: 'gps' },
    }),
  });

interface Event {
  event: string;
  id?: string;
  reference?: string;
}

/** A client that reads the stream block by block, as slowly as the test wants. */
function listen(events: (request: Request) => Response, lastEventId?: string) {
  const response = events(
    new Request(`${ADDRESS}/__admin/events`, {
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    }),
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const blocks: string[] = [];
  const block = async () => {
    while (blocks.length === 0) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The stream has ended');
      blocks.push(...new TextDecoder().decode(value).split('\n\n').filter(Boolean));
    }
    return blocks.shift() as string;
  };
  const next = async (): Promise<Event> => {
    const lines = (await block()).split('\n').map((line) => line.split(/: (.*)/));
    const fields = Object.fromEntries(lines) as Record<string, string>;
    if (!fields.event) return next();
    const { reference } = JSON.parse(fields.data ?? '{}') as { reference?: string };
    return { event: fields.event, ...(fields.id && { id: fields.id }), ...(reference && { reference }) };
  };
  return { response, block, next, cancel: () => reader.cancel() };
}

const serving = (options?: MockGatewayOptions) => {
  const gateway = createMockGateway(options);
  return { gateway, events: createEventStream(gateway) };
};

test('it is an event stream that is not stored', () => {
  const { response } = listen(serving().events);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a new client gets the known entries, then each request when it is answered', async () => {
  const { gateway, events } = serving();
  await report(gateway, 'B-1');
  const client = listen(events);
  expect(await client.next()).toMatchObject({ event: 'request', reference: 'B-1' });
  const coming = client.next();
  await report(gateway, 'B-2');
  expect(await coming).toMatchObject({ event: 'request', reference: 'B-2' });
});

test('the first bytes come at once, so that the client notices the connection', async () => {
  expect(await listen(serving().events).block()).toBe('retry: 1000');
});

test('an entry is masked as in the journal', async () => {
  const { gateway, events } = serving();
  await report(gateway, 'B-1');
  const client = listen(events);
  await client.block();
  const text = await client.block();
  expect(text).toContain('[masked]');
  expect(text).not.toContain('99012345678');
});

test('a client that reconnects gets the entries that it missed', async () => {
  const { gateway, events } = serving();
  for (const bet of ['B-1', 'B-2', 'B-3']) await report(gateway, bet);
  const first = listen(events);
  const { id } = await first.next();
  await first.cancel();
  const again = listen(events, id);
  expect([await again.next(), await again.next()]).toMatchObject([{ reference: 'B-2' }, { reference: 'B-3' }]);
});

test('an id of an earlier run of the server causes a reset, then all entries', async () => {
  const { gateway, events } = serving();
  await report(gateway, 'B-1');
  const { id } = await listen(events).next();
  const after = serving();
  await report(after.gateway, 'B-9');
  const client = listen(after.events, id);
  expect([await client.next(), await client.next()]).toMatchObject([
    { event: 'reset' },
    { event: 'request', reference: 'B-9' },
  ]);
});

test.each(['', 'nonsense', '-', '1', '__proto__-1', 'x'.repeat(10_000)])(
  'an invalid id, %s, is ignored',
  async (id) => {
    const { gateway, events } = serving();
    await report(gateway, 'B-1');
    const client = listen(events, id);
    const first = await client.next();
    expect(first.event).toBe(id === '' ? 'request' : 'reset');
  },
);

test('an id that the journal has forgotten causes a reset, then all entries', async () => {
  const { gateway, events } = serving({ journalSize: 2 });
  await report(gateway, 'B-1');
  const { id } = await listen(events).next();
  for (const bet of ['B-2', 'B-3', 'B-4']) await report(gateway, bet);
  const client = listen(events, id);
  expect([await client.next(), await client.next(), await client.next()]).toMatchObject([
    { event: 'reset' },
    { reference: 'B-3' },
    { reference: 'B-4' },
  ]);
});

test("a client too slow for the journal gets a reset, and no more than the journal's entries", async () => {
  const { gateway, events } = serving({ journalSize: 3 });
  await report(gateway, 'B-0');
  const client = listen(events);
  expect(await client.next()).toMatchObject({ reference: 'B-0' });
  for (let count = 1; count <= 500; count += 1) await report(gateway, `B-${count}`);
  expect(await client.next()).toEqual({ event: 'reset' });
  expect([await client.next(), await client.next(), await client.next()]).toMatchObject([
    { reference: 'B-498' },
    { reference: 'B-499' },
    { reference: 'B-500' },
  ]);
});

test.each([
  ['a reset', (gateway: MockGateway) => gateway.reset(), []],
  [
    'a restored state',
    (gateway: MockGateway) => gateway.restore({ version: 1, reports: { staging: [], production: [] } }),
    ['B-1'],
  ],
  [
    'a seed',
    (gateway: MockGateway) => gateway.seed([{ operation: 'reportBetEvent', body: { bet_id: 'B-7' } }]),
    ['B-1'],
  ],
])('%s is sent, then the known entries', async (_, replace, known) => {
  const { gateway, events } = serving();
  await report(gateway, 'B-1');
  const client = listen(events);
  await client.next();
  replace(gateway);
  await report(gateway, 'B-2');
  expect(await client.next()).toEqual({ event: 'reset' });
  for (const reference of [...known, 'B-2']) expect(await client.next()).toMatchObject({ reference });
});

test('a client that was away during a reset gets it when it reconnects', async () => {
  const { gateway, events } = serving();
  await report(gateway, 'B-1');
  const { id } = await listen(events).next();
  gateway.reset();
  expect(await listen(events, id).next()).toEqual({ event: 'reset' });
});

test('a silent stream is kept open by comments', async () => {
  const gateway = createMockGateway();
  const client = listen(createEventStream(gateway, { heartbeatMs: 1 }));
  await client.block();
  expect([await client.block(), await client.block()]).toEqual([':', ':']);
  await client.cancel();
});

test('a client that disconnects leaves no listener', async () => {
  const { subscribe, ...rest } = createMockGateway();
  let subscribers = 0;
  const timers = new Set<unknown>();
  const clock = {
    ...systemClock,
    setTimeout: (callback: () => void, milliseconds: number) => {
      const timer = systemClock.setTimeout(callback, milliseconds);
      timers.add(timer);
      return timer;
    },
    clearTimeout: (timer: unknown) => {
      timers.delete(timer);
      systemClock.clearTimeout(timer);
    },
  };
  const events = createEventStream(
    {
      ...rest,
      subscribe: (...given) => {
        const end = subscribe(...given);
        subscribers += 1;
        return () => {
          subscribers -= 1;
          end();
        };
      },
    },
    { clock },
  );
  const client = listen(events);
  await client.block();
  const waiting = client.next().catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect([subscribers, timers.size]).toEqual([1, 1]);
  await client.cancel();
  await waiting.catch(() => undefined);
  expect([subscribers, timers.size]).toEqual([0, 0]);
});

test('an entry is read once for all clients', async () => {
  let [listed, read] = [0, 0];
  const entry = {
    id: 1,
    toJSON() {
      read += 1;
      return {};
    },
  };
  const wakes: (() => void)[] = [];
  const entries: object[] = [];
  const events = createEventStream({
    requests() {
      listed += 1;
      return entries as never;
    },
    subscribe(listener) {
      wakes.push(() => listener(entry as never));
      return () => undefined;
    },
  });
  const clients = Array.from({ length: 32 }, () => listen(events));
  await Promise.all(clients.map(({ block }) => block()));
  listed = 0;
  const heard = Promise.all(clients.map(({ next }) => next()));
  entries.push(entry);
  for (const wake of wakes) wake();
  expect(await heard).toHaveLength(32);
  expect([listed, read]).toEqual([1, 1]);
});
