// @module-tag slow: starts a Chromium of its own.
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { toNodeHandler } from '../../src/entries/node.js';
import { createRelay } from '../../src/entries/relay.js';
import { certificateKey, selfSigned } from '../support/certificates.js';
import { betUser } from '../support/factories.js';
import { listen } from '../support/listen.js';
import { launchChromium } from './chromium.js';
import { grantGeolocation, POSITION } from './geolocation.js';
import { readScript } from './script-file.js';

declare const LocationSDK: typeof import('../../src/entries/script-tag-relay.js').LocationSDK;

/**
 * The pages of apps around a web view, at the addresses that these apps give them, report through a relay of another
 * origin, as the guide says (app.md, "Report from the app"). Chromium finds both by its own rules for names, so the ports are
 * those of the schemes.
 */
const RELAY = 'https://play.example.com';
const APPS = [
  { app: 'Capacitor on Android', origin: 'https://localhost' },
  { app: "Ionic's web view for Cordova, and Capacitor before version 6, on Android", origin: 'http://localhost' },
  { app: 'an app with a host name of its own', origin: 'https://app.example.com' },
] as const;

const SCRIPT = 'location-sdk.relay.global.js';
const PAGE = `<!doctype html><html lang="en"><head><title>App</title><link rel="icon" href="data:,"><script src="/${SCRIPT}"></script></head></html>`;

const gateway = createMockGateway();
const lines: string[] = [];
const line = (text: string) => void lines.push(text);

/** The relay of an operator who has named these origins. */
const relayFor = (allowedOrigins: readonly string[]) =>
  createRelay({
    client: createClient(gateway.clientOptions()),
    authorize: ({ headers }, { operation }) =>
      headers.get('authorization') === 'Bearer ada' && operation === 'reportBetEvent' && { user: betUser() },
    allowedOrigins,
    allowedHeaders: ['authorization'],
    logger: { warn: line, error: line },
  });

let relay = relayFor([]);
let browser: Browser;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const handle = toNodeHandler((request, connection) => relay(request, connection));
  const answer: RequestListener = (incoming, outgoing) => {
    if (incoming.headers.host === new URL(RELAY).host) return handle(incoming, outgoing);
    const isScript = incoming.url === `/${SCRIPT}`;
    outgoing.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' });
    outgoing.end(isScript ? readScript(SCRIPT) : PAGE);
  };
  const plain = await listen(createPlainServer(answer));
  const secure = await listen(createTlsServer({ key: certificateKey, cert: selfSigned }, answer));
  closing.push(plain.close, secure.close);
  const hosts = ['localhost', 'app.example.com', 'play.example.com'];
  browser = await launchChromium([
    `MAP localhost:80 127.0.0.1:${plain.port}`,
    ...hosts.map((host) => `MAP ${host}:443 127.0.0.1:${secure.port}`),
  ]);
  closing.unshift(() => browser.close());
});

afterAll(async () => {
  for (const close of closing) await close();
});

/** In the page of an app: reports with the session as a token, as the guide shows. */
async function reportFrom(origin: string): Promise<object> {
  // The certificate has no authority; all else is as in an app.
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    await grantGeolocation(context);
    const page = await context.newPage();
    await page.goto(`${origin}/`);
    expect(await page.evaluate(() => [location.origin, isSecureContext])).toEqual([origin, true]);
    return await page.evaluate(async (relay) => {
      const client = LocationSDK.createClient({
        relayUrl: `${relay}/relay`,
        relayCredentials: 'omit',
        retry: { limit: 0 },
        fetch(url, init) {
          const headers = { ...init.headers, authorization: 'Bearer ada' };
          return fetch(url, { ...init, headers });
        },
      });
      return client.reportBetEvent({ bet_id: 'B-1', amount: 1500 }).catch((error: unknown) => {
        if (!LocationSDK.isReportingError(error)) throw error;
        return error.toJSON();
      });
    }, RELAY);
  } finally {
    await context.close();
  }
}

for (const { app, origin } of APPS) {
  const tags = origin === 'https://localhost' ? 'slice' : [];

  test(`${app}, at ${origin}, reports through a relay that names it`, { tags }, async () => {
    gateway.reset();
    relay = relayFor([origin]);
    expect(await reportFrom(origin)).toMatchObject({ outcome: 'recorded', location: { source: 'gps' } });
    expect(gateway.reports()).toMatchObject([{ reference: 'B-1', body: { location: POSITION, user: betUser() } }]);
  });

  test(`${app}, at ${origin}, names the setting if the relay does not allow it, and so does the log`, {
    tags,
  }, async () => {
    gateway.reset();
    lines.length = 0;
    relay = relayFor(APPS.map((one) => one.origin).filter((other) => other !== origin));
    const failure = await reportFrom(origin);
    expect(failure).toMatchObject({ code: 'network', message: expect.stringContaining('allowedOrigins of a relay') });
    expect(lines).toEqual([expect.stringContaining(`createRelay({ allowedOrigins: ['${origin}'] })`)]);
    expect(gateway.requests()).toEqual([]);
  });
}
