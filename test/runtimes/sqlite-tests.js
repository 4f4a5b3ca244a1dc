// Runs the tests of the SQLite store on Node.js 24, which has a SQLite of its own: `node test/runtimes/sqlite-tests.js`,
// after `run.js` has installed the runtimes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { programOf, RUNTIMES } from './runtimes.js';

const node24 = RUNTIMES.find(({ name }) => name === 'Node.js 24');
if (!node24) throw new Error('runtimes.js has no Node.js 24');
const root = join(import.meta.dirname, '../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status, error } = spawnSync(
  programOf(node24),
  [vitest, 'run', '--project', 'unit', 'test/outbox/stores/sqlite'],
  { cwd: root, stdio: 'inherit' },
);
if (error) throw error;
process.exit(status ?? 1);
