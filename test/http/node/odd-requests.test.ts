import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { type MockServer, serve } from '../../../src/entries/node.js';
import { betEvent } from '../../support/factories.js';

const PATH = '/integration-gateway/external/report-bet-event';
const MIB = 1024 * 1024;
let server: MockServer;

beforeEach(async () => {
  server = await serve(createMockGateway());
});

afterEach(async () => {
  // After any request the server still answers, and its ledger contains the recorded reports and no others.
  await expect(
    createClient(server.clientOptions()).reportBetEvent(betEvent({ bet_id: 'AFTER' })),
  ).resolves.toMatchObject({ outcome: 'recorded' });
  expect(server.gateway.reports().map(({ reference }) => reference)).toEqual(['AFTER']);
  await server.close();
});

const portOf = ({ url }: MockServer) => Number(new URL(url).port);

/** Sends bytes unchanged and returns everything that comes back until the connection ends; `done` ends it from here. */
const exchange = (bytes: string | Buffer, { half = false, done = (_: string): boolean => false } = {}) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true });
    let came = '';
    socket.on('data', (piece) => {
      came += piece;
      if (done(came)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(came));
    socket.write(bytes);
    if (half) socket.end();
  });

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join('\r\n');
/** The server waits a second for the rest of a body that it has refused. */
const ENOUGH = { done: (came: string) => came.includes('\r\n\r\n') };
const KEY = ['x-api-key: mock-api-key', 'content-type: application/json'].join('\r\n');
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

const LINES: readonly [line: string, status: number][] = [
  ['GET /', 403],
  ['GET //', 404],
  ['GET //evil.example/x', 404],
  ['GET /%', 404],
  ['GET /%00', 404],
  ['GET /../../etc/passwd', 404],
  ['GET /?', 403],
  ['GET *', 404],
  ['OPTIONS *', 404],
  ['GET http://elsewhere/', 403],
  ['GET http://[/', 403],
  [`GET ${PATH}`, 405],
  [`HEAD ${PATH}`, 405],
  [`PUT ${PATH}`, 405],
  ['POST /integration-gateway;x=1/external/report-bet-event', 404],
  ['POST /;x=1/integration-gateway/external/report-bet-event', 404],
  ['GET /__admin;x=1/health', 404],
  ['GET /__admin/health;x=1', 403],
  [`PROPFIND ${PATH}`, 405],
  [`POST http://elsewhere${PATH}`, 401],
  ['FETCH /', 400],
  ['GET /\u0000', 400],
];

test('each odd line is answered with its status', async () => {
  for (const [line, status] of LINES) expect([line, statusOf(await exchange(head(line)))]).toEqual([line, status]);
});

test('a method that a web Request refuses ends the connection', async () => {
  for (const line of [`TRACE ${PATH}`, 'CONNECT x:1']) expect(await exchange(head(line))).toBe('');
});

test("each odd Host is answered, and is not the server's own", async () => {
  for (const host of ['a b', 'evil@127.0.0.1', 'x/y', '[', '', ':', 'a:b:c', '127.0.0.1:99999999']) {
    const answer = await exchange(`GET /__admin/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect([400, 403], host).toContain(statusOf(answer));
  }
});

test('HEAD has the headers of GET and no body', async () => {
  const health = `/__admin/health HTTP/1.1\r\nHost: 127.0.0.1:${portOf(server)}\r\nConnection: close\r\n\r\n`;
  const answer = await exchange(`HEAD ${health}`);
  expect([statusOf(answer), bodyOf(answer)]).toEqual([200, '']);
  expect(bodyOf(await exchange(`GET ${health}`))).toContain('"status":"ok"');
  expect(bodyOf(await exchange(head(`HEAD ${PATH}`)))).toBe('');
});

test('a request for another protocol is ignored', async () => {
  const answer = await exchange(
    `${head(`POST ${PATH}`, KEY, 'Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2')}{}`,
    {
      done: (came) => came.includes('statusCode'),
    },
  );
  expect(statusOf(answer)).toBe(422);
});

test('a request with Expect: 100-continue gets it', async () => {
  const answer = await exchange(`${head(`POST ${PATH}`, KEY, 'Expect: 100-continue', 'Content-Length: 2')}{}`);
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422/);
  expect(statusOf(await exchange(`${head(`POST ${PATH}`, KEY, 'Expect: tea', 'Content-Length: 2')}{}`))).toBe(417);
});

test('endless headers are 431', async () => {
  expect(statusOf(await exchange(head('GET /', `x-long: ${'x'.repeat(MIB)}`)))).toBe(431);
});

test('two lengths, a length and chunks, and a length below 0 are 400', async () => {
  for (const headers of [
    ['Content-Length: 2', 'Content-Length: 3'],
    ['Content-Length: 2', 'Transfer-Encoding: chunked'],
    ['Content-Length: -1'],
  ])
    expect(statusOf(await exchange(`${head(`POST ${PATH}`, KEY, ...headers)}{}`)), headers.join()).toBe(400);
});

test('a body that stops in the middle is not a report', async () => {
  const body = JSON.stringify(betEvent());
  await exchange(head(`POST ${PATH}`, KEY, `Content-Length: ${body.length + 1}`) + body, { half: true });
  await exchange(`${head(`POST ${PATH}`, KEY, 'Transfer-Encoding: chunked')}5\r\n{"a"`, { half: true });
  expect(server.gateway.requests()).toEqual([]);
});

describe('a body of more than 1 MiB is 413 and the connection is closed', () => {
  test('known by its length, before it arrives', async () => {
    const answer = await exchange(head(`POST ${PATH}`, KEY, `Content-Length: ${5 * MIB}`));
    expect(statusOf(answer)).toBe(413);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ statusCode: 413, error: 'Payload Too Large' });
  });

  test('that is sent completely', async () => {
    const answer = await exchange(head(`POST ${PATH}`, KEY, `Content-Length: ${5 * MIB}`) + 'x'.repeat(5 * MIB));
    expect([statusOf(answer), /connection: close/i.test(answer)]).toEqual([413, true]);
  });

  test('in chunks, with more to come', async () => {
    const size = 2 * MIB;
    const answer = await exchange(
      `${head(`POST ${PATH}`, KEY, 'Transfer-Encoding: chunked')}${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`,
      ENOUGH,
    );
    expect(statusOf(answer)).toBe(413);
  });

  test('and without a key it is 401, by the order of the checks', async () => {
    expect(statusOf(await exchange(head(`POST ${PATH}`, `Content-Length: ${5 * MIB}`), ENOUGH))).toBe(401);
  });

  test("for a server's own route at the limit of that route", async () => {
    const host = `Host: 127.0.0.1:${portOf(server)}`;
    const put = (path: string, length: number) =>
      exchange(
        `PUT ${path} HTTP/1.1\r\n${host}\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(length)}`,
      );
    expect(statusOf(await put('/__admin/state', 17 * MIB))).toBe(413);
    expect(statusOf(await put('/__admin/state', 2 * MIB))).toBe(400);
  });
});

const BODIES: readonly [name: string, body: string | Buffer][] = [
  ['deep nesting', '['.repeat(500_000)],
  ['deep nesting that ends', `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
  ['a deep fault', `{"user":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
  ['huge numbers', '{"bet_id":"B","amount":1e999}'],
  ['another prototype', '{"__proto__":{"bet_id":"B"},"constructor":1}'],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
];

test('each odd body is refused', async () => {
  for (const [name, body] of BODIES) {
    const bytes = Buffer.from(body);
    const answer = await exchange(
      Buffer.concat([Buffer.from(head(`POST ${PATH}`, KEY, `Content-Length: ${bytes.byteLength}`)), bytes]),
    );
    expect([400, 422], name).toContain(statusOf(answer));
  }
});

test('pipelined requests are answered in order', async () => {
  const one = head(`POST ${PATH}`, 'Content-Length: 2').replace('Connection: close\r\n', '');
  const answer = await exchange(`${one}{}${one}{}${head('GET /nowhere')}`);
  expect([...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['401', '401', '404']);
});
