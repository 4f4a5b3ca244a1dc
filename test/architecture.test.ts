import { describe, expect, it } from 'vitest';
import { parseSource, readSource, type SourceFile } from './read-source.js';

/**
 * The house plan: what stands in which layer, and who may import whom. From top to bottom, never up, never
 * sideways. A name ends in `/` for a folder. A new file below a folder needs no entry; any other is added here.
 */
const LAYERS = {
  face: { files: ['index.ts', 'global.ts', 'global-outbox.ts'], mayImport: ['client', 'errors', 'location', 'outbox', 'face'] },
  // Tests a gateway as a client would meet it, and looks at what a client does not show.
  check: { files: ['node/cli/check/'], mayImport: ['node', 'client', 'config', 'operations', 'delivery', 'redact', 'schema', 'errors'] },
  node: { files: ['node/'], mayImport: ['mock', 'openapi', 'outbox', 'relay', 'check'] },
  client: {
    files: ['client.ts', 'default-client.ts', 'prepare.ts', 'payloads.ts', 'receipt.ts', 'resolve-location.ts', 'locate-result.ts'],
    mayImport: ['config', 'operations', 'location', 'delivery', 'schema', 'errors'],
  },
  // Reaches the client through the door that it is given.
  outbox: { files: ['outbox/'], mayImport: ['operations', 'errors'] },
  // Wraps a client and an outbox that it is given.
  opentelemetry: { files: ['opentelemetry/'], mayImport: ['errors'] },
  // Never the client itself: it is given one, or an outbox.
  relay: { files: ['relay/'], mayImport: ['operations', 'location/client-ip-from.ts', 'schema', 'errors'] },
  // Never the client or delivery: the far end must not share the near end's mistakes.
  mock: { files: ['mock/'], mayImport: ['openapi', 'operations', 'schema', 'errors'] },
  openapi: { files: ['openapi/'], mayImport: ['operations', 'schema'] },
  // Of the schemas, only what the masking of an answer and the check of a rotated key need.
  delivery: { files: ['delivery/'], mayImport: ['operations', 'errors', 'redact', 'schema/sent-values.ts', 'schema/sent-words.ts', 'schema/api-key.ts'] },
  location: { files: ['location/'], mayImport: ['schema', 'errors'] },
  config: {
    files: ['config.ts', 'options.ts', 'option-table.ts', 'events.ts', 'environment-variables.ts', 'gateway-options.ts'],
    mayImport: ['operations', 'schema', 'errors'],
  },
  operations: { files: ['operations.ts'], mayImport: ['schema', 'errors'] },
  // Schemas return issues; the client throws.
  schema: { files: ['schema/'], mayImport: [] },
  errors: { files: ['errors.ts', 'location-steps.ts'], mayImport: [] },
  redact: { files: ['redact.ts', 'vocabulary.ts'], mayImport: ['redact'] },
  // What everybody may import.
  bottom: {
    files: [
      'base-url.ts',
      'body.ts',
      'client-door.ts',
      'direct-fetch.ts',
      'hash.ts',
      'members.ts',
      'messages.ts',
      'mock-defaults.ts',
      'native-crypto.ts',
      'relay-only.ts',
      'runtime.ts',
      'time.ts',
      'unfailing.ts',
      'web-types.ts',
    ],
    mayImport: [],
  },
} as const satisfies Record<string, { files: readonly string[]; mayImport: readonly string[] }>;

/** Single files that may import more than their layer. */
const FILE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'base-url.ts': ['operations'],
  'node/cli/outbox/decide.ts': ['errors'],
  'node/cli/outbox/reconcile.ts': ['errors'],
  // A provider of locations, made for Node.js.
  'node/mmdb.ts': ['location/provider.ts', 'location/mmdb-lookup.ts', 'errors'],
  // How it knows an answer that is not the gateway's.
  'outbox/gateway-refusal.ts': ['delivery/foreign.ts'],
  'node/transport.ts': ['errors'],
  'node/dispatching.ts': ['errors'],
  'node/mmdb-options.ts': ['errors', 'schema/issue.ts', 'schema/suggest.ts'],
};

/** Types vanish, so they may cross, but for these layers: what may be shown depends on the schemas alone. */
const TYPES_OF: Readonly<Record<string, readonly string[]>> = {
  errors: ['schema'],
  redact: ['schema'],
};

/** Who may import which package. */
const PACKAGES: readonly { named: RegExp; by: readonly string[] }[] = [
  { named: /^ky$/, by: ['delivery/request.ts'] },
  // All else takes it from there, so that in the script-tag file a stand-in takes its place.
  { named: /^zod\/mini$/, by: ['schema/zod.ts', 'openapi/'] },
  { named: /^node:/, by: ['node/', 'outbox/stores/sqlite/open.ts', 'outbox/stores/sqlite/live-file.ts'] },
  // Peers, loaded when they are needed.
  { named: /^(?:mmdb-lib|maxmind)$/, by: ['node/mmdb-reader.ts'] },
  { named: /^undici$/, by: ['node/transport.ts', 'node/dispatching.ts'] },
  { named: /^(?:libsql|better-sqlite3)$/, by: ['outbox/stores/sqlite/open.ts'] },
  { named: /^@opentelemetry\/api$/, by: ['opentelemetry/'] },
  { named: /^pg$/, by: ['node/cli/outbox/server.ts'] },
  // Its version.
  { named: /^\.\.\/package\.json$/, by: ['node/version.ts'] },
];

const MOST_LINES = 250;

type Layer = keyof typeof LAYERS;

const isAt = (name: string, place: string) => (place.endsWith('/') ? name.startsWith(place) : name === place);

/** `x.browser.ts` stands in for `x.ts` in the script-tag files, `x.relayed.ts` in the one with the outbox; both live by its rules. */
const twinOf = (name: string) => name.replace(/\.(?:browser|relayed)\.ts$/, '.ts');

function layerOf(name: string): Layer | undefined {
  const layers = Object.keys(LAYERS) as Layer[];
  return layers.find((layer) => LAYERS[layer].files.some((place) => isAt(twinOf(name), place)));
}

/** What is wrong with the imports of a file, in words; nothing if all is well. */
function wrongImports({ name, imports }: SourceFile): string[] {
  const layer = layerOf(name);
  if (!layer) return [];
  const mayImport: readonly string[] = [...LAYERS[layer].mayImport, ...(FILE_MAY_IMPORT[twinOf(name)] ?? [])];
  return imports.flatMap(({ of, typeOnly }) => {
    if (!of.endsWith('.ts')) {
      const allowed = PACKAGES.some(({ named, by }) => named.test(of) && by.some((place) => isAt(twinOf(name), place)));
      return allowed ? [] : [`${name} must not import the package ${of}`];
    }
    const target = layerOf(of);
    if (target === undefined || target === layer) return [];
    const types = TYPES_OF[layer];
    if (typeOnly) return types && !types.includes(target) ? [`${name} (${layer}) must take no types of ${of} (${target})`] : [];
    return target === 'bottom' || mayImport.includes(target) || mayImport.includes(twinOf(of)) ? [] : [`${name} (${layer}) must not import ${of} (${target})`];
  });
}

const source = readSource();

describe('the house plan', () => {
  it('gives every file its place', () => {
    const homeless = source.filter(({ name }) => !layerOf(name)).map(({ name }) => name);
    expect(homeless, `add these to LAYERS in test/architecture.test.ts: ${homeless.join(', ')}`).toEqual([]);
  });

  it('is kept by every import', () => {
    expect(source.flatMap(wrongImports)).toEqual([]);
  });

  it('leads no file back to itself', () => {
    const importsOf = new Map(source.map(({ name, imports }) => [name, imports.filter(({ typeOnly }) => !typeOnly).map(({ of }) => of)]));
    const finished = new Set<string>();
    const circlesFrom = (name: string, way: readonly string[]): string[] => {
      if (way.includes(name)) return [[...way.slice(way.indexOf(name)), name].join(' → ')];
      if (finished.has(name)) return [];
      const circles = (importsOf.get(name) ?? []).flatMap((next) => circlesFrom(next, [...way, name]));
      finished.add(name);
      return circles;
    };
    expect(source.flatMap(({ name }) => circlesFrom(name, []))).toEqual([]);
  });

  it('keeps every index to re-exports by name', () => {
    const faces = source.filter(({ name }) => /(?:^|\/)index\.ts$/.test(name));
    expect(faces.filter(({ onlyReExports }) => !onlyReExports).map(({ name }) => name)).toEqual([]);
  });

  it('gives every stand-in for browsers a file that it stands in for', () => {
    const names = source.map(({ name }) => name);
    expect(names.filter((name) => !names.includes(twinOf(name)))).toEqual([]);
  });

  it.each([
    ['mock/ledger.ts', "import { deliver } from '../delivery/deliver.js'", 'mock/ledger.ts (mock) must not import delivery/deliver.ts (delivery)'],
    ['mock/ledger.ts', "const late = import('../client.js')", 'mock/ledger.ts (mock) must not import client.ts (client)'],
    ['operations.ts', "export { resolveOptions } from './config.js'", 'operations.ts (operations) must not import config.ts (config)'],
    ['schema/bet.ts', "import { type ErrorCode } from '../errors.js'", 'schema/bet.ts (schema) must not import errors.ts (errors)'],
    ['redact.ts', "import type { Receipt } from './receipt.js'", 'redact.ts (redact) must take no types of receipt.ts (client)'],
    [
      'delivery/classify.browser.ts',
      "import { model } from '../schema/model.js'",
      'delivery/classify.browser.ts (delivery) must not import schema/model.ts (schema)',
    ],
    ['client.ts', "import ky from 'ky'", 'client.ts must not import the package ky'],
    ['mock/gateway.ts', "import { createServer } from 'node:http'", 'mock/gateway.ts must not import the package node:http'],
    ['delivery/attempt.ts', "import * as z from 'zod'", 'delivery/attempt.ts must not import the package zod'],
    ['schema/bet.ts', "import type * as z from 'zod/mini'", 'schema/bet.ts must not import the package zod/mini'],
  ])('refuses in %s: %s', (name, text, problem) => {
    expect(wrongImports(parseSource(name, text))).toEqual([problem]);
  });
});

describe('every file of src', () => {
  it('names no any', () => {
    expect(source.filter(({ usesAny }) => usesAny).map(({ name }) => name)).toEqual([]);
  });

  it(`has at most ${MOST_LINES} lines`, () => {
    const long = source.filter(({ lines }) => lines > MOST_LINES);
    expect(long.map(({ name, lines }) => `${name}: ${lines}`)).toEqual([]);
  });
});
