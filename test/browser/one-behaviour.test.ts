// @module-tag slow: compares all builds.
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { expectFreshBuild } from '../support/built.js';
import { invalidVectors, validPayload } from '../vectors/read.js';
import { test } from './browser-test.js';
import { bundleModules, readScript } from './script-file.js';

/**
 * Every build gets the same wrong payloads, wrong options, hostile answers and personal values, in a real browser, and
 * must give the same issues, codes, outcomes and messages.
 */
declare const LocationSDK: typeof import('../../src/entries/index.js');

const ORIGIN = 'https://operator.example.com';
const LOCATION = { fixed: { latitude: 6.4541, longitude: 3.3947, city: 'Lagos', source: 'terminal' } };
const KEY = 'secret-key-4711';

/** A call, and the options of its client. `options` are values that can be passed into a page: no functions. */
interface Case {
  readonly name: string;
  readonly options: object;
  readonly operation?: string;
  readonly payload?: unknown;
  readonly callOptions?: unknown;
  /** The answer of the gateway or relay. Without it no request may be made. */
  readonly answer?: Answer | undefined;
}

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const relay = { relayUrl: `${ORIGIN}/relay`, location: LOCATION, retry: { limit: 0 } };
const gateways = {
  gateways: { staging: { baseUrl: `${ORIGIN}/gateway`, apiKey: KEY } },
  allowApiKeyInBrowser: true,
  environment: 'staging',
  location: LOCATION,
  retry: { limit: 0 },
};
const bet = validPayload('reportBetEvent');
const user = bet.user as Record<string, unknown>;
const reference = String(bet.bet_id);
const ofPage = invalidVectors.filter(
  ({ operation }) => operation === 'reportBetEvent' || operation === 'reportWithdrawalEvent',
);

const wrongPayloads = (options: object): Case[] => [
  ...ofPage.map(({ case: name, operation, payload }) => ({
    name: `payload of ${operation}: ${name}`,
    options,
    operation,
    payload,
  })),
  ...[
    null,
    'a text',
    [bet],
    42,
    { ...bet, payoutAmount: 3 },
    { ...bet, user: { ...user, [`${user.nin}`]: 1 } },
    { ...bet, clientIP: '8.8.8.8' },
  ].map((payload, index) => ({ name: `odd payload ${index}`, options, operation: 'reportBetEvent', payload })),
  ...[
    { timeoutMs: 0 },
    { signal: {} },
    { location: { latitude: 91, longitude: 3 } },
    { clientIP: '10.0.0.1' },
    { tiemoutMs: 5 },
    'no object',
  ].map((callOptions, index) => ({
    name: `odd call options ${index}`,
    options,
    operation: 'reportBetEvent',
    payload: bet,
    callOptions,
  })),
  { name: 'a settlement', options, operation: 'reportSettledBet', payload: validPayload('reportSettledBet') },
  { name: 'a verification', options, operation: 'verifyNin', payload: { nin: user.nin } },
  { name: 'a resend of nothing', options, operation: 'resend', payload: { code: 'network' } },
];

const wrongOptions: Case[] = [
  { relayURL: '/relay' },
  { retry: { limit: -1 } },
  { timeoutMs: '5' },
  { location: { browser: { timeoutMs: 0 } }, logger: 7 },
  { environment: 'staging' },
  { environment: 'live' },
  { gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: KEY } } },
  { relayUrl: 'http://operator.example.com/relay' },
  { relayUrl: `https://user:${KEY}@operator.example.com/` },
  { relayUrl: '' },
  { location: { fixed: { latitude: '6', longitude: 3 } } },
  { transport: {} },
  { isRecorded: true },
].map((options, index) => ({
  name: `options ${index}: ${Object.keys(options).join(', ')}`,
  options: { ...relay, ...options },
}));

const json = (status: number, body: unknown, headers = {}): Answer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});
/** A gateway or a relay that repeats the sent data, including the key. */
const telltale = `${user.first_name} ${user.last_name} of ${user.resident_address} (NIN ${user.nin}) sent ${KEY}: the amount is not valid`;
const receipt = { outcome: 'recorded', operation: 'reportBetEvent', reference, environment: 'staging' };
const told = (status: number, error: object) =>
  json(status, { error: { code: 'gateway', outcome: 'unknown', message: telltale, reference, ...error } });

const answers = (by: readonly (readonly [name: string, answer: Answer])[], options: object): Case[] =>
  by.map(([name, answer]) => ({ name: `answer: ${name}`, options, operation: 'reportBetEvent', payload: bet, answer }));

const anyAnswer: [string, Answer][] = [
  ['200 empty', { status: 200, body: '' }],
  ['200 HTML', { status: 200, body: `<html>${telltale}` }],
  ['200 broken JSON', { status: 200, body: '{"message":' }],
  ['200 of a failure', json(200, { success: false, message: telltale })],
  ['206', json(206, { message: 'half' })],
  ...[400, 401, 403, 404, 405, 408, 409, 413, 418, 422, 500, 502, 503].map((status): [string, Answer] => [
    String(status),
    json(status, { message: telltale, error: 'Error', statusCode: status }),
  ]),
  ['404 HTML', { status: 404, body: '<html>not here</html>' }],
  ['429', json(429, { message: telltale }, { 'retry-after': '7' })],
  ['429 with a date', json(429, {}, { 'retry-after': 'soon' })],
  ['a repetition', json(409, { message: 'This bet has already been reported' })],
  ['a conflict', json(409, { message: 'This bet has already been reported with different data' })],
  ['a list of words', json(422, { message: [`${user.nin} must be a string`, 'amount must be positive'] })],
  ['a redirect', { status: 302, body: '', headers: { location: `${ORIGIN}/login` } }],
  ['a connection that breaks', {}],
];
const relayAnswers: [string, Answer][] = [
  ['a receipt', json(200, receipt)],
  ['a receipt of another report', json(200, { ...receipt, reference: 'B-other' })],
  ['stored', json(202, { ...receipt, outcome: undefined, state: 'waiting' })],
  [
    'a wrong event',
    told(400, {
      code: 'validation',
      outcome: 'not-sent',
      issues: [{ path: 'user.nin', code: 'invalid', message: `got ${user.nin}` }, { path: telltale }],
    }),
  ],
  [
    'no location',
    told(503, {
      code: 'location',
      outcome: 'not-sent',
      steps: [{ step: 'client-ip', reason: 'not-public', message: telltale, durationMs: 3 }],
    }),
  ],
  ['an unknown code', told(502, { code: `code ${user.nin}` })],
  ['an unknown outcome', told(502, { outcome: 'perhaps' })],
  ['a duplicate', told(409, { code: 'duplicate', outcome: 'rejected' })],
  ['a conflict of the relay', told(409, { code: 'duplicate', outcome: 'rejected', conflict: true })],
  ['a success that speaks of an error', told(200, {})],
];

const relayed: Case[] = [...wrongPayloads(relay), ...wrongOptions, ...answers([...anyAnswer, ...relayAnswers], relay)];
const ofGateways: Case[] = [
  ...wrongPayloads(gateways),
  ...answers([...anyAnswer, ['recorded', json(200, { message: telltale.replace(' not ', ' ') })]], gateways),
];

const scripts: Record<string, string> = {};
beforeAll(async () => {
  expectFreshBuild();
  scripts.modules = await bundleModules('index.js');
  scripts['location-sdk/page'] = await bundleModules('page.js');
  for (const name of ['location-sdk.global.js', 'location-sdk.relay.global.js', 'location-sdk.outbox.global.js'])
    scripts[name] = readScript(name);
});

/** In the page: the result of each case. */
async function endsOf(cases: readonly Case[]): Promise<unknown[]> {
  const ends: unknown[] = [];
  for (const { options, operation, payload, callOptions } of cases) {
    try {
      const client = LocationSDK.createClient(options as never) as unknown as Record<
        string,
        (...given: unknown[]) => Promise<unknown>
      >;
      ends.push(operation === undefined ? 'a client' : { receipt: await client[operation]?.(payload, callOptions) });
    } catch (error) {
      ends.push(LocationSDK.isReportingError(error) ? { error: error.toJSON() } : { threw: String(error) });
    }
  }
  return ends;
}

/** The case with the gateway or the relay at an address of its own, so that the answer belongs to it. */
const withAddress = (one: Case, index: number): Case => ({
  ...one,
  options: JSON.parse(JSON.stringify(one.options).replaceAll(`${ORIGIN}/`, `${ORIGIN}/${index}/`)),
});

/** The results of a build for each case. */
async function sayAll(page: Page, script: string, cases: readonly Case[]): Promise<Record<string, unknown>> {
  const asked = new Set<number>();
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/')
      return route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><html lang="en"><title>Operator</title></html>',
      });
    const index = Number(pathname.split('/')[1]);
    asked.add(index);
    const answer = cases[index]?.answer;
    if (!answer || answer.status === undefined) return route.abort('connectionreset');
    return route.fulfill({ status: answer.status, body: answer.body ?? '', headers: { ...answer.headers } });
  });
  await page.goto(`${ORIGIN}/`);
  await page.addScriptTag({ content: script });
  const ends = await page.evaluate(endsOf, cases.map(withAddress));
  await page.unroute('**/*');
  return Object.fromEntries(cases.map(({ name }, index) => [name, { end: ends[index], asked: asked.has(index) }]));
}

const PERSONAL = [KEY, user.nin, user.first_name, user.last_name, user.resident_address, user.tax_id, user.user_id].map(
  String,
);

test('with a relay every build gives the same messages, and shows no personal data', { timeout: 120_000 }, async ({
  page,
}) => {
  const all: [string, Record<string, unknown>][] = [];
  for (const [name, script] of Object.entries(scripts)) all.push([name, await sayAll(page, script, relayed)]);
  const [[, modules = {}] = []] = all;
  expect(Object.keys(modules)).toHaveLength(relayed.length);
  // Otherwise the comparison would prove nothing.
  expect(modules['answer: a receipt']).toMatchObject({
    end: { receipt: { outcome: 'recorded', reference } },
    asked: true,
  });
  expect(modules['payload of reportBetEvent: many at once']).toMatchObject({
    end: { error: { code: 'validation', outcome: 'not-sent' } },
    asked: false,
  });
  for (const [name, said] of all) {
    expect(said, name).toEqual(modules);
    for (const value of PERSONAL) expect(JSON.stringify(said), name).not.toContain(value);
  }
});

test('with a gateway all builds that support one give the same messages, and show neither key nor personal data', {
  timeout: 120_000,
}, async ({ page }) => {
  const modules = await sayAll(page, scripts.modules ?? '', ofGateways);
  expect(modules['answer: recorded']).toMatchObject({
    end: { receipt: { outcome: 'recorded', reference } },
    asked: true,
  });
  expect(modules['answer: 403']).toMatchObject({
    end: { error: { code: 'bad-request', outcome: 'rejected', status: 403 } },
  });
  expect(await sayAll(page, scripts['location-sdk.global.js'] ?? '', ofGateways)).toEqual(modules);
  for (const value of PERSONAL) expect(JSON.stringify(modules)).not.toContain(value);
});

test.for(['location-sdk/page', 'location-sdk.relay.global.js', 'location-sdk.outbox.global.js'])(
  '%s says that it needs a relay',
  async (name, { page }) => {
    const said = await sayAll(page, scripts[name] ?? '', [
      { name: 'nothing', options: {} },
      { name: 'a gateway', options: gateways },
    ]);
    for (const one of Object.values(said))
      expect(one).toMatchObject({
        end: {
          error: { code: 'configuration', message: expect.stringContaining('relayUrl: is required in this build') },
        },
      });
  },
);
