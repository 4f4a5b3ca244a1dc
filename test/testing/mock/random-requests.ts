import { GATEWAY_PATH, type OperationName, operationNames, operations } from '../../../src/core/protocol/operations.js';
import { createRandom } from '../../../src/testing/mock/faults.js';
import { BODIES } from './world.js';

export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationName | undefined;
  readonly headers: Record<string, string>;
  readonly hasKey: boolean;
  readonly body: string | undefined;
}

const LONGEST_REQUEST = 1024 * 1024;
const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'toJSON',
];
const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  'é',
  '\u{1f600}',
  "<img src=x onerror='1'>",
  '"; DROP',
  '99012345678',
  '1795161600000',
  '%s%n',
  '\n\r\t',
  'NaN',
];
const NUMBERS = [
  '1e999',
  '-1e999',
  '1e308',
  '5e-324',
  '-0',
  '9007199254740993',
  `1${'0'.repeat(400)}`,
  '0.1',
  '99012345678',
  '1E+2',
];
const ODD_PATHS = [
  '/',
  '//',
  '/__proto__',
  '/integration-gateway',
  GATEWAY_PATH,
  '/production',
  `/production/production${GATEWAY_PATH}nin/verify`,
  '/%00',
  '/ü',
  '/..;/',
];

/** Pseudo-random requests, the same for the same seed: some valid, most invalid in different ways. */
export function randomRequests(seed: number, references = 200): () => RandomRequest {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (probability: number) => random() < probability;
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const anyText = () =>
    pick([...TEXTS, ...PROTOTYPE_NAMES, 'x'.repeat(below(2_000)), String.fromCharCode(below(65_536), below(65_536))]);

  /** JSON text of any kind. `raw` parts are inserted unchanged. */
  function anyJson(depth = 0): string {
    const kind = below(depth > 3 ? 5 : 8);
    if (kind === 0) return pick(['null', 'true', 'false']);
    if (kind === 1) return pick(NUMBERS);
    if (kind === 2) return String((random() - 0.5) * 10 ** below(20));
    if (kind < 5) return JSON.stringify(anyText());
    if (kind === 5) return `[${Array.from({ length: below(4) }, () => anyJson(depth + 1)).join()}]`;
    if (kind === 6) return nested(below(chance(0.01) ? 100_000 : 30));
    return `{${Array.from({ length: below(5) }, () => `${JSON.stringify(anyText())}:${anyJson(depth + 1)}`).join()}}`;
  }

  const nested = (depth: number) =>
    chance(0.5) ? `${'['.repeat(depth)}${']'.repeat(depth)}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  /** The valid body with a few changes. Duplicate names stay duplicate. */
  function nearly(value: unknown, mistakes: number): string {
    if (chance(mistakes)) return anyJson();
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).flatMap(([name, member]) => {
      if (chance(mistakes)) return [];
      const text = `${JSON.stringify(name)}:${nearly(member, mistakes)}`;
      return chance(mistakes) ? [text, `${JSON.stringify(name)}:${nearly(member, mistakes)}`] : [text];
    });
    if (chance(mistakes)) members.push(`${JSON.stringify(anyText())}:${anyJson()}`);
    return `{${members.join()}}`;
  }

  function anyBody(operation: OperationName): string {
    const row = operations[operation];
    const changes =
      'reference' in row
        ? { [row.reference]: `R-${below(references)}`, ...(chance(0.1) && { amount: below(3) }) }
        : { nin: `99${String(below(1e9)).padStart(9, '0')}` };
    const valid = { ...BODIES[operation], ...changes };
    const kind = random();
    if (kind < 0.45) return JSON.stringify(valid);
    if (kind < 0.8) return nearly(valid, 0.03);
    if (kind < 0.9) return anyJson();
    const text = JSON.stringify(valid);
    if (kind < 0.999) return text.slice(0, below(text.length)) + (chance(0.5) ? anyText() : '');
    return text + ' '.repeat(LONGEST_REQUEST - Buffer.byteLength(text) + below(2));
  }

  return () => {
    const named = chance(0.95) ? pick(operationNames) : undefined;
    const below_ = named ? GATEWAY_PATH + operations[named].path : pick(ODD_PATHS);
    const odd = named !== undefined && chance(0.03);
    const path =
      (chance(0.3) ? '/production' : '') +
      below_ +
      (odd ? pick(['/', '/x', '%20', ';a', '.json', '//']) : chance(0.05) ? '?x=1&__proto__=2' : '');
    const operation = odd || !named ? undefined : named;
    const method = chance(0.93) ? 'POST' : pick(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'BREW', 'post']);
    const hasKey = chance(0.95);
    const headers: Record<string, string> = {};
    if (hasKey) headers['x-api-key'] = 'mock-api-key';
    else if (chance(0.5)) headers['X-Api-Key'] = pick(['wrong', ' ', 'mock-api-key2', '__proto__', 'x'.repeat(5_000)]);
    if (chance(0.97)) {
      headers['content-type'] = chance(0.95)
        ? pick(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=utf-16'])
        : pick([
            'text/plain',
            'nonsense',
            'application/jsonx',
            'text/plain; application/json',
            'multipart/form-data; boundary=x',
          ]);
    }
    if (chance(0.1))
      headers[pick(['x-forwarded-for', 'origin', 'accept', 'cookie'])] = pick([
        '*/*',
        'null',
        'a=b; c',
        'é'.normalize('NFD').slice(0, 1),
      ]);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    return { method, path, operation, headers, hasKey, body: hasBody ? anyBody(named ?? 'reportBetEvent') : undefined };
  };
}

export const isTooLong = ({ body }: RandomRequest): boolean =>
  body !== undefined && Buffer.byteLength(body) > LONGEST_REQUEST;
