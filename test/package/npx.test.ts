// @module-tag slow: bundles, compiles or starts processes.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newFolder } from '../support/new-folder.js';
import { root } from '../support/run.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();
const tarball = join(project, readdirSync(project).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
const { PATH, HOME } = process.env;

/** npm runs these scripts when a package is installed or linked. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

let folder: string;
beforeEach(() => {
  folder = newFolder('npx');
});

/** Runs npm or npx. `said` is its output without warnings about this machine's npm configuration. */
function run(program: string, words: readonly string[], cwd: string, variables: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    encoding: 'utf8',
    env: { PATH, HOME, ...variables },
  });
  const said = stderr.split('\n').filter((line) => line !== '' && !/^npm warn Unknown \w+ config /.test(line));
  return { status, stdout, said };
}

/** The cache of npx is empty, as on a machine that has never run the command. */
const npx = (cwd: string) => run('npx', ['location-sdk', '--help'], cwd, { npm_config_cache: join(folder, 'cache') });

/** The hash of every file under a folder, by its path. */
function hashesOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]));
}

it('npm installs the package without a warning, and npx inside it changes no file', () => {
  const consumer = join(folder, 'consumer');
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true }));
  const install = run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], consumer);
  expect([install.status, install.said]).toEqual([0, []]);

  const installed = join(consumer, 'node_modules/location-sdk');
  const { scripts = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(INSTALL_SCRIPTS.filter((name) => name in scripts)).toEqual([]);

  const before = hashesOf(installed);
  expect(Object.keys(before).length).toBeGreaterThan(200);
  const { status, said, stdout } = npx(installed);
  expect([status, said]).toEqual([0, []]);
  expect(stdout).toContain('Usage: location-sdk <command>');
  expect(hashesOf(installed)).toEqual(before);
});

it('npx in a clone that is not built says which command to run, and builds nothing', () => {
  const clone = join(folder, 'clone');
  mkdirSync(clone);
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'bin'])
    cpSync(join(root, name), join(clone, name), { recursive: true });
  const before = hashesOf(clone);
  const { status, stdout, said } = npx(clone);
  expect([status, stdout, said]).toEqual([
    1,
    '',
    ['location-sdk is not built in this clone, so the command did nothing. Run "npm ci && npm run build" first.'],
  ]);
  expect(hashesOf(clone)).toEqual(before);
  expect(existsSync(join(clone, 'dist'))).toBe(false);
});
