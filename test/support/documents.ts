import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.js';

/** Every guide, by its path from the root: `docs/how-to/relay.md`. */
export const guides: readonly string[] = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  .sort();

/** The text of several guides, one after the other: `readGuides('how-to/relay', 'start/page')`. */
export const readGuides = (...names: string[]): string =>
  names.map((name) => readFileSync(join(root, 'docs', `${name}.md`), 'utf8')).join('\n');
