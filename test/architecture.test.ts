import { existsSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entrySources } from '../build/entries.js';
import { RULES } from './mutation/rules.js';
import mutation from './mutation/vitest.config.js';
import { parseSource, readSource, type SourceFile } from './support/read-source.js';

/**
 * The architecture: the floors, from top to bottom, with the folders that each folder may import. A folder may import
 * folders on a floor below it, and of its own floor only those named here. Types count like values.
 */
const FLOORS: readonly Readonly<Record<string, readonly string[]>>[] = [
  {
    entries: [
      'cli',
      'console',
      'node',
      'opentelemetry',
      'outbox',
      'relay',
      'client',
      'mock',
      'openapi',
      'delivery',
      'location',
      'protocol',
      'schema',
      'errors',
      'platform',
    ],
  },
  {
    cli: ['console', 'node', 'outbox', 'mock', 'web', 'schema', 'errors'],
    node: ['console', 'outbox', 'relay', 'mock', 'openapi', 'web', 'schema', 'errors'],
    console: ['outbox', 'web', 'protocol', 'schema', 'errors'],
    // An application of its own, in the page that the console serves.
    'console-page': ['console', 'kit', 'outbox'],
    // Wraps a client and an outbox from its caller.
    opentelemetry: ['outbox', 'client', 'delivery', 'schema', 'errors'],
    // A separate application, in the page that the mock gateway serves.
    inspector: ['kit', 'mock'],
    // The parts that both pages are made of: tokens, list, chart, dialog.
    kit: [],
  },
  {
    // Reaches the client through its internals.
    outbox: ['client', 'delivery', 'protocol', 'schema', 'errors'],
    // Never makes a client: it gets one, or an outbox.
    relay: ['client', 'location', 'web', 'protocol', 'schema', 'errors'],
  },
  {
    client: ['location', 'delivery', 'protocol', 'schema', 'errors'],
    // Never the client or delivery: the mock must not share their mistakes.
    mock: ['openapi', 'web', 'protocol', 'schema', 'errors'],
    openapi: ['protocol', 'schema'],
  },
  {
    delivery: ['protocol', 'schema', 'errors', 'redact'],
    location: ['schema', 'errors'],
    // The checks of a request and the parts of an answer that relay, console and mock gateway share.
    web: ['protocol', 'schema'],
  },
  { protocol: ['schema', 'errors'] },
  {
    // Schemas return issues; the client throws.
    schema: [],
    errors: ['schema'],
    redact: ['schema'],
  },
  // Folders that every folder may import.
  { platform: [] },
];

const MOST_FLOORS = 8;

/** For some pairs of folders only these files may be imported. With `andTypes` all types may be imported too. */
const ONLY: readonly { from: string; to: string; files: readonly string[]; andTypes?: boolean }[] = [
  { from: 'outbox', to: 'client', files: ['client/internals.ts'], andTypes: true },
  { from: 'outbox', to: 'delivery', files: [], andTypes: true },
  // The checker of options.
  { from: 'outbox', to: 'schema', files: ['schema/option-rules.ts', 'schema/issue.ts'], andTypes: true },
  { from: 'cli', to: 'schema', files: ['schema/option-rules.ts'], andTypes: true },
  { from: 'cli', to: 'web', files: ['web/read-json.ts', 'web/hooks.ts'] },
  { from: 'node', to: 'schema', files: ['schema/option-rules.ts', 'schema/issue.ts'], andTypes: true },
  { from: 'opentelemetry', to: 'schema', files: ['schema/option-rules.ts'] },
  { from: 'opentelemetry', to: 'client', files: ['client/internals.ts'], andTypes: true },
  { from: 'opentelemetry', to: 'outbox', files: ['outbox/rules/destination.ts'], andTypes: true },
  { from: 'opentelemetry', to: 'delivery', files: [], andTypes: true },
  { from: 'inspector', to: 'mock', files: [], andTypes: true },
  {
    from: 'console',
    to: 'outbox',
    files: [
      'outbox/operator/operator.ts',
      'outbox/operator/context.ts',
      'outbox/rules/destination.ts',
      'outbox/rules/state-machine.ts',
      'outbox/stores/rows.ts',
    ],
    andTypes: true,
  },
  { from: 'console', to: 'protocol', files: ['protocol/operations.ts'], andTypes: true },
  { from: 'console-page', to: 'console', files: [], andTypes: true },
  { from: 'console-page', to: 'outbox', files: [], andTypes: true },
  { from: 'relay', to: 'client', files: [], andTypes: true },
  {
    from: 'relay',
    to: 'location',
    files: ['location/server/client-ip-from.ts', 'location/server/trusted-proxies.ts'],
    andTypes: true,
  },
  { from: 'web', to: 'protocol', files: ['protocol/addresses.ts'] },
  { from: 'web', to: 'schema', files: ['schema/issue.ts'], andTypes: true },
  { from: 'errors', to: 'schema', files: ['schema/option-rules.ts'], andTypes: true },
  { from: 'redact', to: 'schema', files: [], andTypes: true },
  // The parts of the schemas that the masking of an answer and the check of a rotated key need.
  {
    from: 'delivery',
    to: 'schema',
    files: ['schema/sent.ts', 'schema/headers.ts'],
    andTypes: true,
  },
];

/** Single files and folders that may import more than their folder. */
const EXCEPTIONS: readonly { of: string; mayImport: readonly string[] }[] = [
  // Tests a gateway like a client, and checks details that a client does not show.
  { of: 'cli/check/', mayImport: ['client', 'protocol', 'delivery', 'redact', 'schema', 'errors'] },
  { of: 'cli/mock/', mayImport: ['protocol'] },
  { of: 'cli/outbox/destinations.ts', mayImport: ['protocol'] },
  // Checks and enqueues reports as the operator's own code would.
  { of: 'cli/outbox/import/', mayImport: ['client', 'delivery', 'protocol', 'schema'] },
  { of: 'node/serve.ts', mayImport: ['schema'] },
  // A transport for Node.js.
  { of: 'node/transport/', mayImport: ['delivery', 'errors'] },
];

/** The folders that may import each package. */
const PACKAGES: readonly { named: RegExp; by: readonly string[] }[] = [
  { named: /^ky$/, by: ['delivery/ky-transport.ts'] },
  { named: /^zod\/mini$/, by: ['schema/', 'openapi/', 'console/'] },
  {
    named: /^node:/,
    by: [
      'node/',
      'cli/',
      ...['open', 'failure', 'file-checks', 'next-turn'].map((name) => `outbox/stores/sqlite/${name}.ts`),
    ],
  },
  // Peers, loaded when they are needed.
  { named: /^undici$/, by: ['node/transport/'] },
  { named: /^(?:@photostructure\/sqlite|better-sqlite3)$/, by: ['outbox/stores/sqlite/open.ts'] },
  { named: /^@opentelemetry\/api$/, by: ['opentelemetry/'] },
  { named: /^pg$/, by: ['cli/outbox/open.ts'] },
  { named: /^preact(?:\/hooks)?$/, by: ['kit/', 'inspector/', 'console-page/'] },
  { named: /^papaparse$/, by: ['cli/outbox/import/'] },
  // The texts in French, which pages load as a file.
  { named: /^errors\/player-messages\/fr\.json$/, by: ['errors/player-message.ts'] },
  // Its version.
  { named: /^\.\.\/package\.json$/, by: ['platform/version.ts'] },
];

const isAt = (name: string, place: string) => (place.endsWith('/') ? name.startsWith(place) : name === place);

const folderOf = (name: string) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : '');

const floorOf = (folder: string) => FLOORS.findIndex((floor) => Object.keys(floor).includes(folder));

/** The problems with the imports of a file, in words. Empty if there are none. */
function wrongImports({ name, imports }: SourceFile): string[] {
  const folder = folderOf(name);
  const own = FLOORS[floorOf(folder)]?.[folder] ?? [];
  const more = EXCEPTIONS.flatMap(({ of, mayImport }) => (isAt(name, of) ? mayImport : []));
  return imports.flatMap(({ of, typeOnly }) => {
    if (!/\.tsx?$/.test(of)) {
      const allowed = PACKAGES.some(({ named, by }) => named.test(of) && by.some((place) => isAt(name, place)));
      return allowed ? [] : [`${name} must not import the package ${of}`];
    }
    const target = folderOf(of);
    if (target === folder || target === 'platform' || more.includes(target)) return [];
    if (!own.includes(target)) return [`${name} must not import ${of}`];
    const only = ONLY.find(({ from, to }) => from === folder && to === target);
    const open = !only || (typeOnly && only.andTypes) || only.files.includes(of);
    return open
      ? []
      : [
          `${name} must not import ${of}: of ${target} it may import ${[...only.files, ...(only.andTypes ? ['types'] : [])].join(', ')}`,
        ];
  });
}

const source = readSource();

describe('the architecture', () => {
  it('gives every file a folder, and every folder a floor', () => {
    expect(source.filter(({ name }) => floorOf(folderOf(name)) < 0).map(({ name }) => name)).toEqual([]);
  });

  it(`has at most ${MOST_FLOORS} floors, and no folder imports one above it`, () => {
    expect(FLOORS.length).toBeLessThanOrEqual(MOST_FLOORS);
    const up = FLOORS.flatMap((floor, height) =>
      Object.entries(floor).flatMap(([folder, mayImport]) =>
        mayImport.filter((other) => floorOf(other) < height).map((other) => `${folder} → ${other}`),
      ),
    );
    expect(up).toEqual([]);
  });

  it('is kept by every import', () => {
    expect(source.flatMap(wrongImports)).toEqual([]);
  });

  it('has an entry for each name of package.json that is imported, and no more but the command and the script-tag files', () => {
    const others = ['cli', 'script-tag', 'script-tag-outbox', 'script-tag-relay', 'script-tag-stub'].map(
      (name) => `src/entries/${name}.ts`,
    );
    const files = source.filter(({ name }) => name.startsWith('entries/')).map(({ name }) => `src/${name}`);
    expect(files.sort()).toEqual([...entrySources().values(), ...others].sort());
  });

  it('has each file whose rules are mutated, and runs the test beside it for each mutant', () => {
    const own = source.map(({ name }) => `src/${name}`);
    expect(RULES.filter((file) => !own.includes(file))).toEqual([]);
    const tests = RULES.map((file) => file.replace('src/', 'test/').replace('.ts', '.test.ts')).filter(existsSync);
    const { include, exclude } = mutation.test ?? {};
    const isRun = (file: string) =>
      include?.some((glob) => matchesGlob(file, glob)) && !exclude?.some((glob) => matchesGlob(file, glob));
    expect(tests.filter((file) => !isRun(file))).toEqual([]);
    expect(tests.length).toBeGreaterThan(RULES.length / 2);
  });

  it('has no import cycle, including types', () => {
    const importsOf = new Map(source.map(({ name, imports }) => [name, imports.map(({ of }) => of)]));
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

  it('keeps every entry of a module to re-exports by name', () => {
    // The entries of the global declare it, and contain no code.
    const others = /\/(?:cli|global(?:-outbox|-relay)?|script-tag(?:-outbox|-relay|-stub)?)\.ts$/;
    const faces = source.filter(({ name }) => name.startsWith('entries/') && !others.test(name));
    expect(faces.filter(({ onlyReExports }) => !onlyReExports).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    [
      'mock/ledger.ts',
      "import { deliver } from '../delivery/deliver.js'",
      'mock/ledger.ts must not import delivery/deliver.ts',
    ],
    ['mock/ledger.ts', "const late = import('../client/client.js')", 'mock/ledger.ts must not import client/client.ts'],
    [
      'mock/ledger.ts',
      "import type { Client } from '../client/client.js'",
      'mock/ledger.ts must not import client/client.ts',
    ],
    [
      'protocol/operations.ts',
      "export { resolveOptions } from '../client/config.js'",
      'protocol/operations.ts must not import client/config.ts',
    ],
    [
      'schema/bet.ts',
      "import { type ErrorCode } from '../errors/errors.js'",
      'schema/bet.ts must not import errors/errors.ts',
    ],
    [
      'redact/redact.ts',
      "import type { Receipt } from '../client/receipt.js'",
      'redact/redact.ts must not import client/receipt.ts',
    ],
    [
      'relay/relay.ts',
      "import { createClient } from '../client/client.js'",
      'relay/relay.ts must not import client/client.ts: of client it may import types',
    ],
    [
      'platform/time.ts',
      "import type { Logger } from '../delivery/settings.js'",
      'platform/time.ts must not import delivery/settings.ts',
    ],
    ['client/client.ts', "import ky from 'ky'", 'client/client.ts must not import the package ky'],
    [
      'mock/gateway.ts',
      "import { createServer } from 'node:http'",
      'mock/gateway.ts must not import the package node:http',
    ],
    ['delivery/attempt.ts', "import * as z from 'zod'", 'delivery/attempt.ts must not import the package zod'],
    ['client/client.ts', "import type * as z from 'zod/mini'", 'client/client.ts must not import the package zod/mini'],
  ])('refuses in %s: %s', (name, text, problem) => {
    expect(wrongImports(parseSource(name, text))).toEqual([problem]);
  });
});

describe('every file of src', () => {
  it('names no any', () => {
    expect(source.filter(({ usesAny }) => usesAny).map(({ name }) => name)).toEqual([]);
  });
});
