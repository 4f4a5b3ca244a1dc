// A gateway that offers HTTP/2, as most load balancers do: the built-in `fetch` of Node.js 26 takes it. Its answer to a
// report is empty, and has a length over HTTP/1.1 only. Its key and certificate are in localhost.pem, and the process trusts it through
// NODE_EXTRA_CA_CERTS.
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createClient } from 'location-sdk';
import { nodeTransport } from 'location-sdk/transport/node';
import { betUser } from './players.js';

/** Throws unless the built-in `fetch` ends in doubt, with words that help, and `nodeTransport` records the report. */
export async function tryHttp2() {
  const pem = readFileSync('localhost.pem');
  /** The version of each request. @type {string[]} */
  const versions = [];
  const server = createSecureServer({ key: pem, cert: pem, allowHTTP1: true }, ({ httpVersion }, response) => {
    versions.push(httpVersion);
    response.end();
  });
  await /** @type {Promise<void>} */ (new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const send = async (/** @type {import('location-sdk').ClientOptions} */ options) => {
    const client = createClient({
      gateways: { staging: { baseUrl: `https://localhost:${port}`, apiKey: 'key' } },
      location: { fixed: { latitude: 6.4474, longitude: 7.5139 } },
      retry: { limit: 0 },
      logger: {},
      ...options,
    });
    try {
      return (await client.reportBetEvent({ bet_id: 'BET-1', amount: 1500, user: betUser })).outcome;
    } catch (error) {
      return String(error);
    }
  };
  const transport = nodeTransport();
  const [doubt, recorded] = [await send({}), await send({ transport })];
  await transport.close();
  server.close();
  if (!doubt.includes('over HTTP/2 (Node.js 26) pass nodeTransport() as transport') || recorded !== 'recorded')
    throw new Error(`HTTP/2: the built-in fetch ended with "${doubt}", nodeTransport with "${recorded}"`);
  if (`${versions}` !== '2.0,1.1') throw new Error(`expected HTTP/2, then HTTP/1.1, and not ${versions}`);
}
