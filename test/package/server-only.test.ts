import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';

const { project } = inject('installed');
const manifest = JSON.parse(readFileSync(join(project, 'node_modules/location-sdk/package.json'), 'utf8'));

/** What would carry an API key, or a server, into a page. */
const SERVER_ONLY = ['mock/node', 'relay', 'relay/node', 'transport/node'];

/** What Cloudflare's bundler sets: a Worker is bundled as if for a browser. */
const WORKER = ['workerd', 'worker', 'browser'];

const bundle = (entry: string, platform: 'browser' | 'node', conditions?: string[]) =>
  build({
    stdin: { contents: `export * from 'location-sdk/${entry}';`, resolveDir: project },
    bundle: true,
    write: false,
    format: 'esm',
    platform,
    ...(conditions && { conditions }),
    logLevel: 'silent',
  });

describe.each(SERVER_ONLY)('location-sdk/%s', (entry) => {
  it('says before anything that a page could take that it is not for browsers', () => {
    const conditions = Object.entries(manifest.exports[`./${entry}`]).filter(([condition]) => condition !== 'workerd');
    expect(conditions[0]).toEqual(['browser', null]);
  });

  it('cannot be bundled for a page', async () => {
    await expect(bundle(entry, 'browser')).rejects.toThrow(/Could not resolve "location-sdk/);
  });

  it('can be bundled for a server', async () => {
    expect((await bundle(entry, 'node')).outputFiles).toHaveLength(1);
  });
});

it('bundles the relay for a Worker, whose bundler asks for what browsers get', async () => {
  expect((await bundle('relay', 'browser', WORKER)).outputFiles).toHaveLength(1);
});
