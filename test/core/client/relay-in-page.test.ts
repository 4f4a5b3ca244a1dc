// @vitest-environment happy-dom

import { describe, expect, it, test, vi } from 'vitest';
import type { RelayedOptions } from '../../../src/core/client/options.js';
import * as sdk from '../../../src/entries/index.js';
import { createClient } from '../../../src/entries/index.js';
import { betEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';
import { FakeClock } from '../../support/fake-clock.js';
import { answer, lost, once, type Scripted } from '../delivery/scripted-gateway.js';
import { bet, failed, recorded, repeated, scripted } from '../delivery/scripted-relay.js';

const fix = { coords: { latitude: 6.5244, longitude: 3.3792, accuracy: 25 } };
const gives = { getCurrentPosition: (success: (position: typeof fix) => void) => success(fix) };
const denies = { getCurrentPosition: (_: unknown, failure: (error: { code: number }) => void) => failure({ code: 1 }) };
const isSilent = { getCurrentPosition: () => {} };

const located = (init: RequestInit | undefined) => JSON.parse(String(init?.body)).location;

describe('the location of a page with a relay', () => {
  test('is the one that the browser gives', async () => {
    const { report, sent } = scripted([recorded()], { geolocation: gives });
    await report();
    expect(located(sent[0]?.init)).toEqual({ ...fix.coords, source: 'gps' });
  });

  test('is left to the relay if the browser gives none: no service is asked, and there is no error', async () => {
    const { report, sent } = scripted([recorded()], {
      geolocation: denies,
      location: { ip: { enabled: true }, required: true },
    });
    expect(await report()).toMatchObject({ outcome: 'recorded', location: { source: 'client_ip' } });
    expect(sent).toHaveLength(1);
    expect(located(sent[0]?.init)).toBeUndefined();
  });

  test('can be found in advance', async () => {
    const { client, run } = scripted([], { geolocation: gives });
    expect(await run(client.locate())).toMatchObject({ source: 'gps' });
    const denied = scripted([], { geolocation: denies });
    expect(await denied.failure(denied.client.locate())).toMatchObject({
      code: 'location',
      steps: [{ step: 'browser-geolocation', reason: 'denied' }],
    });
    expect(denied.sent).toEqual([]);
  });
});

describe('requests to the relay', () => {
  test.each<[RelayedOptions['relayCredentials'], string]>([
    [undefined, 'same-origin'],
    ['include', 'include'],
    ['omit', 'omit'],
  ])('with relayCredentials %s have cookies: %s', async (relayCredentials, credentials) => {
    const { report, sent } = scripted([recorded()], { relayCredentials, geolocation: denies });
    await report();
    expect(sent[0]?.init).toMatchObject({
      credentials,
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
      keepalive: true,
    });
  });

  test("an address without a host is on the page's own host, also with a base element", async () => {
    const { document, location } = globalThis as unknown as { document: Document; location: Location };
    location.href = 'https://operator.example.com/play/slots';
    document.head.innerHTML = '<base href="https://elsewhere.example.com/">';
    const urls: string[] = [];
    for (const relayUrl of ['/location-sdk', 'location-sdk', '//relay.example.com']) {
      const fetch = async (url: string) => {
        urls.push(url);
        return recorded();
      };
      await createClient({ relayUrl, fetch, geolocation: denies }).reportBetEvent(bet);
    }
    document.head.innerHTML = '';
    expect(urls).toEqual([
      'https://operator.example.com/location-sdk/report-bet-event',
      'https://operator.example.com/play/location-sdk/report-bet-event',
      'https://relay.example.com/report-bet-event',
    ]);
  });

  test.each([
    [
      'http://192.168.1.20:5173/play',
      'is http://192.168.1.20:5173/relay in this page: it must begin with https:// (http:// is for loopback hosts). For a phone in your network',
    ],
    ['http://user:secret@play.example.com/', 'is http://play.example.com/relay in this page'],
    ['about:srcdoc', 'has no host, and about: has no address; give the whole address'],
    ['blob:https://play.example.com/7c9e6679', 'has no host, and blob: has no address; give the whole address'],
  ])('a path in a page at %s is reported when the client is made', async (href, problem) => {
    vi.stubGlobal('location', { href });
    try {
      const { message } = await failureOf(() => createClient({ relayUrl: '/relay' }));
      expect(message).toContain(`- relayUrl: ${problem}`);
      expect(message).not.toContain('secret');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("a duplicate without an earlier doubt may be this call's own, since a browser may repeat a request by itself", async () => {
    const { failure } = scripted([repeated()], { geolocation: denies });
    expect(await failure()).toMatchObject({ code: 'duplicate', conflict: false, outcome: 'unknown' });
  });

  test("a conflict may also be this call's own if the relay found the location, but not if the page sent it", async () => {
    const conflict = () => failed(409, { code: 'duplicate', outcome: 'rejected', conflict: true });
    expect(await scripted([conflict()], { geolocation: denies }).failure()).toMatchObject({
      conflict: true,
      outcome: 'unknown',
    });
    expect(await scripted([conflict()], { geolocation: gives }).failure()).toMatchObject({
      conflict: true,
      outcome: 'rejected',
    });
  });
});

test('a key in a page is refused with the alternative that needs none', async () => {
  const { message } = await failureOf(() =>
    createClient({ gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'k' } } }),
  );
  expect(message).toContain('set relayUrl');
  expect((await failureOf(createClient().reportBetEvent(betEvent()))).message).toContain('relayUrl');
});

test('a page with neither relay nor gateway gets the advice to set relayUrl, before any problem with its fields', async () => {
  const error = await failureOf(createClient().reportBetEvent({ bet_id: 'B-1' } as never));
  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(error.message).toContain(
    "set relayUrl to the path of your backend's relay, for example createClient({ relayUrl: '/relay' })",
  );
  // A location needs neither.
  expect(await createClient({ geolocation: gives }).locate()).toMatchObject({ source: 'gps' });
});

test.each(['reportSettledBet', 'reportSettledWithdrawal', 'verifyNin'] as const)(
  '%s is never available in a page, also before configure',
  async (name) => {
    const message = `${name} is never available in a page or an app. Nothing was sent. Call it from your backend.`;
    expect(await failureOf((sdk[name] as () => Promise<unknown>)())).toMatchObject({
      code: 'configuration',
      operation: name,
      message,
    });
    expect(
      (
        await failureOf(
          (createClient({ relayUrl: 'https://operator.example.com/relay' })[name] as () => Promise<unknown>)(),
        )
      ).message,
    ).toBe(message);
  },
);

const hide = () => globalThis.dispatchEvent(new Event('pagehide'));

/** The listeners for the end of the page. */
function watchListeners() {
  const listeners = new Set<unknown>();
  let heard = 0;
  const { addEventListener: add, removeEventListener: remove } = globalThis;
  const spies = [
    vi.spyOn(globalThis, 'addEventListener').mockImplementation((type: string, listener: unknown) => {
      heard += 1;
      listeners.add(listener);
      add(type, listener as EventListener);
    }),
    vi.spyOn(globalThis, 'removeEventListener').mockImplementation((type: string, listener: unknown) => {
      listeners.delete(listener);
      remove(type, listener as EventListener);
    }),
  ];
  return { listeners, heard: () => heard, restore: () => spies.map((spy) => spy.mockRestore()) };
}

/** Runs everything that waits for no timer. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a page that is left', () => {
  /** A clock whose timers never fire: a step continues only because the page is left. */
  class Stopped extends FakeClock {
    override setTimeout = () => 0;
  }

  it('sends a report that waits for a position at once, without the position', async () => {
    const { client, sent } = scripted([recorded()], { geolocation: isSilent, clock: new Stopped() });
    const reported = client.reportBetEvent(bet);
    await settle();
    expect(sent).toHaveLength(0);
    hide();
    await Promise.resolve();
    expect(await reported).toMatchObject({ outcome: 'recorded', attempts: 1 });
    expect(sent[0]?.init.keepalive).toBe(true);
    expect(located(sent[0]?.init)).toBeUndefined();
  });

  it('makes the next attempt at once, and no further ones', async () => {
    const { client, sent } = scripted([lost(), recorded()], { geolocation: denies, clock: new Stopped() });
    const reported = client.reportBetEvent(bet);
    await settle();
    expect(sent).toHaveLength(1);
    hide();
    expect(await reported).toMatchObject({ outcome: 'recorded', attempts: 2 });
    expect(sent[1]?.init.keepalive).toBe(true);
  });

  it('does not hurry later calls, if it stays', async () => {
    const { client, sent } = scripted([lost(), lost(), recorded()], { geolocation: denies, clock: new Stopped() });
    client.reportBetEvent(bet).catch(() => {});
    await settle();
    hide();
    await settle();
    expect(sent).toHaveLength(2);
    hide();
    await settle();
    expect(sent).toHaveLength(3);
  });

  it('has listeners only while a call waits', async () => {
    const { listeners, heard, restore } = watchListeners();
    try {
      const { report, failure } = scripted([lost(), answer(502), recorded(), lost(), lost(), lost()], {
        geolocation: gives,
      });
      await report();
      expect(listeners.size).toBe(0);
      await failure();
      expect(listeners.size).toBe(0);
      // While each of two positions was found, and in four waits.
      expect(heard()).toBe(6);
    } finally {
      restore();
    }
  });
});

describe('the space for requests that outlive the page', () => {
  const pending: Scripted = 'silence';

  it('is shared by all clients, and released', async () => {
    const note = 'x'.repeat(25 * 1024);
    const big = { ...bet, metadata: { note } };
    const controller = new AbortController();
    const first = scripted([pending, pending], { geolocation: denies });
    const second = scripted([pending, recorded()], { geolocation: denies });
    const calls = [first, first, second].map(({ client }) =>
      client.reportBetEvent(big, { signal: controller.signal }).catch(() => {}),
    );
    await settle();
    const kept = [...first.sent, ...second.sent].map(({ init }) => init.keepalive);
    expect([kept.length, kept.filter(Boolean).length]).toEqual([3, 2]);
    controller.abort();
    await Promise.all(calls);
    await second.run(second.client.reportBetEvent(big));
    expect(second.sent[1]?.init.keepalive).toBe(true);
  });

  it('holds no more requests than a browser accepts', async () => {
    const controller = new AbortController();
    const { client, sent } = scripted(
      Array.from({ length: 20 }, () => pending),
      { geolocation: denies },
    );
    const calls = Array.from({ length: 20 }, () =>
      client.reportBetEvent(bet, { signal: controller.signal }).catch(() => {}),
    );
    await settle();
    expect(sent.filter(({ init }) => init.keepalive)).toHaveLength(15);
    expect(sent).toHaveLength(20);
    controller.abort();
    await Promise.all(calls);
  });

  it('is 60 KiB, to the byte', async () => {
    const { client, sent, run } = scripted([recorded(), recorded(), recorded()], { geolocation: denies });
    const report = (note: string) => run(client.reportBetEvent({ ...bet, metadata: { note } }));
    await report('');
    const room = 60 * 1024 - String(sent[0]?.init.body).length;
    await report('x'.repeat(room));
    await report('x'.repeat(room + 1));
    expect(sent.map(({ init }) => init.keepalive)).toEqual([true, true, undefined]);
  });

  it('counts bytes, not characters', async () => {
    const { report, sent, client, run } = scripted([recorded(), recorded()], { geolocation: denies });
    await run(client.reportBetEvent({ ...bet, metadata: { note: '€'.repeat(25 * 1024) } }));
    await report();
    expect(sent.map(({ init }) => init.keepalive)).toEqual([undefined, true]);
  });

  it('may be used by other scripts: after a request that broke, the next one is sent without it', async () => {
    const { report, sent } = scripted([lost(), lost(), recorded()], { geolocation: denies });
    expect(await report()).toMatchObject({ outcome: 'recorded', attempts: 3 });
    expect(sent.map(({ init }) => init.keepalive)).toEqual([true, undefined, true]);
  });

  it('is not used by a call to a gateway', async () => {
    let seen: object = {};
    const gateways = { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'public' } };
    const fetch = async (_: string, init: object) => {
      seen = init;
      return answer(200);
    };
    const client = createClient({
      gateways,
      allowApiKeyInBrowser: true,
      fetch,
      logger: {},
      validation: 'partial',
      ...once,
    });
    await client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } }, { location: fix.coords });
    expect(seen).not.toHaveProperty('keepalive');
  });
});
