import { once } from 'node:events';
import { beforeAll, expect, test } from 'vitest';
import { serve } from '../src/node/index.js';
import { expectFreshBuild } from './support/built.js';
import { runNode, startNode } from './support/run.js';

/** The examples use the built package, which `npm ci` makes through the `prepare` script. */
const timeout = 30_000;

beforeAll(expectFreshBuild);

test('the demo runs to its end', { timeout }, async () => {
  const { code, output } = await runNode(['examples/demo.js']);
  expect(output).toContain('Every step ran as it should.');
  expect(code).toBe(0);
});

test('the backend reports the four steps once each, a doubtful one included', { timeout }, async () => {
  const { code, output } = await runNode(['examples/backend.js']);
  expect(output).toContain('in doubt: reportWithdrawalEvent WR-');
  expect(output).toMatch(
    /holds 4 reports:\n {2}reportBetEvent (BET-\S+)\n {2}reportSettledBet \1\n {2}reportWithdrawalEvent (WR-\S+)\n {2}reportSettledWithdrawal \2\n/,
  );
  expect(code).toBe(0);
});

test('the operator’s tests pass', { timeout }, async () => {
  const { code, output } = await runNode(['--test', 'examples/ci.test.js']);
  expect(output).toMatch(/pass 6\n/);
  expect(output).toMatch(/fail 0\n/);
  expect(code).toBe(0);
});

/** Starts an example that serves, until the work with its address is done. */
async function served(args: readonly string[], work: (address: string) => Promise<void>, variables?: Record<string, string>): Promise<void> {
  const child = startNode(args, variables);
  try {
    const [line] = child.stdout ? await once(child.stdout, 'data') : [];
    await work(/http:[^\s)]+/.exec(String(line))?.[0] ?? '');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

test.each([['examples/page.js'], ['examples/backend.js', '--serve']])('%s serves its page with the script', { timeout }, (...args) =>
  served(args, async (address) => {
    const page = await (await fetch(address)).text();
    const source = /<script src="([^"]+)">/.exec(page)?.[1] ?? '';
    const script = await fetch(new URL(source, address));
    expect([script.status, await script.text()]).toEqual([200, expect.stringContaining('LocationSDK')]);
  }),
);

test('the backend reports the location that its page found, and without one finds its own', { timeout }, async () => {
  const server = await serve();
  const found = { latitude: 6.4474, longitude: 7.5139, accuracy: 20, source: 'gps' };
  const work = async (address: string) => {
    for (const body of [{ stake: 1500, location: found }, { stake: 900 }]) {
      const response = await fetch(`${address}/bets`, { method: 'POST', body: JSON.stringify(body) });
      expect(response.status).toBe(200);
    }
  };
  await served(['examples/backend.js'], work, { LOCATION_SDK_MOCK: server.url });
  expect(server.gateway.reports().map(({ body }) => body)).toMatchObject([
    { amount: 1500, location: found },
    { amount: 900, location: { source: 'mock' } },
  ]);
  await server.close();
});
