import { existsSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entrySources } from '../build/entries.js';
import { RULES } from './mutation/rules.js';
import mutation from './mutation/vitest.config.js';
import { parseSource, readSource, type SourceFile } from './support/read-source.js';

/** Floors from top to bottom. Each folder of a floor has the folders of the same set of floors that it may import. */
type Floors = readonly Readonly<Record<string, readonly string[]>>[];

/**
 * The house: the rooms of `src`, and the pages beside it. A room may import rooms on floors below it. Types count like
 * values.
 */
const HOUSE: Floors = [
  // Plugs parts together, nothing else.
  { entries: ['cli', 'http', 'operator', 'opentelemetry', 'outbox', 'testing', 'core'] },
  {
    cli: ['http', 'operator', 'outbox', 'testing', 'core'],
    // Two applications. Of src they import types only.
    pages: ['http', 'operator', 'testing', 'outbox', 'core'],
  },
  // The mock gateway is served only.
  { http: ['operator', 'outbox', 'testing', 'core'] },
  {
    operator: ['outbox', 'core'],
    // Wraps a client and an outbox from its caller.
    opentelemetry: ['outbox', 'core'],
  },
  {
    // Never operator: a program's own decisions are outbox/decisions.
    outbox: ['core'],
    // Never client, delivery or location: the far end must not share the mistakes of the near end.
    testing: ['core'],
  },
  { core: [] },
];

/** The floors inside a room. In these rooms every file stands in one of the folders. */
const INSIDE: Readonly<Record<string, Floors>> = {
  http: [
    { node: ['console', 'relay'] },
    // The relay never makes a client: it gets one, or an outbox.
    { console: [], relay: [] },
  ],
  testing: [{ mock: ['openapi'] }, { openapi: [] }],
  pages: [{ console: ['kit'], inspector: ['kit'] }, { kit: [] }],
  core: [
    { client: ['location', 'delivery', 'protocol', 'schema', 'errors', 'platform'] },
    {
      delivery: ['protocol', 'schema', 'errors', 'redact', 'platform'],
      location: ['schema', 'errors', 'platform'],
      // The checks of a request and the parts of an answer that relay, console and mock gateway share.
      web: ['protocol', 'schema', 'platform'],
    },
    { protocol: ['schema', 'errors', 'platform'] },
    // Schemas return issues; the client throws.
    { errors: ['schema', 'platform'], redact: ['schema', 'platform'] },
    { schema: ['platform'] },
    { platform: [] },
  ],
};

const MOST_FLOORS = 8;

const TESTING_MAY_USE = ['protocol', 'schema', 'errors', 'web', 'platform'].map((folder) => `core/${folder}/`);

/**
 * Where a place may not import all of a folder: the files and folders of it that may be imported. With `andTypes`, all
 * types of it too. The first row that fits a file counts.
 */
const ONLY: readonly { from: string; to: string; places: readonly string[]; andTypes?: boolean }[] = [
  { from: 'testing/', to: 'core/', places: TESTING_MAY_USE },
  { from: 'pages/', to: 'http/', places: [], andTypes: true },
  { from: 'pages/', to: 'operator/', places: [], andTypes: true },
  { from: 'pages/', to: 'outbox/', places: [], andTypes: true },
  { from: 'pages/', to: 'testing/', places: [], andTypes: true },
  { from: 'pages/', to: 'core/', places: ['core/platform/'], andTypes: true },
  // Reaches the client through its internals.
  { from: 'outbox/', to: 'core/client/', places: ['core/client/internals.ts'], andTypes: true },
  { from: 'outbox/', to: 'core/delivery/', places: [], andTypes: true },
  // The checker of options.
  {
    from: 'outbox/',
    to: 'core/schema/',
    places: ['core/schema/option-rules.ts', 'core/schema/issue.ts'],
    andTypes: true,
  },
  { from: 'outbox/', to: 'core/location/', places: [] },
  { from: 'outbox/', to: 'core/web/', places: [] },
  { from: 'outbox/', to: 'core/redact/', places: [] },
  { from: 'operator/', to: 'core/', places: ['core/protocol/', 'core/errors/', 'core/platform/'] },
  // Tests a gateway like a client, and checks details that a client does not show.
  { from: 'cli/check/', to: 'core/', places: ['core/'] },
  // Checks and enqueues reports as the operator's own code would.
  { from: 'cli/outbox/import/', to: 'core/', places: ['core/'] },
  { from: 'cli/outbox/own-outbox.ts', to: 'core/', places: ['core/'] },
  { from: 'cli/outbox/exact-json.ts', to: 'core/', places: ['core/schema/', 'core/web/'] },
  {
    from: 'cli/mock/',
    to: 'core/',
    places: ['core/protocol/', 'core/schema/', 'core/errors/', 'core/platform/', 'core/web/'],
  },
  { from: 'cli/outbox/destinations.ts', to: 'core/', places: ['core/protocol/', 'core/errors/', 'core/platform/'] },
  {
    from: 'cli/',
    to: 'core/',
    places: [
      'core/schema/option-rules.ts',
      'core/web/read-json.ts',
      'core/web/hooks.ts',
      'core/protocol/operations.ts',
      'core/errors/',
      'core/platform/',
    ],
    andTypes: true,
  },
  // A transport for Node.js.
  {
    from: 'http/node/transport/',
    to: 'core/',
    places: ['core/delivery/', 'core/schema/', 'core/errors/', 'core/platform/'],
  },
  {
    from: 'http/node/',
    to: 'core/schema/',
    places: ['core/schema/option-rules.ts', 'core/schema/issue.ts'],
    andTypes: true,
  },
  { from: 'http/node/', to: 'core/client/', places: [] },
  { from: 'http/node/', to: 'core/delivery/', places: [] },
  { from: 'http/node/', to: 'core/location/', places: [] },
  { from: 'http/node/', to: 'operator/', places: [] },
  { from: 'http/relay/', to: 'core/client/', places: [], andTypes: true },
  { from: 'http/relay/', to: 'core/delivery/', places: [] },
  {
    from: 'http/relay/',
    to: 'core/location/',
    places: ['core/location/server/client-ip-from.ts', 'core/location/server/trusted-proxies.ts'],
    andTypes: true,
  },
  { from: 'http/relay/', to: 'operator/', places: [] },
  { from: 'http/relay/', to: 'outbox/', places: [] },
  { from: 'http/relay/', to: 'testing/', places: [] },
  { from: 'http/console/', to: 'operator/', places: ['operator/operator.ts', 'operator/context.ts'], andTypes: true },
  {
    from: 'http/console/',
    to: 'outbox/',
    places: ['outbox/rules/destination.ts', 'outbox/rules/state-machine.ts', 'outbox/stores/storable-text.ts'],
    andTypes: true,
  },
  { from: 'http/console/', to: 'testing/', places: [] },
  {
    from: 'http/console/',
    to: 'core/',
    places: ['core/web/', 'core/protocol/operations.ts', 'core/schema/', 'core/errors/', 'core/platform/'],
    andTypes: true,
  },
  { from: 'opentelemetry/', to: 'outbox/', places: ['outbox/rules/destination.ts'], andTypes: true },
  { from: 'opentelemetry/', to: 'core/schema/', places: ['core/schema/option-rules.ts'] },
  { from: 'opentelemetry/', to: 'core/client/', places: ['core/client/internals.ts'], andTypes: true },
  { from: 'opentelemetry/', to: 'core/delivery/', places: [], andTypes: true },
  { from: 'core/web/', to: 'core/protocol/', places: ['core/protocol/addresses.ts'] },
  { from: 'core/web/', to: 'core/schema/', places: ['core/schema/issue.ts'], andTypes: true },
  { from: 'core/errors/', to: 'core/schema/', places: ['core/schema/option-rules.ts'], andTypes: true },
  { from: 'core/redact/', to: 'core/schema/', places: [], andTypes: true },
  // The parts of the schemas that the masking of an answer and the check of a rotated key need.
  {
    from: 'core/delivery/',
    to: 'core/schema/',
    places: ['core/schema/sent.ts', 'core/schema/headers.ts'],
    andTypes: true,
  },
];

/** The folders that may import each package. */
const PACKAGES: readonly { named: RegExp; by: readonly string[] }[] = [
  { named: /^ky$/, by: ['core/delivery/ky-transport.ts'] },
  // Pages load the checks alone: zod/mini's classes have more methods, which no bundler can leave out.
  { named: /^zod\/v4\/core$/, by: ['core/schema/'] },
  { named: /^zod\/mini$/, by: ['testing/openapi/', 'http/console/'] },
  {
    named: /^node:/,
    by: [
      'http/node/',
      'cli/',
      ...['commits', 'open', 'failure', 'file-checks'].map((name) => `outbox/stores/sqlite/${name}.ts`),
    ],
  },
  // Peers, loaded when they are needed.
  { named: /^undici$/, by: ['http/node/transport/'] },
  { named: /^(?:@photostructure\/sqlite|better-sqlite3)$/, by: ['outbox/stores/sqlite/open.ts'] },
  { named: /^@opentelemetry\/api$/, by: ['opentelemetry/'] },
  { named: /^pg$/, by: ['cli/outbox/open.ts'] },
  { named: /^preact(?:\/hooks)?$/, by: ['pages/'] },
  { named: /^papaparse$/, by: ['cli/outbox/import/'] },
  // The texts in French, which pages load as a file.
  { named: /^core\/errors\/player-messages\/fr\.json$/, by: ['core/errors/player-message.ts'] },
  // Its version.
  { named: /^package\.json$/, by: ['core/platform/version.ts'] },
];

const isAt = (name: string, place: string) => (place.endsWith('/') ? name.startsWith(place) : name === place);

const roomOf = (name: string) => name.slice(0, Math.max(0, name.indexOf('/')));

/** The folder of a file inside its room, or nothing for rooms that have no floors inside. */
const folderOf = (name: string) => (INSIDE[roomOf(name)] ? (name.split('/')[1] ?? '') : '');

const floorOf = (floors: Floors, folder: string) => floors.findIndex((floor) => Object.keys(floor).includes(folder));

/** Whether a folder may import another one of the same floors. */
const mayImport = (floors: Floors, folder: string, other: string) =>
  folder === other || floors.some((floor) => floor[folder]?.includes(other));

/** The problems with the imports of a file, in words. Empty if there are none. */
function wrongImports({ name, imports }: SourceFile): string[] {
  const room = roomOf(name);
  return imports.flatMap(({ of, typeOnly }) => {
    if (!/\.(?:tsx?|sql)$/.test(of)) {
      const allowed = PACKAGES.some(({ named, by }) => named.test(of) && by.some((place) => isAt(name, place)));
      return allowed ? [] : [`${name} must not import the package ${of}`];
    }
    const inside = INSIDE[room] ?? [];
    const isAllowed =
      roomOf(of) === room
        ? inside.length === 0 || mayImport(inside, folderOf(name), folderOf(of))
        : mayImport(HOUSE, room, roomOf(of));
    if (!isAllowed) return [`${name} must not import ${of}`];
    const only = ONLY.find(({ from, to }) => isAt(name, from) && isAt(of, to));
    const isOpen = !only || (typeOnly && only.andTypes) || only.places.some((place) => isAt(of, place));
    if (isOpen) return [];
    const open = [...only.places, ...(only.andTypes ? ['types'] : [])].join(', ') || 'nothing';
    return [`${name} must not import ${of}: of ${only.to} it may import ${open}`];
  });
}

const source = readSource();

describe('the architecture', () => {
  it('gives every file a room, and in a room with floors a folder', () => {
    const isHoused = ({ name }: SourceFile) =>
      floorOf(HOUSE, roomOf(name)) >= 0 &&
      (!INSIDE[roomOf(name)] || floorOf(INSIDE[roomOf(name)] ?? [], folderOf(name)) >= 0);
    expect(source.filter((file) => !isHoused(file)).map(({ name }) => name)).toEqual([]);
  });

  it(`has at most ${MOST_FLOORS} floors, and no folder imports one above it`, () => {
    for (const floors of [HOUSE, ...Object.values(INSIDE)]) {
      expect(floors.length).toBeLessThanOrEqual(MOST_FLOORS);
      const up = floors.flatMap((floor, height) =>
        Object.entries(floor).flatMap(([folder, others]) =>
          others.filter((other) => floorOf(floors, other) <= height).map((other) => `${folder} → ${other}`),
        ),
      );
      expect(up).toEqual([]);
    }
  });

  it('is kept by every import', () => {
    expect(source.flatMap(wrongImports)).toEqual([]);
  });

  it('has an entry for each name of package.json that is imported, and no more but the command and the script-tag files', () => {
    const others = [
      'cli',
      'script-tag',
      'script-tag-locate',
      'script-tag-outbox',
      'script-tag-relay',
      'script-tag-stub',
    ].map((name) => `src/entries/${name}.ts`);
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
    const others = /\/(?:cli|global(?:-outbox|-relay)?|script-tag(?:-locate|-outbox|-relay|-stub)?)\.ts$/;
    const faces = source.filter(({ name }) => name.startsWith('entries/') && !others.test(name));
    expect(faces.filter(({ onlyReExports }) => !onlyReExports).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    [
      'testing/mock/ledger.ts',
      "import { deliver } from '../../core/delivery/deliver.js'",
      'testing/mock/ledger.ts must not import core/delivery/deliver.ts: of core/ it may import core/protocol/, core/schema/, core/errors/, core/web/, core/platform/',
    ],
    [
      'testing/mock/ledger.ts',
      "const late = import('../../core/client/client.js')",
      'testing/mock/ledger.ts must not import core/client/client.ts: of core/ it may import core/protocol/, core/schema/, core/errors/, core/web/, core/platform/',
    ],
    [
      'testing/mock/ledger.ts',
      "import type { Client } from '../../core/client/client.js'",
      'testing/mock/ledger.ts must not import core/client/client.ts: of core/ it may import core/protocol/, core/schema/, core/errors/, core/web/, core/platform/',
    ],
    [
      'core/protocol/operations.ts',
      "export { resolveOptions } from '../client/config.js'",
      'core/protocol/operations.ts must not import core/client/config.ts',
    ],
    [
      'core/schema/bet.ts',
      "import { type ErrorCode } from '../errors/errors.js'",
      'core/schema/bet.ts must not import core/errors/errors.ts',
    ],
    [
      'core/redact/redact.ts',
      "import type { Receipt } from '../client/receipt.js'",
      'core/redact/redact.ts must not import core/client/receipt.ts',
    ],
    [
      'http/relay/relay.ts',
      "import { createClient } from '../../core/client/client.js'",
      'http/relay/relay.ts must not import core/client/client.ts: of core/client/ it may import types',
    ],
    [
      'core/platform/time.ts',
      "import type { Logger } from '../delivery/settings.js'",
      'core/platform/time.ts must not import core/delivery/settings.ts',
    ],
    ['core/client/client.ts', "import ky from 'ky'", 'core/client/client.ts must not import the package ky'],
    [
      'testing/mock/gateway.ts',
      "import { createServer } from 'node:http'",
      'testing/mock/gateway.ts must not import the package node:http',
    ],
    [
      'core/delivery/attempt.ts',
      "import * as z from 'zod'",
      'core/delivery/attempt.ts must not import the package zod',
    ],
    [
      'core/client/client.ts',
      "import type * as z from 'zod/mini'",
      'core/client/client.ts must not import the package zod/mini',
    ],
  ])('refuses in %s: %s', (name, text, problem) => {
    expect(wrongImports(parseSource(name, text))).toEqual([problem]);
  });
});

describe('every file of src', () => {
  it('names no any', () => {
    expect(source.filter(({ usesAny }) => usesAny).map(({ name }) => name)).toEqual([]);
  });
});
