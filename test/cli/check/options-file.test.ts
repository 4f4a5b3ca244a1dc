import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOptionsModule } from '../../../src/cli/check/options-file.js';
import { type Clock, systemClock } from '../../../src/platform/time.js';
import { type BuiltCli, buildCli } from '../../support/built-cli.js';

let cli: BuiltCli;
const folder = mkdtempSync(join(tmpdir(), 'location-sdk-options-'));

beforeAll(async () => {
  cli = await buildCli();
}, 60_000);

afterAll(async () => {
  await cli.remove();
  rmSync(folder, { recursive: true, force: true });
});

function fileWith(name: string, code: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return file;
}

/** No server listens there. */
const gateways = "{ staging: { baseUrl: 'http://127.0.0.1:1', apiKey: 'another-key' } }";
const waits = 'await new Promise(() => {}); export default {};';

test('options that load in time are read', async () => {
  const file = fileWith('waits-a-little', 'await new Promise(setImmediate); export default { attemptTimeoutMs: 300 };');
  await expect(readOptionsModule(file, { clock: systemClock, milliseconds: 60_000 })).resolves.toEqual({
    client: { attemptTimeoutMs: 300 },
  });
});

test('a file that waits for ever times out', async () => {
  const limits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    setTimeout: (callback, milliseconds) => [limits.push(milliseconds), setImmediate(callback)],
  };
  const read = readOptionsModule(fileWith('waits', waits), { clock, milliseconds: 30_000 });
  await expect(read).rejects.toThrow(/waits\.mjs did not load within 30 s: it waits for something/);
  expect(limits).toEqual([30_000]);
});

test('a file that throws undefined does not crash the command', async () => {
  const file = fileWith('throws-nothing', 'throw undefined;');
  await expect(readOptionsModule(file, { clock: systemClock, milliseconds: 60_000 })).rejects.toThrow(
    /cannot be loaded \(undefined\)/,
  );
});

test('the command ends although its options leave a timer running', async () => {
  const file = fileWith('leaves-open', `setInterval(() => {}, 1_000); export default { gateways: ${gateways} };`);
  // This is longer than the longest timer.
  const { code, out, err } = await cli.run('check', '--json', '--timeout', '999999m', '--options', file);
  expect({ code, err, ok: JSON.parse(out).ok }).toEqual({ code: 1, err: '', ok: false });
});

test('the command ends in time although its options wait and leave a timer running', async () => {
  const { code, out, err } = await cli.run(
    'check',
    '--timeout',
    '100.5ms',
    '--options',
    fileWith('open-and-waits', `setInterval(() => {}, 1_000); ${waits}`),
  );
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/did not load within 0\.101 s/);
});
