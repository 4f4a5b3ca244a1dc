import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';

const { project } = inject('installed');
const manifest = JSON.parse(readFileSync(join(project, 'node_modules/location-sdk/package.json'), 'utf8'));

/** What would carry an API key, or a server, into a page. */
const SERVER_ONLY = ['mock/node', 'relay', 'relay/node'];

const bundle = (entry: string, platform: 'browser' | 'node') =>
  build({
    stdin: { contents: `export * from 'location-sdk/${entry}';`, resolveDir: project },
    bundle: true,
    write: false,
    format: 'esm',
    platform,
    logLevel: 'silent',
  });

describe.each(SERVER_ONLY)('location-sdk/%s', (entry) => {
  it('says first of all that it is not for browsers', () => {
    expect(Object.entries(manifest.exports[`./${entry}`])[0]).toEqual(['browser', null]);
  });

  it('cannot be bundled for a page', async () => {
    await expect(bundle(entry, 'browser')).rejects.toThrow(/Could not resolve "location-sdk/);
  });

  it('can be bundled for a server', async () => {
    expect((await bundle(entry, 'node')).outputFiles).toHaveLength(1);
  });
});
