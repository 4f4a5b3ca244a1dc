import { inspect } from 'node:util';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { type ClientEvent, type ClientOptions, createClient, isReportingError } from '../src/entries/index.js';
import { instrumentClient } from '../src/entries/opentelemetry.js';
import { settledBet } from './support/factories.js';

// Every header and every member of the gateway's answer, and every header of the request, contains a word that no report contains.
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
  for (const { name, attributes, status: end, events } of spans.getFinishedSpans()) told.push({ name, attributes, end, events });
  await tracerProvider.shutdown();
  return { told: inspect(told, { depth: 20 }), ended };
}

test.each([200, 400, 401, 404, 409, 422, 429, 500, 503])('with HTTP %i no line, event, span or message contains a word of the answer', async (status) => {
  const { told, ended } = await reported(status);
  expect(told).toContain('attempt 1 ended');
  expect(told).toContain('reportSettledBet');
  expect(told).not.toMatch(CANARY);
  if (!isReportingError(ended)) throw new Error('expected an error, as the answer reports one');
  const { details, ...rest } = ended;
  expect(details).toEqual(body());
  expect([inspect(rest, { depth: 20 }), ended.message, ended.stack]).not.toEqual(expect.arrayContaining([expect.stringMatching(CANARY)]));
  expect(told + inspect(ended, { depth: 20, showHidden: true })).not.toMatch(/velvet|otter|5521/);
});

test('a receipt contains no word of the answer', async () => {
  const { told, ended } = await reported(200, {}, { message: canary('message'), other: canary('member') });
  expect(ended).toMatchObject({ outcome: 'recorded', message: '[masked] message [masked]' });
  expect(told + inspect(ended, { depth: 20 })).not.toMatch(CANARY);
});

test('a sent word is not in the details either', async () => {
  const bet = settledBet();
  const sent = [bet.user.first_name, bet.user.nin, bet.user.resident_address, SECRET];
  const { ended } = await reported(422, {}, { said: sent.map((value) => `got ${value}`), other: canary('member') });
  const text = inspect(ended, { depth: 20 });
  for (const value of sent) expect(text).not.toContain(value);
  expect(ended).toMatchObject({ details: { other: canary('member') } });
});
