// Runs every comparison of this folder, and fails if one does: `npm run bench`. `--quick` runs only the first, in two
// minutes. `--smoke` starts all of them, without results.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isSmoke } from './smoke.js';

const words = process.argv.slice(2);
const parts = words.includes('--quick')
  ? ['speed/main.js']
  : ['speed/main.js', 'mmdb.js', 'outbox-sqlite.js', 'import.js', 'outbox-postgres.js'];
const began = performance.now();
const failed = [];

for (const [index, part] of parts.entries()) {
  console.error(`${Math.round((performance.now() - began) / 1_000)} s: ${part}, ${index + 1} of ${parts.length}`);
  const wordsOfPart = part === 'speed/main.js' ? words : isSmoke ? ['--smoke'] : [];
  const child = spawn(process.execPath, [fileURLToPath(new URL(part, import.meta.url)), ...wordsOfPart], {
    stdio: ['inherit', isSmoke ? 'ignore' : 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) failed.push(part);
}
console.error(
  `${Math.round((performance.now() - began) / 1_000)} s: ${failed.length > 0 ? `failed: ${failed.join(', ')}` : isSmoke ? 'all start' : 'all kept'}`,
);
if (failed.length > 0) process.exitCode = 1;
