import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClientEvent, type ClientOptions, createClient, isReportingError } from '../src/entries/index.js';
import { instrumentClient } from '../src/entries/opentelemetry.js';
import { createOutbox, type Outbox } from '../src/entries/outbox.js';
import { createConsole } from '../src/entries/outbox-console.js';
import { SPELLINGS } from './core/redact/spellings.js';
import { callAt, requestOf } from './http/console/world.js';
import { storeWithConsole } from './outbox/world.js';
import { settledBet } from './support/factories.js';

// Every header and every member of the gateway's answer, and every header of the request, contains a word that no
// report contains.
const HEADERS = [
  'server',
  'via',
  'retry-after',
  'location',
  'set-cookie',
  'www-authenticate',
  'content-language',
  'etag',
  'x-powered-by',
  'x-request-id',
  'x-correlation-id',
  'request-id',
  'traceparent',
];
const canary = (place: string) => `quillback ${place} zander`;
const CANARY = /quillback|zander/;
const SECRET = 'Bearer velvet-otter-5521';

const body = () => ({
  message: canary('message'),
  error: canary('error'),
  statusCode: canary('status'),
  details: [{ code: canary('code'), [canary('name')]: canary('member') }, canary('item')],
});

/** Reports, and returns the result with all output about it. */
async function reported(status: number, options: ClientOptions = {}, answer: object = body()) {
  const told: unknown[] = [];
  const line = (message: string) => void told.push(message);
  const spans = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const headers = Object.fromEntries(HEADERS.map((name) => [name, canary(name)]));
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } },
    retry: { limit: 1, baseMs: 0 },
    headers: { authorization: SECRET },
    logger: { debug: line, info: line, warn: line, error: line },
    onEvent: (event: ClientEvent) => void told.push(event),
    fetch: async () => new Response(JSON.stringify(answer), { status, headers }),
    ...options,
  });
  const ended: unknown = await instrumentClient(client, { tracerProvider })
    .reportSettledBet(settledBet())
    .catch((error: unknown) => error);
  for (const { name, attributes, status: end, events } of spans.getFinishedSpans())
    told.push({ name, attributes, end, events });
  await tracerProvider.shutdown();
  return { told: inspect(told, { depth: 20 }), ended };
}

test.each([200, 400, 401, 404, 409, 422, 429, 500, 503])(
  'with HTTP %i no line, event, span or message contains a word of the answer',
  async (status) => {
    const { told, ended } = await reported(status);
    expect(told).toContain('attempt 1 ended');
    expect(told).toContain('reportSettledBet');
    expect(told).not.toMatch(CANARY);
    if (!isReportingError(ended)) throw new Error('expected an error, as the answer reports one');
    const { details } = ended;
    expect(details).toMatchObject({ message: '[masked] message [masked]', statusCode: '[masked] status [masked]' });
    expect(`${inspect(ended, { depth: 20, showHidden: true })}${JSON.stringify(ended)}${ended.stack}`).not.toMatch(
      CANARY,
    );
    expect(told + inspect(ended, { depth: 20, showHidden: true })).not.toMatch(/velvet|otter|5521/);
  },
);

test('a receipt contains no word of the answer', async () => {
  const { told, ended } = await reported(200, {}, { message: canary('message'), other: canary('member') });
  expect(ended).toMatchObject({ outcome: 'recorded', message: '[masked] message [masked]' });
  expect(told + inspect(ended, { depth: 20 })).not.toMatch(CANARY);
});

/** Values of the report, the key, and values of other people that the gateway's JSON may hold. */
const bet = settledBet();
const KEY = 'sk-live-q7w8e9r0t1z2';
const VALUES: Readonly<Record<string, string>> = {
  'the number of the player': bet.user.nin,
  'the name of the player': bet.user.last_name,
  'the address of the player': bet.user.resident_address,
  'the API key': KEY,
  'the number of another person': '98765432109',
  'the name of another person': 'Ngozi Ezekwesili',
};

/** A gateway's JSON that holds a spelling of a value at every kind of place. */
const holding = (spelled: string) => ({
  message: `The user ${spelled} is not valid`,
  code: spelled,
  details: [spelled, { value: spelled, [spelled]: 1, user: { name: [spelled] } }],
  digits: [...spelled].slice(0, 30),
  ...(/^[0-9]{1,15}$/.test(spelled) && { status: Number(spelled), limit: [...spelled].map(Number) }),
});

/** The parts of a text that could show a value: its letters and digits of any script, in one case. */
const readable = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** The answer of the console about a report, for a colleague who may not read bodies. */
async function consoleOf(outbox: Outbox, id: string): Promise<string> {
  const handle = createConsole({ outbox, authorize: () => ({ name: 'chidi@ops.example' }), logger: {} });
  const ask = async (name: string, body: object, token?: string) => {
    const headers = token === undefined ? {} : { 'x-console-token': token };
    return (await handle(requestOf({ url: callAt(name), body, headers })))?.text() ?? '';
  };
  const session: { token: string } = JSON.parse(await ask('session', {}));
  return ask('report', { id }, session.token);
}

/** Each spelling of two values, of which one is a name or an address. The list of words that may be shown knows neither. */
const SPELLED = SPELLINGS.flatMap(([name, spell], index) =>
  [index % 3, 5 - (index % 3)].map((at) => [Object.keys(VALUES)[at] ?? '', name, spell] as const),
);

describe('the JSON of the gateway', () => {
  test.each(SPELLED)('shows nowhere %s, %s', async (whose, name, spell) => {
    const value = VALUES[whose] ?? '';
    // A length is a number like any other.
    if (name === 'as its length') return;
    const spelled = spell(value);
    const client = createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: KEY } },
      fetch: async () => Response.json(holding(spelled), { status: 422 }),
    });
    const error: unknown = await client.reportSettledBet(bet).catch((thrown: unknown) => thrown);
    if (!isReportingError(error)) throw new Error('expected a refusal');
    const outbox = createOutbox({ client, store: await storeWithConsole() });
    onTestFinished(() => outbox.stop({ timeoutMs: 0 }));
    const quarantined = new Promise((resolve) => void outbox.on('quarantined', resolve));
    await outbox.reportSettledBet(bet);
    outbox.start();
    await quarantined;
    const [row] = await outbox.list({ state: 'quarantined' });
    const seen = await consoleOf(outbox, row?.id ?? '');
    expect(seen).toContain('unprocessable');
    const lines: string[] = [];
    new Console(new Writable({ write: (chunk, __, done) => done(void lines.push(String(chunk))) })).log(error);
    for (const shown of [
      lines.join(''),
      JSON.stringify(error),
      inspect(error, { depth: 20 }),
      JSON.stringify(row?.problem),
      seen,
    ]) {
      expect(readable(shown)).not.toContain(readable(spelled));
      expect(readable(shown)).not.toContain(readable(value));
      expect(shown).not.toMatch(/[^\x20-\x7e\s…]/);
    }
    // Besides the words of the frame and of the spelling, nothing is left.
    const left = new Set(JSON.stringify(error.details).match(/[\p{L}\p{N}]+/gu));
    // Between words, the letter "a" is one.
    const frame = 'a message The user masked is not valid and code details value name digits status limit'.split(' ');
    expect([...left].filter((word) => !frame.includes(word))).toEqual([]);
  });
});
