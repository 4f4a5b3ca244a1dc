import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newFile } from './files.js';

const CHILD = fileURLToPath(new URL('descriptors.js', import.meta.url));

// Where a system does not list its descriptors, they cannot be counted.
it.runIf(existsSync('/proc/self/fd'))('a store that is closed gives every file descriptor back', { timeout: 60_000 }, () => {
  expect(execFileSync(process.execPath, [CHILD, newFile(), '50'], { encoding: 'utf8' })).toBe('0\n');
});
