import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callOptions, clientOptions } from '../../src/client/option-table.js';
import { operations } from '../../src/protocol/operations.js';
import { copyJson } from '../../src/schema/copy-json.js';
import { location, locationInput } from '../../src/schema/location.js';
import type { Model, ValidationMode } from '../../src/schema/model.js';
import { validate } from '../../src/schema/validate.js';
import { scriptTag } from '../../tsup.script-tag.js';
import { betEvent, withdrawalEvent } from '../factories.js';
import { sampleSize } from '../support/cases.js';
import { invalidVectors, validVectors } from '../vectors/read.js';
import { badPayloads } from './bad-calls.js';
import { changed } from './changed-payloads.js';
import { watched } from './watched.js';

type Members = Record<string, unknown>;

const withZod = { operations, callOptions, clientOptions, location, locationInput, validate };

/** The same modules as the script-tag file has them, with every stand-in in its place. */
async function withStandIn(): Promise<typeof withZod> {
  const contents = `
    export { operations } from './operations.js';
    export { callOptions, clientOptions } from './option-table.js';
    export { location, locationInput } from './schema/location.js';
    export { validate } from './schema/validate.js';`;
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: new URL('../../src', import.meta.url).pathname, loader: 'ts' },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    plugins: scriptTag.esbuildPlugins,
  });
  expect(Object.keys(metafile.inputs).filter((path) => /node_modules|zod/.test(path))).toEqual(['src/schema/zod.browser.ts']);
  return import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`);
}

const standIn = await withStandIn();

const place = { latitude: 6.45, longitude: 3.39, city: 'Lagos', accuracy: 12, source: 'gps' };
const gateway = { baseUrl: 'https://gateway.example.com', apiKey: 'key' };
const options = {
  environment: 'staging',
  gateways: { staging: gateway, production: gateway },
  paths: { reportBetEvent: 'bets/new' },
  validation: 'partial',
  location: { required: false, fixed: place, timeoutMs: 5, browser: { enabled: true }, sourceNames: { gps: 'satellite' } },
  retry: { limit: 0, baseMs: 0 },
  allowApiKeyInBrowser: true,
};
const liveOptions = {
  gateways: { staging: { apiKey: () => 'key' } },
  location: { ip: { providers: [{ name: 'ours', lookup: () => {} }] } },
  logger: console,
  clock: { now: Date.now, setTimeout, clearTimeout },
  fetch,
};

const at = (operation: string) => [...validVectors, ...invalidVectors].filter((vector) => vector.operation === operation).map(({ payload }) => payload);

/** Every model that a page has: how to find it, and what it is meant for. */
const MODELS: Readonly<Record<string, { of: (modules: typeof withZod) => Model; samples: readonly object[] }>> = {
  'initiated bet': { of: (modules) => modules.operations.reportBetEvent.request, samples: [betEvent({ metadata: { odds: 2.5 } }), ...at('reportBetEvent')] },
  'initiated withdrawal': {
    of: (modules) => modules.operations.reportWithdrawalEvent.request,
    samples: [withdrawalEvent({ timestamp: '1795162000' }), ...at('reportWithdrawalEvent')],
  },
  location: { of: (modules) => modules.location, samples: [place] },
  'location of a caller': { of: (modules) => modules.locationInput, samples: [place] },
  'options of a client': { of: (modules) => modules.clientOptions, samples: [options, liveOptions, {}] },
  'options of a call': {
    of: (modules) => modules.callOptions,
    samples: [{ environment: 'production', clientIP: '::1', timeoutMs: 1, signal: new AbortController().signal }],
  },
};

/** Each model in each mode. */
const CASES = Object.entries(MODELS).flatMap(([name, one]) => (['strict', 'partial'] as const).map((mode) => ({ name, mode, ...one })));

const seen = new Set<string>();

/** What checking comes to, a throw included. */
function outcome(modules: typeof withZod, of: (modules: typeof withZod) => Model, mode: ValidationMode, input: unknown) {
  try {
    const checked = modules.validate(of(modules), mode, input);
    for (const { code } of checked.issues) seen.add(code);
    if (checked.value) seen.add('valid');
    return checked;
  } catch (error) {
    seen.add('thrown');
    return { thrown: String(error) };
  }
}

/** The names of an object's members, and of those within it: a body is sent in their order. */
const order = (value: unknown, depth = 4): unknown =>
  typeof value === 'object' && value !== null && depth > 0 ? Object.entries(value).map(([name, member]) => [name, order(member, depth - 1)]) : [];

function compare({ of, mode }: (typeof CASES)[number], input: unknown): void {
  const [zod, ours] = [outcome(withZod, of, mode, input), outcome(standIn, of, mode, input)];
  if (!isDeepStrictEqual(ours, zod)) expect(ours).toStrictEqual(zod);
  if (!isDeepStrictEqual(order(ours), order(zod))) expect(order(ours)).toEqual(order(zod));
}

/** With TEST_CASES=all a thousand of each kind, 64,000 comparisons; a tenth otherwise. */
const RUNS = { numRuns: sampleSize('comparisons of each kind with the stand-in for zod', 1_000) };

describe.each(CASES)('$name, $mode: the stand-in says what zod says', (one) => {
  it('of payloads that are right and wrong', () => {
    for (const sample of one.samples) compare(one, sample);
  });

  it('of payloads changed in some places, as they are and as they are copied', () => {
    fc.assert(
      fc.property(changed(one.samples), (input) => {
        compare(one, input);
        compare(one, copyJson(input).value);
      }),
      RUNS,
    );
  });

  it('of any JSON', () => {
    const known = fc.dictionary(fc.constantFrom(...Object.keys(one.of(withZod).fields)), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.oneof(known, fc.jsonValue()), (input) => compare(one, input)),
      RUNS,
    );
  });

  it('of what a proxy or a getter throws, having read the same in the same order', () => {
    const bad = badPayloads(one.samples[0] as Members);
    fc.assert(
      fc.property(bad, (make) => {
        const look = (modules: typeof withZod) => {
          const log: string[] = [];
          const said = outcome(modules, one.of, one.mode, watched(make().payload, log));
          return { said: 'issues' in said ? said.issues : said, log };
        };
        const [zod, ours] = [look(withZod), look(standIn)];
        if (!isDeepStrictEqual(ours, zod)) expect(ours).toStrictEqual(zod);
      }),
      RUNS,
    );
  });
});

it('says what zod says where all objects have inherited something', () => {
  const names = ['latitude', 'city', 'amount', 'continue', 'error', 'issues', 'isOptional', 'polluted'];
  for (const name of names) {
    Object.defineProperty(Object.prototype, name, { value: 'inherited', enumerable: true, configurable: true, writable: true });
    try {
      for (const one of CASES) for (const sample of [...one.samples, {}]) compare(one, sample);
    } finally {
      Reflect.deleteProperty(Object.prototype, name);
    }
  }
});

it.each([true, false])('says what zod says of a proxy that always answers %s when asked what it has', (answer) => {
  const lying = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? new Proxy(value, { has: () => answer, get: (target, key) => lying(Reflect.get(target, key)) }) : value;
  for (const one of CASES) for (const sample of [...one.samples, {}, { polluted: 1 }]) compare(one, lying(sample));
});

it('compared every kind of verdict', () => {
  expect([...seen].sort()).toEqual(['invalid', 'missing', 'thrown', 'unknown-field', 'valid', 'wrong-type']);
});
