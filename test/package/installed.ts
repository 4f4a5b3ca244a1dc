import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { inject } from 'vitest';
import { ENDED, type Ended } from './install.js';

export interface InstalledPackage {
  /** A user's project, with only the packed package installed. */
  readonly project: string;
  /** The files of the tarball. */
  readonly files: readonly string[];
}

/** Waits until the package is installed. */
export async function whenInstalled(): Promise<InstalledPackage> {
  const project = inject('packageFolder');
  const file = join(project, ENDED);
  while (!existsSync(file)) await setTimeout(50);
  const ended: Ended = JSON.parse(readFileSync(file, 'utf8'));
  if ('problem' in ended) throw new Error(`The package was not installed: ${ended.problem}`);
  return { project, files: ended.files };
}
