import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FetchInit, FetchResponse } from '../src/core/platform/web-types.js';
import {
  type BetEvent,
  type Client,
  type ClientOptions,
  createClient,
  type ErrorCode,
  freeipapi,
  geojs,
  ipapiCo,
  ipinfo,
  isReportingError,
  type ReportingError,
} from '../src/entries/index.js';
import { createMockGateway } from '../src/entries/mock.js';
import { settledWithdrawal, withdrawalEvent } from './support/factories.js';
import { FakeClock } from './support/fake-clock.js';
import { json } from './support/recording-fetch.js';

// Every value that must never be shown is here with a unique text.
const API_KEY = 'kq-7f3a9e21.Zx/Q+w==';
const CLIENT_IP = '102.89.231.47';
const PRIVATE_IP = '10.231.47.89';
const NIN = '90817263544';
const TOKEN = 'tok-quillback-5521';

const bet = (): BetEvent => ({
  bet_id: 'BET-SHOWN',
  amount: 1500,
  timestamp: '1795161600',
  user: {
    user_id: 'U-zebrafinch/41',
    first_name: 'Ọlá-Zúrikel',
    last_name: "N'Golovanté D'Quorra",
    resident_address: '77 Vørnhill Road,\nFlat <9B> & "Loft"',
    resident_lga: 'Brimstead Nörth',
    resident_state: 'KESTRELIA',
    is_resident: true,
    nin: NIN,
    tax_id: 'TX-55512-QZ',
  },
  metadata: { note: 'velvet-otter / Žluť', odds: 9417.2931, seat: 'Gx' },
});
const location = {
  latitude: 6.123457,
  longitude: -3.765431,
  city: 'Wobblington',
  region: "Côte d'Umbra",
  country: 'Zedland',
  accuracy: 73.25,
  source: 'gps',
};
const withdrawal = () =>
  withdrawalEvent({
    request_id: 'WR-SHOWN',
    withdrawalId: 'W-SHOWN',
    userId: 'U-xylograph-12',
    metadata: { method: 'bank_transfer', bank: "Plumefeather & Söhne's", account_last4: '8306' },
    user: {
      ...withdrawalEvent().user,
      full_name: 'Ọlá Zúrikel',
      residence_address: 'Vørnhill',
      residence_lga: 'Brimstead',
      residence_state: 'KESTRELIA',
      nin: NIN,
      tax_id: 'TX-55512-QZ',
      user_id: 'U-zebrafinch/41',
    },
  });

const leaves = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leaves)
    : typeof value === 'boolean'
      ? []
      : [String(value)];

const personal = [
  ...leaves(bet().user),
  ...leaves(bet().metadata),
  ...leaves(location).filter((value) => value !== 'gps'),
];
const paidOut = ['U-xylograph-12', "Plumefeather & Söhne's", '8306'];
const whole = [API_KEY, CLIENT_IP, PRIVATE_IP, NIN, TOKEN, ...personal, ...paidOut];
const words = [...personal, ...paidOut]
  .flatMap((value) => value.split(/[^\p{L}\p{N}\p{M}]+/u))
  .filter((word) => word.length > 2);

const plain = (text: string) => text.normalize('NFC').toLowerCase();
const CANARIES = [...new Set([...whole.filter((value) => value.length > 2), ...words].map(plain))];

/** A text, unchanged and in every decoding. */
function readings(text: string): string[] {
  const bytes = (run: string) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8');
  const ofUrl = (from: string) => from.replace(/(?:%[0-9a-f]{2})+/gi, bytes);
  const ofJson = (from: string) =>
    from
      .replace(/\\u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\(["\\/])/g, '$1');
  const ofHtml = (from: string) =>
    from
      .replace(/&#x([0-9a-f]+);/gi, (_all, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
      .replace(/&#([0-9]+);/g, (_all, code: string) => String.fromCodePoint(Number(code)))
      .replace(
        /&(amp|lt|gt|quot|apos);/gi,
        (_all, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[name.toLowerCase()] ?? '',
      );
  return [text, ofUrl(text), ofUrl(text.replaceAll('+', ' ')), ofJson(text), ofJson(ofJson(text)), ofHtml(text)].map(
    plain,
  );
}

function leaksIn(text: string): string[] {
  const read = readings(text).join('\n\n');
  return CANARIES.filter((canary) => read.includes(canary));
}

/** Every way to print an error or a receipt. */
function printed(value: unknown): string[] {
  const texts = [String(value), JSON.stringify(value) ?? '', value instanceof Error ? (value.stack ?? '') : ''];
  for (const customInspect of [true, false]) {
    for (const showHidden of [true, false])
      texts.push(
        inspect(value, {
          depth: Number.POSITIVE_INFINITY,
          showHidden,
          customInspect,
          getters: true,
          maxStringLength: null,
        }),
      );
  }
  if (value instanceof Error)
    texts.push(
      ...Reflect.ownKeys(value).map((name) => inspect(Reflect.get(value, name), { depth: Number.POSITIVE_INFINITY })),
    );
  return texts;
}

const lines: string[] = [];
const gatewayUrls: string[] = [];

beforeEach(() => {
  lines.length = 0;
  gatewayUrls.length = 0;
  for (const name of ['debug', 'log', 'info', 'warn', 'error', 'trace'] as const) {
    vi.spyOn(console, name).mockImplementation((...given) => void lines.push(...given.flatMap(printed)));
  }
});
afterEach(() => vi.restoreAllMocks());

const logLine = (...given: unknown[]) => void lines.push(...given.flatMap(printed));
const logger = { debug: logLine, info: logLine, warn: logLine, error: logLine };

type Answering = (body: string, init: FetchInit) => FetchResponse | Promise<FetchResponse>;

function clientOver(answer: Answering, more: ClientOptions = {}): Client {
  return createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: API_KEY } },
    logger,
    retry: { limit: 1, baseMs: 0 },
    fetch: async (url, init) => {
      if (url.startsWith('https://gateway.example.com')) gatewayUrls.push(url);
      return answer(init.body ?? '', init);
    },
    ...more,
  });
}

/** No collected output and no print of the value may contain a canary. */
function expectNoLeak(value: unknown) {
  console.error(value);
  const found = [...new Set([...printed(value), ...lines, ...gatewayUrls])].flatMap((text) =>
    leaksIn(text).map((canary) => `${canary} in ${text}`),
  );
  expect(found).toEqual([]);
}

async function errorOf(work: () => unknown): Promise<ReportingError> {
  try {
    await work();
  } catch (error) {
    if (isReportingError(error)) return error;
    expectNoLeak(error);
    throw error;
  }
  throw new Error('expected an error');
}

const everything = () => ({ body: bet(), location, headers: { 'x-api-key': API_KEY }, ip: CLIENT_IP, token: TOKEN });

/** An error of careless code. */
const careless = () =>
  Object.assign(new Error(JSON.stringify(everything()), { cause: Object.assign(new Error(API_KEY), everything()) }), {
    request: everything(),
    code: NIN,
    name: API_KEY,
    stack: JSON.stringify(everything()),
  });

test('canaries are found in every spelling', () => {
  const text = JSON.stringify(everything());
  expect(leaksIn(text)).toEqual(
    expect.arrayContaining([plain(API_KEY), NIN, 'wobblington', 'zúrikel', '9417.2931', CLIENT_IP, TOKEN]),
  );
  expect(leaksIn(encodeURIComponent(text))).toContain('zúrikel');
  expect(leaksIn(text.normalize('NFD'))).toContain('zúrikel');
  expect(leaksIn('Z\\u00FArikel')).toContain('zúrikel');
  expect(leaksIn('z&#250;rikel')).toContain('zúrikel');
  expect(leaksIn('nothing')).toEqual([]);
});

const ascii = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const percent = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
const html = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Escaped line ends of JSON are not words. */
const wordByWord = (text: string) =>
  text
    .replaceAll('\\n', ' ')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .join(' | ');

const ECHOES: [name: string, echo: (text: string) => string][] = [
  ['unchanged', (text) => text],
  ['within JSON', (text) => JSON.stringify(text)],
  ['within JSON of ASCII only', (text) => ascii(JSON.stringify(text))],
  ['within JSON with escaped slashes', (text) => ascii(JSON.stringify(text)).replaceAll('/', '\\/')],
  ['within a URL', encodeURIComponent],
  ['within a URL, apostrophes too', percent],
  ['within a URL in lower case', (text) => percent(text).toLowerCase()],
  ['decomposed and within a URL', (text) => percent(text.normalize('NFD'))],
  ['within JSON within a URL', (text) => percent(ascii(JSON.stringify(text)))],
  ['within a form', (text) => percent(text).replaceAll('%20', '+')],
  ['within HTML', (text) => html(text).replaceAll("'", '&#39;')],
  ['within HTML with hexadecimal apostrophes', (text) => html(text).replaceAll("'", '&#x27;')],
  ['within HTML with named apostrophes', (text) => html(text).replaceAll("'", '&apos;')],
  [
    'within HTML of ASCII only',
    (text) => html(text).replace(/[^\x20-\x7e]/g, (character) => `&#${character.codePointAt(0)};`),
  ],
  ['in upper case', (text) => text.toUpperCase()],
  ['in lower case', (text) => text.toLowerCase()],
  ['decomposed', (text) => text.normalize('NFD')],
  ['decomposed and in upper case', (text) => text.normalize('NFD').toUpperCase()],
  ['word by word', wordByWord],
  ['decomposed and word by word', (text) => wordByWord(text.normalize('NFD'))],
  ['with other spaces', (text) => text.replace(/\s+/g, '   ')],
];

describe.each(ECHOES)('a gateway that repeats the sent values %s', (_, echo) => {
  test('shows none of them in an error or in a receipt', async () => {
    const refusing = clientOver((body) => json({ message: `refused: ${echo(body)}` }, 422));
    for (const report of [
      () => refusing.reportBetEvent(bet(), { location }),
      () => refusing.reportWithdrawalEvent(withdrawal(), { location }),
      () =>
        refusing.reportSettledWithdrawal(
          { ...settledWithdrawal(), ...withdrawal(), timestamp: '1795162000' },
          { location },
        ),
    ]) {
      const error = await errorOf(report);
      expect(error.code).toBe('unprocessable');
      expectNoLeak(error);
    }
    const recording = clientOver((body) => json({ message: `Recorded for ${echo(body)}.` }));
    const { location: _shown, ...receipt } = await recording.reportBetEvent(bet(), { location });
    expect(receipt.message).toContain('Recorded for');
    expectNoLeak(receipt);
  });
});

describe('every kind of error', () => {
  const echoing =
    (status: number, more: object = {}, headers: Record<string, string> = {}): Answering =>
    (body) =>
      json({ message: `${body} ${API_KEY} ${NIN}`, error: body, ...more }, status, headers);
  const report = (client: Client) => client.reportBetEvent(bet(), { location });
  const thrower = () => {
    throw careless();
  };

  const PATHS: [ErrorCode, string, () => unknown][] = [
    ['bad-request', 'HTTP 400', () => report(clientOver(echoing(400)))],
    ['bad-request', 'HTTP 418', () => report(clientOver(echoing(418)))],
    ['authentication', 'HTTP 401', () => report(clientOver(echoing(401)))],
    ['not-found', 'HTTP 404', () => report(clientOver(echoing(404)))],
    ['unprocessable', 'HTTP 422', () => report(clientOver(echoing(422)))],
    ['rate-limited', 'HTTP 429', () => report(clientOver(echoing(429)))],
    ['gateway', 'HTTP 500', () => report(clientOver(echoing(500)))],
    [
      'gateway',
      'a redirect',
      () => report(clientOver(echoing(302, {}, { location: `https://x.example/?nin=${NIN}` }))),
    ],
    ['gateway', 'a page', () => report(clientOver((body) => json(`<html>${body}</html>`)))],
    ['gateway', 'broken JSON', () => report(clientOver((body) => json(body.slice(0, -1))))],
    ['gateway', 'HTTP 200 that says no', () => report(clientOver(echoing(200, { success: false })))],
    [
      'duplicate',
      'the same data',
      () =>
        report(clientOver(() => json({ message: `This bet has already been reported. ${bet().user.last_name}` }, 409))),
    ],
    [
      'duplicate',
      'other data',
      () =>
        report(
          clientOver(() =>
            json({ message: `This bet has already been reported with different data. ${NIN}`, error: bet() }, 409),
          ),
        ),
    ],
    ['network', 'a fetch that throws', () => report(clientOver(thrower))],
    [
      'network',
      'a fetch that throws a value that is not an error',
      () => report(clientOver(() => Promise.reject(everything()))),
    ],
    [
      'network',
      'an answer that breaks off',
      () => report(clientOver(() => ({ ...json({}), text: () => Promise.reject(careless()) }))),
    ],
    ['bad-request', 'isDuplicate that throws', () => report(clientOver(echoing(400), { isDuplicate: thrower }))],
    ['gateway', 'isRecorded that throws', () => report(clientOver(echoing(200), { isRecorded: thrower }))],
    [
      'gateway',
      'a logger that throws',
      () => report(clientOver(echoing(503), { logger: { debug: thrower, error: thrower, warn: thrower } })),
    ],
    [
      'configuration',
      'a key function that throws the key',
      () => report(clientOver(echoing(200), { gateways: gatewayWith(thrower) })),
    ],
    [
      'configuration',
      'a key function that rejects with the key',
      () => report(clientOver(echoing(200), { gateways: gatewayWith(() => Promise.reject(API_KEY)) })),
    ],
    [
      'configuration',
      'a key that a header cannot hold, from a function',
      () => report(clientOver(echoing(200), { gateways: gatewayWith(() => `${API_KEY}\n`) })),
    ],
    [
      'configuration',
      'a key that a header cannot hold',
      () => clientOver(echoing(200), { gateways: gatewayWith(`${API_KEY}\n`) }),
    ],
    [
      'configuration',
      'a base address with a password',
      () => createClient({ gateways: { staging: { baseUrl: `https://u:${API_KEY}@gateway.example.com` } } }),
    ],
    [
      'configuration',
      'a base address with a query',
      () => createClient({ gateways: { staging: { baseUrl: `https://gateway.example.com/?key=${TOKEN}` } } }),
    ],
    [
      'configuration',
      'options that are data',
      () =>
        createClient({
          [API_KEY]: 1,
          environment: NIN,
          location: { fixed: { latitude: 6123457, longitude: NIN } },
        } as never),
    ],
    [
      'configuration',
      'an environment that is not set up',
      () => createClient({ logger }).reportBetEvent(bet(), { location, clientIP: CLIENT_IP }),
    ],
    [
      'validation',
      'a payload with every field wrong',
      () => clientOver(echoing(200)).reportBetEvent(wrongEverywhere(), { clientIP: `${CLIENT_IP}, ${PRIVATE_IP}` }),
    ],
    ['validation', 'a payload of lists', () => clientOver(echoing(200)).reportBetEvent([bet()] as never)],
    [
      'validation',
      'a payload that throws',
      () => clientOver(echoing(200)).reportBetEvent({ ...bet(), user: new Proxy({}, { ownKeys: thrower }) } as never),
    ],
    [
      'validation',
      'options that throw',
      () => clientOver(echoing(200)).reportBetEvent(bet(), new Proxy({}, { ownKeys: thrower })),
    ],
    [
      'validation',
      'parameters given twice',
      () =>
        clientOver(echoing(200)).reportBetEvent(
          { ...bet(), location, clientIP: CLIENT_IP },
          { clientIP: '1.1.1.1', location: { latitude: 1, longitude: 2 } },
        ),
    ],
    ['validation', 'a number to verify', () => clientOver(echoing(200)).verifyNin(`${NIN}0`)],
    ['validation', 'a resend of a value that is not an error', () => clientOver(echoing(200)).resend(careless())],
    [
      'location',
      'an address that is not public',
      () => clientOver(echoing(200)).reportBetEvent(bet(), { clientIP: PRIVATE_IP }),
    ],
    [
      'location',
      'services that cannot be reached',
      () => clientOver(thrower).reportBetEvent(bet(), { clientIP: CLIENT_IP }),
    ],
    ['location', 'services that refuse', () => clientOver(echoing(403)).reportBetEvent(bet(), { clientIP: CLIENT_IP })],
    [
      'location',
      'services without an answer',
      () => clientOver(echoing(200, { error: true, reason: CLIENT_IP })).reportBetEvent(bet(), { clientIP: CLIENT_IP }),
    ],
    [
      'location',
      'a service of the user that throws',
      () =>
        clientOver(echoing(200), {
          location: { ip: { providers: [{ name: 'ours', lookup: thrower }] } },
        }).reportBetEvent(bet(), { clientIP: CLIENT_IP }),
    ],
    [
      'aborted',
      'a signal whose reason holds data',
      () => clientOver(echoing(200)).reportBetEvent(bet(), { location, signal: AbortSignal.abort(careless()) }),
    ],
    [
      'aborted',
      'a signal whose reason holds data, during a lookup',
      () =>
        clientOver(echoing(200)).reportBetEvent(bet(), { clientIP: CLIENT_IP, signal: AbortSignal.abort(careless()) }),
    ],
    ['aborted', 'an abort during the request', abortedOnTheWay],
    ['timeout', 'a gateway that never answers', timedOut],
  ];

  test.each(PATHS)('%s: %s', async (code, _path, work) => {
    const error = await errorOf(work);
    expect(error.code).toBe(code);
    expect(error.cause).toBeUndefined();
    expectNoLeak(error);
  });

  test('every code has a case here', () => {
    const codes = [
      'configuration',
      'validation',
      'location',
      'network',
      'timeout',
      'aborted',
      'bad-request',
      'authentication',
      'not-found',
    ];
    expect([...new Set(PATHS.map(([code]) => code))].sort()).toEqual(
      [...codes, 'duplicate', 'unprocessable', 'rate-limited', 'gateway'].sort(),
    );
  });

  test('a report that is resent and fails again', async () => {
    const client = clientOver(echoing(503));
    const first = await errorOf(() => report(client));
    const second = await errorOf(() => client.resend(first));
    expectNoLeak(first);
    expectNoLeak(second);
  });

  test('a rotated key that was sent before', async () => {
    const keys = [API_KEY, 'kq-other'];
    const client = clientOver(() => json({ message: `not with ${API_KEY}` }, 503), {
      gateways: gatewayWith(() => keys.shift() ?? 'kq-last'),
    });
    expectNoLeak(await errorOf(() => report(client)));
  });

  test('the verification of a number', async () => {
    for (const status of [400, 404, 422, 429, 500]) {
      expectNoLeak(
        await errorOf(() => clientOver((body) => json({ message: `${body} ${API_KEY}` }, status)).verifyNin(NIN)),
      );
    }
  });
});

test('a lookup service gets the address alone, and the gateway never gets it', async () => {
  const asked: string[] = [];
  const sent: string[] = [];
  const client = createClient({
    gateways: gatewayWith(API_KEY),
    logger,
    location: { ip: { providers: [geojs(), ipapiCo(), freeipapi(), ipinfo({ token: 'tok-of-ipinfo' })] } },
    retry: { limit: 0 },
    fetch: async (url, { method, headers, body }) => {
      const request = JSON.stringify([method, url, headers, body ?? '']);
      if (url.startsWith('https://gateway.example.com')) {
        sent.push(request);
        return json({ message: 'kept' });
      }
      asked.push(request);
      // Only the last service knows the place.
      return url.includes('ipinfo') ? json({ ip: CLIENT_IP, geo: { latitude: 6.5, longitude: 3.25 } }) : json({}, 503);
    },
  });
  await client.reportBetEvent(bet(), { clientIP: CLIENT_IP });
  expect(asked.map((request) => leaksIn(request))).toEqual(Array(4).fill([CLIENT_IP]));
  expect([sent.length, sent.join().includes(CLIENT_IP)]).toEqual([1, false]);
});

test('receipts contain no data except the location', async () => {
  const gateway = createMockGateway();
  gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  const client = createClient({ ...gateway.clientOptions(), logger, retry: { baseMs: 0 } });
  const { location: shown, ...receipt } = await client.reportBetEvent(bet(), { location });
  expect(shown).toEqual(location);
  expect(receipt).toMatchObject({ outcome: 'already-recorded', attempts: 2, reference: 'BET-SHOWN' });
  expectNoLeak(receipt);
});

test('a report leaves no data in the log of the console, nor in a URL', async () => {
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: API_KEY } },
    fetch: async (url, init) => {
      gatewayUrls.push(url);
      return json({ message: `${init.body} ${API_KEY}` });
    },
  });
  await client.reportBetEvent(bet(), { location });
  await client.reportWithdrawalEvent(withdrawal(), { location });
  expectNoLeak('done');
  expect(gatewayUrls).toHaveLength(2);
});

function gatewayWith(apiKey: string | (() => string | Promise<string>)) {
  return { staging: { baseUrl: 'https://gateway.example.com', apiKey } };
}

/** Every value in a field that refuses it. */
function wrongEverywhere(): BetEvent {
  const { user } = bet();
  return {
    ...bet(),
    amount: NIN as never,
    timestamp: `${NIN}99`,
    user: {
      ...user,
      nin: `${NIN} `,
      first_name: { [user.first_name]: user.last_name } as never,
      is_resident: user.resident_state as never,
      [user.last_name]: user.tax_id,
    },
    metadata: { note: { 'velvet-otter / Žluť': 'x' } as never },
    [NIN]: 1,
    [user.resident_address]: user.resident_address,
  } as BetEvent;
}

async function abortedOnTheWay() {
  const controller = new AbortController();
  const client = clientOver((_body, { signal }) => {
    controller.abort(careless());
    return Promise.reject((signal as AbortSignal).reason);
  });
  return client.reportBetEvent(bet(), { location, signal: controller.signal });
}

function timedOut() {
  const clock = new FakeClock();
  const client = clientOver(() => new Promise(() => {}), { clock });
  return clock.run(client.reportBetEvent(bet(), { location }));
}
