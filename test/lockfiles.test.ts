import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './support/run.js';

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Entry extends Manifest {
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}

const FOLDERS = [
  'bench',
  'examples/express-typescript',
  'examples/nestjs',
  'examples/next',
  'examples/react',
  'examples/vue-svelte-jquery',
  'test/drivers',
  'test/frameworks/page-tests',
  'test/frameworks/react-native',
  'test/packaging',
  'test/postgres',
  'test/runtimes',
];
const LOCKFILES = ['package-lock.json', ...FOLDERS.map((folder) => `${folder}/package-lock.json`)];

/** The folders in which Node.js looks for a package: beside the one that needs it, then in every folder above. */
function placesOf(name: string, from: string): string[] {
  const above = from.includes('node_modules/')
    ? from.slice(0, from.lastIndexOf('node_modules/')).replace(/\/$/, '')
    : undefined;
  return [
    `${from === '' ? '' : `${from}/`}node_modules/${name}`,
    ...(above === undefined ? [] : placesOf(name, above)),
  ];
}

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

describe.each(LOCKFILES)('%s', (file) => {
  const { packages }: { packages: Record<string, Entry> } = readJson(file);
  const locked = Object.entries(packages).filter(([path]) => path !== '');

  it('has the commands and the dependencies of its package.json', () => {
    const partsOf = ({ bin = {}, dependencies = {}, devDependencies = {}, optionalDependencies = {} }: Manifest) => ({
      bin,
      dependencies,
      devDependencies,
      optionalDependencies,
    });
    expect(partsOf(packages[''] ?? {})).toEqual(partsOf(readJson(join(dirname(file), 'package.json'))));
  });

  it('contains the hash of every package', () => {
    expect(locked.length).toBeGreaterThan(5);
    const fetched = locked.filter(([, { link, inBundle }]) => !link && !inBundle);
    expect(
      fetched
        .filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
        .map(([path]) => path),
    ).toEqual([]);
  });

  it('contains no address, so that npm uses the configured registry', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('has an .npmrc beside it that runs no install script, and writes no address', () => {
    const lines = readFileSync(join(root, dirname(file), '.npmrc'), 'utf8').split('\n');
    expect(lines).toEqual(expect.arrayContaining(['ignore-scripts=true', 'omit-lockfile-registry-resolved=true']));
  });

  it('contains the packages of every platform, without which npm ci refuses it', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !placesOf(name, path).some((place) => place in packages)),
    );
    expect(missing).toEqual([]);
  });
});
