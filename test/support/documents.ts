import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.js';

/** Every guide, by its path from the root: `docs/how-to/relay.md`. */
export const guides: readonly string[] = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .sort();
