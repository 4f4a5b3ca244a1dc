import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createMockGateway, type FaultRule } from '../../../src/entries/mock.js';
import { type MockServer, serve } from '../../../src/entries/node.js';
import { BODIES } from '../../testing/mock/world.js';

let server: MockServer;
afterEach(() => server.close());

/** Sends a bet over a raw socket and records the answer: the pieces, their times, and how it ended. */
async function watch(rule: FaultRule) {
  server = await serve(createMockGateway());
  server.gateway.faults.add(rule);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const body = JSON.stringify(BODIES.reportBetEvent);
  socket.write(
    `POST /integration-gateway/external/report-bet-event HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: mock-api-key\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const began = performance.now();
  const pieces: { text: string; at: number }[] = [];
  return new Promise<{ pieces: typeof pieces; text: string; end: string; reports: number }>((resolve) => {
    let error: string | undefined;
    socket.on('data', (piece) => {
      pieces.push({ text: String(piece), at: performance.now() - began });
      const text = pieces.map((one) => one.text).join('');
      // A complete answer leaves the connection open.
      if (text.endsWith('"}')) socket.destroy();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      error = code;
    });
    socket.on('close', () =>
      resolve({
        pieces,
        text: pieces.map(({ text }) => text).join(''),
        end: error ?? 'closed',
        reports: server.gateway.reports().length,
      }),
    );
  });
}

const lengthOf = (text: string) => Number(/content-length: (\d+)/i.exec(text)?.[1]);
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4);

test.each([
  ['before', 0],
  ['after', 1],
] as const)('connection-reset %s is an RST without a byte', async (when, recorded) => {
  expect(await watch({ kind: 'connection-reset', when })).toEqual({
    pieces: [],
    text: '',
    end: 'ECONNRESET',
    reports: recorded,
  });
});

test('half-body promises a length and ends in the middle', async () => {
  const { text, reports } = await watch({ kind: 'half-body', when: 'after' });
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(lengthOf(text)).toBe(45);
  expect(bodyOf(text)).toBe('{"message":"Bet event re');
  expect(() => JSON.parse(bodyOf(text))).toThrow();
  expect(reports).toBe(1);
});

test('half-body breaks the body that fetch reads', async () => {
  server = await serve(createMockGateway());
  server.gateway.faults.add({ kind: 'half-body' });
  server.gateway.faults.add({ kind: 'half-body', when: 'after' });
  const send = () =>
    fetch(`${server.url}/integration-gateway/external/nin/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
      body: '{"nin":"99012345678"}',
    });
  for (let time = 0; time < 2; time += 1) await expect((await send()).text()).rejects.toThrow('terminated');
});

test('slow-body comes in pieces over its time, and is complete', async () => {
  const { pieces, text } = await watch({ kind: 'slow-body', when: 'after', delay: 400 });
  expect(JSON.parse(bodyOf(text))).toEqual({ message: expect.any(String) });
  expect(pieces.length).toBeGreaterThan(4);
  const [first, last] = [pieces[0]?.at ?? 0, pieces.at(-1)?.at ?? 0];
  expect(last - first).toBeGreaterThan(250);
  expect(last).toBeLessThan(10_000);
});

test('hang sends nothing until reset, which breaks the connection', async () => {
  const watching = watch({ kind: 'hang', when: 'after' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await server.gateway.waitFor({ fault: 'hang' })).toMatchObject({ applied: true, status: undefined });
  server.gateway.reset();
  expect(await watching).toMatchObject({ text: '', end: 'ECONNRESET' });
});
