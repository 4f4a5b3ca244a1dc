import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../support/cli-in-process.js';

const KEY = 'sk-canary-qwxzvbnmkj';
const folder = mkdtempSync(join(tmpdir(), 'location-sdk-repeats-'));
const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

/** A gateway of plain HTTP that shares no code with the mock gateway. */
async function rawGateway({ same, other }: Words): Promise<string> {
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
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const [status, body] = answer(request.url ?? '', request.headers['x-api-key'], text);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a gateway that answers repeats in other ways', () => {
  test('the check prints the answers, and passes with an isDuplicate that was written from them', async () => {
    const url = await rawGateway({
      same: (reference) => [403, { message: `Filed before: ${reference}` }],
      other: (reference) => [403, { message: `Filed before with other figures: ${reference}` }],
    });
    const { code, out } = await check(url);
    expect(code).toBe(1);
    expect(out).toMatch(
      /FAIL {2}reportBetEvent, the same data: is not recognised as a duplicate: HTTP 403, "\[masked\] before: /,
    );
    expect(out).toContain('write the option isDuplicate, which must recognise it');
    expect(out).toMatch(/warn {2}reportBetEvent, other data: is refused, .* before with other /);

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

  test.each<[string, unknown]>([
    ['an empty object', {}],
    ['its name', { message: 'Conflict', error: 'Conflict', statusCode: 409 }],
  ])('409 and %s is not recognised as a duplicate', async (_, body) => {
    const { code, out } = await check(await rawGateway({ same: () => [409, body], other: () => [409, body] }));
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL {2}reportBetEvent, the same data: is not recognised as a duplicate: HTTP 409/);
  });
});
