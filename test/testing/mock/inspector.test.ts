import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createStore, type Entry, outcomeOf } from '../../../pages/inspector/store.js';
import { EXAMPLE, EXAMPLE_PATH, toCurl } from '../../../pages/inspector/words.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { inspectorPage } from '../../../src/testing/mock/inspector-page.js';

const FILES = ['/', '/inspector.css', '/inspector.js'];

const entry = (changes: Partial<Entry> = {}): Entry => ({
  id: 1,
  requestId: 'abcdefab-cdef-4abc-8def-abcdef000001',
  at: 0,
  method: 'POST',
  path: '/integration-gateway/external/report-bet-event',
  environment: 'staging',
  operation: 'reportBetEvent',
  reference: 'B-1',
  key: 'valid',
  body: {},
  status: 200,
  answer: {},
  applied: true,
  fault: undefined,
  ...changes,
});

test('the whole page is smaller than 48 kB', async () => {
  const sizes = await Promise.all(
    FILES.map(async (path) => (await inspectorPage(path)?.arrayBuffer())?.byteLength ?? Number.POSITIVE_INFINITY),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(48_000);
});

test.each(FILES)('%s comes with the strict policy', (path) => {
  const policy = inspectorPage(path)?.headers.get('content-security-policy');
  expect(policy).toContain(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
  );
  expect(policy).toContain("base-uri 'none'; frame-ancestors 'none'; form-action 'none'");
  expect(policy).not.toContain('unsafe');
});

test.each(['/index.html', '//', '/__proto__', '/constructor', '/inspector.js/'])('there is no file at %s', (path) => {
  expect(inspectorPage(path)).toBeUndefined();
});

test('text never becomes HTML', () => {
  const sinks =
    /innerHTML|dangerouslySet|outerHTML|insertAdjacent|document\.write|DOMParser|srcdoc|createContextualFragment|\beval\b/;
  const files = ['pages/inspector', 'pages/console', 'pages/kit'].flatMap((folder) =>
    readdirSync(folder).map((name) => `${folder}/${name}`),
  );
  expect(files.filter((name) => sinks.test(readFileSync(name, 'utf8')))).toEqual([]);
});

test('the report that the empty page offers is accepted', async () => {
  const gateway = createMockGateway();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
    body: JSON.stringify(EXAMPLE),
  };
  expect(await gateway.fetch(`http://mock.localhost${EXAMPLE_PATH}`, init)).toMatchObject({ status: 200 });
});

test.each(["it's", '$(touch x)', '`id`', '"; rm x', 'a\\', "'; exit 1; '", '!!', '@file', 'line\nline', '\u{1F600}'])(
  'to a shell, %s in a curl command is text',
  (text) => {
    const body = { bet_id: text };
    const line = toCurl('http://127.0.0.1:4010', { method: "PO'ST;", path: `/${text}`, body });
    const told = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], {
      encoding: 'utf8',
      env: { LOCATION_SDK_KEY: 'k' },
    });
    const json = ['-H', 'content-type: application/json', '--data-raw', JSON.stringify(body)];
    expect(told.split('\0').slice(0, -1)).toEqual([
      '-X',
      "PO'ST;",
      `http://127.0.0.1:4010/${text}`,
      '-H',
      'x-api-key: k',
      ...json,
    ]);
  },
);

test.each<[string, string, Partial<Entry>]>([
  ['ok', 'Recorded', {}],
  ['doubt', 'Recorded, answer lost', { status: undefined, fault: 'connection-reset' }],
  ['doubt', 'Recorded, answer corrupted', { fault: 'half-body' }],
  ['doubt', 'Recorded, answer corrupted', { status: 503, fault: 'status' }],
  ['bad', 'No answer', { applied: false, status: undefined, fault: 'hang' }],
  ['bad', 'Answered 503', { applied: false, status: 503, fault: 'status' }],
  [
    'repeat',
    'Repeat refused',
    { applied: false, status: 409, answer: { message: 'This data has already been reported' } },
  ],
  [
    'bad',
    'Conflict: other data is recorded',
    { applied: false, status: 409, answer: { message: 'This bet_id has already been reported with different data' } },
  ],
  ['bad', 'Not initiated', { applied: false, status: 404 }],
  ['bad', 'No such path', { applied: false, status: 404, operation: undefined }],
  ['bad', 'Key refused', { applied: false, status: 401 }],
  ['ok', 'Not verified', { applied: false, operation: 'verifyNin', answer: { success: false } }],
])('%s: %s', (tone, words, changes) => {
  expect(outcomeOf(entry(changes))).toEqual({ tone, words });
});

test('one story for each reference, the latest first; the same reference in another environment is another story', () => {
  const store = createStore();
  store.add(entry({ id: 1 }));
  store.add(entry({ id: 2, reference: 'B-2' }));
  store.add(entry({ id: 3, operation: 'reportSettledBet' }));
  store.add(entry({ id: 4, environment: 'production' }));
  store.add(entry({ id: 5, operation: 'reportWithdrawalEvent' }));
  expect(
    store.stories('', '').map(({ kind, environment, entries }) => [kind, environment, entries.map(({ id }) => id)]),
  ).toEqual([
    ['Withdrawal', 'staging', [5]],
    ['Bet', 'production', [4]],
    ['Bet', 'staging', [1, 3]],
    ['Bet', 'staging', [2]],
  ]);
});

test('recorded reports come below the requests, and are named once', () => {
  const store = createStore();
  store.add(entry({ id: 7, operation: 'reportSettledBet' }));
  const held = [
    { environment: 'staging', operation: 'reportBetEvent', reference: 'B-1', body: {} },
    { environment: 'staging', operation: 'reportSettledBet', reference: 'B-1', body: {} },
    { environment: 'staging', operation: 'reportBetEvent', reference: 'B-0', body: {} },
  ] as const;
  store.addHeld(held);
  store.addHeld(held);
  expect(
    store
      .stories('', '')
      .map(({ title, entries }) => [
        title,
        ...entries.map(({ operation, earlier }) => `${operation} ${earlier ?? false}`),
      ]),
  ).toEqual([
    ['B-1', 'reportBetEvent true', 'reportSettledBet false'],
    ['B-0', 'reportBetEvent true'],
  ]);
});

test('it keeps no more than a thousand', () => {
  const store = createStore();
  for (let id = 1; id <= 5_000; id += 1) store.add(entry({ id, reference: `B-${id % 3 === 0 ? 0 : id}` }));
  expect(store.entries()).toHaveLength(1_000);
  expect(store.stories('', '').reduce((sum, { entries }) => sum + entries.length, 0)).toBe(1_000);
});
