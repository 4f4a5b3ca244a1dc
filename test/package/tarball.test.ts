import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';

const { files, project } = inject('installed');
const manifest = JSON.parse(readFileSync(join(project, 'node_modules/location-sdk/package.json'), 'utf8'));

/** Every text within a part of package.json that is a path. */
const pathsIn = (part: unknown): string[] => {
  if (typeof part === 'string') return [part.replace(/^\.\//, '')];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(pathsIn) : [];
};

describe('the tarball', () => {
  it('holds the build, the licence and what people read, and nothing else', () => {
    const expected = /^(?:dist\/[\w.-]+|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']));
  });

  it.each(['exports', 'main', 'module', 'types', 'unpkg', 'jsdelivr', 'bin'])('holds every file that package.json names under %s', (field) => {
    expect(pathsIn(manifest[field]).filter((path) => !files.includes(path))).toEqual([]);
  });

  it('names a declaration first in every condition, so that TypeScript finds it', () => {
    const conditions = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []));
    const modules = conditions.filter((condition) => typeof condition === 'object' && condition !== null);
    expect(modules.length).toBeGreaterThan(0);
    expect(modules.filter((condition) => Object.keys(condition)[0] !== 'types')).toEqual([]);
  });

  it('tells nothing of where it was built', () => {
    const built = files
      .filter((file) => file.startsWith('dist/'))
      .map((file) => ({ file, text: readFileSync(join(project, 'node_modules/location-sdk', file), 'utf8') }));
    expect(built.filter(({ text }) => text.includes(process.cwd())).map(({ file }) => file)).toEqual([]);
  });

  it('needs two packages at run time', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['ky', 'zod']);
  });
});
