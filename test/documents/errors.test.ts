import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ClientOptions, createClient, type ReportingError } from '../../src/entries/index.js';
import { createMockGateway, type FaultRule } from '../../src/entries/mock.js';
import { codeBlocks } from '../support/code-blocks.js';
import { betEvent, settledBet } from '../support/factories.js';
import { failureOf } from '../support/failure-of.js';
import { root } from '../support/run.js';

const guide = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
const source = readFileSync(join(root, 'src/core/errors/errors.ts'), 'utf8');

/** Every code and its class, as the source has them. */
const classes = [
  ...source.matchAll(/^export class (\w+) extends BaseError \{\n.*\n\s*override readonly code = '([\w-]+)';/gm),
].map(([, name = '', code = '']) => ({ name, code }));
const [, union = ''] = /export type ErrorCode =(.*?);\n/s.exec(source) ?? [];
const codes = [...union.matchAll(/\| '([\w-]+)'/g)].map(([, code]) => code);

const sectionsOf = (text: string, mark: RegExp) =>
  new Map(text.split(mark).map((part) => [part.slice(0, part.indexOf('\n')), part]));
const sections = sectionsOf(guide, /^## /m);

const LOCATION = { latitude: 6.4541, longitude: 3.3947, source: 'gps' };
const staging = { gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } } };

/** A client with a mock gateway that has this fault. */
function clientOf(options: ClientOptions = {}, ...faults: FaultRule[]) {
  const gateway = createMockGateway();
  for (const fault of faults) gateway.faults.add({ times: null, ...fault });
  return createClient({ ...gateway.clientOptions(), location: {}, retry: { limit: 0 }, logger: {}, ...options });
}

const report = (client: { reportBetEvent: ReturnType<typeof createClient>['reportBetEvent'] }) =>
  client.reportBetEvent(betEvent(), { location: LOCATION });

/** How to cause each error, with the guide's texts. */
const EXAMPLES: Readonly<Record<string, () => Promise<unknown>>> = {
  configuration: () => report(createClient({ retry: { limit: 0 } })),
  validation: () => clientOf().reportBetEvent({ ...betEvent(), amount: '1500' as never }, { location: LOCATION }),
  location: () => clientOf().reportBetEvent(betEvent()),
  network: () =>
    report(
      createClient({
        ...staging,
        retry: { limit: 0 },
        fetch: () =>
          Promise.reject(
            Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED', syscall: 'connect' } }),
          ),
      }),
    ),
  timeout: () => report(clientOf({ attemptTimeoutMs: 20 }, { kind: 'hang' })),
  aborted: () => {
    const controller = new AbortController();
    controller.abort();
    return clientOf().reportBetEvent(betEvent(), { location: LOCATION, signal: controller.signal });
  },
  'bad-request': () =>
    report(clientOf({}, { kind: 'status', status: 403, body: { message: 'This operator is suspended' } })),
  authentication: () => report(clientOf({}, { kind: 'status', status: 401, body: { message: 'API key is invalid' } })),
  'not-found': () => clientOf().reportSettledBet(settledBet()),
  duplicate: async () => {
    const client = clientOf();
    const event = betEvent({ timestamp: '1795162000' });
    await client.reportBetEvent(event, { location: LOCATION });
    return client.reportBetEvent(event, { location: LOCATION });
  },
  unprocessable: () =>
    report(clientOf({}, { kind: 'status', status: 422, body: { message: 'user.resident_lga is not known' } })),
  'rate-limited': () => report(clientOf({}, { kind: 'status', status: 429, retryAfter: 60 })),
  gateway: () => report(clientOf({}, { kind: 'status', status: 502, body: { message: 'Bad Gateway' } })),
};

describe('docs/reference/errors.md', () => {
  test('has every code of the source', () => {
    expect(classes.map(({ code }) => code)).toEqual(codes);
    expect(Object.keys(EXAMPLES)).toEqual(codes);
    expect(codes.length).toBeGreaterThan(10);
  });

  describe.each(classes)('$code', ({ name, code }) => {
    const section = sections.get(code) ?? '';

    test('has a section with its cause and what to do', () => {
      expect(section).toContain(`\`${name}\``);
      for (const question of ['**Cause.**', '**Do.**']) expect(section).toContain(question);
    });

    test('shows the beginning of the real message', async () => {
      const error = (await failureOf(EXAMPLES[code]?.() ?? Promise.resolve())) as ReportingError;
      expect(error.code).toBe(code);
      const [example] = codeBlocks(section).filter(({ language }) => language === 'text');
      const shown = `${example?.code.trim()}`;
      expect(shown.length).toBeGreaterThan(40);
      expect(error.message.slice(0, shown.length)).toBe(shown);
    });
  });
});
