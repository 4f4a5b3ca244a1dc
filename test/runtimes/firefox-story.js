// Firefox as a player has it, over a real relay: pages whose script does not come or that came over plain HTTP, no
// network, another language, a wrong clock, a refused report, no storage, tabs that are closed and a browser that is
// killed while they send, and a page that Firefox kept when the player left it and came back. The tests of
// `test/browser/` do the same in Chromium, except the last: that Chromium keeps no page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startFirefox } from './bidi.js';
import { betUser } from './players.js';

/** @typedef {Awaited<ReturnType<import('./bidi.js').startFirefox>>} Firefox */

const PATIENCE_MS = 20_000;
/** So long that no report is sent again because its lease is over. */
const LEASE_MS = 600_000;
const STAYS = 'One moment. If this text stays, contact support.';
const IN_DOUBT = 'We do not know yet whether this went through. Ask again: it cannot count twice.';
const OFFLINE = 'You are offline. Connect to the internet, and ask again: it cannot count twice.';
const NOT_STORED = 'Your browser could not save this. Allow this site to store data, and try again.';
/** The script of a page of the documents. */
const SCRIPT = /<script src="\/(location-sdk\.\w+\.global\.js)"/;
/** Changes that break one of these pages. @type {Readonly<Record<string, (html: string) => string>>} */
const BROKEN = {
  blocked: (html) => html.replace(SCRIPT, '<script src="http://127.0.0.1:9/$1"'),
  hash: (html) => html.replace(SCRIPT, `$& integrity="sha384-${Buffer.alloc(48).toString('base64')}"`),
  option: (html) => html.replace("'/relay'", "'ftp://relay'"),
};
/** The pages with a relay that people copy: of the tutorial, and with an outbox. */
const COPIED = ['/start', '/whole'];
const RECORDED = 'This went through.';
const STORED = 'This went through.';
const LANGUAGES = ['fr', 'ha', 'ig', 'pcm', 'yo'];
/** A host that is not of this machine, so that its pages are insecure. Firefox asks this machine for every name. */
const INSECURE_HOST = 'operator.example';
const INSECURE = { 'network.dns.native-is-localhost': true, 'dom.security.https_first': false };

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
const outcomeOf = (/** @type {string} */ name) =>
  `outbox.get('default:relay:reportBetEvent:${name}').then((found) => found?.outcome)`;
const SEEN = `[document.querySelector('output').value, document.querySelector('button').matches(':disabled')]`;

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
  const seen = (/** @type {string} */ context) => () => firefox.evaluate(context, SEEN);
  const press = (/** @type {string} */ context, stake = 1500) =>
    firefox.evaluate(
      context,
      `(document.querySelector('input').value = '${stake}', document.querySelector('button').click())`,
    );
  try {
    // Pages whose button must not be pressed.
    await firefox.send('session.subscribe', { events: ['log.entryAdded'] });
    for (const path of COPIED) {
      for (const what of [...Object.keys(BROKEN), 'http']) {
        const url = what === 'http' ? site.url.replace('127.0.0.1', INSECURE_HOST) : site.url;
        const context = await firefox.open(`${url}${path}?${what}`);
        assert.deepEqual(await seen(context)(), [STAYS, true], `${path}, ${what}`);
        assert.equal(await firefox.evaluate(context, 'isSecureContext'), what !== 'http');
        // For the developer, in the console.
        const isLogged = () =>
          firefox.events.some(
            ({ params }) => params.source.context === context && /LocationSDK|relayUrl/.test(params.text),
          );
        await becomes(isLogged, true, `an error in the console, ${path}, ${what}`);
        await firefox.close(context);
      }
    }
    const page = await firefox.open(`${site.url}/start`);
    await becomes(seen(page), ['', false], "the tutorial's page");
    await press(page);
    await becomes(seen(page), [RECORDED, false], "the tutorial's page");

    // The guide's page with an outbox tells the operator's own route that the gateway refused its report, and at the
    // next visit that it waits.
    site.gateway.faults.add({ kind: 'status', status: 422 });
    const whole = await firefox.open(`${site.url}/whole`);
    await becomes(seen(whole), ['', false], "the guide's page with an outbox");
    // The same stake would be the same bet for a second.
    await press(whole, 700);
    await becomes(seen(whole), [STORED, false], "the guide's page with an outbox");
    const told = () => site.told.map(({ report, quarantined }) => report?.code ?? quarantined);
    await becomes(told, ['unprocessable'], 'the refused report');
    assert.doesNotMatch(JSON.stringify(site.told), /6\.4474|U-1|Adaeze/);
    await firefox.close(whole);
    const again = await firefox.open(`${site.url}/whole`);
    await becomes(told, ['unprocessable', 1], 'the refused report of the earlier visit');
    await firefox.close(again);

    await leaveAndComeBack(firefox, site);

    // A clock that is three years behind.
    const late = await firefox.open(`${site.url}/start`);
    const refusal = await firefox.evaluate(
      late,
      `(() => {
        const now = Date.now;
        Date.now = () => now() - ${3 * 365 * 86_400_000};
        const location = { latitude: 6.4, longitude: 7.5, source: 'gps' };
        return LocationSDK.createClient({ relayUrl: '/relay' }).reportBetEvent({ bet_id: 'LATE', amount: 1500 }, { location })
          .then(({ outcome }) => [outcome], (error) => [error.message, LocationSDK.playerMessage(error).situation]);
      })()`,
    );
    assert.match(refusal[0], /set the clock of this device/);
    assert.equal(refusal[1], 'entries');
    assert.equal(site.arrived('LATE')(), 1, 'the relay did not see the report');
    assert.ok(!site.gateway.reports().some(({ reference }) => reference === 'LATE'), 'it is recorded');
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

    // Offline: the words of the page, and of the client's error in each language, by the code of the guide.
    const offline = (/** @type {object | null} */ networkConditions) =>
      firefox.send('emulation.setNetworkConditions', { networkConditions, contexts: [page] });
    const languages = [...LANGUAGES, 'absent'];
    const loaded = languages.map((name) => {
      const code = site.guide.replace('ha.json', `${name}.json`);
      return `(async () => { ${code}; await hausa; return wordsFor; })()`;
    });
    await firefox.evaluate(page, `Promise.all([${loaded}]).then((all) => { globalThis.all = all; })`);
    await offline({ type: 'offline' });
    await press(page);
    await becomes(seen(page), [IN_DOUBT, false], "the tutorial's page offline");
    const words = `LocationSDK.createClient({ relayUrl: '/relay', retry: { limit: 0 } })
      .reportBetEvent({ bet_id: 'OFF', amount: 1500 }, { location: { latitude: 6.4, longitude: 7.5, source: 'gps' } })
      .catch((error) => Promise.all(all.map((wordsFor) => wordsFor(error))))`;
    const texts = LANGUAGES.map((name) => JSON.parse(site.messages(name)).offline);
    assert.deepEqual(await firefox.evaluate(page, words), [...texts, OFFLINE]);
    await offline(null);
    await press(page);
    await becomes(seen(page), [RECORDED, false], "the tutorial's page, with the network again");
    await firefox.close(page);

    // The tab that sends is closed or loads another page: the one beside it sends the report again at once.
    let last = await firefox.open(`${site.url}/outbox`);
    await firefox.evaluate(last, OPEN);
    for (const [bet, leave] of /** @type {const} */ ([
      ['B-1', firefox.close],
      ['B-2', (/** @type {string} */ tab) => firefox.load(tab, `${site.url}/start`)],
    ])) {
      const sender = last;
      site.hold(1);
      assert.equal(await firefox.evaluate(sender, enqueue(bet)), 'waiting');
      await becomes(site.arrived(bet), 1, 'the report of the first tab');
      last = await firefox.open(`${site.url}/outbox`);
      await firefox.evaluate(last, OPEN);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      assert.equal(site.arrived(bet)(), 1, 'sent by two tabs at once');
      await leave(sender);
      await becomes(() => firefox.evaluate(last, outcomeOf(bet)), 'already-recorded', `the report ${bet}`);
    }

    // The browser is killed while it sends: the next one sends the report again at once.
    site.hold(1);
    await firefox.evaluate(last, enqueue('B-3'));
    await becomes(site.arrived('B-3'), 1, 'the report of the last tab');
    await firefox.kill();
    firefox = await startFirefox({ path: executable.path, env }, profile('.firefox-story'));
    const third = await firefox.open(`${site.url}/outbox`);
    await firefox.evaluate(third, OPEN);
    await becomes(() => firefox.evaluate(third, outcomeOf('B-3')), 'already-recorded', 'after the browser was killed');
    const agent = await firefox.evaluate(third, 'navigator.userAgent');
    await firefox.kill();

    // The player blocks the data of sites.
    const blocked = { 'network.cookie.cookieBehavior': 2 };
    firefox = await startFirefox({ path: executable.path, env }, profile('.firefox-without-storage', blocked));
    const without = await firefox.open(`${site.url}/whole`);
    const denied = `LocationSDK.indexedDbStore({ player: 'U-1' }).catch((error) => [error.code, error.message, LocationSDK.playerMessage(error).text])`;
    const [code, advice, text] = await firefox.evaluate(without, denied);
    assert.deepEqual([code, text], ['unavailable', NOT_STORED]);
    assert.match(advice, /Use client\.reportBetEvent instead/);
    await becomes(seen(without), ['', false], 'the page without storage');
    const before = site.gateway.reports().length;
    await press(without);
    await becomes(seen(without), [RECORDED, false], 'the page without storage');
    assert.equal(site.gateway.reports().length, before + 1, 'the client reported nothing');
    return /Firefox\/([\d.]+)/.exec(agent)?.[1] ?? '?';
  } finally {
    await firefox.kill();
    site.close();
  }
}

/**
 * The page that locates. Firefox keeps it when the player leaves it at rest, and shows it as it was; if it waits for an
 * answer, Firefox loads it anew. Each bet is placed once.
 *
 * @param {Firefox} firefox
 * @param {Awaited<ReturnType<typeof serveSite>>} site
 */
async function leaveAndComeBack(firefox, site) {
  site.placed.clear();
  const tab = await firefox.open(`${site.url}/locate`);
  const seen = () =>
    firefox.evaluate(
      tab,
      `(({ says, slip, stake }) => [says.value, slip.disabled, stake.value])(document.forms[0].elements)`,
    );
  const bet = (/** @type {number} */ stake) =>
    firefox.evaluate(tab, `(document.forms[0].stake.value = ${stake}, document.querySelector('button').click())`);
  /** Whether Firefox kept the page. @returns {Promise<boolean>} */
  const leave = async () => {
    await firefox.evaluate(tab, 'void (globalThis.isKept = true)');
    await firefox.load(tab, `${site.url}/elsewhere`);
    await firefox.send('browsingContext.traverseHistory', { context: tab, delta: -1 });
    await becomes(() => firefox.evaluate(tab, 'location.pathname'), '/locate', 'back');
    return firefox.evaluate(tab, 'globalThis.isKept === true');
  };
  await bet(1500);
  await becomes(seen, ['Your bet of 1500 is placed.', false, ''], 'the page that locates');
  assert.equal(await leave(), true, 'Firefox keeps the page');
  assert.deepEqual(await seen(), ['Your bet of 1500 is placed.', false, ''], 'the page that Firefox kept');
  site.delayBets(1_500);
  await bet(200);
  await becomes(() => site.placed.size, 2, 'the second bet is asked for');
  assert.equal(await leave(), false, 'Firefox loads a page that was waiting anew');
  await becomes(seen, ['', false, ''], 'the page that was loaded anew');
  await bet(200);
  await becomes(seen, ['Your bet of 200 was placed before.', false, ''], 'the bet whose answer the player left');
  assert.deepEqual([...site.placed.values()], [1500, 200]);
  site.delayBets(0);
  await firefox.close(tab);
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
  const codeOf = (/** @type {string} */ file, /** @type {string} */ language, begin = '') =>
    new RegExp(`^\`{3}${language}\\n(${begin}.*?)^\`{3}$`, 'ms').exec(read(file))?.[1] ?? '';
  /** @type {Readonly<Record<string, string>>} */
  const pages = {
    '/start': codeOf('docs/start/page-with-relay.md', 'html'),
    '/whole': read('examples/stored-reports.html').replace('U-88412', betUser.user_id),
    '/outbox': OUTBOX,
    '/locate': codeOf('docs/start/page.md', 'html'),
    '/elsewhere': '<title>Elsewhere</title>',
  };
  const messages = (/** @type {string} */ language) => read(`dist/player-messages/${language}.json`);

  const gateway = createMockGateway();
  const { location: _fixed, ...options } = gateway.clientOptions();
  const relay = createRelay({
    client: createClient({ ...options, logger: {} }),
    authorize: () => ({ user: betUser }),
    complete: () => ({ amount: 1500 }),
    logger: {},
  });
  let bets = 0;
  let held = 0;
  let betsTakeMs = 0;
  /** The stakes of the bets of the page that locates, by key. @type {Map<string, number>} */
  const placed = new Map();
  /** The bodies of the requests to the relay. @type {string[]} */
  const arrivals = [];
  /** @typedef {{ report?: { code: string }, quarantined?: number }} Told */
  /** The words of pages about quarantined reports. @type {Told[]} */
  const told = [];
  const handle = toNodeHandler(async (request, connection) => {
    arrivals.push(await request.clone().text());
    const answer = await relay(request, connection);
    if (held > 0) {
      held -= 1;
      await new Promise(() => {});
    }
    return answer;
  });
  const answerOf = (/** @type {string} */ path, /** @type {string} */ query) => {
    const page = pages[path];
    if (page) return ['text/html', BROKEN[query]?.(page) ?? page];
    if (path === '/bets') {
      bets += 1;
      return ['application/json', JSON.stringify({ bet_id: `BET-${bets}`, amount: 1500 })];
    }
    const [, language] = /^\/player-messages\/(\w+)\.json$/.exec(path) ?? [];
    if (language && LANGUAGES.includes(language)) return ['application/json', messages(language)];
    return /^\/location-sdk\.\w+\.global\.js$/.test(path) ? ['text/javascript', read(`dist${path}`)] : [];
  };
  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  const place = async (request, response) => {
    const { key, stake } = /** @type {{ key: string, stake: number }} */ (await json(request));
    const message = `Your bet of ${stake} ${placed.has(key) ? 'was placed before' : 'is placed'}.`;
    placed.set(key, stake);
    await new Promise((resolve) => setTimeout(resolve, betsTakeMs));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ bet_id: `BET-${key}`, message }));
  };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/bets' && request.headers['content-type'] === 'application/json') return place(request, response);
    if (pathname.startsWith('/relay/')) return handle(request, response);
    if (pathname === '/quarantined') void json(request).then((what) => void told.push(/** @type {Told} */ (what)));
    const [type, body] = answerOf(pathname, search.slice(1));
    response.writeHead(type ? 200 : 404, { 'content-type': `${type ?? 'text/plain'}; charset=utf-8` }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    gateway,
    told,
    placed,
    messages,
    /** The answers about bets come after this time. @param {number} milliseconds */
    delayBets(milliseconds) {
      betsTakeMs = milliseconds;
    },
    /** The code of the guide for words in another language. */
    guide: codeOf('docs/how-to/player-messages.md', 'js', 'const hausa'),
    /** The next answers of the relay never come. @param {number} count */
    hold(count) {
      held = count;
    },
    /** How often this report came to the relay. @param {string} name */
    arrived: (name) => () => arrivals.filter((body) => body.includes(`"${name}"`)).length,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
