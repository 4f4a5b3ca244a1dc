import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { applyRule, duplicateRuleOf } from '../../../src/cli/check/duplicate-rule.js';
import { createRecorder } from '../../../src/cli/check/exchange.js';
import { fromCheckOf, moduleOf } from '../../../src/cli/check/from-check.js';
import { type ClientOptions, createClient } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { serve } from '../../../src/entries/mock-node.js';
import { runCli } from '../../support/cli-in-process.js';
import { codeBlocks } from '../../support/code-blocks.js';
import { settledBet } from '../../support/factories.js';
import { root } from '../../support/run.js';

/** It has no digit, so it could be a word. */
const KEY = 'sk-canary-qwxzvbnmkj';
const folder = mkdtempSync(join(tmpdir(), 'location-sdk-from-check-'));
const guide = readFileSync(join(root, 'docs/how-to/check.md'), 'utf8');
const open: (() => Promise<unknown> | unknown)[] = [];
let files = 0;

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newFile = (ending = 'mjs') => {
  files += 1;
  return join(folder, `from-check-${files}.${ending}`);
};

async function check(url: string, ...words: string[]) {
  for (const name of Object.keys(process.env)) if (/^LOCATION_SDK_|_proxy$/i.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv('LOCATION_SDK_STAGING_BASE_URL', url);
  vi.stubEnv('LOCATION_SDK_STAGING_API_KEY', KEY);
  try {
    const ended = await runCli(['check', ...words]);
    expect(ended.out + ended.err).not.toContain(KEY.slice(3));
    return ended;
  } finally {
    vi.unstubAllEnvs();
  }
}

/** The export of a file that the check wrote. */
const fromCheckIn = async (file: string): Promise<ClientOptions> =>
  ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as { fromCheck: object }).fromCheck;

async function mock(duplicateStatus: number) {
  const gateway = createMockGateway({ apiKey: KEY, duplicateStatus });
  const server = await serve(gateway);
  open.push(() => server.close());
  return { gateway, url: server.url };
}

type Refusal = readonly [status: number, body: unknown];

/** The answers of a gateway of plain HTTP that differ from those of the mock gateway. */
interface Words {
  readonly same: (reference: string) => Refusal;
  readonly other: (reference: string) => Refusal;
  readonly early?: Refusal;
  readonly wrongKey?: Refusal;
  readonly malformed?: Refusal;
  readonly largest?: number;
}

/** A gateway that shares no code with the mock gateway. */
async function rawGateway({ same, other, early = [404, {}], wrongKey = [401, {}], malformed = [400, {}], largest = 9e9 }: Words): Promise<string> {
  const held = new Map<string, string>();
  const answer = (path: string, key: unknown, text: string): Refusal => {
    if (!/\/(?:nin\/verify|report-[\w-]+|settle-withdrawal)$/.test(path)) return [404, { message: 'unknown route' }];
    if (key === undefined) return [401, { error: 'Unauthorized', message: 'no key' }];
    if (key !== KEY) return wrongKey;
    if (text.length > largest) return [413, { message: 'too large' }];
    const body = JSON.parse(text);
    if (path.endsWith('verify')) return /^\d{11}$/.test(body.nin) ? [200, { success: body.nin.startsWith('99') }] : malformed;
    const reference = body.bet_id ?? body.request_id;
    const isSettling = /settle/.test(path);
    if (isSettling && ![...held.keys()].some((one) => one.endsWith(` ${reference}`))) return early;
    const name = `${path} ${reference}`;
    const before = held.get(name);
    if (before !== undefined) return before === text ? same(reference) : other(reference);
    held.set(name, text);
    return [200, { message: 'thank you' }];
  };
  const read = async (request: IncomingMessage) => {
    let text = '';
    for await (const piece of request) text += piece;
    return text;
  };
  const server = createServer(async (request, response) => {
    const [status, body] = answer(request.url ?? '', request.headers['x-api-key'], await read(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const detail = (text: string) => ({ errors: [{ detail: text }] });
const ODD: Words = {
  same: (reference) => [400, detail(`Filing ${reference} was lodged earlier.`)],
  other: (reference) => [400, detail(`Filing ${reference} was lodged earlier; figures do not agree (ref 8812).`)],
  early: [400, detail('Lodge the stake first.')],
  wrongKey: [403, detail('Go away.')],
  malformed: [400, detail('Not a number.')],
  largest: 100_000,
};

describe('a gateway that differs', () => {
  test('a mock gateway with another status: with the saved options the check passes and a client knows the outcome', async () => {
    const { url, gateway } = await mock(403);
    const file = newFile();
    const { code, out } = await check(url, '--save', file);
    expect(code).toBe(1);
    for (const text of [out, guide]) expect(text).toContain('Options to copy into createClient');
    expect(out).toContain("    if (status === 403 && /^This\\s+data\\s+has\\s+already\\s+been\\s+reported$/.test(said)) return 'same';\n");
    expect(out).toContain(`\nOptions: ${file}, for createClient({ gateways, ...fromCheck })\n`);
    const again = await check(url, '--options', file);
    expect({ code: again.code, options: again.out.includes('Options to copy') }).toEqual({ code: 0, options: false });

    gateway.reset();
    const gateways = { staging: { baseUrl: url, apiKey: KEY } };
    const settle = async (options: ClientOptions) => {
      gateway.reset();
      gateway.faults.add({ kind: 'connection-reset', when: 'after' });
      const client = createClient({ gateways, retry: { baseMs: 1, limit: 2 }, ...options });
      return client.reportBetEvent({ ...settledBetEvent, timestamp: '1795162000' }).then(
        ({ outcome }) => outcome,
        ({ outcome }) => outcome,
      );
    };
    expect(await settle({})).toBe('unknown');
    expect(await settle(await fromCheckIn(file))).toBe('already-recorded');
  });

  test('a gateway with other messages in another member: everything is measured, and the options fit', async () => {
    const url = await rawGateway(ODD);
    const [file, report] = [newFile(), newFile('md')];
    const { code, out } = await check(url, '--save', file, '--report', report, '--json');
    const { measured, options } = JSON.parse(out);
    expect(code).toBe(1);
    const seen = Object.fromEntries(measured.map(({ what, seen: of }: { what: string; seen: string }) => [what, of]));
    expect(seen['a wrong key']).toBe('HTTP 403, { errors: list }');
    expect(seen['a settled report without its initiated event']).toBe('HTTP 400, { errors: list }');
    expect(seen['the size of a body']).toBe('1 KiB: HTTP 400; 16 KiB: HTTP 400; 64 KiB: HTTP 400; 256 KiB: HTTP 413');
    expect(options).toContain('const said = String(Object(body).errors?.[0]?.detail).trim();');
    expect(options).toMatch(/\/\^Filing\\s\+\\S\+\\s\+was\\s\+lodged\\s\+earlier\\\.\$\/\.test\(said\)\) return 'same'/);
    expect(readFileSync(report, 'utf8')).toContain("return 'conflict';");
    const again = await check(url, '--options', file, '--json');
    const lines: { name: string; status: string }[] = JSON.parse(again.out).lines;
    expect(again.code).toBe(0);
    for (const name of ['the same data', 'other data'])
      expect(lines.filter((line) => line.name.endsWith(`, ${name}`)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
    const { isDuplicate } = await fromCheckIn(file);
    for (const body of [undefined, null, 'Filing', {}, { errors: 7 }, detail('Lodge the stake first.')])
      expect(isDuplicate?.({ status: 400, body, json: true })).toBe(false);
  });

  test.each<[string, Words, string]>([
    ['a separate status, without a message', { same: () => [410, {}], other: () => [410, {}] }, "if (status === 410) return 'same';"],
    [
      'the same message for other data',
      { same: () => [403, { message: 'Lodged earlier' }], other: () => [403, { message: 'Lodged earlier' }] },
      '// The answers of this gateway do not distinguish other data from the same data.',
    ],
  ])('%s', async (_, words, line) => {
    const file = newFile();
    const url = await rawGateway(words);
    expect((await check(url, '--save', file)).out).toContain(line);
    expect((await check(url, '--options', file)).out).not.toContain('FAIL');
  });

  test('answers that do not distinguish a repeat make no option', async () => {
    const same: Refusal = [400, { message: 'Bad request' }];
    const { out } = await check(await rawGateway({ same: () => same, other: () => same, malformed: same }), '--save', newFile());
    expect(guide).toContain('these answers do not distinguish a repeat from another refusal');
    expect(out).toContain('warn  isDuplicate: these answers do not distinguish a repeat from another refusal, so no option can');
    expect(out).not.toContain('Options to copy');
  });

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['its name', { message: 'Conflict', error: 'Conflict', statusCode: 409 }],
  ])('a gateway that answers a repeat by 409 and %s is found, and no option takes the status for a duplicate', async (_, body) => {
    const { code, out } = await check(await rawGateway({ same: () => [409, body], other: () => [409, body] }), '--save', newFile());
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL {2}reportBetEvent, the same data: is not recognised as a duplicate: HTTP 409/);
    expect(out).toContain('the option isDuplicate must recognise it');
    expect(out).toContain('warn  isDuplicate: these answers do not distinguish a repeat from another refusal, so no option can');
    expect(out).not.toContain('Options to copy');
  });

  test('a gateway that answers a repeat by 409 in other words is found, with the option that knows them', async () => {
    const file = newFile();
    const url = await rawGateway({ same: () => [409, { message: 'Filed earlier' }], other: () => [409, { message: 'Filed earlier, figures do not agree' }] });
    const { code, out } = await check(url, '--save', file);
    expect({ code, copied: out.includes("if (status === 409 && /^Filed\\s+earlier$/.test(said)) return 'same';") }).toEqual({ code: 1, copied: true });
    expect((await check(url, '--options', file)).code).toBe(0);
    const { isDuplicate } = await fromCheckIn(file);
    for (const body of [undefined, {}, { message: 'Conflict' }, { message: 'Wallet is busy' }])
      expect(isDuplicate?.({ status: 409, body, json: true })).toBe(false);
  });

  test('a message that contains code is written as text', async () => {
    const evil = ['x/.test(said)) { process.exit(9) } // `$', '{process.exit(8)}` \\u2028*/ \u2028\u202e\n lodged $& earlier'].join('');
    const file = newFile();
    const url = await rawGateway({ same: () => [403, { message: evil }], other: () => [403, { message: `${evil} otherwise` }] });
    await check(url, '--save', file);
    expect(readFileSync(file, 'utf8')).toMatch(/^[\x20-\x7e\n]*$/);
    const { isDuplicate } = await fromCheckIn(file);
    expect(isDuplicate?.({ status: 403, body: { message: evil }, json: true })).toBe('same');
    expect(isDuplicate?.({ status: 403, body: { message: `${evil} otherwise` }, json: true })).toBe('conflict');
    expect(isDuplicate?.({ status: 403, body: { message: 'x' }, json: true })).toBe(false);
  });

  test('a message that contains the key is in no option', async () => {
    const file = newFile();
    const url = await rawGateway({ same: () => [403, { message: `${KEY} lodged earlier` }], other: () => [403, { message: `${KEY} lodged otherwise` }] });
    await check(url, '--save', file);
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  });
});

describe('a gateway that does not differ', () => {
  test('needs no options: the file has none, and may still be spread', async () => {
    const { url } = await mock(409);
    const file = newFile();
    const { code, out } = await check(url, '--save', file);
    expect({ code, copied: out.includes('Options to copy') }).toEqual({ code: 0, copied: false });
    expect(out).toContain('ok    the limit: 1024 KiB is read; nothing larger was tried');
    expect(await fromCheckIn(file)).toEqual({});
    // A second run overwrites the file of the first one.
    expect((await check(url, '--save', file)).code).toBe(0);
  });
});

describe('nothing is saved', () => {
  test.each([
    ['in production', () => ['--environment', 'production', '--save', newFile()], /--save measures with made-up reports, which are never sent to production/],
    [
      'over a file that the check has not written',
      () => {
        const file = newFile();
        writeFileSync(file, 'export default {};');
        return ['--save', file];
      },
      /this file exists, and the check has not written it/,
    ],
    ['into a folder that does not exist', () => ['--save', '/nowhere/at/all.mjs'], /--save .*its folder cannot be written to \(ENOENT\)/],
    [
      'if the options contain isDuplicate',
      () => {
        const file = newFile();
        writeFileSync(file, 'export default { isDuplicate: () => false };');
        return ['--options', file, '--save', newFile()];
      },
      /leave isDuplicate out of the file for --options/,
    ],
  ])('%s', async (_, words, said) => {
    const { url, gateway } = await mock(403);
    expect(await check(url, ...words())).toMatchObject({ code: 2, out: '', err: expect.stringMatching(said) });
    expect(gateway.requests()).toEqual([]);
  });

  test('if the repeats were not measured', async () => {
    const file = newFile();
    const { code, err } = await check('http://127.0.0.1:9', '--save', file);
    expect([code, err]).toEqual([1, `location-sdk: ${file} was not written: the repeats were not measured\n`]);
  });
});

test.each([400, 403, 422])('HTTP %i alone is not a duplicate, since refusals of many kinds have it', (status) => {
  const answer = { status, body: {}, json: true };
  expect(duplicateRuleOf([{ about: 'reportBetEvent, the same data', answer }], () => true)).toBeUndefined();
});

describe('a text that must not be shown makes no option', () => {
  const ruleFor = (body: object, secret: string) => {
    const recorder = createRecorder({ send: () => Promise.reject(new Error('nothing is sent')) });
    recorder.hide(secret);
    return duplicateRuleOf([{ about: 'reportBetEvent, the same data', answer: { status: 403, body, json: true } }], recorder.isFreeOfKeys);
  };

  test('a key that is the name of a member', () => {
    expect(ruleFor({ sk_live_abcdef: 'Filed before', deep: { sk_live_abcdef: 'Filed before' } }, 'sk_live_abcdef')).toBeUndefined();
    expect(ruleFor({ sk_live_abcdef: 'Filed before', words: 'Lodged before' }, 'sk_live_abcdef')?.path).toEqual(['words']);
  });

  test('a short header as a whole word only, since any text contains one letter', () => {
    expect(ruleFor({ words: 'Lodged before' }, 'e')?.path).toEqual(['words']);
    expect(ruleFor({ words: 'Lodged before: e.' }, 'e')).toBeUndefined();
  });
});

test('attemptTimeoutMs is written if the slowest answer took more than half of the time of an attempt', () => {
  const measured = (slowestMs: number) =>
    fromCheckOf({
      seen: [{ about: 'reportBetEvent, the same data', answer: { status: 409, body: {}, json: true } }],
      mistakesSame: false,
      mistakesOther: false,
      latency: { answers: 20, medianMs: 90, slowestMs },
      requestMs: 10_000,
      isShown: () => true,
    });
  expect(measured(5_000)).toEqual({});
  expect(measured(5_001)).toEqual({ attemptTimeoutMs: 16_000 });
});

test('the guide shows the modules as they are written', () => {
  const refused = (message: string) => ({ status: 403, body: { message }, json: true });
  const rule = duplicateRuleOf(
    [
      { about: 'reportBetEvent, the same data', answer: refused('Filed before: SDK-CHECK-bcd') },
      { about: 'reportBetEvent, other data', answer: refused('Filed before with other figures: SDK-CHECK-bcd') },
    ],
    () => true,
  );
  if (!rule) throw new Error('a rule: expected one');
  expect(applyRule(rule, refused('Filed before: BET-104'))).toBe('same');
  expect(applyRule(rule, refused('Filed before with other figures: BET-104'))).toBe('conflict');
  for (const [file, language] of [
    ['from-check.mjs', 'js'],
    ['from-check.ts', 'ts'],
  ] as const) {
    const [, ...lines] = moduleOf({ attemptTimeoutMs: 24_000, isDuplicate: rule }, file, new Date(0)).split('\n');
    const block = codeBlocks(guide).find(({ language: of, code }) => of === language && code.includes('fromCheck'));
    expect(block?.code.split('\n').slice(1).join('\n').trim()).toBe(lines.join('\n').trim());
  }
});

const settledBetEvent = { bet_id: 'BET-9', amount: 100, user: settledBet().user, location: { latitude: 6.45, longitude: 3.39, source: 'gps' } };
