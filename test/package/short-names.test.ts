import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { internalNames } from '../../tsup.script-tag.js';
import { readSource } from '../read-source.js';
import { root } from '../support/run.js';

const declarations = readFileSync(join(root, 'dist/index.d.ts'), 'utf8');
const inPages = readSource().filter(({ name }) => !/^(?:mock|node|relay|openapi|outbox)\//.test(name));

describe.each(internalNames)('%s, which the script-tag file calls by another name,', (name) => {
  it('is no property of any public type', () => {
    expect(declarations.match(new RegExp(`^\\s+(?:readonly )?${name}\\??[:(]`, 'm'))).toBeNull();
  });

  it('is looked up by no text', () => {
    const text = new RegExp(`['"]${name}['"](?:\\s+in\\b|\\])`);
    expect(inPages.length).toBeGreaterThan(20);
    expect(inPages.filter((file) => text.test(readFileSync(join(root, 'src', file.name), 'utf8'))).map((file) => file.name)).toEqual([]);
  });
});
