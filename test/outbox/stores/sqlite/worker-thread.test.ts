import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { LIBRARIES, newFile } from './files.js';

const CHILD = fileURLToPath(new URL('worker-thread.js', import.meta.url));

// The other libraries abort the process, as the guide says.
it.runIf('node:sqlite' in LIBRARIES)(
  'with node:sqlite a thread may be terminated at any moment, and its process and its reports survive',
  { timeout: 60_000 },
  () => {
    expect(execFileSync(process.execPath, [CHILD, newFile()], { encoding: 'utf8' })).toBe('sound\n');
  },
);
