import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isStale } from '../build/build-if-stale.js';
import { newFolder } from './support/new-folder.js';
import { root } from './support/run.js';

const BUILT = ['dist/index.js', 'dist/integrity.json'];
const at = (second: number) => new Date(1_700_000_000_000 + second * 1_000);

let clone: string;
const setTime = (name: string, second: number) => utimesSync(join(clone, name), at(second), at(second));

/** A clone with one source file, built a second after its last change. */
beforeEach(() => {
  clone = newFolder('stale');
  for (const folder of ['src/core/location', 'pages', 'build', 'dist'])
    mkdirSync(join(clone, folder), { recursive: true });
  const inputs = readdirSync(root).filter((name) => /\.(?:json|js|ts)$/.test(name));
  for (const name of [...inputs, ...readdirSync(join(root, 'build')).map((step) => `build/${step}`)]) {
    if (!statSync(join(root, name)).isFile()) continue;
    cpSync(join(root, name), join(clone, name));
    setTime(name, 1);
  }
  for (const name of ['src/core/location/source.ts', 'pages/main.tsx']) {
    writeFileSync(join(clone, name), '');
    setTime(name, 1);
  }
  for (const name of BUILT) {
    writeFileSync(join(clone, name), '');
    setTime(name, 2);
  }
  for (const folder of ['src/core/location', 'src/core', 'src', 'pages', 'build']) setTime(folder, 1);
  setTime('dist', 2);
});

describe('the build', () => {
  it('is kept if it is newer than its sources', () => {
    expect(isStale(clone)).toBe(false);
  });

  it.each([
    'src/core/location/source.ts',
    'package.json',
    'package-lock.json',
    'tsup.config.ts',
    'tsconfig.json',
    'pages/main.tsx',
    'build/notices.js',
    'build/integrity.js',
  ])('is made again after a change of %s', (name) => {
    setTime(name, 3);
    expect(isStale(clone)).toBe(true);
  });

  it('is made again after a source was deleted', () => {
    rmSync(join(clone, 'src/core/location/source.ts'));
    expect(isStale(clone)).toBe(true);
  });

  it('is made again after one of its files was deleted or changed', () => {
    rmSync(join(clone, 'dist/index.js'));
    expect(isStale(clone)).toBe(true);
    setTime('dist', 2);
    expect(isStale(clone)).toBe(false);
    writeFileSync(join(clone, 'dist/integrity.json.old'), '');
    expect(isStale(clone)).toBe(true);
  });

  it('is made if there is none', () => {
    rmSync(join(clone, 'dist'), { recursive: true });
    expect(isStale(clone)).toBe(true);
  });

  it('is made again after an interrupted build', () => {
    rmSync(join(clone, 'dist/integrity.json'));
    expect(isStale(clone)).toBe(true);
  });

  it.each([
    'test',
    'test:all',
    'test:unit',
    'demo',
    'size',
    'example:web',
    'figures:mock',
    'soak',
    'soak:postgres',
    'soak:refusal',
    'test:frameworks',
  ])('is checked before npm run %s', (command) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(scripts[command]).toMatch(/^node build\/build-if-stale\.js && /);
  });
});
