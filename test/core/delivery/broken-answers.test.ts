import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { bet } from './scripted-gateway.js';
import { answering, ask, KEY, transports } from './transports.js';

const BY = transports();

/** How a connection ends after the last byte that the gateway wrote. */
type Break = 'end' | 'reset';

/** The address of a gateway that writes the next of these bytes for each request, and then breaks the connection. */
async function breaking(how: Break, ...answers: (string | Buffer)[]): Promise<string> {
  let requests = 0;
  return answering((socket) => {
    const bytes = answers[requests++] ?? '';
    if (how === 'end') socket.end(bytes);
    // Later, so that the bytes arrive before the reset does.
    else socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 20));
  });
}

const WORDS = '{"message":"This bet has already been reported with different data"}';
const CUT = WORDS.slice(0, 49);
const HTML = '<h1>Not Found</h1>';

const CHUNKED = 'transfer-encoding: chunked\r\n';
const CLOSE = 'connection: close\r\n';
const head = (status: number, headers = '') => `HTTP/1.1 ${status} X\r\n${headers}\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Each answer broke off, or may have. */
const BROKEN: [name: string, bytes: (status: number) => string | Buffer][] = [
  ['before any chunk', (status) => head(status, CHUNKED + CLOSE)],
  ['before any chunk, on a kept-alive connection', (status) => head(status, CHUNKED)],
  ['before any chunk of an HTTP/1.0 answer', (status) => head(status, CHUNKED).replace('1.1', '1.0')],
  ['before any chunk of a compressed answer', (status) => head(status, `content-encoding: gzip\r\n${CHUNKED}${CLOSE}`)],
  ['within a chunk', (status) => `${head(status, CHUNKED + CLOSE)}40\r\n${CUT}`],
  ['after a chunk', (status) => head(status, CHUNKED + CLOSE) + chunk(CUT)],
  ['after a chunk of a compressed answer', (status) => packed(status)],
  ['before its body, without a length', (status) => head(status)],
  ['before its body, without a length, on a connection that closes', (status) => head(status, CLOSE)],
  ['within its body, without a length', (status) => head(status) + CUT],
  ['before its body, with a length', (status) => head(status, `content-length: ${WORDS.length}\r\n${CLOSE}`)],
  ['within its body, with a length', (status) => head(status, `content-length: ${WORDS.length}\r\n${CLOSE}`) + CUT],
  ['within a compressed body, with a length from a proxy', (status) => packedWithLength(status)],
  ['within HTML', (status) => head(status, CHUNKED + CLOSE) + chunk(HTML)],
  ['within blanks', (status) => head(status, CHUNKED + CLOSE) + chunk('  ')],
  ['within a number', (status) => head(status, CHUNKED + CLOSE) + chunk('2')],
  ['within its headers', (status) => head(status, CHUNKED + CLOSE).slice(0, -2)],
];

function packed(status: number): Buffer {
  const bytes = gzipSync(WORDS).subarray(0, 20);
  return Buffer.concat([
    Buffer.from(`${head(status, `content-encoding: gzip\r\n${CHUNKED}${CLOSE}`)}14\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

/** The answer of a proxy that has buffered an incomplete answer. */
function packedWithLength(status: number): Buffer {
  const bytes = gzipSync(WORDS).subarray(0, 10);
  return Buffer.concat([
    Buffer.from(head(status, `content-encoding: gzip\r\ncontent-length: ${bytes.length}\r\n${CLOSE}`)),
    bytes,
  ]);
}

const STATUSES = [200, 201, 400, 401, 403, 404, 405, 409, 422, 429];

describe.each(BY.map((row, at) => [...row, at] as const))('by %s, an answer that breaks off', (_, by, first) => {
  describe.each<[Break, number]>([
    ['end', 0],
    ['reset', 5],
  ])('with an %s', (how, shift) => {
    // Each break has another status with each transport and each end, and each status several of the breaks.
    it.each(
      BROKEN.map(([name, bytes], at) => [name, STATUSES[(at + first + shift) % STATUSES.length] ?? 0, bytes] as const),
    )('%s proves nothing, with status %i', async (_name, status, bytes) => {
      expect(await ask(await breaking(how, bytes(status)), by)).toMatchObject({
        outcome: 'unknown',
        retryable: true,
        code: expect.stringMatching(/^(?:network|gateway)$/),
      });
    });

    it.each(BROKEN)('%s after a lost answer leaves the doubt', async (_name, bytes) => {
      for (const status of [409, 422]) {
        const baseUrl = await breaking(how, '', bytes(status));
        const client = createClient({
          gateways: { staging: { baseUrl, apiKey: KEY } },
          retry: { limit: 1, baseMs: 0 },
          ...by,
        });
        await expect(client.reportSettledBet(bet)).rejects.toMatchObject({ outcome: 'unknown', attempts: 2 });
      }
    });
  });

  it('says that it may be incomplete, with its status', async () => {
    const error = (await ask(await breaking('end', head(404) + HTML), by)) as Error;
    expect(error.message).toContain('HTTP 404: the answer may be incomplete');
    expect(error.message).toContain('is the base address right?');
  });
});

/** Each answer proves that it is complete. */
const WHOLE: [name: string, bytes: string, end: object][] = [
  ['an empty success with a length', `${head(200, `content-length: 0\r\n${CLOSE}`)}`, { outcome: 'recorded' }],
  ['204', head(204, CLOSE), { outcome: 'recorded' }],
  [
    'JSON in chunks',
    `${head(200, CHUNKED + CLOSE)}${chunk('{"message":"kept"}')}0\r\n\r\n`,
    { outcome: 'recorded', message: 'kept' },
  ],
  ['JSON without a length', `${head(200)}{"message":"kept"}`, { outcome: 'recorded', message: 'kept' }],
  [
    'a refusal in chunks of JSON',
    `${head(422, CHUNKED + CLOSE)}${chunk('{"message":"no"}')}0\r\n\r\n`,
    { code: 'unprocessable', outcome: 'rejected' },
  ],
  [
    'a duplicate in chunks of JSON',
    `${head(409, CHUNKED + CLOSE)}${chunk(WORDS)}0\r\n\r\n`,
    { code: 'duplicate', conflict: true, outcome: 'rejected' },
  ],
  [
    'an empty 409 with a length, which says nothing of a duplicate',
    head(409, `content-length: 0\r\n${CLOSE}`),
    { code: 'bad-request', outcome: 'rejected' },
  ],
  [
    'a refusal in HTML with a length',
    `${head(404, `content-length: ${HTML.length}\r\n${CLOSE}`)}${HTML}`,
    { code: 'not-found', outcome: 'rejected' },
  ],
  [
    'an empty refusal with a length',
    head(401, `content-length: 0\r\n${CLOSE}`),
    { code: 'authentication', outcome: 'rejected' },
  ],
  [
    'a part, 206',
    `${head(206, 'content-length: 18\r\n')}{"message":"kept"}`,
    { code: 'gateway', status: 206, outcome: 'unknown' },
  ],
];

describe.each(BY)('by %s, an answer that is complete', (_, by: ClientOptions) => {
  it.each(WHOLE)('counts: %s', async (_name, bytes, end) => {
    expect(await ask(await breaking('end', bytes), by)).toMatchObject(end);
  });
});

describe('an answer made in this process', () => {
  it.each<[string, () => Response, object]>([
    ['an empty success', () => new Response(null), { outcome: 'recorded' }],
    ['an empty text', () => new Response(''), { outcome: 'recorded' }],
    ['a success in JSON', () => Response.json({ message: 'kept' }), { outcome: 'recorded' }],
    ['an empty refusal', () => new Response(null, { status: 422 }), { code: 'unprocessable', outcome: 'rejected' }],
    [
      'a refusal in HTML',
      () => new Response(HTML, { status: 404, headers: { 'content-type': 'text/html' } }),
      { code: 'not-found', outcome: 'rejected' },
    ],
    ['an empty 409', () => new Response(null, { status: 409 }), { code: 'bad-request', outcome: 'rejected' }],
    ['a part', () => new Response('{}', { status: 206 }), { code: 'gateway', outcome: 'unknown' }],
  ])('needs no length: %s', async (_, answer, end) => {
    expect(await ask('https://gateway.example.com', { fetch: async () => answer() })).toMatchObject(end);
  });

  it('needs one if a fetch of the user copied the headers of a network', async () => {
    const fetch = async () => new Response('', { headers: { connection: 'close' } });
    expect(await ask('https://gateway.example.com', { fetch })).toMatchObject({ code: 'network', outcome: 'unknown' });
  });

  it('a partial answer is not a verification either', async () => {
    const fetch = async () => Response.json({ success: true }, { status: 206 });
    const client = createClient({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: KEY } },
      retry: { limit: 0 },
      fetch,
    });
    await expect(client.verifyNin('99012345678')).rejects.toMatchObject({ code: 'gateway', status: 206 });
  });
});
