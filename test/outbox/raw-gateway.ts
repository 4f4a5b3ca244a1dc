import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ClientOptions } from '../../src/core/client/options.js';
import { moduleTransport } from '../../src/core/delivery/ky-transport.js';
import type { Transport } from '../../src/core/delivery/transport.js';
import { FakeClock, holdClocks } from '../core/delivery/fake-clock.js';

/** A request, as the socket received it. */
export interface RawRequest {
  readonly path: string;
  readonly body: string;
  readonly at: number;
}

/** The answer to a request: the bytes of a complete answer. Empty if `reply` writes them later. */
export type RawAnswer = (request: RawRequest, index: number, reply: (bytes: string) => void) => string | undefined;

/** A complete HTTP answer as text. */
export const http = (
  status: string,
  body = '',
  headers: readonly string[] = ['content-type: application/json'],
): string => [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');

/** A gateway of plain sockets without code of the package. It reads requests, and writes the given answers. */
export async function rawGateway(first: RawAnswer) {
  let answer = first;
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket);
    let buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (;;) {
        const end = buffer.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = buffer.subarray(0, end).toString('latin1');
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        if (buffer.length < end + 4 + length) return;
        const request = {
          path: head.split(' ')[1] ?? '',
          body: buffer.subarray(end + 4, end + 4 + length).toString(),
          at: Date.now(),
        };
        buffer = buffer.subarray(end + 4 + length);
        requests.push(request);
        const bytes = answer(request, requests.length - 1, (later) => void socket.write(later));
        if (bytes !== undefined) socket.write(bytes);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerWith(next: RawAnswer): void {
      answer = next;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Requests over real sockets in virtual time, which stands still while a request is under way. */
export function virtualTime(transport: Transport = moduleTransport(undefined, false)) {
  const clock = new FakeClock();
  const client: Pick<ClientOptions, 'clock' | 'transport'> = {
    clock,
    transport: { send: (request, limit) => transport.send(request, limit).finally(holdClocks()) },
  };
  return {
    clock,
    client,
    seconds: (count: number) =>
      clock.run(new Promise<void>((resolve) => void clock.setTimeout(resolve, count * 1_000))),
  };
}
