// Firefox as a player has it, over a real relay: pages whose script does not come or that came over plain HTTP, no
// network, another language, a wrong clock, a refused report, no storage, and tabs that are closed and a browser that
// is killed while they send. The tests of `test/browser/` do the same in Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startFirefox } from './bidi.js';
import { betUser } from './players.js';

const PATIENCE_MS = 20_000;
/** So long that no report is sent again because its lease is over. */
const LEASE_MS = 600_000;
const STAYS = 'One moment. If this text stays, contact support.';
const NOT_STORED = 'Your browser could not save this. Allow this site to store data, and try again.';
const TAG = '<script src="/location-sdk.relay.global.js">';
/** A host that is not of this machine, so that its pages are insecure. Firefox asks this machine for every name. */
const INSECURE_HOST = 'operator.example';
const INSECURE = { 'network.dns.native-is-localhost': true, 'dom.security.https_first': false };
const UNFIT_HASH = `${TAG.slice(0, -1)} integrity="sha384-${Buffer.alloc(48).toString('base64')}">`;

/** The page of the outbox. */
const OUTBOX = `<!doctype html><meta charset="utf-8"><script src="/location-sdk.outbox.global.js"></script><script>
  const client = LocationSDK.createClient({ relayUrl: '/relay' });
</script>`;

/** In the page of the outbox: opens it and starts to send. */
const OPEN = `(async () => {
  const store = await LocationSDK.indexedDbStore({ player: 'U-1' });
  globalThis.outbox = LocationSDK.createOutbox({ client, store, leaseMs: ${LEASE_MS}, pollMs: 200 });
  outbox.start();
})()`;
const enqueue = (/** @type {string} */ name) =>
  `outbox.reportBetEvent({ bet_id: '${name}', amount: 1500, location: { latitude: 6.4, longitude: 7.5, source: 'gps' } }).then(({ state }) => state)`;
const OUTCOME = `outbox.get('default:relay:reportBetEvent:B-1').then((found) => found?.outcome)`;
const SEEN = `[document.querySelector('output').value, document.querySelector('button').disabled]`;

/** @param {() => unknown} read @param {unknown} wanted @param {string} what */
async function becomes(read, wanted, what) {
  const limit = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    try {
      assert.deepEqual(value, wanted);
      return;
    } catch {
      if (Date.now() > limit) throw new Error(`${what}: ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Throws an error that names what went wrong. Returns Firefox's version.
 * @param {{ path: string, env: NodeJS.ProcessEnv }} executable
 * @param {(name: string, preferences?: object) => string[]} profile makes a profile, and returns the arguments
 * @param {string} project where the package is installed
 */
export async function tellFirefoxStory(executable, profile, project) {
  const site = await serveSite(project);
  const env = { ...executable.env, HOME: project };
  let firefox = await startFirefox({ path: executable.path, env }, profile('.firefox-story', INSECURE));
  try {
    // The pages of the README.
    for (const what of ['blocked', 'hash', 'option']) {
      const context = await firefox.open(`${site.url}/readme?${what}`);
      assert.deepEqual(await firefox.evaluate(context, SEEN), [STAYS, true], `the README's page, ${what}`);
      await firefox.close(context);
    }
    const insecure = await firefox.open(`${site.url.replace('127.0.0.1', INSECURE_HOST)}/readme`);
    assert.equal(await firefox.evaluate(insecure, 'isSecureContext'), false, 'a page over plain HTTP is secure');
    assert.deepEqual(await firefox.evaluate(insecure, SEEN), [STAYS, true], "the README's page over plain HTTP");
    await firefox.close(insecure);
    const page = await firefox.open(`${site.url}/readme`);
    assert.deepEqual(await firefox.evaluate(page, SEEN), ['', false], "the README's page");
    const press = () => firefox.evaluate(page, `document.querySelector('button').click()`);
    await press();
    const said = () => firefox.evaluate(page, `document.querySelector('output').value`);
    await becomes(said, 'Your bet is recorded.', "the README's page");

    // The guide's page with an outbox tells the operator's own route that the gateway refused its report.
    const whole = await firefox.open(`${site.url}/whole`);
    await becomes(() => firefox.evaluate(whole, SEEN), ['', false], "the guide's page with an outbox");
    await firefox.evaluate(whole, `document.querySelector('button').click()`);
    await becomes(() => site.quarantined().map(({ report }) => report?.reference), ['TAKEN'], 'the refused reports');
    await firefox.close(whole);

    // A clock that is three years behind.
    const late = await firefox.open(`${site.url}/readme`);
    const refusal = await firefox.evaluate(
      late,
      `(() => {
        const now = Date.now;
        Date.now = () => now() - ${3 * 365 * 86_400_000};
        const location = { latitude: 6.4, longitude: 7.5, source: 'gps' };
        return LocationSDK.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id: 'LATE', amount: 1500 }, { location })
          .then(({ outcome }) => outcome, (error) => error.message);
      })()`,
    );
    assert.match(refusal, /set the clock of this device/);
    await firefox.close(late);

    // Ten answers, all of them finished for Firefox.
    await firefox.send('session.subscribe', { events: ['network.fetchError', 'network.responseCompleted'] });
    const ten = `(async () => {
      const client = LocationSDK.createClient({ relayUrl: '/relay' });
      const location = { latitude: 6.4, longitude: 7.5, source: 'gps' };
      for (let bet = 0; bet < 10; bet += 1) await client.reportBetEvent({ bet_id: 'TEN-' + bet, amount: 1500 }, { location });
    })()`;
    await firefox.evaluate(page, ten);
    const ended = (/** @type {string} */ method) => firefox.events.filter((event) => event.method === method).length;
    await becomes(() => ended('network.responseCompleted'), 10, 'the answers of the relay');
    assert.equal(ended('network.fetchError'), 0, 'a request is shown as failed');

    // Offline, in English and Hausa.
    const offline = (/** @type {object | null} */ networkConditions) =>
      firefox.send('emulation.setNetworkConditions', { networkConditions, contexts: [page] });
    await firefox.evaluate(page, `fetch('/ha.json').then((it) => it.json()).then((it) => { globalThis.hausa = it; })`);
    await offline({ type: 'offline' });
    const words = `LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 0 } })
      .reportBetEvent({ bet_id: 'OFF', amount: 1500 }, { location: { latitude: 6.4, longitude: 7.5, source: 'gps' } })
      .catch((error) => [LocationSDK.playerMessage(error).text, LocationSDK.playerMessage(error, { messages: hausa }).text])`;
    const [english, hausa] = await firefox.evaluate(page, words);
    assert.match(english, /^You are offline\./);
    assert.equal(hausa, site.hausa.offline);
    await offline(null);
    await firefox.close(page);

    // The tab that sends is closed: the one beside it sends the report again at once.
    const first = await firefox.open(`${site.url}/outbox`);
    site.hold(1);
    await firefox.evaluate(first, OPEN);
    assert.equal(await firefox.evaluate(first, enqueue('B-1')), 'waiting');
    await becomes(site.arrived('B-1'), 1, 'the report of the first tab');
    const second = await firefox.open(`${site.url}/outbox`);
    await firefox.evaluate(second, OPEN);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(site.arrived('B-1')(), 1, 'sent by two tabs at once');
    await firefox.close(first);
    await becomes(() => firefox.evaluate(second, OUTCOME), 'already-recorded', 'after the tab was closed');

    // The browser is killed while it sends: the next one sends the report again at once.
    site.hold(1);
    await firefox.evaluate(second, enqueue('B-2'));
    await becomes(site.arrived('B-2'), 1, 'the report of the second tab');
    await firefox.kill();
    firefox = await startFirefox({ path: executable.path, env }, profile('.firefox-story'));
    const third = await firefox.open(`${site.url}/outbox`);
    await firefox.evaluate(third, OPEN);
    await becomes(
      () => firefox.evaluate(third, OUTCOME.replace('B-1', 'B-2')),
      'already-recorded',
      'after the browser was killed',
    );
    const agent = await firefox.evaluate(third, 'navigator.userAgent');
    await firefox.kill();

    // The player blocks the data of sites.
    const blocked = { 'network.cookie.cookieBehavior': 2 };
    firefox = await startFirefox({ path: executable.path, env }, profile('.firefox-without-storage', blocked));
    const without = await firefox.open(`${site.url}/outbox`);
    const denied = `LocationSDK.indexedDbStore({ player: 'U-1' }).catch((error) => [error.code, error.message, LocationSDK.playerMessage(error).text])`;
    const [code, advice, text] = await firefox.evaluate(without, denied);
    assert.deepEqual([code, text], ['unavailable', NOT_STORED]);
    assert.match(advice, /Report with the client instead/);
    const byClient = `client.reportBetEvent({ bet_id: 'B-3', amount: 1500 }, { location: { latitude: 6.4, longitude: 7.5, source: 'gps' } }).then(({ outcome }) => outcome)`;
    assert.equal(await firefox.evaluate(without, byClient), 'recorded');
    return /Firefox\/([\d.]+)/.exec(agent)?.[1] ?? '?';
  } finally {
    await firefox.kill();
    site.close();
  }
}

/** The operator's site: pages, files, a relay and a mock gateway. @param {string} project */
async function serveSite(project) {
  const require = createRequire(join(project, 'consumer.cjs'));
  const { createClient } = /** @type {typeof import('location-sdk')} */ (require('location-sdk'));
  const { createMockGateway } = /** @type {typeof import('location-sdk/mock')} */ (require('location-sdk/mock'));
  const { createRelay } = /** @type {typeof import('location-sdk/relay')} */ (require('location-sdk/relay'));
  const { toNodeHandler } = /** @type {typeof import('location-sdk/node')} */ (require('location-sdk/node'));
  const folder = join(project, 'node_modules/location-sdk');
  const read = (/** @type {string} */ file) => readFileSync(join(folder, file), 'utf8');
  const readme = /^```html\n(.*?)^```$/ms.exec(read('README.md'))?.[1] ?? '';
  const whole = read('examples/stored-reports.html').replace('U-88412', betUser.user_id);
  const hausa = JSON.parse(read('dist/player-messages/ha.json'));

  const gateway = createMockGateway();
  const { location: _fixed, ...options } = gateway.clientOptions();
  const relay = createRelay({
    client: createClient({ ...options, logger: {} }),
    authorize: () => ({ user: betUser }),
    logger: {},
  });
  /** The bets of the pages. The gateway holds other data of the second one. */
  const bets = ['README', 'TAKEN'];
  const place = { latitude: 6.4, longitude: 7.5, source: 'desk' };
  await createClient(options).reportBetEvent({ bet_id: 'TAKEN', amount: 9, user: betUser }, { location: place });
  let held = 0;
  /** The bodies of the requests to the relay. @type {string[]} */
  const arrivals = [];
  /** @typedef {{ report?: { reference: string } }} Told */
  /** The quarantined reports that a page told of. @type {Told[]} */
  const quarantined = [];
  const handle = toNodeHandler(async (request, connection) => {
    arrivals.push(await request.clone().text());
    const answer = await relay(request, connection);
    if (held > 0) {
      held -= 1;
      await new Promise(() => {});
    }
    return answer;
  });
  /** @type {Record<string, (search: string) => readonly [type: string, body: string]>} */
  const files = {
    '/outbox': () => ['text/html', OUTBOX],
    '/whole': () => ['text/html', whole],
    '/readme': (search) => [
      'text/html',
      {
        '?blocked': readme.replace(TAG, '<script src="http://127.0.0.1:9/location-sdk.relay.global.js">'),
        '?hash': readme.replace(TAG, UNFIT_HASH),
        '?option': readme.replace("'/relay'", "'ftp://relay'"),
      }[search] ?? readme,
    ],
    '/bets': () => ['application/json', JSON.stringify({ bet_id: bets.shift(), amount: 1500 })],
    '/ha.json': () => ['application/json', JSON.stringify(hausa)],
    '/location-sdk.relay.global.js': () => ['text/javascript', read('dist/location-sdk.relay.global.js')],
    '/location-sdk.outbox.global.js': () => ['text/javascript', read('dist/location-sdk.outbox.global.js')],
  };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname.startsWith('/relay/')) return handle(request, response);
    if (pathname === '/quarantined')
      void json(request).then((told) => void quarantined.push(/** @type {Told} */ (told)));
    const [type, body] = files[pathname]?.(search) ?? [];
    response.writeHead(type ? 200 : 404, { 'content-type': `${type ?? 'text/plain'}; charset=utf-8` }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    hausa,
    /** The next answers of the relay never come. @param {number} count */
    hold(count) {
      held = count;
    },
    quarantined: () => quarantined,
    /** How often this report came to the relay. @param {string} name */
    arrived: (name) => () => arrivals.filter((body) => body.includes(`"${name}"`)).length,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
