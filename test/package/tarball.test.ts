import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whenInstalled } from './installed.js';

const { files, project } = await whenInstalled();
const installed = join(project, 'node_modules/location-sdk');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

/** Every text within a part of package.json that is a path. */
const pathsIn = (part: unknown): string[] => {
  if (typeof part === 'string') return [part.replace(/^\.\//, '')];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(pathsIn) : [];
};

/** The declarations of a CommonJS module. */
const typesForRequire = (conditions: unknown): unknown => Object(Object(conditions).require).types;

describe('the tarball', () => {
  it('contains only the build, the licence and documents', () => {
    const expected =
      /^(?:(?:dist(?:\/player-messages)?|docs(?:\/(?:start|how-to|reference|background|maintaining|pictures))?|examples|examples\/(?:app|console|grafana|page-tests|postgres|queues|relay|tutorial-(?:postgres|relay|service)|two-processes|web|(?:express-typescript|nestjs|next|react|vue-svelte-jquery)(?:\/[\w[\]-]+)*))\/[\w.-]+|bin\/location-sdk\.js|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|package\.json)$/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']));
  });

  it('contains every file that its documents link to', () => {
    const documents = files.filter((file) => file.endsWith('.md'));
    const links = documents.flatMap((document) => {
      const text = readFileSync(join(installed, document), 'utf8');
      return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
        posix.join(posix.dirname(document), link),
      );
    });
    expect(links).toContain('docs/background/assumptions.md');
    expect(links.filter((link) => !files.includes(link))).toEqual([]);
  });

  it.each(['demo.js', 'backend.js'])('contains an example that runs in its installed place: %s', (name) => {
    const { status, stderr } = spawnSync(process.execPath, [join(installed, 'examples', name)], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    expect(status, stderr).toBe(0);
  });

  it.each(['exports', 'typesVersions', 'bin', 'main', 'module', 'types', 'unpkg', 'jsdelivr'])(
    'contains every file that package.json names under %s',
    (field) => {
      const paths = pathsIn(manifest[field]);
      expect(paths).not.toEqual([]);
      expect(paths.filter((path) => !files.includes(path))).toEqual([]);
    },
  );

  it('exports the same names to import and to require', () => {
    const names = Object.entries(manifest.exports)
      .filter(([, conditions]) => typeof conditions === 'object')
      .map(([entry]) => entry.replace('.', 'location-sdk'))
      // Their peer dependencies are not installed.
      .filter((name) => !/opentelemetry|transport/.test(name));
    const script = `
      import { createRequire } from 'node:module';
      const namesOf = (module) => Object.keys(module).filter((name) => name !== 'default').sort();
      for (const name of ${JSON.stringify(names)})
        console.log(JSON.stringify([name, namesOf(await import(name)), namesOf(createRequire(import.meta.url)(name))]));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: project,
      encoding: 'utf8',
    });
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      found.map(([name]) => name),
      stderr,
    ).toEqual(names);
    for (const [name, imported, required] of found) expect([name, ...imported]).toEqual([name, ...required]);
    // It contains types alone.
    expect(found.find(([name]) => name === 'location-sdk/global')).toEqual(['location-sdk/global', [], []]);
  });

  it('installs one command', () => {
    expect(manifest.bin).toEqual({ 'location-sdk': 'bin/location-sdk.js' });
    expect(files).toContain('bin/location-sdk.js');
  });

  it('names a declaration first in every condition, so that TypeScript finds it', () => {
    const conditions = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.values(entry) : [],
    );
    const modules = conditions.filter((condition) => typeof condition === 'object' && condition !== null);
    expect(modules.length).toBeGreaterThan(0);
    expect(modules.filter((condition) => Object.keys(condition)[0] !== 'types')).toEqual([]);
  });

  it('names the same declarations for compilers that do not read "exports"', () => {
    const named = Object.entries(manifest.exports).filter(([entry]) => entry !== '.' && entry !== './package.json');
    const expected = named.map(([entry, conditions]) => [
      entry.slice(2),
      [typeof conditions === 'string' ? conditions : typesForRequire(conditions)],
    ]);
    expect(expected.length).toBeGreaterThan(10);
    expect(manifest.typesVersions).toEqual({ '*': Object.fromEntries(expected) });
    expect(manifest.types).toBe(typesForRequire(manifest.exports['.']));
  });

  it('contains no path of the build machine', () => {
    const built = files
      .filter((file) => file.startsWith('dist/'))
      .map((file) => ({ file, text: readFileSync(join(installed, file), 'utf8') }));
    expect(built.filter(({ text }) => text.includes(process.cwd())).map(({ file }) => file)).toEqual([]);
  });

  it('needs one package at run time', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['ky']);
  });
});
