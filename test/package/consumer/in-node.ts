/** Code for a process of Node.js: its types name those of `node:http`. */
import { createServer } from 'node:http';
import { createClient } from 'location-sdk';
import { createMockGateway } from 'location-sdk/mock';
import {
  type MockServer,
  type NodeHandler,
  type StopOnSignalsOptions,
  serve,
  stopOnSignals,
  toNodeHandler,
} from 'location-sdk/node';
import { createOutbox, type OutboxStore } from 'location-sdk/outbox';
import { relay, settledBet } from './uses.js';

export async function tryAgainstAServer(): Promise<number> {
  const gateway = createMockGateway({ requireInitiated: false });
  const server: MockServer = await serve(gateway, { port: 0 });
  await createClient({ ...server.clientOptions(), retry: { limit: 1 } }).reportSettledBet(settledBet);
  await server.close();
  return gateway.reports('staging').length;
}

export function stoppedBySignals(store: OutboxStore, options: StopOnSignalsOptions): () => void {
  return stopOnSignals(createOutbox({ client: createClient(), store }), options);
}

export function serveRelay(): void {
  const handler: NodeHandler = toNodeHandler(relay);
  createServer(handler).listen(3_000);
}

export const mistakes = () => [
  // @ts-expect-error: a port is a number.
  serve(createMockGateway(), { port: '4010' }),
];
