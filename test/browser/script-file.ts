import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'dist/location-sdk.global.js';

/** The built script-tag file. Throws where it is missing or older than the sources: an old build proves nothing. */
export function readScript(): string {
  if (!existsSync(FILE)) throw new Error(`${FILE} is missing: run "npm run build" first.`);
  const built = statSync(FILE).mtimeMs;
  const changed = readdirSync('src', { recursive: true, encoding: 'utf8' }).find((name) => statSync(join('src', name)).mtimeMs > built);
  if (changed) throw new Error(`${FILE} is older than src/${changed}: run "npm run build" first.`);
  return readFileSync(FILE, 'utf8');
}
