import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectFreshBuild } from '../support/built.js';
import { root } from '../support/run.js';

/** Kept, since almost every test serves one, and looking at the age of every source takes longer than reading the file. */
const scripts = new Map<string, string>();

/** A built script-tag file. Throws where it is missing or older than the sources. */
export function readScript(name = 'location-sdk.global.js'): string {
  const known = scripts.get(name);
  if (known !== undefined) return known;
  expectFreshBuild();
  const script = readFileSync(join(root, 'dist', name), 'utf8');
  scripts.set(name, script);
  return script;
}
