import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { internalNames, namesOfOutbox } from '../../tsup.script-tag.js';
import { readSource } from '../read-source.js';
import { root } from '../support/run.js';

/** What an entry of the package declares, with the files that it takes types from. */
function declarationsOf(entry: string, seen = new Set<string>()): string {
  if (seen.has(entry)) return '';
  seen.add(entry);
  const text = readFileSync(join(root, 'dist', entry), 'utf8');
  const others = [...text.matchAll(/from '\.\/([\w-]+)\.js'/g)].map(([, name]) => `${name}.d.ts`);
  return [text, ...others.map((other) => declarationsOf(other, seen))].join('\n');
}

const declarations = declarationsOf('index.d.ts');
const ofOutbox = ['outbox.d.ts', 'outbox-indexeddb.d.ts'].map((entry) => declarationsOf(entry)).join('\n');
const inPages = readSource().filter(({ name }) => !/^(?:mock|node|relay|openapi)\//.test(name));

const isDeclared = (name: string, text: string) => new RegExp(`^\\s+(?:readonly )?${name}\\??[:(]`, 'm').test(text);

describe.each(internalNames)('%s, which the script-tag file calls by another name,', (name) => {
  it('is no property of any public type', () => {
    expect(isDeclared(name, declarations)).toBe(false);
  });

  it('is none of what an outbox stores and shows, or keeps its name there', () => {
    expect(isDeclared(name, ofOutbox)).toBe(namesOfOutbox.includes(name));
  });

  it('is looked up by no text', () => {
    const text = new RegExp(`['"]${name}['"](?:\\s+in\\b|\\])`);
    expect(inPages.length).toBeGreaterThan(20);
    expect(inPages.filter((file) => text.test(readFileSync(join(root, 'src', file.name), 'utf8'))).map((file) => file.name)).toEqual([]);
  });
});
