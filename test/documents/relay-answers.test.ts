import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createOutbox, memoryStore } from '../../src/entries/outbox.js';
import { relayWorld } from '../http/relay/world.js';
import { root } from '../support/run.js';

/** The answers that the guide (how-to/relay.md) gives in examples/relay/answers.json are those of the relay. */

const bet = { bet_id: 'B-1', amount: 1500, timestamp: '1795161600' };
const located = { ...bet, location: { latitude: 6.5244, longitude: 3.3792, accuracy: 20, source: 'gps' } };

type World = ReturnType<typeof relayWorld>;
type Answered = Awaited<ReturnType<World['send']>>;

async function afterARepeat(amount: number): Promise<Answered> {
  const { send } = relayWorld();
  await send({ body: located });
  return send({ body: { ...located, amount } });
}

function withFault(fault: Parameters<World['gateway']['faults']['add']>[0]): Promise<Answered> {
  const { gateway, send } = relayWorld();
  gateway.faults.add(fault);
  return send({ body: located });
}

const refused = () =>
  Promise.reject(
    new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
  );
const nowhere = { name: 'nowhere', lookup: async () => undefined };
const wrongKey = { staging: { baseUrl: 'https://gateway.example', apiKey: 'wrong' } };
const broken = () => {
  throw new Error('the database is down');
};

/** By the words of the file. */
const CASES: Readonly<Record<string, () => Promise<Answered>>> = {
  recorded: () => relayWorld().send({ body: located }),
  'recorded before: a repeat': () => afterARepeat(1500),
  'an outbox took it': () =>
    relayWorld({ client: createOutbox({ client: relayWorld().client, store: memoryStore() }) }).send({ body: located }),
  'the event is wrong': () => relayWorld().send({ body: { ...bet, amount: '1500' } }),
  'no player is logged in': () => relayWorld().send({ body: bet, headers: { cookie: undefined } }),
  '`complete` gave `null`, or another origin': () => relayWorld({ complete: () => null }).send({ body: bet }),
  'another path': () => relayWorld().send({ body: bet, url: 'https://shop.example/relay' }),
  'another method': () => relayWorld().send({ method: 'GET' }),
  'the body came too late': () => relayWorld({ bodyTimeoutMs: 1 }).send({ body: new ReadableStream() }),
  'other data under this reference': () => afterARepeat(9),
  'a body beyond `maxBodyBytes`': () => relayWorld({ maxBodyBytes: 10 }).send({ body: bet }),
  'another type than JSON': () => relayWorld().send({ body: bet, headers: { 'content-type': 'text/plain' } }),
  'the gateway refused the data': () => withFault({ kind: 'status', status: 422 }),
  'over your `limit`': () => relayWorld({ limit: () => ({ retryAfterMs: 30_000 }) }).send({ body: bet }),
  'one of your functions failed': () => relayWorld({ complete: broken }).send({ body: bet }),
  'the answer of the gateway was lost': () => withFault({ kind: 'connection-reset', when: 'after' }),
  'the gateway refused your key': () => relayWorld({}, { gateways: wrongKey }).send({ body: located }),
  'no location was found': () => relayWorld({}, { location: { ip: { providers: [nowhere] } } }).send({ body: bet }),
  'the gateway was not reached': () => relayWorld({}, { fetch: refused }).send({ body: located }),
};

const shown = (
  JSON.parse(readFileSync(join(root, 'examples/relay/answers.json'), 'utf8')) as {
    status: number;
    case: string;
    body: unknown;
  }[]
).map(({ status, case: what, body }) => ({ status, what, body }));

/** Without what differs each time: ids of the log, of a row and of the gateway, and durations. */
const plain = (body: unknown) =>
  JSON.parse(JSON.stringify(body), (name, value) => {
    if (['durationMs', 'id', 'requestId'].includes(name)) return typeof value;
    return name === 'message' ? String(value).replace(/\([a-z]{16}\)/, '(id)') : value;
  });

describe('the answers of the file', () => {
  test('are all of them', () => {
    expect(shown.map(({ what }) => what)).toEqual(Object.keys(CASES));
  });

  test.each(shown)('$status, $what', async ({ status, what, body }) => {
    const answered = await CASES[what]?.();
    expect(answered?.headers.get('x-location-sdk')).toBe('1');
    expect({ status: answered?.status, body: plain(answered?.body) }).toEqual({ status, body: plain(body) });
  });
});
