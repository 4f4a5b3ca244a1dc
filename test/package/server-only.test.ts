// @module-tag slow: bundles, compiles or starts processes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { coverEachValue, sampleRows } from '../support/cases.js';
import { BUNDLERS } from './bundlers.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();
const manifest: {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync(join(project, 'node_modules/location-sdk/package.json'), 'utf8'));

const modules = Object.entries(manifest.exports).flatMap(([entry, conditions]) =>
  typeof conditions === 'string'
    ? []
    : [
        {
          name: entry.replace('.', 'location-sdk'),
          conditions: Object.keys(conditions),
          isGuarded: 'browser' in conditions,
        },
      ],
);
const serverOnly = modules.filter(({ isGuarded }) => isGuarded);
const forPages = modules.filter(({ isGuarded }) => !isGuarded);

/** The conditions of tools that bundle a server like a browser: wrangler, and Next.js for its edge. */
const SERVERS = [
  ['workerd', 'worker'],
  ['edge-light', 'worker'],
];

const IMPORTS = [
  ["import { createRelay } from 'location-sdk/relay'; globalThis.it = createRelay;"],
  ["import 'location-sdk/relay';"],
  ["export * from 'location-sdk/relay';"],
  ["import('location-sdk/relay').then((relay) => { globalThis.it = relay; });"],
  ["globalThis.it = require('location-sdk/relay');"],
] as const;

/** Uses all exports of a module, so that the bundler leaves none out. */
const pageWith = (name: string) => ({ project, text: `import * as part from '${name}';\nglobalThis.it = part;\n` });

it('guards the entries with an API key or a server', { tags: 'slice' }, () => {
  const names = ['node', 'relay', 'location/mmdb', 'outbox/sqlite'].map((name) => `location-sdk/${name}`);
  expect(serverOnly.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

it.each(serverOnly)('marks $name as not for browsers, before any condition that a page could use', ({ conditions }) => {
  const before = conditions.slice(0, conditions.indexOf('browser'));
  expect(before.filter((condition) => !['workerd', 'edge-light'].includes(condition))).toEqual([]);
});

it.each(serverOnly)('marks $name as not for apps either', ({ name }) => {
  const conditions = manifest.exports[name.replace('location-sdk', '.')];
  expect(conditions).toMatchObject({ 'react-native': Object(conditions).browser });
});

it('refuses the relay when a test runner loads what browsers get, as Jest with jsdom does, and not otherwise', () => {
  const load = (...conditions: string[]) =>
    spawnSync(process.execPath, [...conditions, '--eval', "require('location-sdk/relay')"], {
      cwd: project,
      encoding: 'utf8',
    });
  const refusal = 'Only a server can use location-sdk/relay, so import it in code that runs on your server';
  expect(load('--conditions=browser')).toMatchObject({ status: 1, stderr: expect.stringContaining(refusal) });
  expect(load('--conditions=node-addons').status).toBe(0);
});

it.each(serverOnly)('lets a server have $name', async ({ name }) => {
  const external = Object.keys(manifest.peerDependencies);
  const stdin = { contents: `export * from '${name}';`, resolveDir: project };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external,
    logLevel: 'silent',
  });
  expect(outputFiles).toHaveLength(1);
});

/** The rows for a bundler: of the chosen ones every row has one of the bundlers, and every bundler some of the rows. */
function rowsByBundler<Row>(
  rows: readonly Row[],
  choose: (rows: readonly (readonly [string | undefined, Row])[]) => readonly (readonly [string | undefined, Row])[],
): (bundler: string) => Row[] {
  const names = BUNDLERS.map(([name]) => name);
  const pairs = rows.flatMap((row, at) => names.map((_, shift) => [names[(at + shift) % names.length], row] as const));
  const chosen = choose(pairs);
  return (bundler) => chosen.flatMap(([name, row]) => (name === bundler ? [row] : []));
}

// A bundler reads the conditions of all entries in the same way, but each way to import in its own.
const refused = rowsByBundler(serverOnly, coverEachValue);
const imports = rowsByBundler(IMPORTS, (rows) => sampleRows('ways to import what bundlers keep out of a page', rows));
const allowed = rowsByBundler(forPages, coverEachValue);

describe.each(BUNDLERS)('%s', (bundler, bundle) => {
  it.each(refused(bundler))('keeps $name out of a page, and says where to use it', async ({ name }) => {
    await expect(bundle(pageWith(name))).rejects.toThrow(
      `Only a server can use ${name}, so import it in code that runs on your server`,
    );
  });

  it.each(imports(bundler))('keeps the relay out of a page with %s', async (text) => {
    await expect(bundle({ project, text })).rejects.toThrow('Only a server can use location-sdk/relay,');
  });

  it.each(allowed(bundler))('lets a page have $name', async ({ name }) => {
    expect(await bundle({ ...pageWith(name), external: Object.keys(manifest.peerDependencies) })).not.toBe('');
  });

  it.each(SERVERS)('lets a server have the relay when it is bundled for %s', async (...conditions) => {
    expect(await bundle({ ...pageWith('location-sdk/relay'), conditions })).toContain('createRelay');
  });
});
