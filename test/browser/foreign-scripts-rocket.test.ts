// @module-tag slow: drives Chromium.
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser-test.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { logIn } from './outbox-in-page.js';
import { serveRelay } from './relay-world.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag.js').LocationSDK;

/**
 * In the page: what Cloudflare's Rocket Loader does. The server has given each script another type, so none has run.
 * At the end of the document each is replaced by a script that runs, one after the other. Meanwhile the document says
 * that it is loading; the listeners of its events are called at the end, and `document.write` writes at the script.
 */
function rocketLoader() {
  const held: (() => void)[] = [];
  const hold = (target: EventTarget, names: readonly string[]) => {
    const add = target.addEventListener.bind(target);
    target.addEventListener = (name: string, listener: EventListenerOrEventListenerObject | null, how?: object) => {
      if (!names.includes(name) || typeof listener !== 'function') return add(name, listener, how);
      held.push(() => listener.call(target, new Event(name)));
    };
  };
  let state: DocumentReadyState = 'loading';
  Object.defineProperty(document, 'readyState', { get: () => state, configurable: true });
  hold(document, ['DOMContentLoaded', 'readystatechange']);
  hold(window, ['DOMContentLoaded', 'load']);
  const waiting = [...document.querySelectorAll<HTMLScriptElement>('script[type$="-text/javascript"]')];

  const run = (old: HTMLScriptElement) =>
    new Promise<void>((resolve) => {
      const script = document.createElement('script');
      for (const { name, value } of old.attributes)
        if (!['type', 'async', 'defer'].includes(name)) script.setAttribute(name, value);
      document.write = (text: string) => script.insertAdjacentHTML('afterend', text);
      script.async = false;
      script.onload = script.onerror = () => resolve();
      script.textContent = old.textContent;
      old.replaceWith(script);
      if (!script.src) resolve();
    });
  void (async () => {
    for (const script of waiting) await run(script);
    state = 'complete';
    for (const listener of held) listener();
  })();
}

const FILES = ['location-sdk.global.js', 'location-sdk.relay.global.js', 'location-sdk.outbox.global.js'] as const;
const LOCATING = 'location-sdk.locate.global.js';

/** The early calls of a page: made as soon as the stub or the file is there, and noted when they end. */
const EARLY = `
  window.ended = [];
  document.write('<p>A script of the page has written.</p>');
  document.addEventListener('DOMContentLoaded', () => ended.push('ready: ' + document.readyState));
  const note = (name, call) => call.then(
    (result) => ended.push(name + ': ' + (result.outcome || result.source)),
    (error) => ended.push(name + ': ' + error.message),
  );
`;
const REPORTING = `
  LocationSDK.configure({ relayUrl: '/relay' });
  note('bet', LocationSDK.reportBetEvent({ bet_id: 'B-1', amount: 1500 }));
`;

/** A tag as Rocket Loader's server sends it, or as `data-cfasync="false"` leaves it. */
const tag = (path: string, isLeft: boolean) =>
  `<script ${isLeft ? 'data-cfasync="false"' : 'type="0a1b-text/javascript"'} src="${path}"></script>`;

async function load(browser: Browser, { file, stub, left }: { file: string; stub: boolean; left: readonly string[] }) {
  const isLocating = file === LOCATING;
  const shop = await serveRelay({
    scripts: {
      '/stub.js': readScript('location-sdk.stub.global.js'),
      [`/${LOCATING}`]: readScript(LOCATING),
      '/rocket-loader.js': `(${rocketLoader})();`,
      '/early.js': `${EARLY}${isLocating ? '' : REPORTING}note('place', LocationSDK.locate());`,
    },
  });
  const context = await browser.newContext();
  try {
    await logIn(context, shop.url, 'ada');
    await grantGeolocation(context);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    const script = tag(`/${file}`, left.includes('file'));
    const early = tag('/early.js', false);
    const tags = stub ? [tag('/stub.js', left.includes('stub')), early, script] : [script, early];
    const body = `<!doctype html><title>Bet</title><link rel="icon" href="data:,"><body>${tags.join('')}<script src="/rocket-loader.js" defer></script>`;
    await page.route(`${shop.url}/rocket`, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(`${shop.url}/rocket`);
    const count = isLocating ? 2 : 3;
    const ended = () => page.evaluate(() => [...((window as unknown as { ended?: string[] }).ended ?? [])].sort());
    await expect.poll(async () => (await ended()).length, { timeout: 20_000 }).toBe(count);
    return {
      ended: await ended(),
      problems,
      version: await page.evaluate(() => typeof LocationSDK.version),
      written: await page.getByText('A script of the page has written.').count(),
      sent: shop.gateway.reports().map(({ body }) => body),
    };
  } finally {
    await context.close();
    await shop.close();
  }
}

test.for(
  [...FILES, LOCATING].flatMap((file) => [
    { file, stub: false, left: [], what: 'its scripts in their order' },
    { file, stub: true, left: [], what: 'the stub before it' },
    { file, stub: true, left: ['stub'], what: 'a stub that is left alone (data-cfasync)' },
    { file, stub: true, left: ['file'], what: 'left alone (data-cfasync), so that the stub comes last' },
  ]),
)('Rocket Loader: $file, $what', { tags: 'slice' }, async ({ file, stub, left }, { browser }) => {
  const { ended, sent, ...page } = await load(browser, { file, stub, left });

  expect(page).toEqual({ problems: [], version: 'string', written: 1 });
  if (file === LOCATING) expect(ended).toEqual(['place: gps', 'ready: complete']);
  else {
    expect(ended).toEqual(['bet: recorded', 'place: gps', 'ready: complete']);
    expect(sent).toMatchObject([{ bet_id: 'B-1', location: POSITION }]);
  }
});
