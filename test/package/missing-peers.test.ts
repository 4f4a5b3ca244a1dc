// @module-tag slow: bundles, compiles or starts processes.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/run.js';
import { whenInstalled } from './installed.js';

const { project } = await whenInstalled();
const guide = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');

/** The lines of the guide that name an entry, which fails at its import. */
const rows = [
  ...guide.matchAll(/^- `(Cannot find package '(.+)')`: for `(location-sdk\/.+)`, run `npm install (.+)`\.$/gm),
].map(([, words = '', name = '', entry = '', install = '']) => ({
  words,
  name,
  entry,
  install,
}));

test('the guide names what fails at its import', () => {
  expect(rows.map(({ name }) => name)).toEqual(['undici', '@opentelemetry/api']);
});

test.each(rows)('without $name, $entry fails in the words of the guide', ({ words, name, entry, install }) => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8', timeout: 60_000 }).stderr;
  expect(run('--input-type=module', '--eval', `await import('${entry}')`)).toContain(words);
  expect(run('--eval', `require('${entry}')`)).toContain(words.replace('package', 'module'));
  expect(install.replace(/@[\d.]+$/, '')).toBe(name);
});

/** The error of each of two calls, one after the other. */
function verifyTwice(cwd: string, before = '') {
  const code = `
    ${before}
    const { createClient } = await import('location-sdk');
    const gateways = { staging: { baseUrl: 'http://127.0.0.1:4010', apiKey: 'key' } };
    const client = createClient({ gateways, environment: 'staging', retry: { limit: 0 }, attemptTimeoutMs: 500 });
    for (let call = 1; call <= 2; call += 1) {
      const error = await client.verifyNin('99000000001').catch((thrown) => thrown);
      console.log(error.code, error.outcome, error.message);
    }`;
  const words = ['--input-type=module', '--eval', code];
  const { stdout } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8', timeout: 60_000 });
  return stdout.trim().split('\n');
}

const NOT_LOADED =
  /^network not-sent .*: the package ky could not be loaded; install the dependencies again\. Call it again\.$/;

test('without ky, a call sends nothing and says so', () => {
  const alone = mkdtempSync(join(tmpdir(), 'location-sdk-without-ky-'));
  cpSync(join(project, 'node_modules/location-sdk'), join(alone, 'node_modules/location-sdk'), { recursive: true });
  expect(verifyTwice(alone)).toEqual([expect.stringMatching(NOT_LOADED), expect.stringMatching(NOT_LOADED)]);
});

test.each([
  ['could not be loaded', "throw new Error('away for a moment')", NOT_LOADED],
  ['is loaded for too long', 'return new Promise(() => {})', /^timeout /],
])('once ky %s, the next call loads it', (_, first, error) => {
  const once = `
    let isFirst = true;
    export const resolve = (name, context, next) => {
      if (name !== 'ky' || !isFirst) return next(name, context);
      isFirst = false;
      ${first};
    };`;
  const hooks = `data:text/javascript,${encodeURIComponent(once)}`;
  const said = verifyTwice(project, `(await import('node:module')).register('${hooks.replaceAll("'", '%27')}');`);
  expect(said).toEqual([expect.stringMatching(error), expect.stringMatching(/^network not-sent .*ECONNREFUSED/)]);
});
