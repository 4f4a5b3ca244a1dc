import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Browser } from 'happy-dom';
import * as undici from 'undici';
import { afterEach, expect, it, vi } from 'vitest';
import { listening } from '../../support/listen.js';
import { bet } from './scripted-gateway.js';
import { ask, KEY } from './transports.js';

afterEach(() => vi.unstubAllGlobals());

const platform = globalThis.fetch;

/** Fetches that people put in place of the platform's, and the other globals that come with each. */
const FOREIGN: readonly [name: string, globals: () => Record<string, unknown>][] = [
  ['fetch of the undici that was installed', () => ({ fetch: undici.fetch })],
  [
    'everything of the undici that was installed',
    () => ({
      fetch: undici.fetch,
      Request: undici.Request,
      Response: undici.Response,
      Headers: undici.Headers,
      FormData: undici.FormData,
    }),
  ],
  ['fetch of happy-dom', () => ({ fetch: fetchOfHappyDom() })],
  ['a wrapper that reads its arguments', () => ({ fetch: readingFetch })],
  ['a polyfill whose Request has a body without cancel', () => ({ fetch: readingFetch, Request: OldRequest })],
];

function fetchOfHappyDom() {
  const page = new Browser({
    settings: { fetch: { disableSameOriginPolicy: true } },
  }).newPage();
  return page.mainFrame.window.fetch.bind(page.mainFrame.window);
}

/** As tracers and mocks do it. */
function readingFetch(url: unknown, init?: RequestInit) {
  if (typeof url !== 'string' || init?.method !== 'POST') throw new TypeError('Only absolute URLs are supported');
  return platform(url, init);
}

/** As in node-fetch 2. */
class OldRequest {
  readonly url: string;
  readonly headers = new Headers();
  readonly body: unknown;
  constructor(
    input: string,
    private readonly init: { body?: unknown } = {},
  ) {
    this.url = input;
    this.body = init.body === undefined ? null : Buffer.from(String(init.body));
  }
  clone() {
    return new OldRequest(this.url, this.init);
  }
}

it.each(FOREIGN)('a report is recorded with %s as the global fetch', async (_, globals) => {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { method, headers } = request;
    received.push([method, headers['x-api-key'], headers['content-type'], JSON.parse(await text(request))]);
    response.setHeader('content-type', 'application/json').end('{"message":"kept"}');
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  for (const [name, value] of Object.entries(globals())) vi.stubGlobal(name, value);
  expect(await ask(url, {})).toMatchObject({ outcome: 'recorded', message: 'kept' });
  expect(received).toEqual([['POST', KEY, 'application/json', bet]]);
});
