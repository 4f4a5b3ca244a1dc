// The checks of a call and of its answer. The package does not export them, so their source is bundled.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** @returns {Promise<any>} the exports of these files */
export async function loadChecks() {
  const folder = await mkdtemp(here('.checks-'));
  const outfile = join(folder, 'checks.mjs');
  const schemas = ['bet', 'copy-json', 'validate'].map((name) => `export * from './core/schema/${name}.js';`);
  const contents = [
    "export { checkCall } from './core/client/check-call.js';",
    "export { isRecorded } from './core/delivery/answer.js';",
    "export * as z from 'zod/v4/core';",
    ...schemas,
  ].join('\n');
  await build({
    stdin: { contents, resolveDir: here('../src'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  });
  try {
    return await import(outfile);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The client of `checkCall`. */
export const CONTEXT = {
  clock: { now: Date.now },
  validation: 'strict',
  channel: { kind: 'gateway' },
  environment: 'staging',
  timeoutMs: 10_000,
};
