import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/run.js';
import { whenInstalled } from './installed.js';

const { project, files } = await whenInstalled();
const read = (name: string) => readFileSync(join(project, 'node_modules/location-sdk', name), 'utf8');

/** The packages whose code a file contains, by its source map and not by the build's own list. */
function bundledIn(map: string): string[] {
  const { sources }: { sources: string[] } = JSON.parse(read(map));
  return sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
}

const scripts = files.filter((file) => /^dist\/.*\.c?js$/.test(file) && !file.endsWith('.server-only.cjs'));
const bundled = [...new Set(scripts.flatMap((file) => bundledIn(`${file}.map`)))].sort();

it('every packed script has a source map that names its sources', () => {
  expect(scripts).toEqual(
    expect.arrayContaining([
      'dist/index.cjs',
      'dist/cli.js',
      'dist/location-sdk.global.js',
      'dist/location-sdk.outbox.global.js',
      'dist/location-sdk.relay.global.js',
    ]),
  );
  // A file for types only contains no code, so its map has no sources.
  const holdsCode = (file: string) =>
    read(file)
      .replace(/^(?:\/\/.*|'use strict';)$/gm, '')
      .trim() !== '';
  const silent = scripts.filter((file) => holdsCode(file) && JSON.parse(read(`${file}.map`)).sources.length === 0);
  expect(silent).toEqual([]);
});

it('the CommonJS build contains ky, which exists as ES modules only', () => {
  expect(bundled).toContain('ky');
});

it.each(bundled)('the notices contain the whole licence of %s, which is bundled', (name) => {
  const folder = join(root, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file)) ?? 'no licence file';
  expect(read('dist/THIRD-PARTY-NOTICES')).toContain(`\n${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`);
});

it('the notices name no other package', () => {
  const named = [...read('dist/THIRD-PARTY-NOTICES').matchAll(/^-{80}\n(\S+) /gm)].map(([, name]) => name);
  expect(named).toEqual(bundled);
});

it('no declaration contains the types of another package', () => {
  const declarations = files.filter((file) => /\.d\.c?ts$/.test(file));
  expect(declarations.filter((file) => /KyInstance|ZodType\s*\{|node_modules/.test(read(file)))).toEqual([]);
});
