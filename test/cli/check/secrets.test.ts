import { describe, expect, test } from 'vitest';
import { type Answered, type Asked, checkStaging, gatewayThat } from './in-process.js';

const baseUrl = 'https://gateway.example.com';

/** Keys that look like names of members, and share no piece of six characters. */
const KEYS = Array.from({ length: 26 }, (_, index) => `KEY_${String.fromCharCode(97 + index).repeat(16)}`);

/** Options with another key for each request, and the keys that were returned. */
function rotating() {
  const given: string[] = [];
  const apiKey = async () => {
    const key = KEYS[given.length % KEYS.length] ?? '';
    given.push(key);
    return key;
  };
  return { given, gateways: { staging: { baseUrl, apiKey } } };
}

test.each([
  ['as it is', (key: string) => key],
  ['in lower case', (key: string) => key.toLowerCase()],
  ['in part', (key: string) => `x_${key.slice(2, 12)}`],
])('a key that is the name of a member in an answer is not shown: %s', async (_, spell) => {
  const [apiKey = ''] = KEYS;
  const { fetch } = gatewayThat(() => [400, { [spell(apiKey)]: 1, message: 'wrong' }]);
  const { shown } = await checkStaging({ gateways: { staging: { baseUrl, apiKey } }, fetch });
  expect(shown).toContain('\\"message\\":\\"wrong\\"');
  expect(shown).toContain('[masked]');
  expect(shown.toLowerCase()).not.toContain(spell(apiKey).toLowerCase());
});

test('the names of members are shown if their words are known', async () => {
  const { fetch } = gatewayThat(() => [400, { statusCode: 400, trace_id: 'a', message: 'wrong' }]);
  const { shown } = await checkStaging({ gateways: { staging: { baseUrl, apiKey: 'another-key' } }, fetch });
  expect(shown).toContain('{\\"statusCode\\":400,\\"trace_id\\":\\"[masked]\\",\\"message\\":\\"wrong\\"}');
});

test.each<[string, (asked: Asked, before: string | undefined) => Answered | undefined]>([
  [
    'in its message',
    ({ path, key }) => (path.startsWith('report-') ? [200, { message: `recorded with the key ${key}` }] : undefined),
  ],
  [
    'as the name of a member',
    ({ path, key = '' }) => (path.startsWith('report-') ? [200, { [key]: true, message: 'recorded' }] : undefined),
  ],
  [
    'in a refusal, one request later',
    ({ path }, before) => (path.startsWith('report-') ? [422, { message: `the key ${before} was before` }] : undefined),
  ],
])('no key of a function that returns another one each time is shown if a gateway repeats it %s', async (_, answer) => {
  const { given, gateways } = rotating();
  let before: string | undefined;
  const { fetch, asked } = gatewayThat((one) => {
    const answered = answer(one, before);
    before = one.key;
    return answered;
  });
  const { shown } = await checkStaging({ gateways, fetch });
  expect(new Set(asked.flatMap(({ key }) => key ?? [])).size).toBeGreaterThan(5);
  expect(given.filter((key) => shown.includes(key))).toEqual([]);
  expect(shown).toContain('[masked]');
});

test('the made-up wrong key masks no words of an answer', async () => {
  const { fetch } = gatewayThat(({ path }) =>
    path.startsWith('report-') ? [422, { message: 'location is wrong, check it' }] : undefined,
  );
  const { shown } = await checkStaging({ gateways: { staging: { baseUrl, apiKey: 'another-key' } }, fetch });
  expect(shown).toContain('location is wrong, check it');
});

describe('a gateway behind another gateway', () => {
  const FRONT = 'canaryfronttoken';
  const gateways = { staging: { baseUrl, apiKey: 'another-key' } };
  const behind = (isLetIn: (headers: Readonly<Record<string, string>>) => boolean) => {
    const { fetch: inner } = gatewayThat(({ path, key }) =>
      path.startsWith('report-') ? [422, { message: `${FRONT} sent ${key}`, [FRONT]: 1 }] : undefined,
    );
    const fetch: typeof inner = async (url, init) =>
      isLetIn(init.headers) ? inner(url, init) : new Response(JSON.stringify({ message: 'front' }), { status: 403 });
    return fetch;
  };

  test.each([
    ['an object', { 'x-front': FRONT }],
    ['a function', async () => ({ 'X-Front': FRONT })],
  ])('gets the headers with every request, and no answer shows them: %s', async (_, headers) => {
    const { lines, shown } = await checkStaging({
      gateways,
      headers,
      fetch: behind((sent) => sent['x-front'] === FRONT),
    });
    expect(
      lines
        .filter(({ section }) => section === 'Reachability' || section === 'The key')
        .map(({ name, status }) => `${status} ${name}`),
    ).toEqual(['ok a known path, without a key', 'skip clock', 'ok a wrong key', 'ok your key']);
    expect(shown).toContain('[masked]');
    expect(shown).not.toContain(FRONT);
  });

  test('gets no request if the function headers fails, and its error is not shown', async () => {
    const { lines, shown } = await checkStaging({
      gateways,
      headers: () => Promise.reject(new Error(FRONT)),
      fetch: behind(() => true),
    });
    expect(lines.find(({ status }) => status === 'fail')?.text).toBe('headers threw an error; check that function');
    expect(shown).not.toContain(FRONT);
  });
});
