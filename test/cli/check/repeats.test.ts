import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../support/cli-in-process.js';
import { newFolder } from '../../support/new-folder.js';
import { http, rawGateway } from '../../support/raw-gateway.js';
import { checkStaging, gatewayThat } from './in-process.js';

const KEY = 'sk-canary-qwxzvbnmkj';
const folder = newFolder('repeats');
const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

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

type Refusal = readonly [status: number, body: unknown];

/** The answers to a repeat. */
interface Words {
  readonly same: (reference: string) => Refusal;
  readonly other: (reference: string) => Refusal;
}

/** A gateway that answers repeats with these words. */
async function gatewayWith({ same, other }: Words): Promise<string> {
  const held = new Map<string, string>();
  const answer = (path: string, key: unknown, text: string): Refusal => {
    if (!/\/(?:nin\/verify|report-[\w-]+|settle-withdrawal)$/.test(path)) return [404, { message: 'unknown route' }];
    if (key === undefined) return [401, { error: 'Unauthorized', message: 'no key' }];
    if (key !== KEY) return [403, {}];
    const body = JSON.parse(text);
    if (path.endsWith('verify'))
      return /^\d{11}$/.test(body.nin) ? [200, { success: body.nin.startsWith('99') }] : [400, {}];
    const reference = body.bet_id ?? body.request_id;
    const isSettling = /settle/.test(path);
    if (isSettling && ![...held.keys()].some((one) => one.endsWith(` ${reference}`))) return [404, {}];
    const name = `${path} ${reference}`;
    const before = held.get(name);
    if (before !== undefined) return before === text ? same(reference) : other(reference);
    held.set(name, text);
    return [200, { message: 'thank you' }];
  };
  const { baseUrl, close } = await rawGateway(({ path, headers, body: text }) => {
    const [status, body] = answer(path, headers['x-api-key'], text);
    return http(String(status), JSON.stringify(body));
  });
  open.push(close);
  return baseUrl;
}

describe('a gateway that answers repeats in other ways', () => {
  test('the check prints the answers, and passes with an isDuplicate that was written from them', async () => {
    const url = await gatewayWith({
      same: (reference) => [403, { message: `Filed before: ${reference}` }],
      other: (reference) => [403, { message: `Filed before with other figures: ${reference}` }],
    });
    const { code, out } = await check(url);
    expect(code).toBe(1);
    expect(out).toMatch(
      /FAIL {2}reportBetEvent, the same data: is not recognised as a duplicate: HTTP 403, "\[masked\] before: /,
    );
    expect(out).toContain('write the option isDuplicate, which must recognise it');
    expect(out).toMatch(/warn {2}reportBetEvent, other data: is not recorded, .* before with other /);

    const file = join(folder, 'options.mjs');
    writeFileSync(
      file,
      `export default { isDuplicate: ({ status, body }) =>
        status === 403 && (/^Filed before with/.test(body?.message) ? 'conflict' : /^Filed before/.test(body?.message) && 'same') };`,
    );
    const again = await check(url, '--options', file, '--json');
    expect(again.code).toBe(0);
    const lines: { name: string; status: string }[] = JSON.parse(again.out).lines;
    for (const name of ['the same data', 'other data'])
      expect(lines.filter((line) => line.name.endsWith(`, ${name}`)).map(({ status }) => status)).toEqual([
        'ok',
        'ok',
        'ok',
        'ok',
      ]);
  });

  test('a repeat whose answer names the reference is recognised', async () => {
    const url = await gatewayWith({
      same: (reference) => [409, { message: `Transaction ${reference} has already been reported` }],
      other: (reference) => [
        409,
        { message: `Transaction ${reference} has already been reported with different data` },
      ],
    });
    const { code, out } = await check(url);
    expect({ code, failed: out.match(/FAIL.*/g) }).toEqual({ code: 0, failed: null });
    // The reference of a check has no digit: it is the harder one to tell from a word.
    expect(out).toMatch(
      /is recognised as a duplicate: HTTP 409, "Transaction SDK-CHECK-[a-z]+ has already been reported"/,
    );
  });

  test('a repeat that comes as 200 with a short code is shown, and isDuplicate recognises it', async () => {
    const answered = (code: unknown) => [200, { success: false, code, message: 'already filed' }] as const;
    const url = await gatewayWith({ same: () => answered('DUP'), other: () => answered(26) });
    const { code, out } = await check(url);
    expect(code).toBe(1);
    expect(out).toContain('same data: is not recognised as a duplicate: HTTP 200, "already [masked]", code "DUP"');
    expect(out).toMatch(/write the option isDuplicate, which must recognise it\. It is called .* with a 2xx, too/);
    expect(out).toMatch(/other data: .*code 26/);

    const file = join(folder, 'codes.mjs');
    writeFileSync(
      file,
      `export default { isDuplicate: ({ body }) => body?.code === 'DUP' ? 'same' : body?.code === 26 && 'conflict' };`,
    );
    expect((await check(url, '--options', file)).code).toBe(0);
  });

  test('the words of the check itself are not masked', async () => {
    const gateway = gatewayThat(({ path }) => (path === 'nin/verify' ? undefined : [500, { message: 'no' }]));
    const { lines } = await checkStaging({
      gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: KEY } },
      fetch: gateway.fetch,
    });
    expect(lines.find(({ name }) => name === '1 reportBetEvent')?.text).toMatch(
      /: the gateway failed\. The gateway said: "no"\. It may be recorded: repeat it with client\.resend\(error\)/,
    );
  });

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['its name', { message: 'Conflict', error: 'Conflict', statusCode: 409 }],
  ])('409 and %s is not recognised as a duplicate', async (_, body) => {
    const { code, out } = await check(await gatewayWith({ same: () => [409, body], other: () => [409, body] }));
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL {2}reportBetEvent, the same data: is not recognised as a duplicate: HTTP 409/);
  });
});
