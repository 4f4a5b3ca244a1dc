import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { expectFreshBuild } from '../../../support/built.js';
import { newFile } from './files.js';

const CHILD = fileURLToPath(new URL('descriptors.js', import.meta.url));
const HELD = fileURLToPath(new URL('held-descriptors.js', import.meta.url));
/** Without the SQLite of Node.js the store uses `@photostructure/sqlite`. */
const FLAGS = process.allowedNodeEnvironmentFlags.has('--no-experimental-sqlite') ? ['--no-experimental-sqlite'] : [];

beforeAll(expectFreshBuild);

// Descriptors can only be counted on systems that list them.
it.runIf(existsSync('/proc/self/fd'))(
  'a store over @photostructure/sqlite releases every file descriptor when it is closed',
  { timeout: 60_000 },
  () => {
    const said = execFileSync(process.execPath, [...FLAGS, CHILD, newFile(), '50'], { encoding: 'utf8' });
    // Before the closes, and after them.
    expect(said).toMatch(/^[1-9]\d* 0\n$/);
  },
);

it.runIf(existsSync('/proc/self/fd'))(
  'a closed store whose `open` is @photostructure/sqlite keeps no file descriptor after a garbage collection',
  { timeout: 60_000 },
  () => {
    expect(execFileSync(process.execPath, ['--expose-gc', HELD, newFile()], { encoding: 'utf8' })).toBe('5 true 0\n');
  },
);
