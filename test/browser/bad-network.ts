import { createServer, type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../support/listen.js';

/** The fate of one POST. Everything else passes. */
export interface Fate {
  /** Milliseconds until the request goes on, and until its answer comes back. */
  readonly there?: number;
  readonly back?: number;
  /** The connection breaks before the server gets the request, or after it has answered. */
  readonly cut?: 'before' | 'after';
  /** The server gets the request twice. The sender gets the second answer. */
  readonly repeat?: boolean;
}

/** A POST that the server has answered. */
export interface Exchange {
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
  /** Whether the sender got the answer. */
  readonly isDelivered: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A network between a sender and a server: a proxy whose connections break, wait and repeat. */
export async function badNetwork(target: string, fateOf: (path: string) => Fate) {
  const exchanges: Exchange[] = [];
  let isHealed = false;

  /** Each request has a connection of its own, so that only the proxy breaks connections. */
  const forward = ({ method, url = '/', headers }: IncomingMessage, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const onward = send(new URL(url, target), { method, headers: { ...headers, connection: 'close' }, agent: false });
      onward.once('error', reject);
      onward.once('response', async (response) => {
        const { statusCode: status = 502, headers: own } = response;
        const { connection: _, 'transfer-encoding': __, ...headers } = own;
        buffer(response).then((body) => resolve({ status, headers, body }), reject);
      });
      onward.end(body);
    });

  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path = '/' } = incoming;
    const fate = isHealed || method !== 'POST' ? {} : fateOf(path);
    try {
      const body = await buffer(incoming);
      if (fate.there) await sleep(fate.there);
      if (fate.cut === 'before') return outgoing.destroy();
      const answers = await Promise.all(Array.from({ length: fate.repeat ? 2 : 1 }, () => forward(incoming, body)));
      if (fate.back) await sleep(fate.back);
      const isDelivered = fate.cut !== 'after' && !outgoing.destroyed;
      if (method === 'POST')
        for (const { status, body: answer } of answers)
          exchanges.push({ path, body: String(body), status, answer: String(answer), isDelivered });
      const last = answers.at(-1);
      if (!isDelivered || !last) return outgoing.destroy();
      outgoing.writeHead(last.status, { ...last.headers, 'content-length': last.body.length }).end(last.body);
    } catch {
      // The sender has gone, or the server.
      outgoing.destroy();
    }
  });
  const { url, close } = await listen(server);
  return {
    url,
    exchanges,
    /** From now on everything passes. */
    heal: () => {
      isHealed = true;
    },
    close,
  };
}
