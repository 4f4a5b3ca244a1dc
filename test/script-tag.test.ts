import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectFreshBuild } from './support/built.js';
import { root, runNode } from './support/run.js';

const NAME = 'location-sdk.global.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Facts {
  integrity: string;
  bytes: number;
  gzipBytes: number;
}

const factsOf = (json: string): Facts => JSON.parse(json)[NAME];

/** The attributes of the README's script tag. */
const tagIn = (readme: string) => /<script src="([^"]*location-sdk@([^/]*)[^"]*)" integrity="([^"]*)" crossorigin="([^"]*)"><\/script>/.exec(readme)?.slice(1);

test('the build says what the script-tag file is', () => {
  expectFreshBuild();
  const file = readFileSync(join(root, 'dist', NAME));
  const { integrity, bytes, gzipBytes } = factsOf(read('dist/integrity.json'));
  expect(integrity).toBe(`sha384-${createHash('sha384').update(file).digest('base64')}`);
  expect(bytes).toBe(file.byteLength);
  expect(gzipBytes).toBe(gzipSync(file, { level: 9 }).byteLength);
});

test("the README's script tag is that of this version, and of the built file once it is released", () => {
  expectFreshBuild();
  const { version, jsdelivr } = JSON.parse(read('package.json'));
  const [src = '', named, integrity, crossorigin] = tagIn(read('README.md')) ?? [];
  expect([named, crossorigin]).toEqual([version, 'anonymous']);
  expect(src.endsWith(jsdelivr.slice(1))).toBe(true);
  // While a version is being made its hash changes with every commit, and the README's is set when it is done.
  const isReleased = !/^## Unreleased/m.test(read('CHANGELOG.md'));
  expect(integrity).toEqual(isReleased ? factsOf(read('dist/integrity.json')).integrity : expect.stringMatching(/^sha384-[A-Za-z0-9+/]{64}$/));
});

describe('the script of the release', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'script-tag-'));
    for (const name of ['README.md', 'package.json']) cpSync(join(root, name), join(folder, name));
    cpSync(join(root, 'dist', NAME), join(folder, 'dist', NAME));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (...options: string[]) => runNode([join(root, 'scripts/integrity.js'), ...options], {}, folder);
  const inFolder = (name: string) => readFileSync(join(folder, name), 'utf8');

  test('refuses a README of another file, and mends it', async () => {
    writeFileSync(join(folder, 'dist', NAME), 'other();');
    const before = inFolder('README.md');
    expect(await run('--check')).toMatchObject({ code: 1, output: expect.stringContaining('integrity.js --readme') });
    expect(inFolder('README.md')).toBe(before);

    expect((await run('--readme')).code).toBe(0);
    expect(tagIn(inFolder('README.md'))?.[2]).toBe(factsOf(inFolder('dist/integrity.json')).integrity);
    expect((await run('--check')).code).toBe(0);
  });

  test('refuses a README of another version', async () => {
    await run('--readme');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '9.9.9' }));
    expect((await run('--check')).code).toBe(1);
    await run('--readme');
    expect(tagIn(inFolder('README.md'))?.[1]).toBe('9.9.9');
  });

  test('without an option leaves the README as it is', async () => {
    writeFileSync(join(folder, 'dist', NAME), 'other();');
    expect((await run()).code).toBe(0);
    expect(inFolder('README.md')).toBe(read('README.md'));
  });
});
