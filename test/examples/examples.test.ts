// @module-tag slow: starts a process for each example.

import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { serve } from '../../src/entries/node.js';
import { expectFreshBuild } from '../support/built.js';
import { freePort } from '../support/free-port.js';
import { newFolder } from '../support/new-folder.js';
import { runNode, startNode } from '../support/run.js';

/** The examples use the built package, which `npm ci` makes through the `prepare` script. */
const timeout = 30_000;

beforeAll(expectFreshBuild);

/** A module that ends the process at its first connection to another machine. */
const ONLY_LOOPBACK = `data:text/javascript,${encodeURIComponent(`
  import { Socket } from 'node:net';
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...given) {
    const [first] = given.flat();
    if (!/^(?:127\\.[\\d.]+|::1|localhost)$/.test(String(first?.host))) {
      console.error('connects to', first?.host);
      process.exit(9);
    }
    return connect.apply(this, given);
  };
`)}`;

test('the demo runs to its end without a key, an account or another machine', { tags: 'slice', timeout }, async () => {
  const { code, output } = await runNode(['--import', ONLY_LOOPBACK, 'examples/demo.js']);
  expect(output).toContain('Every step ran as expected.');
  expect(code).toBe(0);
});

test('the backend reports the four steps once each, including one in doubt', { timeout }, async () => {
  const { code, output, stdout } = await runNode(['examples/backend.js']);
  expect(output).toContain('in doubt: reportWithdrawalEvent WR-');
  // Failures are printed to another stream, at any time.
  expect(stdout).toMatch(
    /has 4 reports:\n {2}reportBetEvent (BET-\S+)\n {2}reportSettledBet \1\n {2}reportWithdrawalEvent (WR-\S+)\n {2}reportSettledWithdrawal \2\n/,
  );
  expect(code).toBe(0);
});

test('the operator’s tests pass', { timeout }, async () => {
  const { code, output } = await runNode(['--test', 'examples/ci.test.mjs']);
  expect(output).toMatch(/pass 6\n/);
  expect(output).toMatch(/fail 0\n/);
  expect(code).toBe(0);
});

/** Starts a serving example until the work with its address is done. */
async function served(
  args: readonly string[],
  work: (address: string) => Promise<void>,
  variables?: Record<string, string>,
): Promise<void> {
  const child = startNode(args, variables);
  try {
    const [line] = child.stdout ? await once(child.stdout, 'data') : [];
    await work(/http:[^\s)]+/.exec(String(line))?.[0] ?? '');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

test.each([['examples/web/server.js'], ['examples/backend.js', '--serve']])(
  '%s serves its page with the script',
  { timeout },
  (...args) =>
    served(args, async (address) => {
      const page = await (await fetch(address)).text();
      const source = /<script src="([^"]+)"/.exec(page)?.[1] ?? '';
      const script = await fetch(new URL(source, address));
      expect([script.status, await script.text()]).toEqual([200, expect.stringContaining('LocationSDK')]);
    }),
);

test('the web site ends cleanly when it is interrupted, with a page still connected', { timeout }, async () => {
  const child = startNode(['examples/web/server.js']);
  const ended = once(child, 'exit');
  const [line] = child.stdout ? await once(child.stdout, 'data') : [];
  await fetch(/http:[^\s)]+/.exec(String(line))?.[0] ?? '', { headers: { connection: 'keep-alive' } });
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('the backend reports the location that its page found, and otherwise looks one up', { timeout }, async () => {
  const server = await serve();
  const found = { latitude: 6.4474, longitude: 7.5139, accuracy: 20, source: 'gps' };
  const work = async (address: string) => {
    const place = async (key: string, body: object) => {
      const response = await fetch(`${address}/bets`, { method: 'POST', body: JSON.stringify({ key, ...body }) });
      return [response.status, await response.json()] as const;
    };
    const [status, first] = await place('one', { stake: 1500, location: found });
    expect([status, first.message]).toEqual([200, 'Your bet of 1500 is placed.']);
    // The page did not get that answer, and has another location now.
    expect(await place('one', { stake: 1500 })).toEqual([
      200,
      { bet_id: first.bet_id, message: 'Your bet of 1500 was placed before.' },
    ]);
    // All attempts of the first request lose the answer.
    server.gateway.faults.add({ kind: 'connection-reset', when: 'after', times: 6 });
    expect(await place('two', { stake: 900 })).toMatchObject([503, {}]);
    expect(await place('two', { stake: 900 })).toMatchObject([200, { message: 'Your bet of 900 is placed.' }]);
    expect(await place('', { stake: 900 })).toMatchObject([400, {}]);
    expect(await place('free', { stake: -5 })).toMatchObject([422, {}]);
    // A withdrawal that is asked for twice.
    const withdraw = () =>
      fetch(`${address}/withdrawals`, {
        method: 'POST',
        body: JSON.stringify({
          key: 'out',
          amount: 3000,
          bank: 'B',
          account_last4: '0042',
          location: { ...found, source: 'ip' },
        }),
      });
    const [one, other] = await Promise.all([withdraw(), withdraw()]);
    expect([one.status, await one.json()]).toEqual([200, await other.json()]);
    expect(await place('two', { stake: 901 })).toMatchObject([409, {}]);
    // A forged place is not reported.
    expect(await place('three', { stake: 5, location: { ...found, source: 'ip' } })).toMatchObject([200, {}]);
  };
  await served(['examples/backend.js'], work, { LOCATION_SDK_MOCK: server.url });
  expect(server.gateway.reports().map(({ body }) => body)).toMatchObject([
    { amount: 1500, location: found },
    { amount: 900, location: { source: 'mock' } },
    { amount: 3000, location: { source: 'mock' } },
    { amount: 5, location: { source: 'mock' } },
  ]);
  await server.close();
});

/** A page's request to an example's relay, as a separate script. */
const askOf = (cookie: string) => `
  const headers = { origin: 'https://shop.example', 'content-type': 'application/json', 'x-location-sdk': '1', cookie: '${cookie}', authorization: 'ada' };
  const init = { method: 'POST', headers, body: JSON.stringify({ bet_id: 'BET-1', amount: 5 }) };
  const request = new Request('https://shop.example/relay/report-bet-event', init);`;

const answerOf = 'console.log(response.status, await response.text());';

test('the relay on a server of Node.js reports for the logged-in player', { timeout }, async () => {
  const server = await serve();
  const port = await freePort();
  const work = async (address: string) => {
    const headers = { origin: address.replace(/\/$/, ''), 'content-type': 'application/json', 'x-location-sdk': '1' };
    const ask = (cookie: string, bet_id = 'BET-1') =>
      fetch(`${address}relay/report-bet-event`, {
        method: 'POST',
        headers: { ...headers, cookie },
        body: JSON.stringify({ bet_id, amount: 5 }),
      });
    expect((await ask('session=none')).status).toBe(401);
    expect((await ask('session=ada-1815', 'BET-2')).status).toBe(403); // another player's
    expect((await ask('session=ada-1815', 'BET-made-up')).status).toBe(403);
    expect(await (await ask('session=ada-1815')).json()).toMatchObject({
      outcome: 'recorded',
      location: { source: 'mock' },
    });
    // More than twice the limit of a minute: one may end meanwhile.
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async () => (await ask('session=ada-1815', 'BET-2')).status),
    );
    expect(statuses).toContain(429);
  };
  await served(['examples/relay/node.js'], work, { LOCATION_SDK_MOCK: server.url, PORT: String(port) });
  expect(server.gateway.reports()).toMatchObject([
    { reference: 'BET-1', body: { amount: 1500, user: { user_id: 'U-88412' } } },
  ]);
  await server.close();
});

test('the relay of a Next.js route reports', { timeout }, async () => {
  const server = await serve();
  const script = `import { POST } from './examples/relay/next-route.js'; ${askOf('session=ada-1815')} const response = await POST(request); ${answerOf}`;
  const { output } = await runNode(['--input-type=module', '--eval', script], { LOCATION_SDK_MOCK: server.url });
  expect(output).toMatch(/^200 .*"outcome":"recorded"/m);
  expect(server.gateway.reports()).toHaveLength(1);
  await server.close();
});

test('the relay of a Worker reports with its own settings', { timeout }, async () => {
  const server = await serve();
  const user = {
    user_id: 'U-1',
    first_name: 'A',
    last_name: 'B',
    resident_address: 'C',
    resident_lga: 'D',
    resident_state: 'E',
    is_resident: true,
  };
  const player = JSON.stringify({ id: 'U-1', user: { ...user, nin: '99012345678', tax_id: 'T-1' } });
  const script = `
    import worker from './examples/relay/workers.js'; ${askOf('')}
    const SESSIONS = { get: async (key) => (key === 'ada reportBetEvent' ? ${player} : null) };
    const RECORDS = { get: async (key) => (key === 'reportBetEvent BET-1' ? { owner, fields: { amount: 1500, timestamp: '1751600000' } } : null) };
    const LIMITER = { limit: async () => ({ success }) };
    const response = await worker.fetch(request, { GATEWAY: 'https://gateway.example.com', API_KEY: 'k', SESSIONS, RECORDS, LIMITER }); ${answerOf}`;
  const run = (owner: string, success: boolean) =>
    runNode(['--input-type=module', '--eval', `const owner = '${owner}', success = ${success}; ${script}`], {
      LOCATION_SDK_MOCK: server.url,
    });
  expect((await run('U-2', true)).output).toMatch(/^403 /m);
  expect((await run('U-1', false)).output).toMatch(/^429 /m);
  const { output } = await run('U-1', true);
  expect(output).toMatch(/^200 .*"outcome":"recorded"/m);
  expect(server.gateway.reports()).toMatchObject([{ body: { amount: 1500, user: { user_id: 'U-1' } } }]);
  await server.close();
});

/** A call of the console's page of the colleague who is on call, as a script of its own. */
const consoleCall = (site: string) => `
  const headers = { origin: '${site}', 'content-type': 'application/json', 'x-location-sdk': '1', cookie: 'session=ada-1815' };
  const call = new Request('${site}/ops/outbox/api/session', { method: 'POST', headers, body: '{}' });`;

test('the console on a server of Node.js is for colleagues alone, and knows who may act', { timeout }, async () => {
  const server = await serve();
  const folder = newFolder('console-example');
  const port = await freePort();
  const work = async (address: string) => {
    const origin = address.replace(/\/$/, '');
    const ask = async (cookie: string) => {
      const headers = { origin, 'content-type': 'application/json', 'x-location-sdk': '1', cookie };
      return (await fetch(`${address}api/session`, { method: 'POST', headers, body: '{}' })).json();
    };
    expect((await fetch(`${address}console.js`)).status).toBe(401);
    expect(await ask('session=nobody')).toMatchObject({ error: { code: 'session' } });
    expect(await ask('session=ada-1815')).toMatchObject({
      name: 'ada@example.com',
      mayAct: true,
      mayReadBodies: false,
    });
    expect(await ask('session=bola-1906')).toMatchObject({
      name: 'bola@example.com',
      mayAct: false,
      mayReadBodies: true,
    });
  };
  await served(['examples/console/node.js'], work, {
    LOCATION_SDK_MOCK: server.url,
    PORT: String(port),
    OUTBOX_FILE: join(folder, 'reports.db'),
  });
  await server.close();
});

test('the console of a Next.js route gives its page and answers its calls at the address of the site', {
  timeout,
}, async () => {
  const folder = newFolder('console-example');
  const site = 'https://ops.example.com';
  const script = `import { GET, POST } from './examples/console/next-route.js'; ${consoleCall(site)}
    const page = await GET(new Request('http://localhost:3000/ops/outbox', { headers: { cookie: 'session=ada-1815' } }));
    const answer = await POST(new Request('http://localhost:3000/ops/outbox/api/session', call));
    console.log(page.status, (await page.text()).includes('./outbox/console.js'), answer.status, (await answer.json()).name);`;
  const variables = {
    LOCATION_SDK_MOCK: 'http://127.0.0.1:9',
    PUBLIC_ORIGIN: site,
    OUTBOX_FILE: join(folder, 'reports.db'),
  };
  const { output } = await runNode(['--input-type=module', '--eval', script], variables);
  expect(output).toMatch(/^200 true 200 ada@example.com$/m);
});
