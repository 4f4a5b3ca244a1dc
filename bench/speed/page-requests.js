// The requests of a page for one bet with its location, beside those for one event with libraries that also report
// from pages. Nothing leaves this machine: every address of another host is answered in the browser.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { createClient } from '../../dist/index.js';
import { createMockGateway } from '../../dist/mock.js';
import { toNodeHandler } from '../../dist/node.js';
import { createRelay } from '../../dist/relay.js';
import { testedChromium } from '../../test/support/tested-chromium.js';
import { tell } from '../promises.js';
import { markdownTable, whole } from '../words.js';
import { nextBet } from './bet.js';
import { bundle, file } from './page-files.js';

/** The longest wait for one event, in milliseconds. */
const LIMIT_MS = 10_000;

const { user } = nextBet();
const relay = toNodeHandler(
  createRelay({
    client: createClient(createMockGateway().clientOptions()),
    authorize: () => ({ id: user.user_id, user }),
    complete: (event) => ({ amount: event.amount }),
    limit: () => false,
  }),
);
const server = createServer((request, response) => {
  if (request.url?.startsWith('/relay/')) return relay(request, response);
  request.resume();
  if (request.url !== '/bets') return response.setHeader('content-type', 'text/html').end('<title>Bet</title>');
  return response
    .writeHead(201, { 'content-type': 'application/json' })
    .end(JSON.stringify({ bet_id: 'B-1', message: 'Placed.' }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const site = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;

/** The answers of the libraries' own hosts. The first that fits counts. */
const ANSWERS = [
  { url: /\/settings$/, body: { integrations: { 'Segment.io': { apiKey: 'key' } }, plan: {} } },
  { url: /radar/, body: { meta: { code: 200 }, user: {}, events: [] } },
  { url: /./, body: { success: true } },
];

/** @type {readonly { name: string, script: string, send: string }[]} `send` is a body of an async function in the page */
const senders = [
  {
    name: 'location-sdk, for a relay: reportBetEvent',
    script: await file('location-sdk.relay.global.js'),
    send: `LocationSDK.configure({ relayUrl: '/relay' });
      await LocationSDK.reportBetEvent({ bet_id: 'B-1', amount: 1500 });`,
  },
  {
    name: 'location-sdk with the outbox: reportBetEvent',
    script: await file('location-sdk.outbox.global.js'),
    send: `const client = LocationSDK.createClient({ relayUrl: '/relay' });
      const store = await LocationSDK.indexedDbStore({ player: ${JSON.stringify(user.user_id)} });
      const outbox = LocationSDK.createOutbox({ client, store });
      outbox.start();
      await (await outbox.reportBetEvent({ bet_id: 'B-2', amount: 1500 })).done;`,
  },
  {
    name: 'location-sdk, only locating: postOnce',
    script: await file('location-sdk.locate.global.js'),
    send: `await LocationSDK.postOnce('/bets', { stake: 1500 });`,
  },
  {
    name: 'radar-sdk-js: trackOnce',
    script: await bundle('radar-sdk-js', '* as all'),
    send: `const radar = all.default;
      radar.initialize('prj_test_pk_0123456789');
      await radar.trackOnce({ latitude: 6.45, longitude: 3.39, accuracy: 12 });`,
  },
  {
    name: '@segment/analytics-next: load, track',
    script: await bundle('@segment/analytics-next', '{ AnalyticsBrowser }'),
    send: `const [analytics] = await all.AnalyticsBrowser.load({ writeKey: 'key' });
      await analytics.track('bet', { bet_id: 'B-1', amount: 1500, latitude: 6.45, longitude: 3.39 });`,
  },
  {
    name: '@sentry/browser: init, captureException',
    script: await bundle('@sentry/browser', '{ captureException, flush, init }'),
    send: `all.init({ dsn: 'https://key@sentry.test/1' });
      all.captureException(new Error('bet'));
      await all.flush(2000);`,
  },
];

/** The bytes of a request as HTTP/1.1 has them: its first line, its headers and its body. @param {import('playwright-core').Request} request */
async function bytesOf(request) {
  const { pathname, search } = new URL(request.url());
  const lines = Object.entries(await request.allHeaders()).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${request.method()} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.byteLength(head) + (request.postDataBuffer()?.byteLength ?? 0);
}

const { path, env } = await testedChromium();
const browser = await chromium.launch({ executablePath: path, env, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const rows = [];
  for (const { name, script, send } of senders) {
    const context = await browser.newContext({
      permissions: ['geolocation'],
      geolocation: { latitude: 6.45, longitude: 3.39, accuracy: 12 },
    });
    const page = await context.newPage();
    await page.route(
      (url) => !url.href.startsWith(site),
      (route) => {
        const { body } = ANSWERS.find(({ url }) => url.test(route.request().url())) ?? {};
        return route.fulfill({ json: body, headers: { 'access-control-allow-origin': '*' } });
      },
    );
    await page.goto(site);
    /** @type {import('playwright-core').Request[]} */
    const requests = [];
    page.on('request', (request) => requests.push(request));
    await page.addScriptTag({ content: script });
    await Promise.race([
      page.evaluate(`(async () => { ${send} })()`),
      setTimeout(LIMIT_MS, undefined, { ref: false }).then(() => {
        throw new Error(`${name} did not end in time`);
      }),
    ]);
    await page.waitForTimeout(500);
    const bytes = await Promise.all(requests.map(bytesOf));
    rows.push([name, whole(requests.length), whole(bytes.reduce((sum, one) => sum + one, 0))]);
    await context.close();
  }
  tell(
    'Requests of a page for one bet',
    `${markdownTable([['', 'requests', 'bytes sent'], ...rows])}

The bytes are those of the first line, headers and body, before HTTP/2 packs them. A preflight for another origin is not counted: ours have none.`,
  );
} finally {
  await browser.close();
  server.close();
}
