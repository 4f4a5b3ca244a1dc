// @module-tag slow: bundles, compiles or starts processes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { english } from '../../src/core/errors/player-message.js';
import french from '../../src/core/errors/player-messages/fr.json' with { type: 'json' };
import { isMinified, minifiedSources } from '../support/minified-sources.js';
import { root } from '../support/run.js';
import { whenInstalled } from './installed.js';

const { project, files } = await whenInstalled();
const read = (name: string) => readFileSync(join(project, 'node_modules/location-sdk', name), 'utf8');

/** A module names the source file of each of its parts in a comment. */
const sourcesIn = (module: string) =>
  [...module.matchAll(/^\/\/ (\S+\.[cm]?[jt]sx?)$/gm)].map(([, source = '']) => source);

/** The packages whose code a file contains, by its comments or its sources, and not by the build's own list. */
async function bundledIn(file: string): Promise<string[]> {
  const name = file.replace('dist/', '');
  const sources: string[] = isMinified(name) ? await minifiedSources(name) : sourcesIn(read(file));
  return sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
}

const scripts = files.filter((file) => /^dist\/.*\.c?js$/.test(file) && !file.endsWith('.server-only.cjs'));
/** The pages stand as texts in a script, whose comments do not name their parts. */
const IN_PAGES = ['preact'];
const holding = (
  await Promise.all(scripts.map(async (file) => (await bundledIn(file)).map((name) => ({ file, name }))))
).flat();
const bundled = [...new Set([...IN_PAGES, ...holding.map(({ name }) => name)])].sort();

it('every packed module names its sources, for the reader of a stack', () => {
  const modules = scripts.filter((file) => !isMinified(file.replace('dist/', '')));
  expect(modules).toEqual(expect.arrayContaining(['dist/index.cjs', 'dist/page.js', 'dist/cli.js']));
  expect(scripts.length - modules.length).toBe(6);
  // No source: a file for types only, one that only exports another, and the compiler's helpers, whose names begin so.
  const holdsSources = (file: string) =>
    /^(?:var|let|const|function|class|export(?! \{.*\} from)) (?!__)/m.test(read(file));
  expect(modules.filter((file) => holdsSources(file) && sourcesIn(read(file)).length === 0)).toEqual([]);
});

it('the CommonJS build contains ky, which exists as ES modules only', () => {
  expect(bundled).toContain('ky');
});

it.each(bundled)('the notices contain the whole licence of %s, which is bundled', (name) => {
  const folder = join(root, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file)) ?? 'no licence file';
  expect(read('dist/THIRD-PARTY-NOTICES')).toContain(
    `\n${name} ${version}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}\n`,
  );
});

it('the notices name no other package', () => {
  const named = [...read('dist/THIRD-PARTY-NOTICES').matchAll(/^-{80}\n(\S+) /gm)].map(([, name]) => name);
  expect(named).toEqual(bundled);
});

it('the guide to security names the bundled packages, and where they are', () => {
  const [sentence = ''] =
    /today these are [^.]*\./.exec(readFileSync(join(root, 'docs/background/security.md'), 'utf8')) ?? [];
  expect([...sentence.matchAll(/`([^`]+)` \(([^)]*)\)/g)].map(([, name, place]) => [name, place])).toEqual([
    ['ky', 'in the CommonJS build'],
    ['papaparse', 'in the command'],
    ['preact', 'in the pages of the console and the mock gateway'],
    ['zod', 'in all builds'],
  ]);
  // The names of files that several entries share end in a hash.
  const named = (file: string) => file.replace(/-[A-Za-z0-9]{8}(?=\.c?js$)/, '');
  expect([...new Set(holding.map(({ file, name }) => `${named(file)}: ${name}`))].sort()).toEqual([
    'dist/chunk.cjs: zod',
    'dist/chunk.js: zod',
    'dist/cli.js: papaparse',
    'dist/cli.js: zod',
    'dist/distribution.cjs: ky',
    'dist/location-sdk.global.js: zod',
    'dist/location-sdk.outbox.global.js: zod',
    'dist/location-sdk.relay.global.js: zod',
    'dist/page.react-native.cjs: zod',
  ]);
});

it('the script-tag files for a relay contain no lookup service', () => {
  const services = (file: string) =>
    ['geojs', 'ipapi.co', 'freeipapi'].filter((name) => read(`dist/${file}`).includes(name));
  expect(services('location-sdk.global.js')).toHaveLength(3);
  expect([...services('location-sdk.relay.global.js'), ...services('location-sdk.outbox.global.js')]).toEqual([]);
});

it.each(['location-sdk.global.js', 'location-sdk.relay.global.js', 'location-sdk.outbox.global.js'])(
  'the script-tag files hold the texts for players in English alone: %s',
  (file) => {
    const shown = (texts: object) => Object.values(texts).filter((text) => read(`dist/${file}`).includes(text)).length;
    expect([shown(english), shown(french)]).toEqual([Object.keys(english).length, 0]);
  },
);

it('no declaration contains the types of another package', () => {
  const declarations = files.filter((file) => /\.d\.c?ts$/.test(file));
  expect(declarations.filter((file) => /KyInstance|ZodType\s*\{|node_modules/.test(read(file)))).toEqual([]);
});
