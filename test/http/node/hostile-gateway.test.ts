import { createServer as createHttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import { nodeTransport } from '../../../src/http/node/transport/node-transport.js';
import { createOutbox } from '../../../src/outbox/create-outbox.js';
import { memoryStore } from '../../../src/outbox/stores/memory.js';
import { bet } from '../../core/delivery/scripted-gateway.js';
import { answering, transports } from '../../core/delivery/transports.js';
import { certificateKey, ofElsewhere } from '../../support/certificates.js';
import { failureOf } from '../../support/failure-of.js';
import { listening } from '../../support/listen.js';

const TRANSPORTS = transports();

const of = (reference: string) => ({ ...bet, bet_id: reference });

const clientOf = (baseUrl: string, options: ClientOptions) =>
  createClient({
    gateways: { staging: { baseUrl, apiKey: 'key-1' } },
    environment: 'staging',
    retry: { limit: 0 },
    ...options,
  });

const tally = async (calls: Promise<unknown>[]) => {
  const ends = await Promise.allSettled(calls);
  return [
    ...new Set(
      ends.map((end) => (end.status === 'fulfilled' ? 'answered' : `${end.reason.code}/${end.reason.outcome}`)),
    ),
  ];
};

/** A gateway that never answers the reference HOG, and calls any other a duplicate. */
async function hogged() {
  const told = { baseUrl: '', references: [] as string[], connections: 0 };
  const server = createHttpServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { bet_id } = JSON.parse(Buffer.concat(pieces).toString()) as { bet_id: string };
    told.references.push(bet_id);
    if (bet_id !== 'HOG') response.writeHead(409).end('{"message":"This data has already been reported"}');
  });
  server.on('connection', () => {
    told.connections += 1;
  });
  told.baseUrl = `http://127.0.0.1:${await listening(server)}`;
  return told;
}

describe('a request that waits for a connection', () => {
  it('is not sent if its time is over or it is cancelled, and never arrives', async () => {
    const told = await hogged();
    const transport = nodeTransport({ connections: 1 });
    const patient = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 600 });
    const hog = failureOf(patient.reportSettledBet(of('HOG')));
    const client = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 100 });
    const calling = new AbortController();
    const aborted = failureOf(patient.reportSettledBet(of('B-2'), { signal: calling.signal }));
    setTimeout(() => calling.abort(), 20);
    expect(await failureOf(client.reportSettledBet(of('B-1')))).toMatchObject({
      code: 'timeout',
      outcome: 'not-sent',
      attempts: 1,
    });
    expect(await aborted).toMatchObject({ code: 'aborted', outcome: 'not-sent', attempts: 1 });
    expect(await hog).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    await transport.close();
    expect(told.references).toEqual(['HOG']);
  });

  it('leaves no doubt, so that a later duplicate is a real one', async () => {
    const told = await hogged();
    const transport = nodeTransport({ connections: 1 });
    const hog = failureOf(clientOf(told.baseUrl, { transport, attemptTimeoutMs: 500 }).reportSettledBet(of('HOG')));
    const client = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 400, retry: { limit: 9, baseMs: 50 } });
    expect(await failureOf(client.reportSettledBet(of('B-1')))).toMatchObject({
      code: 'duplicate',
      outcome: 'rejected',
    });
    expect(told.references).toEqual(['HOG', 'B-1']);
    await hog;
  });

  it('leaves its row in the outbox without doubt, so that the report of another system is quarantined', async () => {
    const told = await hogged();
    const transport = nodeTransport({ connections: 1 });
    const client = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 150 });
    const outbox = createOutbox({ client, store: memoryStore(), retry: { baseMs: 10, capMs: 50 } });
    const hog = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 500 }).reportSettledBet(of('HOG'));
    const { id, done } = await outbox.reportSettledBet(of('B-1'));
    const ended = failureOf(done);
    const pauses: unknown[] = [];
    outbox.on('paused', ({ reason }) => pauses.push(reason));
    outbox.start();
    await failureOf(hog);
    expect(await ended).toMatchObject({ code: 'duplicate' });
    expect(await outbox.get(id)).toMatchObject({ state: 'quarantined' });
    expect(new Set(pauses)).toEqual(new Set(['unreachable']));
    await outbox.stop();
  });

  it('opens no connection after its caller has left', async () => {
    const told = await hogged();
    const transport = nodeTransport({ connections: 2 });
    const slow = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 800 });
    const hogs = [failureOf(slow.reportSettledBet(of('HOG'))), failureOf(slow.reportSettledBet(of('HOG')))];
    const client = clientOf(told.baseUrl, { transport, attemptTimeoutMs: 100 });
    expect(await tally(Array.from({ length: 100 }, (_, index) => client.reportSettledBet(of(`B-${index}`))))).toEqual([
      'timeout/not-sent',
    ]);
    await Promise.all(hogs);
    expect(await failureOf(slow.reportSettledBet(of('B-LATE')))).toMatchObject({ code: 'duplicate' });
    await transport.close();
    expect(told.references).toEqual(['HOG', 'HOG', 'B-LATE']);
    // Not one for each that had waited.
    expect(told.connections).toBeLessThan(10);
  });

  it('is sent in its turn if the transport is closed meanwhile', async () => {
    const told = await hogged();
    const transport = nodeTransport({ connections: 1 });
    const client = clientOf(told.baseUrl, { transport });
    const calls = ['B-1', 'B-2', 'B-3'].map((reference) => failureOf(client.reportSettledBet(of(reference))));
    await new Promise((resolve) => setImmediate(resolve));
    await transport.close();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    expect(told.references).toEqual(['B-1', 'B-2', 'B-3']);
  });
});

it.each([
  [1, 20],
  [2, 20],
  [128, 300],
])(
  'a certificate for another name, at most %i connections: each of %i calls gets the error',
  async (connections, calls) => {
    const server = createTlsServer({ key: certificateKey, cert: ofElsewhere }, (socket) =>
      socket.on('error', () => {}),
    );
    server.on('tlsClientError', () => {});
    const client = clientOf(`https://localhost:${await listening(server)}`, {
      transport: nodeTransport({ connections }),
      attemptTimeoutMs: 60_000,
      timeoutMs: 100_000,
    });
    expect(await tally(Array.from({ length: calls }, (_, index) => client.reportSettledBet(of(`B-${index}`))))).toEqual(
      ['network/not-sent'],
    );
  },
);

describe('a transport that is closed', () => {
  it('sends nothing, says so, and may be closed again', async () => {
    const told = await hogged();
    const transport = nodeTransport();
    await Promise.all([transport.close(), transport.close()]);
    const error = await failureOf(clientOf(told.baseUrl, { transport }).reportSettledBet(bet));
    expect(error).toMatchObject({ code: 'network', outcome: 'not-sent' });
    expect(error.message).toContain('the transport that you passed is closed');
    await transport.close();
    expect(told.references).toEqual([]);
  });
});

it('an answer in very many pieces costs about its size', async () => {
  const pieces = Buffer.from('1\r\n \r\n'.repeat(20_000));
  const many = 1_000_000;
  const baseUrl = await answering((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    for (let sent = 0; sent < many; sent += 20_000) socket.write(pieces);
    const body = '{"success":false}';
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  });
  const before = process.memoryUsage();
  let top = 0;
  const watching = setInterval(() => {
    top = Math.max(top, process.memoryUsage().heapUsed - before.heapUsed);
  }, 5);
  // An identity may be long, with its pictures.
  expect(
    await clientOf(baseUrl, { transport: nodeTransport(), attemptTimeoutMs: 20_000 }).verifyNin('99012345678'),
  ).toMatchObject({ success: false });
  clearInterval(watching);
  // Stored one by one they take about 100 MB.
  expect(top).toBeLessThan(50e6);
}, 30_000);

describe('a 2xx answer without a body', () => {
  const closing = (head: string) => (socket: Socket) => {
    socket.write(`HTTP/1.1 ${head}\r\n\r\n`);
    setTimeout(() => socket.resetAndDestroy(), 20);
  };

  it.each(TRANSPORTS)('by %s, is unknown if only the end of the connection ends it', async (_, by) => {
    for (const head of [
      '200 OK\r\nconnection: close',
      '201 Created\r\ncontent-type: application/json\r\nconnection: Close',
    ]) {
      const error = await failureOf(clientOf(await answering(closing(head)), by).reportSettledBet(bet));
      expect(error).toMatchObject({ code: 'network', outcome: 'unknown', retryable: true });
      expect(error.message).toContain('the answer may be incomplete');
    }
  });

  it('by nodeTransport(), also if no header says that the connection closes', async () => {
    const transport = nodeTransport();
    for (const head of ['200 OK', '200 OK\r\n\r\n ', '200 OK\r\ncontent-type: application/json']) {
      expect(
        await failureOf(clientOf(await answering(closing(head)), { transport }).reportSettledBet(bet)),
      ).toMatchObject({
        code: 'network',
        outcome: 'unknown',
      });
    }
  });

  it.each(TRANSPORTS)('by %s, is a success if it says that it is empty', async (_, by) => {
    const whole = [
      '200 OK\r\ncontent-length: 0',
      '200 OK\r\nconnection: close\r\ncontent-length: 0',
      '204 No Content\r\nconnection: close',
    ];
    for (const head of whole)
      expect(await clientOf(await answering(closing(head)), by).reportSettledBet(bet)).toMatchObject({
        outcome: 'recorded',
      });
  });

  it.each(TRANSPORTS)('by %s, is unknown if no length and no JSON shows that it is complete', async (_, by) => {
    const baseUrl = await answering(closing('200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n0'));
    expect(await failureOf(clientOf(baseUrl, by).reportSettledBet(bet))).toMatchObject({
      code: 'network',
      outcome: 'unknown',
    });
  });

  it.each(TRANSPORTS)('by %s, does not prove a refusal either', async (_, by) => {
    const error = await failureOf(
      clientOf(await answering(closing('429 Slow\r\nconnection: close\r\nretry-after: 31')), by).reportSettledBet(bet),
    );
    expect(error).toMatchObject({ code: 'network', outcome: 'unknown', status: 429 });
  });
});
