import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { MockGateway } from 'location-sdk/mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeBlocks } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { root } from '../support/run.js';
import { type Example, installExample } from './example.js';

/**
 * A small app in React Native, bundled by Metro and run in real Hermes, with exactly React Native's own `URL`, `fetch`,
 * `XMLHttpRequest` and globals. Its code is that of the guide for apps (how-to/app.md). A relay or a route of the operator answers.
 */

/** The blocks of the guide by words in them, and their modules in the app. */
const GUIDE = { 'relay-client': 'export const clientOf' };
const EXAMPLES = ['place-bet.ts', 'expo-place.ts', 'expo-geolocation.ts'];
const POSITION = { latitude: 6.4541, longitude: 3.3947, accuracy: 12 };
const PLAYER = { id: 'U-88412', user: { user_id: 'U-88412' } };

/** The linux binaries of npm, or those of a Mac. */
const PLATFORM = process.platform === 'darwin' ? 'osx-bin' : 'linux64-bin';
const LONGEST_TURNS = 10;

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}
type Answer = { status: number; headers: Record<string, string>; body: string } | { broken: string };
interface Story {
  given?: readonly string[];
  position?: typeof POSITION;
  /** The device never answers the question for its position. */
  isSilent?: boolean;
  /** The app may ask for the position, and the device's location is switched off. */
  isOff?: boolean;
  /** The storage of the phone is full. */
  isFull?: boolean;
  /** The storage of the app when it ended last. */
  kept?: Record<string, string>;
  answer?: (request: Sent) => Promise<Answer> | Answer;
}

let app: Example;
let reference: string;
let tests = 0;
let bundle: string;
let gateway: MockGateway;
let relay: (sent: Sent) => Promise<Answer>;
let operator: (sent: Sent) => Promise<Answer>;

beforeAll(async () => {
  app = await installExample('react-native', 'test/frameworks/react-native');
  mkdirSync(join(app.folder, 'guide'));
  const blocks = codeBlocks(readGuides('how-to/app'));
  for (const [name, words] of Object.entries(GUIDE)) {
    const found = blocks.filter(({ code }) => code.includes(words));
    expect(found, words).toHaveLength(1);
    writeFileSync(join(app.folder, `guide/${name}.ts`), found[0]?.code ?? '');
  }
  for (const name of EXAMPLES)
    writeFileSync(join(app.folder, 'guide', name), readFileSync(join(root, 'examples/app', name), 'utf8'));
  await app.run('node', 'bundle.js', 'app.js', 'app.bundle.js');
  bundle =
    readFileSync(join(app.folder, 'native.js'), 'utf8') + readFileSync(join(app.folder, 'app.bundle.js'), 'utf8');

  const require = createRequire(join(app.folder, 'server.cjs'));
  const { createClient, pageLocation }: typeof import('location-sdk') = require('location-sdk');
  const { createMockGateway }: typeof import('location-sdk/mock') = require('location-sdk/mock');
  const { createRelay }: typeof import('location-sdk/relay') = require('location-sdk/relay');
  gateway = createMockGateway({ validation: 'partial' });
  const client = createClient(gateway.clientOptions());
  const handle = createRelay({
    client,
    allowNative: true,
    authorize: ({ headers }) => (headers.get('authorization') === 'Bearer token-1' ? PLAYER : null),
    logger: { warn() {}, error() {} },
  });
  const requestOf = ({ method, url, headers, body }: Sent) => new Request(url, { method, headers, body });
  relay = async (sent) => {
    const answer = await handle(requestOf(sent), { remoteAddress: '8.8.8.8' });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };
  operator = async (sent) => {
    const { stake, key, location } = JSON.parse(sent.body);
    const bet = { bet_id: key, amount: stake, user: PLAYER.user };
    await client.reportBetEvent(bet, { location: pageLocation(location), clientIP: '8.8.8.8' });
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify({ bet_id: bet.bet_id, message: 'Your bet is placed.' }) };
  };
});

afterAll(() => app?.remove());
beforeEach(() => {
  gateway.reset();
  // The relay remembers those of the tests before.
  tests += 1;
  reference = `REF-${tests}`;
});

/**
 * Plays a story of the app. Hermes's command has no network, so the app is run again with each answer that it then
 * has, until it needs none.
 */
async function play(story: string, { answer = relay, ...world }: Story = {}) {
  const answers: Answer[] = [];
  const requests: Sent[] = [];
  const now = Date.now();
  for (let turn = 0; turn < LONGEST_TURNS; turn += 1) {
    const file = join(app.folder, 'story.js');
    writeFileSync(
      file,
      `globalThis.NATIVE = ${JSON.stringify({ story, reference, now, answers, ...world })};\n${bundle}`,
    );
    const hermes = join(app.folder, 'node_modules/hermes-engine-cli', PLATFORM, 'hermes');
    const lines = (await app.run(hermes, '-w', '-lazy', '-Xmicrotask-queue', file)).trim().split('\n');
    const said = Object.assign({}, ...lines.map((line) => JSON.parse(line)));
    if (!said.request) return { requests, ...said };
    requests.push(said.request);
    answers.push(await answer(said.request));
  }
  throw new Error(`The story sent more than ${LONGEST_TURNS} requests.`);
}

const reported = () => gateway.reports().map(({ reference, body }) => [reference, body.location]);
const GPS = { ...POSITION, source: 'gps' };
const LOOKED_UP = { source: 'mock' };

describe('the recommended way: the app locates, and the backend reports', () => {
  const keyOf = ([sent]: readonly Sent[]) => JSON.parse(sent?.body ?? '{}').key;

  test('the position of the app is reported', async () => {
    const { result, requests } = await play('placeBet', { position: POSITION, answer: operator });
    expect(result).toEqual({ isOver: true, words: 'Your bet is placed.', kept: {} });
    expect(requests).toMatchObject([{ method: 'POST', headers: { authorization: 'Bearer token-1' } }]);
    expect(reported()).toEqual([[keyOf(requests), GPS]]);
  });

  test.each([
    ['the player denies it', {}],
    ['the phone never answers', { isSilent: true }],
  ])('the bet is placed without a position: %s', async (_, world) => {
    const { result, requests } = await play('placeBet', { ...world, answer: operator });
    expect(result).toMatchObject({ words: 'Your bet is placed.' });
    expect(reported()).toEqual([[keyOf(requests), expect.objectContaining(LOOKED_UP)]]);
  });

  test.each<[string, Answer]>([
    ['is lost', { broken: 'The network connection was lost.' }],
    ['is a page of a proxy', { status: 503, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ])('an answer that %s is an open question, and the same bet has the same key after a restart', async (_, answer) => {
    const first = await play('placeBet', { position: POSITION, answer: () => answer });
    expect(first.result.words).toMatch(/^We do not know yet/);
    const again = await play('placeBet', { position: POSITION, kept: first.result.kept, answer: operator });
    expect(again.result).toEqual({ isOver: true, words: 'Your bet is placed.', kept: {} });
    expect(reported()).toEqual([[keyOf(first.requests), GPS]]);
  });

  test.each([
    [402, '{"message":"Too low."}', { isOver: false, words: 'Too low.' }],
    [401, '{}', { isOver: false, words: expect.stringMatching(/^We do not know yet/) }],
    [200, '{"bet_id":"B-1"}', { isOver: true, words: 'This went through.' }],
    [200, '{"request_id":"W-1"}', { isOver: true, words: 'This went through.' }],
  ])('an answer %i %s has words', async (status, body, expected) => {
    const answer = () => ({ status, headers: { 'content-type': 'application/json' }, body });
    expect((await play('placeBet', { position: POSITION, answer })).result).toMatchObject(expected);
  });

  test('a key has the form that postOnce promises, and holds for a day', async () => {
    const lost = { broken: 'The network connection was lost.' };
    const { result, requests } = await play('placeBet', { position: POSITION, answer: () => lost });
    expect(keyOf(requests)).toMatch(/^[A-Za-z0-9-]{10,60}$/);
    const [name = ''] = Object.keys(result.kept);
    const kept = { [name]: `${Date.now() - 86_400_001}-1` };
    const nextDay = await play('placeBet', { position: POSITION, kept, answer: operator });
    expect(keyOf(nextDay.requests)).not.toBe(kept[name]);
  });

  test.each(['placeBet', 'pressTwice'])('%s on a phone whose storage is full is one bet', async (story) => {
    const { result, requests } = await play(story, { position: POSITION, isFull: true, answer: operator });
    expect(result).toMatchObject({ isOver: true, words: 'Your bet is placed.' });
    expect(requests).toHaveLength(1);
  });

  test("Expo's module gives its position in the same form, or none", async () => {
    expect((await play('findPlace', { position: POSITION })).result).toMatchObject(POSITION);
    for (const world of [{}, { isOff: true }, { position: POSITION, isSilent: true }])
      expect(await play('findPlace', world)).toEqual({ requests: [], result: null });
  });
});

test('postOnce asks with the same key after a lost answer', async () => {
  const bodies: { key: string; location: object }[] = [];
  const answer = async (sent: Sent): Promise<Answer> => {
    bodies.push(JSON.parse(sent.body));
    return bodies.length === 1 ? { broken: 'The network connection was lost.' } : operator(sent);
  };
  const { result } = await play('postOnce', { position: POSITION, answer });
  expect(result).toMatchObject([{ isOver: false }, { isOver: true, bet_id: expect.any(String) }]);
  expect(bodies[1]).toEqual(bodies[0]);
  expect(reported()).toEqual([[bodies[0]?.key, GPS]]);
});

describe('the app reports through the relay', () => {
  const asPlayer = (sent: Sent) => relay({ ...sent, headers: { ...sent.headers, authorization: 'Bearer token-1' } });

  test.each(['report', 'reportWithExpo'])('%s', async (story) => {
    const answer = story === 'report' ? relay : asPlayer;
    const { result, requests } = await play(story, { position: POSITION, answer });
    expect(result).toMatchObject({ outcome: 'recorded', reference, location: GPS });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url).toBe('https://play.example.com/relay/report-bet-event');
    expect(reported()).toEqual([[reference, GPS]]);
  });

  test("if the phone's location is off, the relay looks up the player's address", async () => {
    const { result } = await play('reportWithExpo', { isOff: true, answer: asPlayer });
    expect(result).toMatchObject({ outcome: 'recorded', reference, location: LOOKED_UP });
  });

  test('a withdrawal', async () => {
    expect((await play('withdraw')).result).toMatchObject({ outcome: 'recorded', reference });
  });

  test('a lost answer is asked for again, and the report counts once', async () => {
    let isFirst = true;
    const answer = async (sent: Sent) => {
      const answered = await relay(sent);
      const isLost = isFirst;
      isFirst = false;
      return isLost ? { broken: 'The network connection was lost.' } : answered;
    };
    const { result, requests } = await play('report', { position: POSITION, answer });
    expect(result).toMatchObject({ outcome: 'already-recorded', attempts: 2 });
    expect(requests[1]?.body).toBe(requests[0]?.body);
    expect(reported()).toHaveLength(1);
  });

  test('a duplicate may be of this call, since a phone may repeat a request by itself', async () => {
    const headers = { 'content-type': 'application/json', 'x-location-sdk': '1' };
    const error = { code: 'duplicate', message: 'repeated', outcome: 'rejected', conflict: false };
    const answer = () => ({ status: 409, headers, body: JSON.stringify({ error }) });
    expect((await play('report', { position: POSITION, answer })).failed).toMatchObject({
      code: 'duplicate',
      outcome: 'unknown',
    });
  });

  test('without a session the words are those of a log-in', async () => {
    const answer = (sent: Sent) => relay({ ...sent, headers: { ...sent.headers, authorization: '' } });
    expect((await play('report', { position: POSITION, answer })).failed).toMatchObject({
      code: 'authentication',
      words: 'You are logged out. Log in, and try again.',
    });
  });

  test('a cookie is refused', async () => {
    const answer = (sent: Sent) => relay({ ...sent, headers: { ...sent.headers, cookie: 'session=1' } });
    expect((await play('report', { position: POSITION, answer })).failed).toMatchObject({ status: 403 });
    expect(reported()).toEqual([]);
  });
});

test('an address that is wrong is refused, although the URL of React Native takes it', async () => {
  const wrong = [
    'https://',
    'https://:8080/relay',
    'https:///relay',
    'https:play.example.com/relay',
    'https:\\\\play.example.com',
    'https://play example.com/relay',
    'https://play.example.com/re lay',
    'https://play.example.com:port/relay',
    'https://ada:secret-1@play.example.com/relay',
    'https://ada@play.example.com/relay',
    'https://play.example.com/relay?token=secret-1',
    'https://play.example.com/relay#secret-1',
    'http://play.example.com/relay',
    'http://play.example.com/@localhost',
    'ftp://play.example.com/relay',
    'capacitor://localhost/relay',
    'file:///relay',
    'play.example.com/relay',
    '//play.example.com/relay',
    '/relay',
    'relay',
  ];
  const good = ['https://play.example.com/relay', 'https://play.example.com', 'http://localhost:3000/relay'];
  const { result } = await play('addresses', { given: [...wrong, ...good] });
  const problems = result as string[];
  expect(wrong.filter((_, at) => !problems[at]?.includes('- relayUrl: '))).toEqual([]);
  expect(problems.slice(wrong.length)).toEqual(good.map(() => 'none'));
  expect(problems.join()).not.toContain('secret-1');
});

test('errors and words speak of no browser', async () => {
  const situations = ['asking', 'location', 'location-unavailable', 'in-doubt', 'offline', 'not-sent', 'not-working'];
  const texts = [
    (await play('messages', { given: situations })).result,
    (await play('locate')).failed,
    (await play('locateWithNothing')).failed,
    (await play('report', { position: POSITION, answer: () => ({ broken: 'no network' }) })).failed,
  ];
  expect(texts[0]).toHaveLength(situations.length);
  expect(texts.slice(1)).toMatchObject([
    { code: 'location', steps: [{ reason: 'denied' }] },
    { code: 'location', steps: [{ reason: 'not-available' }] },
    { code: 'network', outcome: 'unknown' },
  ]);
  // The step has this name on every platform.
  expect(JSON.stringify(texts).replaceAll('browser-geolocation', '')).not.toMatch(/browser|\bsite\b|this page/i);
});

test('the code of the guide compiles with the types of the modules, under the condition of React Native', async () => {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    customConditions: ['react-native'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(app.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['guide'] }));
  expect(await app.run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', app.folder)).toBe('');
});

test('in a release of an app it is at most 100 kB minified, in one module', async () => {
  writeFileSync(join(app.folder, 'size.js'), "globalThis.page = require('location-sdk/page');\n");
  await app.run('node', 'bundle.js', 'size.js', 'size.bundle.js', 'minify');
  const text = readFileSync(join(app.folder, 'size.bundle.js'), 'utf8');
  expect(text.length).toBeLessThan(100_000);
  // The others are Babel's helpers.
  expect(text.split('__d(').filter((module) => module.length > 5_000).length).toBe(2);
});

test('the Hermes of this React Native compiles it', { timeout: 300_000 }, async () => {
  const file = join(app.folder, 'hermes.bundle.js');
  await app.run('node', 'bundle.js', 'app.js', file, 'hermes');
  const compiler = join(app.folder, 'node_modules/hermes-compiler/hermesc', PLATFORM, 'hermesc');
  await app.run(compiler, '-w', '-emit-binary', '-out', `${file}.hbc`, file);
  expect(statSync(`${file}.hbc`).size).toBeGreaterThan(50_000);
});
