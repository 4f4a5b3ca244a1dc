import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BetEvent, createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { type MockServer, serve } from '../../src/entries/node.js';
import { FAULT_KINDS } from '../../src/testing/mock/faults.js';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks, commandsOf } from '../support/code-blocks.js';
import { readGuides } from '../support/documents.js';
import { root, runNode } from '../support/run.js';

const page = readGuides('how-to/mock-gateway');
const guide = page + readGuides('start/ci');
const blocks = codeBlocks(guide);

/** Every rule of the table, as JSON. */
const rules = [...page.matchAll(/^\| [^|]+ \| `(\{"[^`]+\})` \|/gm)].map(([, rule = '']) => rule);

/** Each line of JavaScript about faults, with the command that does the same from outside. */
const faults = [
  ...[...page.matchAll(/^```js\n(gateway\.faults\.[^\n]*)\n```\n[^`]*\n```sh\n(.*?)\n```$/gms)].map(
    ([, script = '', command = '']) => ({ script, command: command.replace(/ *\\\n\s*/g, ' ') }),
  ),
  ...rules.map((rule) => ({
    script: `gateway.faults.add(${rule});`,
    command: `curl -d '${rule}' "$LOCATION_SDK_MOCK/__admin/faults"`,
  })),
];
const oneLiners = [
  ...blocks.filter(({ language }) => language === 'sh').flatMap(commandsOf),
  ...[...page.matchAll(/^- `([A-Z]+) ([^`]+)`(?: `([^`]+)`)?: /gm)].map(([, method = '', route = '', body]) => {
    const sent = body ?? (route === 'state' && method === 'PUT' ? '@state.json' : undefined);
    const saved = route === 'state' && method === 'GET' ? ' -o state.json' : '';
    const data = sent ? ` -d '${sent}'` : '';
    return `curl -X ${method}${saved}${data} "$LOCATION_SDK_MOCK/__admin/${route}"`;
  }),
]
  // A line with `$!` is about the command before it.
  .filter((command) => command.startsWith('curl ') && !command.includes('$!'))
  .filter((command) => !faults.some((fault) => fault.command === command));

let server: MockServer;
let folder: string;
beforeAll(async () => {
  server = await serve();
  // Inside the package, so that it finds itself by its name.
  folder = await mkdtemp(join(root, 'test/.guide-'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Runs one command line. An error status fails here too. */
const shell = (command: string) =>
  promisify(execFile)(
    'sh',
    ['-c', command.replace('curl ', 'curl --silent --show-error --fail-with-body --max-time 10 ')],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, LOCATION_SDK_MOCK: server.url, MOCK_TOKEN: 'ci' },
    },
  );

test('the unit test that the guide names runs', { timeout: 30_000 }, async () => {
  expectFreshBuild();
  const { code, output } = await runNode(['--test', join(root, 'examples/mock-gateway.test.mjs')]);
  expect([code, output]).toEqual([0, expect.stringMatching(/pass 4\n/)]);
});

describe('each fault of the guide is the same from within and from outside', () => {
  test('there is one for each kind, and one line that removes them', () => {
    expect(new Set(rules.map((rule) => JSON.parse(rule).kind))).toEqual(new Set(FAULT_KINDS));
    expect(faults).toHaveLength(rules.length + 2);
  });

  afterEach(() => server.gateway.faults.clear());

  test.each(faults)('$script', async ({ script, command }) => {
    const gateway = createMockGateway();
    gateway.faults.add({ kind: 'hang' });
    server.gateway.faults.add({ kind: 'hang' });
    new Function('gateway', script)(gateway);
    await shell(command);
    const withoutIds = (all: ReturnType<typeof gateway.faults.list>) => all.map(({ id, ...rule }) => rule);
    expect(withoutIds(server.gateway.faults.list())).toEqual(withoutIds(gateway.faults.list()));
    expect(gateway.faults.list()).toHaveLength(script.includes('clear') ? 0 : 2);
  });
});

describe("the client's result for a fault, as the guide says", () => {
  test.each([
    ['a lost answer', /"connection-reset","when":"after"}/, 'already-recorded', 1],
    ['an outage', /"connection-reset","times":null/, 'network unknown', 0],
    ['two failures', /"status":502/, 'recorded', 1],
    ['no answer', /"hang"/, 'recorded', 1],
    ['a slow body', /"slow-body"/, 'already-recorded', 1],
    ['too many requests', /"status":429/, 'recorded', 1],
    ['broken JSON', /"broken-json"/, 'already-recorded', 1],
    ['a page', /"wrong-content-type"/, 'recorded', 1],
    ['half a body', /"half-body"/, 'already-recorded', 1],
    ['no body', /"empty-body"/, 'recorded', 1],
    ['a request that comes twice', /"duplicate-delivery"/, 'duplicate rejected', 1],
  ] as const)('%s', async (_, line, expected, held) => {
    const gateway = createMockGateway({ validation: 'partial' });
    const client = createClient({ ...gateway.clientOptions(), retry: { baseMs: 0 }, attemptTimeoutMs: 200 });
    new Function('gateway', faults.find(({ script }) => line.test(script))?.script ?? '')(gateway);
    const said = await client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1' } } as BetEvent).then(
      ({ outcome }) => outcome,
      ({ code, outcome }) => `${code} ${outcome}`,
    );
    expect([said, gateway.reports().length]).toEqual([expected, held]);
    expect(gateway.requests()[0]?.fault).toBeDefined();
    gateway.reset();
  });
});

test('after an outage, as the guide says, resend records the report', async () => {
  const scriptOf = (line: RegExp) =>
    new Function('gateway', faults.find(({ script }) => line.test(script))?.script ?? '');
  const gateway = createMockGateway({ validation: 'partial' });
  const client = createClient({ ...gateway.clientOptions(), retry: { baseMs: 0 } });
  scriptOf(/"connection-reset","times":null/)(gateway);
  const bet = { bet_id: 'B-1', user: { user_id: 'U-1' } } as BetEvent;
  const error = await client.reportBetEvent(bet).catch((thrown: unknown) => thrown);
  scriptOf(/faults\.clear\(\)/)(gateway);
  expect(gateway.reports()).toEqual([]);
  expect(await client.resend(error)).toMatchObject({ outcome: 'recorded', reference: 'B-1' });
  expect(gateway.reports()).toHaveLength(1);
});

describe('each other line with curl is answered', () => {
  test('some were found', () => expect(oneLiners.length).toBeGreaterThan(12));

  test.each(oneLiners)('%s', async (command) => {
    // A fault that a line removes must exist.
    if (command.includes('faults?id=1')) server = await fresh(server);
    // A request for which a line waits must have come.
    if (command.includes('requests/wait')) {
      const url = `${server.url}/integration-gateway/external/nin/verify`;
      await fetch(url, { method: 'POST', headers: { 'x-api-key': 'mock-api-key' }, body: '{}' });
    }
    await shell(command);
  });
});

/** A server whose first fault has the id 1. */
async function fresh(old: MockServer): Promise<MockServer> {
  await old.close();
  const next = await serve();
  next.gateway.faults.add({ kind: 'hang' });
  return next;
}
