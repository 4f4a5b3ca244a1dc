// @module-tag slow: starts processes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectFreshBuild } from '../../../support/built.js';
import { newFile } from './files.js';

expectFreshBuild();
const SCRIPT = fileURLToPath(new URL('refused-import.cjs', import.meta.url));
const run = (...words: string[]) =>
  spawnSync(process.execPath, [SCRIPT, newFile(), ...words], { encoding: 'utf8' }).stdout.trim();
const hasOwn = process.versions.node.localeCompare('22.13', 'en', { numeric: true }) >= 0;

describe('where import() is refused, as under Jest', () => {
  it('a store opens with the SQLite of Node.js, or says how a library is passed', () => {
    expect(run()).toMatch(
      hasOwn
        ? /^opened$/
        : /@photostructure\/sqlite cannot be loaded .*as under Jest, load it yourself and pass the option open/,
    );
  });

  it('it opens with the library that is passed', () => {
    expect(run('@photostructure/sqlite')).toBe('opened');
  });
});
