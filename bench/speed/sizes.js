// The download of a page: the script-tag file compared with libraries that also report from pages, all gzip -9.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const gzipped = (/** @type {Uint8Array} */ content) => gzipSync(content, { level: 9 }).byteLength;
const file = async (/** @type {string} */ path) => gzipped(await readFile(new URL(path, import.meta.url)));

/** A package with all its exports, as in a script tag. @param {string} name */
async function bundle(name) {
  const stdin = {
    contents: `import * as all from '${name}'; globalThis.all = all;`,
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2020',
    write: false,
    logLevel: 'silent',
  });
  return gzipped(outputFiles[0]?.contents ?? new Uint8Array());
}

/** The used parts of ky and `zod/mini`, alone; `npm run size` prints it. */
async function floor() {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/packaging/size.js'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  return Number(/alone\s+([\d,]+) bytes/.exec(stdout)?.[1]?.replaceAll(',', ''));
}

export async function measureSizes() {
  return [
    { name: 'location-sdk, for a relay', bytes: await file('../../dist/location-sdk.relay.global.js') },
    { name: 'location-sdk', bytes: await file('../../dist/location-sdk.global.js') },
    { name: 'the floor: ky and the parts of zod/mini in use, alone', bytes: await floor() },
    { name: 'location-sdk with the outbox', bytes: await file('../../dist/location-sdk.outbox.global.js') },
    { name: 'radar-sdk-js', bytes: await bundle('radar-sdk-js') },
    { name: '@segment/analytics-next', bytes: await bundle('@segment/analytics-next') },
    { name: '@sentry/browser', bytes: await bundle('@sentry/browser') },
  ];
}
