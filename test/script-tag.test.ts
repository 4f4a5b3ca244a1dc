import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { floor } from '../build/floor.js';
import { english } from '../src/core/errors/player-message.js';
import french from '../src/core/errors/player-messages/fr.json' with { type: 'json' };
import { expectFreshBuild } from './support/built.js';
import { guides } from './support/documents.js';
import { minifiedSources } from './support/minified-sources.js';
import { root } from './support/run.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Facts {
  integrity: string;
  bytes: number;
  gzipBytes: number;
}

const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'examples/README.md', ...guides];

/** Every script tag of a document that loads the SDK from another host. */
const tagsIn = (text: string) =>
  [...text.matchAll(/<script\s+src="[^"]*location-sdk@([^/]*)\/dist\/([^"]*)"([^>]*)>/g)].map(
    ([, version, file, attributes = '']) => ({
      version,
      file,
      attributes,
    }),
  );

test('the build writes the hash and the size of every script-tag file', () => {
  expectFreshBuild();
  const facts: Record<string, Facts> = JSON.parse(read('dist/integrity.json'));
  const files = readdirSync(join(root, 'dist')).filter(
    (name) => name.endsWith('.js') && /^"use strict";\(\(\)=>\{|^\(\(\)=>\{/.test(read(`dist/${name}`)),
  );
  expect(files).toEqual([
    'location-sdk.global.js',
    'location-sdk.locate.global.js',
    'location-sdk.outbox.global.js',
    'location-sdk.relay.global.js',
    'location-sdk.stub.global.js',
  ]);
  expect(Object.keys(facts)).toEqual(files);
  for (const [name, { integrity, bytes, gzipBytes }] of Object.entries(facts)) {
    const file = readFileSync(join(root, 'dist', name));
    expect(integrity).toBe(`sha384-${createHash('sha384').update(file).digest('base64')}`);
    expect(bytes).toBe(file.byteLength);
    expect(gzipBytes).toBe(gzipSync(file, { level: 9 }).byteLength);
  }
});

test('no script-tag file names a source map', () => {
  expectFreshBuild();
  const names = readdirSync(join(root, 'dist')).filter((name) => name.includes('.global.js'));
  expect(names).toEqual(Object.keys(JSON.parse(read('dist/integrity.json'))));
  expect(names.filter((name) => read(`dist/${name}`).includes('sourceMappingURL'))).toEqual([]);
});

test('the guide has the size of the stub, give or take a tenth', () => {
  expectFreshBuild();
  const { bytes = 0, gzipBytes = 0 }: Partial<Facts> = JSON.parse(read('dist/integrity.json'))[
    'location-sdk.stub.global.js'
  ];
  const [, plain, gzipped] =
    /It is a file of ([\d.]+) kB \(([\d.]+) kB gzipped\)/.exec(read('docs/how-to/browser.md')) ?? [];
  expect(
    [Number(plain) / (bytes / 1_000), Number(gzipped) / (gzipBytes / 1_000)].map((share) => Math.abs(share - 1) < 0.1),
  ).toEqual([true, true]);
});

test('the guide has the size of each other file, give or take a kilobyte', () => {
  expectFreshBuild();
  const facts: Record<string, Facts> = JSON.parse(read('dist/integrity.json'));
  const said = [...read('docs/how-to/browser.md').matchAll(/^\| `(location-sdk\.\S+)` \| (\d+) kB \|/gm)];
  expect(said.map(([, name = '']) => name).sort()).toEqual(Object.keys(facts).filter((name) => !name.includes('stub')));
  for (const [, name = '', size] of said)
    expect(Math.abs(Number(size) - (facts[name]?.gzipBytes ?? 0) / 1_000), name).toBeLessThan(1);
});

describe.each(['location-sdk.global.js', 'location-sdk.outbox.global.js', 'location-sdk.relay.global.js'])(
  '%s',
  (name) => {
    test('creates no element and sets no style', () => {
      expectFreshBuild();
      expect(read(`dist/${name}`)).not.toMatch(
        /createElement|innerHTML|outerHTML|insertAdjacent|document\.write|\.style\b|adoptedStyleSheets/,
      );
    });

    test('has the words for a player in English only', () => {
      expectFreshBuild();
      const script = read(`dist/${name}`);
      expect(Object.values(english).filter((text) => !script.includes(text))).toEqual([]);
      expect(Object.values(french).filter((text) => script.includes(text))).toEqual([]);
    });
  },
);

test('every document that names a version names this one, and every script tag a file of the build and a place for the hash', () => {
  expectFreshBuild();
  const { version } = JSON.parse(read('package.json'));
  const tags = documents.flatMap((name) => tagsIn(read(name)).map((tag) => ({ name, ...tag })));
  expect(tags.map(({ name }) => name)).toEqual(['docs/how-to/browser.md']);
  const named = documents.flatMap((name) => read(name).match(/location-sdk@\d[\w.-]*\w/g) ?? []);
  expect(named.length).toBeGreaterThan(tags.length);
  expect(named.filter((one) => one !== `location-sdk@${version}`)).toEqual([]);
  for (const tag of tags) {
    expect(tag).toMatchObject({
      version,
      attributes: expect.stringContaining('integrity="…" crossorigin="anonymous"'),
    });
    expect(Object.keys(JSON.parse(read('dist/integrity.json')))).toContain(tag.file);
  }
});

describe('a page that only locates', () => {
  /** No gateway, no lookup service, no checker, no words for a player. */
  const FOREIGN =
    /integration-gateway|geojs|ipapi|reportBetEvent|x-location-sdk|unrecognized_keys|_zod|in your history|indexedDB/i;

  test('loads a file of at most 6 kB, with nothing that reports', () => {
    expectFreshBuild();
    const file = read('dist/location-sdk.locate.global.js');
    expect(gzipSync(file, { level: 9 }).byteLength).toBeLessThan(6_000);
    expect(file).not.toMatch(FOREIGN);
    expect(read('dist/location-sdk.global.js')).toMatch(FOREIGN);
  });

  test('bundles the same from npm', async () => {
    expectFreshBuild();
    const stdin = { contents: "export { locate } from './dist/page.js';", resolveDir: root };
    const { outputFiles, metafile } = await build({
      stdin,
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      metafile: true,
      logLevel: 'error',
    });
    const { text = '' } = outputFiles[0] ?? {};
    expect(gzipSync(text, { level: 9 }).byteLength).toBeLessThan(6_000);
    expect(text).toContain('getCurrentPosition');
    expect(text).not.toMatch(FOREIGN);
    const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])),
    );
    expect(used.filter((name) => name.includes('node_modules'))).toEqual([]);
  });
});

describe('the syntax', () => {
  /** Whether esbuild finds no newer syntax than this to rewrite. */
  const fits = async (code: string, target: string | string[]) => {
    const options: BuildOptions = {};
    floor.esbuildOptions(options);
    const printed = async (as: string | string[]) =>
      (
        await transform(code, {
          target: as,
          supported: options.supported ?? {},
          minifyWhitespace: true,
          legalComments: 'none',
        })
      ).code;
    return (await printed(target)) === (await printed('esnext'));
  };
  const isCommand = (name: string) => name === 'cli.js';

  test.each([
    ['script-tag files and modules', floor.target, (name: string) => !isCommand(name), 30],
    ['command', 'es2022', isCommand, 1],
  ])('of the %s is %s', async (_, target, isMeant, least) => {
    expectFreshBuild();
    const files = readdirSync(join(root, 'dist')).filter((name) => /\.(?:js|cjs)$/.test(name) && isMeant(name));
    expect(files.length).toBeGreaterThanOrEqual(least);
    const newer = await Promise.all(
      files.map(async (name) => ((await fits(read(`dist/${name}`), target)) ? [] : [name])),
    );
    expect(newer.flat()).toEqual([]);
  });

  test('is newer if one operator is', async () => {
    expect([
      await fits('a ?? b', floor.target),
      await fits('a ??= b', floor.target),
      await fits('using a = b', 'es2022'),
    ]).toEqual([true, false, false]);
  });
});

test('the files of a page send without ky', async () => {
  expectFreshBuild();
  for (const name of Object.keys(JSON.parse(read('dist/integrity.json')))) {
    const sources = await minifiedSources(name);
    expect(sources).toEqual(expect.arrayContaining([expect.stringContaining('src/entries/script-tag')]));
    expect(sources.filter((source) => source.includes('/ky/'))).toEqual([]);
  }
  /** A module of the build and all that it imports. */
  const importsOf = (name: string): string[] =>
    [...read(`dist/${name}`).matchAll(/(?:from|import)[ (]?['"]([^'"]+)['"]/g)].flatMap(([, of = '']) => [
      of,
      ...(of.startsWith('./') ? importsOf(of.slice(2)) : []),
    ]);
  expect(importsOf('index.js')).toContain('ky');
  expect(importsOf('page.js')).not.toContain('ky');
});

test('no document contains a hash, which the next build would change', () => {
  expect(documents.filter((name) => /sha(?:256|384|512)-[A-Za-z0-9+/]{43}/.test(read(name)))).toEqual([]);
});
