// The behaviour of a relay in any runtime: web standards only. The package's parts are passed in, so that each runtime
// imports them in its own way.

import { betUser } from './players.js';

const SITE = 'https://shop.example';

/** @typedef {{ createClient: typeof import('location-sdk').createClient, createMockGateway: typeof import('location-sdk/mock').createMockGateway, createRelay: typeof import('location-sdk/relay').createRelay }} Parts */

/**
 * Sends a relay valid and invalid requests. Returns the problems with the answers, in words; empty if there are none.
 * @param {Parts} parts
 * @returns {Promise<string[]>}
 */
export async function tryRelay({ createClient, createMockGateway, createRelay }) {
  const gateway = createMockGateway();
  const relay = createRelay({
    client: createClient({ ...gateway.clientOptions(), logger: {} }),
    authorize: ({ headers }) => (headers.get('cookie') === 'session=ada' ? { user: betUser } : null),
    bodyTimeoutMs: 50,
    logger: {},
  });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const bet = JSON.stringify({ bet_id: 'BET-1', amount: 5, timestamp });
  const headers = { origin: SITE, 'content-type': 'application/json', 'x-location-sdk': '1', cookie: 'session=ada' };
  const path = '/relay/report-bet-event';
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(4_096)) });
  const stopped = () =>
    new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });

  /** @type {[what: string, status: number, change: { path?: string, method?: string, headers?: Record<string, string>, body?: BodyInit }][]} */
  const cases = [
    ['an event', 200, {}],
    ['the same event again', 200, {}],
    ['a page of another site', 403, { headers: { origin: 'https://evil.example' } }],
    ['no player', 401, { headers: { cookie: 'session=none' } }],
    ['another method', 405, { method: 'PUT' }],
    ['a slash at the end', 404, { path: `${path}/` }],
    ['an encoded slash', 404, { path: '/relay%2Freport-bet-event' }],
    ['plain text', 415, { headers: { 'content-type': 'text/plain' } }],
    ['an endless body', 413, { body: endless() }],
    ['a body that stops', 408, { body: stopped() }],
    ['a name twice', 400, { body: '{"bet_id":"BET-2","bet_id":"BET-3"}' }],
    ['endless nesting', 400, { body: '['.repeat(60_000) }],
    ['bytes that are not UTF-8', 400, { body: new Uint8Array([0x22, 0xff, 0x22]) }],
    ['another player', 400, { body: '{"bet_id":"BET-2","amount":5,"user":{"user_id":"U-2"}}' }],
  ];
  const wrong = [];
  for (const [what, status, change] of cases) {
    const init = {
      method: change.method ?? 'POST',
      headers: { ...headers, ...change.headers },
      body: change.body ?? bet,
      duplex: 'half',
    };
    const response = await relay(new Request(SITE + (change.path ?? path), init));
    if (response.status !== status) wrong.push(`${what} was answered with ${response.status}, not ${status}`);
  }
  const { length } = gateway.requests();
  if (length !== 1) wrong.push(`${length} requests reached the gateway, not 1`);
  return wrong;
}
