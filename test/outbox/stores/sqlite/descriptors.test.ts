import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { expectFreshBuild } from '../../../support/built.js';
import { newFile } from './files.js';

const CHILD = fileURLToPath(new URL('descriptors.js', import.meta.url));
const HELD = fileURLToPath(new URL('held-descriptors.js', import.meta.url));
/** Without the SQLite of Node.js the store takes libsql. */
const FLAGS = process.allowedNodeEnvironmentFlags.has('--no-experimental-sqlite') ? ['--no-experimental-sqlite'] : [];

beforeAll(expectFreshBuild);

// Where a system does not list its descriptors, they cannot be counted.
it.runIf(existsSync('/proc/self/fd'))('a store over libsql gives every file descriptor back when it is closed', { timeout: 60_000 }, () => {
  expect(execFileSync(process.execPath, [...FLAGS, CHILD, newFile(), '50'], { encoding: 'utf8' })).toBe('0\n');
});

it.runIf(existsSync('/proc/self/fd'))('a closed store whose `open` is libsql keeps no file descriptor past a garbage collection', { timeout: 60_000 }, () => {
  expect(execFileSync(process.execPath, ['--expose-gc', HELD, newFile()], { encoding: 'utf8' })).toBe('0 5\n');
});
