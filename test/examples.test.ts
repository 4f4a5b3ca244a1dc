import { once } from 'node:events';
import { expect, test } from 'vitest';
import { runNode, startNode } from './support/run.js';

/** The examples use the built package, which `npm ci` makes through the `prepare` script. */
const timeout = 30_000;

test('the demo runs to its end', { timeout }, async () => {
  const { code, output } = await runNode(['examples/demo.js']);
  expect(output).toContain('Every step ran as it should.');
  expect(code).toBe(0);
});

test('the backend reports the four steps once each, a doubtful one included', { timeout }, async () => {
  const { code, output } = await runNode(['examples/backend.js']);
  expect(output).toContain('in doubt: reportWithdrawalEvent WR-1');
  expect(output).toMatch(
    /holds 4 reports:\n {2}reportBetEvent BET-1\n {2}reportSettledBet BET-1\n {2}reportWithdrawalEvent WR-1\n {2}reportSettledWithdrawal WR-1\n/,
  );
  expect(code).toBe(0);
});

test('the operator’s tests pass', { timeout }, async () => {
  const { code, output } = await runNode(['--test', 'examples/ci.test.js']);
  expect(output).toMatch(/pass 6\n/);
  expect(output).toMatch(/fail 0\n/);
  expect(code).toBe(0);
});

test('the page is served with its script', { timeout }, async () => {
  const child = startNode(['examples/page.js']);
  try {
    const [line] = child.stdout ? await once(child.stdout, 'data') : [];
    const address = /http:\S+/.exec(String(line))?.[0] ?? '';
    const page = await (await fetch(address)).text();
    const source = /<script src="([^"]+)">/.exec(page)?.[1] ?? '';
    const script = await fetch(new URL(source, address));
    expect([script.status, await script.text()]).toEqual([200, expect.stringContaining('LocationSDK')]);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
