import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/run.js';

/** The examples with packages of their own. `npm run types` reads the others; test/frameworks builds these. */

const examples = join(root, 'examples');
const projects = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'package.json')));

/** The files of a folder, without those that installing and building make. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^(?:node_modules|\.next|dist)$/.test(entry.name)) return [];
    return entry.isDirectory() ? filesOf(join(folder, entry.name)) : [join(folder, entry.name)];
  });

test('there are five', () => expect(projects).toHaveLength(5));

test.each(projects)('%s is TypeScript in the strictest settings', (name) => {
  const tsconfig = readFileSync(join(examples, name, 'tsconfig.json'), 'utf8');
  const { extends: base, compilerOptions } = JSON.parse(tsconfig) as Record<string, unknown>;
  expect(base).toBe('@tsconfig/strictest/tsconfig.json');
  // So that `process.env.PORT` may be written.
  const off = Object.entries(compilerOptions ?? {}).filter(([, value]) => value === false);
  expect(off).toEqual([['noPropertyAccessFromIndexSignature', false]]);
  const files = filesOf(join(examples, name));
  expect(files.filter((file) => /\.[cm]?jsx?$/.test(file))).toEqual([]);
  for (const file of files.filter((file) => /\.(?:vue|svelte)$/.test(file)))
    expect(readFileSync(file, 'utf8')).toMatch(/^<script (?:setup )?lang="ts">/);
});
