// Runs every comparison of this folder, and fails where one does: `npm run bench`. With `--quick` only the first, and that in
// two minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const words = process.argv.slice(2);
const parts = words.includes('--quick') ? ['speed/main.js'] : ['speed/main.js', 'mmdb.js', 'outbox-sqlite.js', 'outbox-postgres.js'];

for (const part of parts) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(part, import.meta.url)), ...(part === 'speed/main.js' ? words : [])], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) {
    console.error(`${part} failed.`);
    process.exitCode = 1;
  }
}
