import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A new folder, which is removed at the end of the run. */
export const newFolder = (name: string): string => mkdtempSync(join(inject('runFolder'), `${name}-`));
