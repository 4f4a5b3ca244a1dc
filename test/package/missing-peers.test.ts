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

test('without ky, a call sends nothing and says so', () => {
  const alone = mkdtempSync(join(tmpdir(), 'location-sdk-without-ky-'));
  cpSync(join(project, 'node_modules/location-sdk'), join(alone, 'node_modules/location-sdk'), { recursive: true });
  const code = `
    const { createClient } = await import('location-sdk');
    const gateways = { staging: { baseUrl: 'http://127.0.0.1:4010', apiKey: 'key' } };
    const client = createClient({ gateways, environment: 'staging', retry: { limit: 0 } });
    const error = await client.verifyNin('99000000001').catch((thrown) => thrown);
    console.log(error.code, error.outcome, error.message);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: alone,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(stdout).toContain('network not-sent');
  expect(stdout).toContain('the package ky could not be loaded; install the dependencies again');
});
