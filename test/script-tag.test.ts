import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { expectFreshBuild } from './support/built.js';
import { guides } from './support/documents.js';
import { root } from './support/run.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Facts {
  integrity: string;
  bytes: number;
  gzipBytes: number;
}

const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'examples/README.md', ...guides];

/** Every script tag of a document that loads the SDK from another host. */
const tagsIn = (text: string) =>
  [...text.matchAll(/<script src="[^"]*location-sdk@([^/]*)\/dist\/([^"]*)"([^>]*)>/g)].map(([, version, file, attributes = '']) => ({
    version,
    file,
    attributes,
  }));

test('the build writes the hash and the size of every script-tag file', () => {
  expectFreshBuild();
  const facts: Record<string, Facts> = JSON.parse(read('dist/integrity.json'));
  const files = readdirSync(join(root, 'dist')).filter((name) => /^"use strict";\(\(\)=>\{|^\(\(\)=>\{/.test(read(`dist/${name}`)));
  expect(files).toEqual(['location-sdk.global.js', 'location-sdk.outbox.global.js', 'location-sdk.relay.global.js', 'location-sdk.stub.global.js']);
  expect(Object.keys(facts)).toEqual(files);
  for (const [name, { integrity, bytes, gzipBytes }] of Object.entries(facts)) {
    const file = readFileSync(join(root, 'dist', name));
    expect(integrity).toBe(`sha384-${createHash('sha384').update(file).digest('base64')}`);
    expect(bytes).toBe(file.byteLength);
    expect(gzipBytes).toBe(gzipSync(file, { level: 9 }).byteLength);
  }
});

test('every script tag of the documents names this version, a file of the build, and a place for the hash', () => {
  expectFreshBuild();
  const { version } = JSON.parse(read('package.json'));
  const tags = documents.flatMap((name) => tagsIn(read(name)).map((tag) => ({ name, ...tag })));
  expect(tags.map(({ name }) => name).sort()).toEqual(['docs/how-to/browser.md', 'docs/how-to/outbox-in-a-page.md']);
  for (const tag of tags) {
    expect(tag).toMatchObject({ version, attributes: expect.stringContaining('integrity="…" crossorigin="anonymous"') });
    expect(Object.keys(JSON.parse(read('dist/integrity.json')))).toContain(tag.file);
  }
});

test('no document contains a hash, which the next build would change', () => {
  expect(documents.filter((name) => /sha(?:256|384|512)-[A-Za-z0-9+/]{43}/.test(read(name)))).toEqual([]);
});
