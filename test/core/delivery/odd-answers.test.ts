import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { answering, ask, transports } from './transports.js';

/** A gateway that answers each request with these bytes and closes, and the number of requests that it read. */
async function writing(bytes: string | Buffer) {
  const told = { baseUrl: '', requests: 0 };
  told.baseUrl = await answering((socket) => {
    told.requests += 1;
    socket.end(bytes);
  });
  return told;
}

const RECORDED = '{"message":"kept"}';
/** Too varied to be compressed into almost nothing. */
const LONG = JSON.stringify({ message: Array.from({ length: 2_000 }, (_, index) => (index * 7_919) % 1_009).join() });
const packed = (encoding: string, body: Buffer, status = 200) =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} X\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.byteLength}\r\n\r\n`),
    body,
  ]);
const plain = (status: number, body = '{}', header = '') =>
  `HTTP/1.1 ${status} X\r\n${header}content-length: ${body.length}\r\n\r\n${body}`;

const recorded = { outcome: 'recorded' };
const kept = { outcome: 'recorded', message: 'kept' };
const broken = { code: 'network', outcome: 'unknown', retryable: true };
const failed = (status: number) => ({ code: 'gateway', outcome: 'unknown', status });
const refused = (status: number) => ({ code: 'bad-request', outcome: 'rejected', status });

const ANSWERS: [name: string, bytes: string | Buffer, end: object][] = [
  ['HTTP/1.0, whose body ends with the connection', `HTTP/1.0 200 OK\r\n\r\n${RECORDED}`, kept],
  ['HTTP/1.0, cut off within its JSON', 'HTTP/1.0 200 OK\r\n\r\n{"message":"ke', failed(200)],
  [
    'an informational answer before the final one',
    `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${plain(200, RECORDED)}`,
    kept,
  ],
  ['an informational answer without a final one', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', broken],
  ['100 Continue, unrequested', `HTTP/1.1 100 Continue\r\n\r\n${plain(200)}`, broken],
  ['101, unrequested', plain(101), broken],
  ['an invalid status', plain(199), broken],
  ['a status out of range', plain(999), failed(999)],
  ['bytes that are not HTTP', 'hello\r\n\r\n', broken],
  ['headers without an end', 'HTTP/1.1 200 OK\r\n', broken],
  ['headers that are too long', plain(200, '{}', `x: ${'a'.repeat(20_000)}\r\n`), broken],
  ['two lengths', plain(200, '{}', 'content-length: 3\r\n'), broken],
  ['less than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{}', broken],
  ['more than its length', `${plain(200, RECORDED)}{"success":false}`, kept],
  ['pieces without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', broken],
  ['204', 'HTTP/1.1 204 X\r\n\r\n', recorded],
  ['205 with a body, which it may not have', plain(205, '<html>'), recorded],
  ['226', plain(226), recorded],
  ['304 with the length of an absent body', plain(304), failed(304)],
  ['a redirect to nowhere', plain(302), failed(302)],
  ['a redirect to an invalid address', plain(302, '{}', 'location: http://[\r\n'), failed(302)],
  ['407', plain(407), broken],
  ...[402, 406, 410, 425, 426, 431, 451, 499].map((status): [string, string, object] => [
    `${status}`,
    plain(status),
    refused(status),
  ]),
  ...[408, 511, 520, 599].map((status): [string, string, object] => [`${status}`, plain(status), failed(status)]),
  [
    '429 with two Retry-After headers',
    plain(429, '{}', 'retry-after: 7\r\nretry-after: 9\r\n'),
    { code: 'rate-limited', outcome: 'rejected' },
  ],
  ['gzip', packed('gzip', gzipSync(RECORDED)), kept],
  ['gzip in capitals', packed('GZIP', gzipSync(RECORDED)), kept],
  ['x-gzip', packed('x-gzip', gzipSync(RECORDED)), kept],
  ['br', packed('br', brotliCompressSync(RECORDED)), kept],
  ['deflate', packed('deflate', deflateSync(RECORDED)), kept],
  ['deflate without its header', packed('deflate', deflateRawSync(RECORDED)), kept],
  ['br over gzip', packed('gzip, br', brotliCompressSync(gzipSync(RECORDED))), kept],
  ['br with an unknown coding', packed('br, odd', brotliCompressSync(RECORDED)), failed(200)],
  ['an unknown coding', packed('odd', Buffer.from(RECORDED)), kept],
  // The same as a compressed answer that broke off.
  ['gzip of nothing', packed('gzip', Buffer.alloc(0)), broken],
  ['gzip without its last bytes', packed('gzip', gzipSync(RECORDED).subarray(0, -4)), kept],
  ['half of a gzip', packed('gzip', gzipSync(LONG).subarray(0, 1_000)), failed(200)],
  ['half of a br', packed('br', brotliCompressSync(LONG).subarray(0, 1_000)), failed(200)],
  ['an invalid gzip', packed('gzip', Buffer.from(RECORDED)), broken],
  ['a refusal in an invalid gzip', packed('gzip', Buffer.from(RECORDED), 422), broken],
  ['a gzip with bytes after it', packed('gzip', Buffer.concat([gzipSync(RECORDED), Buffer.from('xx')])), broken],
  ['many codings', packed(Array(6).fill('gzip').join(), Buffer.from(RECORDED)), broken],
  ['a gzip larger than the limit', packed('gzip', gzipSync(Buffer.alloc(40_000_000, ' '))), failed(200)],
];

describe.each(transports())('by %s', (_, by: ClientOptions) => {
  it.each(ANSWERS)('an answer of %s', async (_name, bytes, end) => {
    const server = await writing(bytes);
    expect(await ask(server.baseUrl, by)).toMatchObject(end);
    expect(server.requests).toBe(1);
  });

  it('407 is not an answer, and only nodeTransport() reports that it comes from a proxy', async () => {
    const { baseUrl } = await writing(plain(407));
    expect(((await ask(baseUrl, by)) as Error).message).toContain(
      by.transport ? '(PROXY_AUTHENTICATION_REQUIRED)' : 'the connection broke',
    );
  });

  it('204 with a length above 0 is a success by the built-in fetch, and leaves the report in doubt by nodeTransport()', async () => {
    const { baseUrl } = await writing('HTTP/1.1 204 X\r\ncontent-length: 2\r\n\r\n');
    expect(await ask(baseUrl, by)).toMatchObject({ outcome: by.transport ? 'unknown' : 'recorded' });
  });

  it('421 is a refusal, and only the built-in fetch repeats it once by itself, on another connection', async () => {
    const server = await writing(plain(421));
    expect(await ask(server.baseUrl, by)).toMatchObject(refused(421));
    expect(server.requests).toBe(by.transport ? 1 : 2);
  });
});
