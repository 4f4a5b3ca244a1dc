import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOptionsModule } from '../../../src/cli/check/options-file.js';
import { type BuiltCli, buildCli } from '../../support/built-cli.js';
import { newFolder } from '../../support/new-folder.js';

let cli: BuiltCli;
const folder = newFolder('options');

beforeAll(async () => {
  cli = await buildCli();
}, 60_000);

afterAll(() => cli.remove());

function fileWith(name: string, code: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return file;
}

/** No server listens there. */
const gateways = "{ staging: { baseUrl: 'http://127.0.0.1:1', apiKey: 'another-key' } }";

test('options that load after a while are read', async () => {
  const file = fileWith('waits-a-little', 'await new Promise(setImmediate); export default { attemptTimeoutMs: 300 };');
  await expect(readOptionsModule(file)).resolves.toEqual({
    client: { attemptTimeoutMs: 300 },
  });
});

test('a file that throws undefined does not crash the command', async () => {
  const file = fileWith('throws-nothing', 'throw undefined;');
  await expect(readOptionsModule(file)).rejects.toThrow(/cannot be loaded \(undefined\)/);
});

test('the command ends although its options leave a timer running', async () => {
  const file = fileWith('leaves-open', `setInterval(() => {}, 1_000); export default { gateways: ${gateways} };`);
  // This is longer than the longest timer.
  const { code, out, err } = await cli.run('check', '--json', '--timeout', '999999m', '--options', file);
  expect({ code, err, ok: JSON.parse(out).ok }).toEqual({ code: 1, err: '', ok: false });
});
