import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectFreshBuild } from '../support/built.js';
import { root } from '../support/run.js';

/** A built script-tag file. Throws where it is missing or older than the sources. */
export function readScript(name = 'location-sdk.global.js'): string {
  expectFreshBuild();
  return readFileSync(join(root, 'dist', name), 'utf8');
}
