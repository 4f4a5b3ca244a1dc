import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, type Outbox } from '../../src/entries/outbox.js';
import { leaksIn, personalBet } from '../outbox/personal.js';
import { outboxWorld } from '../outbox/world.js';
import { expectFreshBuild } from '../support/built.js';
import { betEvent, settledBet } from '../support/factories.js';
import { root } from '../support/run.js';

interface Guide {
  take: { take(outbox: Outbox, messages: readonly string[]): Promise<(string | undefined)[]> };
  kafka: { consume(consumer: object, producer: object, outbox: Outbox): Promise<void> };
  rabbit: { consume(channel: object, queue: string, outbox: Outbox): Promise<void> };
  sqs: {
    consume(queue: object, outbox: Outbox, signal: { aborted: boolean }, log: (text: string) => void): Promise<void>;
  };
}

let folder: string;
let guide: Guide;

const scriptOf = async (code: string) => (await transform(code, { loader: 'ts', format: 'esm' })).code;
const exampleOf = (name: string) => readFile(join(root, 'examples/queues', `${name}.ts`), 'utf8');

/** The modules of the example, which the guide copies. */
beforeAll(async () => {
  expectFreshBuild();
  folder = await mkdtemp(join(root, 'test/.docs-'));
  const names = ['take', 'kafka', 'rabbitmq', 'sqs'];
  for (const name of names) await writeFile(join(folder, `${name}.js`), await scriptOf(await exampleOf(name)));
  const [take, kafka, rabbit, sqs] = await Promise.all(names.map((name) => import(join(folder, `${name}.js`))));
  guide = { take, kafka, rabbit, sqs };
}, 30_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const location = { latitude: 6.45, longitude: 7.51, source: 'gps' };
const timestamp = '1795161600';
const message = (bet_id: string, more: object = {}) =>
  JSON.stringify({ operation: 'reportBetEvent', payload: { ...betEvent({ bet_id, timestamp }), location, ...more } });
const settlement = (bet_id: string) =>
  JSON.stringify({ operation: 'reportSettledBet', payload: settledBet({ bet_id }) });
const ids = async (outbox: Outbox) => (await outbox.list()).map(({ reference }) => reference);

describe('a message from a queue', () => {
  it('is enqueued as the guide shows', async () => {
    const { outbox } = outboxWorld();
    const shown = await readFile(join(root, 'examples/queues/message.json'), 'utf8');
    expect(await guide.take.take(outbox, [shown])).toEqual([undefined]);
    expect(await ids(outbox)).toEqual(['BET-104']);
  });

  it('that comes again enqueues no new report', async () => {
    const { outbox, clock } = outboxWorld();
    expect(await guide.take.take(outbox, [message('BET-1'), settlement('BET-1')])).toEqual([undefined, undefined]);
    clock.advance(60_000);
    expect(await guide.take.take(outbox, [message('BET-1'), settlement('BET-1')])).toEqual([undefined, undefined]);
    expect(await ids(outbox)).toEqual(['BET-1', 'BET-1']);
  });

  it('that can never be a report is refused alone, at its position, without its data', async () => {
    const { outbox } = outboxWorld();
    await outbox.reportBetEvent({ ...betEvent({ bet_id: 'BET-3', timestamp }), location } as never);
    const personal = JSON.stringify({
      operation: 'reportBetEvent',
      payload: { ...personalBet('BET-2'), amount: '6.123457' },
    });
    const refused = await guide.take.take(outbox, [
      '{',
      personal,
      message('BET-1'),
      JSON.stringify({ operation: 'verifyNin', payload: {} }),
      message('BET-3', { amount: 7 }),
      'null',
    ]);
    expect(refused).toEqual([
      'not a message with a report',
      expect.stringContaining('amount'),
      undefined,
      'not a message with a report',
      expect.stringContaining('other data under this reference'),
      'not a message with a report',
    ]);
    expect(leaksIn(JSON.stringify(refused))).toEqual([]);
    expect(await ids(outbox)).toEqual(['BET-3', 'BET-1']);
  });

  it('is not confirmed while the store fails', async () => {
    const { outbox } = outboxWorld({
      store: { ...memoryStore(), enqueue: () => Promise.reject(new Error('disk full')) },
    });
    await expect(guide.take.take(outbox, [message('BET-1')])).rejects.toThrow('disk full');
  });
});

describe('a message that fails for a reason of this process', () => {
  it('is not poison if the environment is not set up', async () => {
    const { outbox } = outboxWorld({ client: { gateways: {}, environment: 'production' } });
    await expect(guide.take.take(outbox, [message('BET-1')])).rejects.toMatchObject({ code: 'configuration' });
    expect(await ids(outbox)).toEqual([]);
  });
});

it('an initiated report without a location is refused alone, and stops no queue', async () => {
  const { outbox } = outboxWorld({ client: { location: { ip: { providers: [] } } } });
  const withoutLocation = message('BET-1', { location: undefined });
  const refused = await guide.take.take(outbox, [withoutLocation, message('BET-2')]);
  expect(refused).toEqual([expect.stringContaining('location'), undefined]);
  expect(await ids(outbox)).toEqual(['BET-2']);
});

it('a message does not choose the options of a call', async () => {
  const { outbox } = outboxWorld();
  const chosen = { ...JSON.parse(message('BET-1')), options: { environment: 'production' }, environment: 'production' };
  expect(await guide.take.take(outbox, [JSON.stringify(chosen)])).toEqual([undefined]);
  expect(await outbox.list()).toMatchObject([{ reference: 'BET-1', environment: 'staging' }]);
});

it.each([
  ['an environment', { environment: 'production' }],
  ['an address', { clientIP: '102.89.23.1' }],
  ['a private address, without a location', { clientIP: '10.0.0.1', location: undefined }],
])('a message whose payload has %s is refused alone', async (_, more) => {
  const { outbox } = outboxWorld();
  const refused = await guide.take.take(outbox, [message('BET-1', more), message('BET-2')]);
  expect(refused).toEqual(['not a message with a report', undefined]);
  expect(await ids(outbox)).toEqual(['BET-2']);
});

describe('the consumer of Kafka', () => {
  const run = async (outbox: Outbox, values: (string | null)[]) => {
    const resolved: string[] = [];
    const dead: unknown[] = [];
    const batch = {
      topic: 'bets',
      partition: 0,
      messages: values.map((value, index) => ({ offset: String(index), key: 'k', value })),
    };
    const consumer = {
      run: ({
        eachBatch,
        eachBatchAutoResolve,
      }: {
        eachBatch(given: object): Promise<void>;
        eachBatchAutoResolve: boolean;
      }) => {
        // kafkajs would resolve the offsets of messages that were not enqueued.
        expect(eachBatchAutoResolve).toBe(false);
        return eachBatch({
          batch,
          resolveOffset: (offset: string) => void resolved.push(offset),
          heartbeat: async () => undefined,
        });
      },
    };
    const producer = { send: async (record: unknown) => void dead.push(record) };
    return { ended: await guide.kafka.consume(consumer, producer, outbox).then(() => 'done', String), resolved, dead };
  };

  it('resolves enqueued messages, and stores invalid ones separately', async () => {
    const { outbox } = outboxWorld();
    const { ended, resolved, dead } = await run(outbox, [message('BET-1'), '{', null, message('BET-2')]);
    expect([ended, resolved]).toEqual(['done', ['3']]);
    const aside = { key: 'k', headers: { reason: 'not a message with a report' } };
    expect(dead).toEqual([
      {
        topic: 'bets.refused',
        messages: [
          { ...aside, value: '{' },
          { ...aside, value: null },
        ],
      },
    ]);
    expect(await ids(outbox)).toEqual(['BET-1', 'BET-2']);
  });

  it('resolves the committed part of a long batch', async () => {
    const store = memoryStore();
    let commits = 0;
    const enqueue: typeof store.enqueue = (rows) => {
      commits += 1;
      return commits > 1 ? Promise.reject(new Error('away')) : store.enqueue(rows);
    };
    const { outbox } = outboxWorld({ store: { ...store, enqueue } });
    const values = Array.from({ length: 700 }, (_, index) => message(`BET-${index}`));
    expect(await run(outbox, values)).toEqual({ ended: 'Error: away', resolved: ['499'], dead: [] });
  });
});

it('the consumer of RabbitMQ confirms enqueued messages, rejects invalid ones, and requeues failed ones', async () => {
  const store = memoryStore();
  let fails = false;
  const { outbox } = outboxWorld({
    store: { ...store, enqueue: (rows) => (fails ? Promise.reject(new Error('away')) : store.enqueue(rows)) },
  });
  const told: unknown[] = [];
  let give: (message: object | null) => void = () => undefined;
  const channel = {
    prefetch: async (count: number) => void told.push(['prefetch', count]),
    consume: async (_: string, handler: typeof give) => {
      give = handler;
    },
    ack: ({ content }: { content: string }) => told.push(['ack', content]),
    nack: ({ content }: { content: string }, _: boolean, requeue: boolean) => told.push(['nack', content, requeue]),
  };
  await guide.rabbit.consume(channel, 'bets', outbox);
  expect(told.splice(0)).toEqual([['prefetch', 100]]);
  give(null);
  give({ content: message('BET-1') });
  give({ content: '{' });
  await expect.poll(() => told.length).toBe(2);
  fails = true;
  give({ content: message('BET-2') });
  await expect.poll(() => told.length, { timeout: 5_000 }).toBe(3);
  expect(told).toEqual(
    expect.arrayContaining([
      ['ack', message('BET-1')],
      ['nack', '{', false],
      ['nack', message('BET-2'), true],
    ]),
  );
});

it('the consumer of SQS deletes only enqueued messages', async () => {
  const { outbox } = outboxWorld();
  const signal = { aborted: false };
  const removed: string[][] = [];
  const said: string[] = [];
  const queue = {
    receive: async () => {
      signal.aborted = true;
      return [
        { Body: message('BET-1'), ReceiptHandle: 'a' },
        { Body: 'x', ReceiptHandle: 'b' },
        { ReceiptHandle: 'c' },
      ];
    },
    remove: async (handles: string[]) => void removed.push(handles),
  };
  await guide.sqs.consume(queue, outbox, signal, (text) => said.push(text));
  expect(removed).toEqual([['a']]);
  expect(said).toEqual(['not a message with a report', 'not a message with a report']);
});

it('the consumer of SQS deletes nothing while the store fails, and continues with the next batch', async () => {
  const store = memoryStore();
  let batches = 0;
  const { outbox } = outboxWorld({
    store: { ...store, enqueue: (rows) => (batches === 1 ? Promise.reject(new Error('away')) : store.enqueue(rows)) },
  });
  const signal = { aborted: false };
  const removed: string[][] = [];
  const said: string[] = [];
  const queue = {
    receive: async () => {
      batches += 1;
      signal.aborted = batches === 2;
      return [{ Body: message('BET-1'), ReceiptHandle: `a-${batches}` }];
    },
    remove: async (handles: string[]) => void removed.push(handles),
  };
  await guide.sqs.consume(queue, outbox, signal, (text) => said.push(text));
  expect([said, removed]).toEqual([['the batch comes again: Error'], [['a-2']]]);
});
