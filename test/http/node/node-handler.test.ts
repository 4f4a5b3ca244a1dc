import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toNodeHandler } from '../../../src/http/node/node-handler.js';
import { listening } from '../../support/listen.js';
import { pageBet, relayWorld } from '../relay/world.js';

afterEach(() => void vi.restoreAllMocks());

const serveWith = (listener: RequestListener) => listening(createServer(listener));

/** A relay on a socket. Its connections come from loopback, so the page's own location is reported. */
async function serving(options: Parameters<typeof relayWorld>[0] = {}) {
  const world = relayWorld(options);
  const port = await serveWith(toNodeHandler(world.relay));
  return { ...world, port };
}

const BODY = JSON.stringify(pageBet({ location: { latitude: 6.4, longitude: 3.4 } }));

const head = (
  port: number,
  {
    line = 'POST /relay/report-bet-event HTTP/1.1',
    length = BODY.length as number | 'unknown',
    more = [] as string[],
    host = `localhost:${port}`,
  } = {},
) =>
  [
    line,
    `Host: ${host}`,
    `Origin: http://localhost:${port}`,
    'Content-Type: application/json',
    'X-Location-Sdk: 1',
    'Cookie: session=ada',
    ...(length === 'unknown' ? [] : [`Content-Length: ${length}`]),
    ...more,
    '',
    '',
  ].join('\r\n');

/**
 * Sends bytes unchanged, and returns everything that comes back until the connection ends, or its beginning if that is
 * enough: the server waits a second for the rest of a body that it has refused.
 */
const exchange = (port: number, bytes: string, { half = false, enough = false } = {}) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let came = '';
    socket.on('data', (piece) => {
      came += piece;
      if (enough && came.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(came));
    socket.write(bytes);
    if (half) socket.end();
  });

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const CLOSE = ['Connection: close'];

test('an event over a socket is reported once', async () => {
  const { port, gateway } = await serving();
  const answer = await exchange(port, head(port, { more: CLOSE }) + BODY);
  expect([statusOf(answer), answer.includes('"outcome":"recorded"')]).toEqual([200, true]);
  expect(answer).toMatch(/cache-control: no-store\r\n/i);
  expect(answer).not.toMatch(/x-powered-by|\r\nserver:/i);
  expect(gateway.reports()).toHaveLength(1);
});

test('fetch reaches it, and a kept-alive connection serves the next event', async () => {
  const { port, gateway } = await serving();
  for (const bet_id of ['BET-1', 'BET-2']) {
    const headers = {
      'content-type': 'application/json',
      'x-location-sdk': '1',
      cookie: 'session=ada',
      origin: `http://localhost:${port}`,
    };
    const response = await fetch(`http://localhost:${port}/report-bet-event`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...JSON.parse(BODY), bet_id }),
    });
    expect([response.status, (await response.json()).reference]).toEqual([200, bet_id]);
  }
  expect(gateway.reports()).toHaveLength(2);
});

test('the address of the socket is the player’s, and the request is available', async () => {
  const seen: unknown[] = [];
  const { port } = await serving({
    authorize: (_request, { native }) => void seen.push((native as IncomingMessage).socket.remoteAddress),
    complete: () => ({}),
  });
  await exchange(port, head(port, { more: [...CLOSE, 'X-Forwarded-For: 8.8.8.8'] }) + BODY);
  expect(seen).toEqual(['127.0.0.1']);
});

test('the machine’s own address is not looked up, for any header', async () => {
  const { port, lookedUp } = await serving();
  const body = JSON.stringify(pageBet());
  const answer = await exchange(
    port,
    head(port, { length: body.length, more: [...CLOSE, 'X-Forwarded-For: 8.8.8.8'] }) + body,
  );
  expect([statusOf(answer), answer.includes('"reason":"not-public"'), lookedUp]).toEqual([503, true, []]);
});

test('a header that came in two lines is recognised, though a web Request joins them', async () => {
  const { port, lookedUp } = await serving({ trustedProxies: 'heroku' });
  const body = JSON.stringify(pageBet());
  const ask = (...lines: string[]) =>
    exchange(
      port,
      head(port, { length: body.length, more: [...CLOSE, ...lines.map((line) => `X-Forwarded-For: ${line}`)] }) + body,
    );
  const twice = await ask('8.8.8.8', '102.89.23.47');
  expect([statusOf(twice), twice.includes('"reason":"no-address"'), lookedUp]).toEqual([503, true, []]);
  expect(statusOf(await ask('8.8.8.8, 102.89.23.47'))).toBe(200);
  expect(lookedUp).toEqual(['102.89.23.47']);
});

test.each([
  ['/relay/report-bet-event', 200],
  ['/open/../relay/report-bet-event', 404],
  ['/relay/%2e/report-bet-event', 404],
  ['/relay;x=1/report-bet-event', 404],
])('with Express, which removes the mount path, the whole path counts: %s', async (originalUrl, status) => {
  const { relay, gateway } = relayWorld();
  const port = await serveWith((incoming, outgoing) => {
    Object.assign(incoming, { originalUrl, url: '/report-bet-event' });
    void toNodeHandler(relay)(incoming, outgoing);
  });
  expect(statusOf(await exchange(port, head(port, { more: CLOSE }) + BODY))).toBe(status);
  expect(gateway.reports()).toHaveLength(status === 200 ? 1 : 0);
});

describe('a slow body', () => {
  test('is answered with 408 and the connection ends', async () => {
    const { port, gateway } = await serving({ bodyTimeoutMs: 50 });
    const answer = await exchange(port, head(port) + BODY.slice(0, 10));
    expect([statusOf(answer), answer.includes('"code":"timeout"')]).toEqual([408, true]);
    expect(gateway.requests()).toEqual([]);
  });

  test('that drips gets the same', async () => {
    const { port, gateway } = await serving({ bodyTimeoutMs: 50 });
    const socket = connect(port, '127.0.0.1');
    let came = '';
    const ended = new Promise((resolve) => socket.on('close', resolve));
    const drip = setInterval(() => socket.write(' '), 5);
    socket
      .on('error', () => undefined)
      .on('data', (piece) => {
        came += piece;
        clearInterval(drip);
        socket.destroy();
      });
    socket.write(head(port, { length: 60_000 }));
    await ended;
    clearInterval(drip);
    expect([statusOf(came), gateway.requests()]).toEqual([408, []]);
  });

  test('in chunks gets the same', async () => {
    const { port, gateway } = await serving({ bodyTimeoutMs: 50 });
    const answer = await exchange(
      port,
      `${head(port, { length: 'unknown', more: ['Transfer-Encoding: chunked'] })}5\r\n{"bet\r\n`,
      { enough: true },
    );
    expect([statusOf(answer), gateway.requests()]).toEqual([408, []]);
  });

  test('does not delay other requests', async () => {
    const { port } = await serving({ bodyTimeoutMs: 100 });
    const slow = Array.from({ length: 20 }, () => exchange(port, head(port) + BODY.slice(0, 10), { enough: true }));
    expect(statusOf(await exchange(port, head(port, { more: CLOSE }) + BODY))).toBe(200);
    expect((await Promise.all(slow)).map(statusOf)).toEqual(Array(20).fill(408));
  });
});

describe('a body', () => {
  test('that stops in the middle is not a report', async () => {
    const { port, gateway } = await serving();
    await exchange(port, head(port, { length: BODY.length + 1 }) + BODY, { half: true });
    expect(gateway.requests()).toEqual([]);
  });

  test.each([
    ['known by its length', (port: number) => head(port, { length: 5_000_000 })],
    ['that is sent completely', (port: number) => head(port, { length: 5_000_000 }) + 'x'.repeat(5_000_000)],
    [
      'in a chunk',
      (port: number) =>
        `${head(port, { length: 'unknown', more: ['Transfer-Encoding: chunked'] })}20000\r\n${'x'.repeat(0x20000)}\r\n`,
    ],
  ])('beyond the limit, %s, is 413', async (_, bytes) => {
    const { port, gateway } = await serving();
    const answer = await exchange(port, bytes(port), { enough: true });
    expect([statusOf(answer), gateway.requests()]).toEqual([413, []]);
  });

  test('of a stranger is not waited for', async () => {
    const { port } = await serving();
    const answer = await exchange(port, head(port, { length: 60_000 }).replace('session=ada', 'session=none'), {
      enough: true,
    });
    expect(statusOf(answer)).toBe(401);
  });
});

describe('an invalid request', () => {
  const LINES: readonly [name: string, line: string, status: number][] = [
    [
      'a method that a web Request refuses: it ends the connection',
      'TRACE /relay/report-bet-event HTTP/1.1',
      Number.NaN,
    ],
    ['GET', 'GET /relay/report-bet-event HTTP/1.1', 405],
    ['an encoded slash', 'POST /relay%2Freport-bet-event HTTP/1.1', 404],
    ['a backslash', 'POST /relay\\x/..\\settle-withdrawal HTTP/1.1', 404],
    ['dots that lead to the relay', 'POST /open/../relay/report-bet-event HTTP/1.1', 404],
    ['dots within the relay', 'POST /relay/./report-bet-event HTTP/1.1', 404],
    ['encoded dots that lead to the relay', 'POST /open/%2e%2E/relay/report-bet-event HTTP/1.1', 404],
    ['half encoded dots that lead to the relay', 'POST /open/.%2e/relay/report-bet-event HTTP/1.1', 404],
    ['backslashes that lead to the relay', 'POST /open\\..\\relay\\report-bet-event HTTP/1.1', 404],
    ['a parameter in the name of a folder', 'POST /relay;x=1/report-bet-event HTTP/1.1', 404],
    ['a folder that is a parameter', 'POST /relay/;x=1/report-bet-event HTTP/1.1', 404],
    ['a backslash before the name', 'POST /relay\\report-bet-event HTTP/1.1', 404],
    ['dots in a whole address', 'POST http://shop.example/open/../relay/report-bet-event HTTP/1.1', 404],
    ['a fragment behind it', 'POST /relay/report-bet-event#x HTTP/1.1', 404],
    ['two slashes', 'POST //evil.example/report-bet-event HTTP/1.1', 404],
    ['a whole address of elsewhere', 'POST https://evil.example/nin/verify HTTP/1.1', 404],
    ['a fragment', 'POST /nin/verify#/report-bet-event HTTP/1.1', 404],
  ];

  test('is refused for its line', async () => {
    const { port, gateway } = await serving();
    for (const [name, line, status] of LINES)
      expect(statusOf(await exchange(port, head(port, { line, length: 0, more: CLOSE }))), name).toBe(status);
    expect(gateway.requests()).toEqual([]);
  });

  const HEADS: readonly [name: string, change: Parameters<typeof head>[1], status: number][] = [
    ['an invalid host', { host: 'x/y' }, 400],
    ['the origin of another host', { host: 'other.example' }, 403],
    ['a header within a header', { more: ['X-Note: a\nSet-Cookie: session=evil', ...CLOSE] }, 400],
    ['two lengths', { more: ['Content-Length: 3', ...CLOSE] }, 400],
    ['a length and chunks', { more: ['Transfer-Encoding: chunked', ...CLOSE] }, 400],
  ];

  test('is refused for its headers', async () => {
    const { port, gateway } = await serving();
    for (const [name, change, status] of HEADS)
      expect(statusOf(await exchange(port, head(port, { more: CLOSE, ...change }) + BODY)), name).toBe(status);
    expect(gateway.requests()).toEqual([]);
  });
});

describe('behind a body parser', () => {
  const parsed = async (incoming: IncomingMessage) => {
    for await (const _ of incoming);
  };

  test('Express gets the advice', async () => {
    const { relay, gateway } = relayWorld();
    const errors: unknown[] = [];
    const port = await serveWith(async (incoming, outgoing) => {
      await parsed(incoming);
      await toNodeHandler(relay)(incoming, outgoing, (error) => {
        errors.push(error);
        outgoing.writeHead(500).end();
      });
    });
    expect(statusOf(await exchange(port, head(port, { more: CLOSE }) + BODY))).toBe(500);
    expect([errors, gateway.requests()]).toEqual([
      [expect.objectContaining({ message: expect.stringContaining('before any body parser') })],
      [],
    ]);
  });

  test('without next it is a bare 500, and a warning of the process', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { relay } = relayWorld();
    const port = await serveWith(async (incoming, outgoing) => {
      await parsed(incoming);
      await toNodeHandler(relay)(incoming, outgoing);
    });
    const answer = await exchange(port, head(port, { more: CLOSE }) + BODY);
    const id = /\((\w{16})\)/.exec(answer)?.[1];
    expect([statusOf(answer), id]).toEqual([500, expect.any(String)]);
    expect(warned).toHaveBeenCalledWith(expect.stringContaining(`${id}: `), expect.anything());
  });
});

test('a report continues after its page has left', async () => {
  let reported = (_: unknown) => {};
  const done = new Promise((resolve) => {
    reported = resolve;
  });
  let gone = () => {};
  const left = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const socket = connect(
    await serveWith((incoming, outgoing) => void toNodeHandler(relay)(incoming, outgoing)),
    '127.0.0.1',
  );
  const complete = async () => {
    socket.destroy();
    socket.once('close', gone);
    await left;
    return undefined;
  };
  const { relay, gateway } = relayWorld({ complete, onReceipt: (receipt) => reported(receipt) });
  await once(socket, 'connect');
  socket.write(head(socket.remotePort ?? 0) + BODY);
  expect(await done).toMatchObject({ outcome: 'recorded' });
  expect(gateway.reports()).toHaveLength(1);
});
