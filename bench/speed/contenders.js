// The compared senders. Each sends one JSON body with a key in a header to the same server and returns the parsed JSON
// answer. None of them repeats a request. They are loaded when they run, each in a separate process.
import { builds, load, nameOf } from '../builds.js';

/** @typedef {ReturnType<typeof import('./bet.js').nextBet>} Bet */
/** @typedef {(bet: Bet) => Promise<unknown>} Send sends one report, and resolves once it is answered */

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(port: number) => Promise<Send> | Send} start
 */

const KEY = 'bench-api-key';
const PATH = '/integration-gateway/external/report-settled-bet-event';
const HOST = '127.0.0.1';
const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': KEY };
const origin = (/** @type {number} */ port) => `http://${HOST}:${port}`;

/** @param {number} port */
const clientOptions = (port) =>
  /** @type {const} */ ({ environment: 'staging', gateways: { staging: { baseUrl: origin(port), apiKey: KEY } } });

/** Fails if the answer is not the server's: a contender that does less would win. @param {unknown} answer */
const read = (answer) => {
  if (typeof answer !== 'object' || answer === null) throw new Error('no answer was read');
  return answer;
};

/** @param {number} port @param {import('../builds.js').Build} [build] */
async function fastClient(port, build) {
  const { createClient } = await load('index', build);
  const { nodeTransport } = await load('transport-node', build);
  return createClient({ ...clientOptions(port), transport: nodeTransport() });
}

/** @type {Record<string, Contender>} */
export const contenders = {
  fetch: {
    name: 'bare fetch',
    start: (port) => async (bet) => {
      const response = await fetch(origin(port) + PATH, { method: 'POST', headers, body: JSON.stringify(bet) });
      return read(await response.json());
    },
  },
  http: {
    name: 'bare http.request',
    async start(port) {
      const { Agent, request } = await import('node:http');
      const agent = new Agent({ keepAlive: true });
      return (bet) =>
        new Promise((resolve, reject) => {
          const body = JSON.stringify(bet);
          const options = {
            host: HOST,
            port,
            path: PATH,
            method: 'POST',
            agent,
            headers: { ...headers, 'content-length': Buffer.byteLength(body) },
          };
          request(options, (response) => {
            let text = '';
            response
              .setEncoding('utf8')
              .on('data', (piece) => {
                text += piece;
              })
              .once('end', () => resolve(read(JSON.parse(text))))
              .once('error', reject);
          })
            .once('error', reject)
            .end(body);
        });
    },
  },
  ky: {
    name: 'ky',
    async start(port) {
      const { default: ky } = await import('ky');
      const client = ky.create({ headers: { 'x-api-key': KEY }, retry: 0 });
      return async (bet) => read(await client.post(origin(port) + PATH, { json: bet }).json());
    },
  },
  axios: {
    name: 'axios',
    async start(port) {
      const { default: axios } = await import('axios');
      const { Agent } = await import('node:http');
      const client = axios.create({
        baseURL: origin(port),
        headers: { 'x-api-key': KEY },
        httpAgent: new Agent({ keepAlive: true }),
      });
      return async (bet) => read((await client.post(PATH, bet)).data);
    },
  },
  stripe: {
    name: 'stripe-node',
    async start(port) {
      const { default: Stripe } = await import('stripe');
      const stripe = new Stripe(KEY, { host: HOST, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
      // Its newer methods send JSON, like this one.
      return async (bet) => read(await stripe.rawRequest('POST', '/v2/core/events', /** @type {any} */ (bet)));
    },
  },
  pool: {
    name: 'bare undici Pool',
    async start(port) {
      const { Pool } = await import('undici');
      const pool = new Pool(origin(port));
      return async (bet) => {
        const { body } = await pool.request({ path: PATH, method: 'POST', headers, body: JSON.stringify(bet) });
        return read(await body.json());
      };
    },
  },
  checkedPool: {
    name: 'bare undici Pool, and the checks of a call and of its answer',
    async start(port) {
      const { Pool } = await import('undici');
      const { CONTEXT, loadChecks } = await import('../checks.js');
      const { checkCall, isRecorded } = await loadChecks();
      const pool = new Pool(origin(port));
      return async (bet) => {
        const checked = checkCall('reportSettledBet', bet, undefined, CONTEXT);
        const given = JSON.stringify(checked.body);
        const { statusCode: status, body } = await pool.request({ path: PATH, method: 'POST', headers, body: given });
        const answer = await body.json();
        if (!isRecorded({ status, body: answer, json: true })) throw new Error('the report was not recorded');
        return read(answer);
      };
    },
  },
  outbox: {
    name: 'location-sdk, SQLite outbox',
    async start(port) {
      const { mkdtempSync, rmSync } = await import('node:fs');
      const { tmpdir } = await import('node:os');
      const { join } = await import('node:path');
      const folder = mkdtempSync(join(tmpdir(), 'location-sdk-bench-'));
      process.once('exit', () => rmSync(folder, { recursive: true }));
      const { createOutbox } = await load('outbox');
      const { sqliteStore } = await load('outbox-sqlite');
      const store = await sqliteStore({ file: join(folder, 'outbox.db') });
      const outbox = createOutbox({ client: await fastClient(port), store, concurrency: 50 });
      outbox.start();
      // Committed to the disk, sent, and its result committed.
      return async (bet) => read(await (await outbox.reportSettledBet(bet)).done);
    },
  },
  // Contenders compared only with themselves, to see whether many reports cost more than few: they use no network.
  inProcess: {
    name: 'location-sdk, answered in its own process',
    async start(port) {
      const { createClient } = await load('index');
      const text = '{"message":"Settled bet event reported successfully"}';
      const answered = {
        ended: /** @type {const} */ ('answered'),
        status: 200,
        header: () => null,
        text,
        measured: true,
      };
      const client = createClient({ ...clientOptions(port), transport: { send: async () => answered } });
      return async (bet) => read(await client.reportSettledBet(bet));
    },
  },
};

for (const build of builds) {
  contenders[`sdk${build.key}`] = {
    name: nameOf('location-sdk', build),
    async start(port) {
      const { createClient } = await load('index', build);
      const client = createClient(clientOptions(port));
      return async (bet) => read(await client.reportSettledBet(bet));
    },
  };
  contenders[`fast${build.key}`] = {
    name: nameOf('location-sdk, nodeTransport()', build),
    async start(port) {
      const client = await fastClient(port, build);
      return async (bet) => read(await client.reportSettledBet(bet));
    },
  };
}
