import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listening } from './support/listen.js';
import { newFolder } from './support/new-folder.js';
import { root, runNode } from './support/run.js';

const SCRIPTS = { lint: 'echo linted', types: 'echo typed', build: 'echo built', test: 'echo tested' };
const MANIFEST = {
  ...{ name: 'a-package', version: '2.0.0-rc.3', type: 'module', files: ['dist'] },
  scripts: { ...SCRIPTS, sbom: 'echo \'{ "bomFormat": "CycloneDX" }\'' },
};
const CHANGELOG = `# Changelog

## 2.0.0-rc.3 - Unreleased

- New: see [the guide](docs/guide.md).

## 2.0.0-rc.2 - 2026-01-02

- Older.
`;

let folder: string;
const write = (name: string, text: string | object) =>
  writeFileSync(join(folder, name), typeof text === 'string' ? text : `${JSON.stringify(text, null, 2)}\n`);
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
const commit = () => git('commit', '--quiet', '--all', '--allow-empty', '--message', 'a change');

/** The lockfile of a package. */
const lock = ({ name, version }: { name: string; version: string }) => ({
  ...{ name, version, lockfileVersion: 3 },
  packages: { '': { name, version } },
});

/** A committed package with the program, whose own checks only print their names. */
beforeEach(() => {
  folder = newFolder('release');
  for (const name of ['scripts', 'dist', 'test/packaging']) mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(root, 'scripts/release.js'), join(folder, 'scripts/release.js'));
  write('package.json', MANIFEST);
  write('package-lock.json', lock(MANIFEST));
  write('CHANGELOG.md', CHANGELOG);
  write('.gitignore', '/release/\n');
  write('dist/index.js', 'export const one = 1;\n');
  write('dist/integrity.json', {});
  write('test/packaging/run.js', 'console.log("packaging:", process.argv.slice(2).join());\n');
  git('init', '--quiet');
  git('add', '.');
  commit();
});

/** A registry that knows these versions of the package. */
async function registryOf(versions: readonly string[] = []) {
  const server = createServer((_, response) => {
    response.statusCode = versions.length > 0 ? 200 : 404;
    const known = Object.fromEntries(versions.map((version) => [version, { name: 'a-package', version }]));
    response.end(JSON.stringify({ name: 'a-package', 'dist-tags': { latest: versions[0] }, versions: known }));
  });
  return `http://127.0.0.1:${await listening(server)}`;
}

const release = async (registry: string, ...words: string[]) =>
  runNode(
    ['scripts/release.js', ...words],
    { npm_config_registry: registry, npm_config_cache: join(folder, '.git/npm-cache'), npm_config_userconfig: '' },
    folder,
  );

describe('npm run release refuses, before it checks or packs anything,', () => {
  it.each<[what: string, change: () => void, reason: string]>([
    ['a change that is not committed', () => write('dist/index.js', ''), 'not committed:\n M dist/index.js'],
    ['a new file', () => write('new.js', ''), 'not committed:\n?? new.js'],
    [
      'a version without a section',
      () => write('CHANGELOG.md', '## 2.0.0-rc.2 - 2026-01-02\n\n- A.\n'),
      'no text under',
    ],
    [
      'an empty section',
      () => write('CHANGELOG.md', CHANGELOG.replace(/- New.*\n/, '')),
      'CHANGELOG.md has no text under "## 2.0.0-rc.3 - <date>"',
    ],
    [
      'a date that is none',
      () => write('CHANGELOG.md', CHANGELOG.replace('Unreleased', 'soon')),
      'the date of 2.0.0-rc.3 in CHANGELOG.md is "soon"',
    ],
    [
      'a version that is not semantic',
      () => write('package.json', { ...MANIFEST, version: '2.0' }),
      '"2.0" of package.json',
    ],
    [
      'a lockfile of another version',
      () => write('package.json', { ...MANIFEST, version: '2.0.1' }),
      'another version',
    ],
    [
      'a tag at another commit',
      () => {
        git('tag', 'v2.0.0-rc.3');
        commit();
      },
      'the tag v2.0.0-rc.3 is at another commit',
    ],
    ['a tag without a date', () => void git('tag', 'v2.0.0-rc.3'), 'CHANGELOG.md still says "Unreleased"'],
  ])('%s', async (_, change, reason) => {
    change();
    const { code, output } = await release('http://127.0.0.1:9');
    expect(code, output).toBe(1);
    expect(output).toContain(reason);
    expect(output).not.toMatch(/linted|REGISTRY/);
    expect(readdirSync(folder)).not.toContain('release');
  });

  it('a version that the registry has', async () => {
    const { code, output } = await release(await registryOf(['1.0.0', '2.0.0-rc.3']));
    expect([code, output.trim()]).toEqual([1, expect.stringContaining('2.0.0-rc.3 is published already')]);
  });

  it('an option that it does not have', async () => {
    const { code, output } = await release('http://127.0.0.1:9', '--publish');
    expect([code, output.trim()]).toEqual([1, 'Not released: there is no option --publish. There is --test.']);
  });
});

describe('npm run release', () => {
  it('checks, packs, and prints what is left for the owner of a candidate', async () => {
    const { code, output } = await release(await registryOf());
    expect(code, output).toBe(0);
    expect(output.match(/^(?:linted|typed|built|tested|packaging.*)$/gm)).toEqual([
      'linted',
      'typed',
      'built',
      'packaging: contents,lint',
    ]);
    expect(output).toContain('The registry has no package a-package yet.');
    const [, sha = ''] = /^SHA-512: (sha512-\S{88})$/m.exec(output) ?? [];
    const tarball = readFileSync(join(folder, 'release/a-package-2.0.0-rc.3.tgz'));
    expect(sha).toBe(`sha512-${createHash('sha512').update(tarball).digest('base64')}`);
    expect(output).toMatch(/rc\.3\.tgz: 3 files, \d+ bytes packed/);
    const [, list = ''] = output.split('Left for the owner:\n');
    for (const words of [
      '1. Replace "Unreleased"',
      '2. Name the public repository in package.json, commit, and run npm run release again.',
      `git tag v2.0.0-rc.3 ${git('rev-parse', 'HEAD')} && git push origin v2.0.0-rc.3`,
      'npm publish ./release/a-package-2.0.0-rc.3.tgz --ignore-scripts --access public --tag next --provenance',
      'gh release create v2.0.0-rc.3 --verify-tag --prerelease --notes-file release/notes.md',
    ])
      expect(list).toContain(words);
    expect(readFileSync(join(folder, 'release/notes.md'), 'utf8')).toBe('- New: see [the guide](docs/guide.md).\n');
    expect(JSON.parse(readFileSync(join(folder, 'release/a-package.cdx.json'), 'utf8')).bomFormat).toBe('CycloneDX');
    expect(git('status', '--porcelain') + git('tag')).toBe('');
  });

  it('takes latest for a version, whole links into its notes, and says that the registry was not reached', async () => {
    const version = '2.0.0';
    const repository = { type: 'git', url: 'git+https://example.com/a/package.git' };
    write('package.json', { ...MANIFEST, version, repository });
    write('package-lock.json', lock({ ...MANIFEST, version }));
    write('CHANGELOG.md', CHANGELOG.replace('2.0.0-rc.3 - Unreleased', `${version} - 2026-03-04`));
    commit();
    const { code, output } = await release('http://127.0.0.1:9', '--test');
    expect(code, output).toBe(0);
    expect(output).toContain('tested');
    expect(output).toContain('THE REGISTRY WAS NOT REACHED (ECONNREFUSED)');
    expect(output).toContain('--tag latest');
    expect(output).not.toMatch(/Unreleased|Name the public repository|--prerelease|--tag next/);
    expect(readFileSync(join(folder, 'release/notes.md'), 'utf8')).toBe(
      '- New: see [the guide](https://example.com/a/package/blob/v2.0.0/docs/guide.md).\n',
    );
  });

  it('packs nothing if a check fails', async () => {
    write('package.json', { ...MANIFEST, scripts: { ...MANIFEST.scripts, types: 'exit 3' } });
    commit();
    const { code, output } = await release(await registryOf());
    expect([code, output]).toEqual([1, expect.stringContaining('"npm run types" failed (3). Nothing was packed.')]);
    expect(output).not.toContain('built');
    expect(readdirSync(folder)).not.toContain('release');
  });
});
