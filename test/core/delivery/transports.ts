import type { Socket } from 'node:net';
import { afterAll, onTestFinished } from 'vitest';
import { createClient } from '../../../src/core/client/create-client.js';
import type { ClientOptions } from '../../../src/core/client/options.js';
import type { ReportingError } from '../../../src/core/errors/errors.js';
import { nodeTransport } from '../../../src/http/node/transport/node-transport.js';
import { rawGateway } from '../../support/raw-gateway.js';
import { bet } from './scripted-gateway.js';

/**
 * Rows for `describe.each`, one for each transport. `nodeTransport()` is closed after the tests of the calling file.
 */
export function transports(): [name: string, by: ClientOptions][] {
  const transport = nodeTransport();
  afterAll(() => transport.close());
  return [
    ['the built-in fetch', {}],
    ['nodeTransport()', { transport }],
  ];
}

/**
 * The address of a gateway of raw sockets: it reads each request to its end, and then does this with the connection.
 */
export async function answering(answer: (socket: Socket) => void): Promise<string> {
  const { baseUrl, close } = await rawGateway((_request, _index, socket) => answer(socket));
  onTestFinished(close);
  return baseUrl;
}

/** A canary: no error may contain it. */
export const KEY = 'canary-key-4711';

/** The receipt of one attempt to report a bet, or its error. */
export const ask = (baseUrl: string, by: ClientOptions) =>
  createClient({ gateways: { staging: { baseUrl, apiKey: KEY } }, retry: { limit: 0 }, attemptTimeoutMs: 5_000, ...by })
    .reportSettledBet(bet)
    .catch((error: ReportingError) => error);
