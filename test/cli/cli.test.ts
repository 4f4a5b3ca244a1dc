import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { version } from '../../package.json';
import { MOCK_OPTIONS } from '../../src/cli/mock/mock.js';
import { createClient } from '../../src/entries/index.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { serve } from '../../src/entries/node.js';
import { newFile } from '../outbox/stores/sqlite/files.js';
import { type BuiltCli, buildCli } from '../support/built-cli.js';
import { runCli, startMock } from '../support/cli-in-process.js';
import { betEvent } from '../support/factories.js';
import { freePort } from '../support/free-port.js';
import { runNode } from '../support/run.js';

let cli: BuiltCli;

beforeAll(async () => {
  cli = await buildCli();
}, 60_000);

afterAll(() => cli.remove());

afterEach(() => vi.unstubAllEnvs());

/** A client as in an operator's code. Only the variable sends it to this address. */
function clientLedTo(url: string) {
  vi.stubEnv('LOCATION_SDK_MOCK', url);
  return createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'real-key' } },
    retry: { limit: 0 },
    logger: {},
  });
}

const references = async (url: string) => {
  const { reports } = await (await fetch(`${url}/__admin/reports`)).json();
  return reports.map(({ reference }: { reference: string }) => reference);
};

test('one line says that the mock gateway is ready, with its address', async () => {
  const { readyLine, url, end } = await cli.mock();
  expect(readyLine).toMatch(/^location-sdk mock gateway listening on http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect(await (await fetch(`${url}/__admin/health`)).json()).toEqual({
    status: 'ok',
    name: 'location-sdk mock gateway',
    version,
    pid: expect.any(Number),
  });
  expect(await end()).toBe(0);
});

test('with --json the line is JSON', async () => {
  const { readyLine, url, end } = await startMock('--json');
  expect(JSON.parse(readyLine)).toEqual({ event: 'ready', url });
  expect(await end()).toBe(0);
});

test('LOCATION_SDK_MOCK is enough to send a client there', async () => {
  const { url, end } = await startMock();
  await expect(clientLedTo(url).reportBetEvent(betEvent())).resolves.toMatchObject({ outcome: 'recorded' });
  expect(await references(url)).toEqual(['BET-1']);
  await end();
});

test('its options reach the gateway', async () => {
  const { url, end } = await startMock(
    '--key',
    'another',
    '--validation',
    'partial',
    '--no-require-initiated',
    '--rate',
    '2',
    '--seed',
    '7',
    '--admin-token',
    's3cret',
  );
  const settle = (key: string) =>
    fetch(`${url}/integration-gateway/external/report-settled-bet-event`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: '{"bet_id":"B","user":{"user_id":"U"}}',
    });
  expect((await settle('mock-api-key')).status).toBe(401);
  expect((await settle('another')).status).toBe(200);
  const more = await Promise.all([settle('another'), settle('another'), settle('another')]);
  expect(more.map(({ status }) => status)).toContain(429);
  expect((await fetch(`${url}/__admin/reports`)).status).toBe(401);
  expect((await fetch(`${url}/__admin/reports`, { headers: { 'x-admin-token': 's3cret' } })).status).toBe(200);
  await end();
});

test('--seed decides which requests a fault with a probability strikes', async () => {
  const rule = { kind: 'status', probability: 0.5, times: null } as const;
  const { url, end } = await startMock('--seed', '7');
  await fetch(`${url}/__admin/faults`, { method: 'POST', body: JSON.stringify(rule) });
  /** Which of 20 requests were struck. */
  const struck = async (ask: typeof fetch, address: string) => {
    const statuses: number[] = [];
    const init = {
      method: 'POST',
      headers: { 'x-api-key': 'mock-api-key', 'content-type': 'application/json' },
      body: '{"nin":"99012345678"}',
    };
    for (let request = 0; request < 20; request += 1)
      statuses.push((await ask(`${address}/integration-gateway/external/nin/verify`, init)).status);
    return statuses;
  };
  const expected = (seed: number) => {
    const gateway = createMockGateway({ seed });
    gateway.faults.add(rule);
    return struck((input, init) => gateway.fetch(input as string, init) as Promise<Response>, 'http://mock.localhost');
  };
  const seen = await struck(fetch, url);
  expect(seen).toEqual(await expected(7));
  expect(seen).not.toEqual(await expected(1));
  await end();
});

test('mock --help lists every option of the command', async () => {
  const { out } = await runCli(['mock', '--help']);
  for (const name of Object.keys(MOCK_OPTIONS)) expect(out).toMatch(new RegExp(`^ +--${name}\\b`, 'm'));
  expect(out).toContain('default: 4010');
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends it at once, even with hanging requests',
  async (signal) => {
    const { url, end } = await cli.mock();
    const rules = [
      { kind: 'hang', times: 1 },
      { kind: 'latency', delay: 600_000, times: null },
    ];
    for (const rule of rules) await fetch(`${url}/__admin/faults`, { method: 'POST', body: JSON.stringify(rule) });
    const client = clientLedTo(url);
    const lost = [client.reportBetEvent(betEvent()), client.reportBetEvent(betEvent())].map((report) =>
      report.catch(({ outcome }) => outcome),
    );
    const idle = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    await once(idle, 'connect');
    const waiting = fetch(`${url}/__admin/requests/wait`, {
      method: 'POST',
      body: '{"status":599,"timeoutMs":60000}',
    }).catch(() => 'gone');
    while (
      (await (await fetch(`${url}/__admin/faults`)).json()).faults.some(
        ({ struck }: { struck: number }) => struck === 0,
      )
    );
    expect(await end(signal)).toBe(0);
    expect(await Promise.all([...lost, waiting])).toEqual(['unknown', 'unknown', 'gone']);
  },
);

describe('a wrong call ends with one line and exit code 2', () => {
  test('a port that is in use', async () => {
    const server = await serve();
    const port = new URL(server.url).port;
    const { code, out, err } = await runCli(['mock', '--port', port]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      `location-sdk: cannot listen on 127.0.0.1:${port}: the port is in use; choose another, or 0 for a free one\n`,
    );
    await server.close();
  });

  test.each([
    ['mok', /unknown command mok; known are mock/],
    ['--bogus', /unknown option --bogus/],
    ['mock --bogus', /unknown option --bogus/],
    ['mock --constructor', /unknown option --constructor/],
    ['mock -p', /unknown option -p/],
    ['mock now', /unexpected word 'now'/],
    ['mock --port', /--port needs a value/],
    ['mock --port --json', /--port needs a value/],
    ['mock --port 65536', /--port must be a whole number from 0 to 65535/],
    ['mock --port -1', /--port must be a whole number/],
    ['mock --port 1e3', /--port must be a whole number/],
    ['mock --port 0 --port 1', /--port is given twice/],
    ['mock --json=yes', /--json takes no value/],
    ['mock --rate 0', /--rate must be a whole number from 1/],
    ['mock --validation off', /--validation must be strict or partial/],
    ['mock --key=', /--key must be/],
    ['mock --host 0.0.0.0', /--admin-token/],
    [
      'mock --host 192.0.2.1 --admin-token x',
      /cannot listen on 192\.0\.2\.1:4010: this machine does not have this address/,
    ],
    ['mock run', /mock run needs a command after --/],
    ['mock run npm test', /unexpected word 'npm'/],
    ['mock run --port 65536 -- npm test', /--port must be a whole number from 0 to 65535/],
    ['mock run --key mine -- npm test', /unknown option --key/],
  ])('%s', async (words, line) => {
    const { code, out, err } = await runCli(words.split(' '));
    expect({ code, out, lines: err.split('\n').length }).toEqual({ code: 2, out: '', lines: 2 });
    expect(err).toMatch(line);
  });
});

describe('mock run', () => {
  const node = (code: string) => ['--', process.execPath, '-e', code];

  test('runs a command with the address of a mock gateway in the variable, and returns its exit code', async () => {
    const script = `
      const body = JSON.stringify({ bet_id: 'B-1', user: { user_id: 'U-1' }, location: { latitude: 6, longitude: 3, source: 'gps' } });
      const headers = { 'x-api-key': 'mock-api-key', 'content-type': 'application/json' };
      fetch(process.env.LOCATION_SDK_MOCK + '/integration-gateway/external/report-bet-event', { method: 'POST', headers, body })
        .then(({ status }) => { console.log(status, ...process.argv.slice(1)); process.exitCode = 7; });`;
    const { code, out, err } = await cli.run(
      'mock',
      'run',
      '--validation',
      'partial',
      ...node(script),
      'a b',
      '--help',
    );
    expect({ code, out }).toEqual({ code: 7, out: '200 a b --help\n' });
    const [, url = ''] = /^location-sdk mock gateway listening on (http:\S+)\n$/.exec(err) ?? [];
    // The mock gateway ended with the command.
    await expect(fetch(`${url}/__admin/health`)).rejects.toThrow('fetch failed');
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'passes %s on, waits for the command, and returns its exit code',
    { tags: 'slow' },
    async (signal) => {
      const child = cli.start(
        'mock',
        'run',
        ...node(
          `process.on('${signal}', () => setTimeout(() => process.exit(42), 50)); setInterval(() => {}, 1000); console.log('ready');`,
        ),
      );
      const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [
        string,
      ];
      expect(line).toBe('ready');
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([42, null]);
    },
  );

  test('returns 128 plus the number of the signal that ended the command', { tags: 'slow' }, async () => {
    expect(await cli.run('mock', 'run', ...node("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({ code: 137 });
  });

  test('listens on the given port, and says so if another program has it', async () => {
    const port = String(await freePort());
    const script = 'console.log(process.env.LOCATION_SDK_MOCK)';
    expect(await runCli(['mock', 'run', '--port', port, '--', process.execPath, '-e', `process.exitCode = 7`])).toEqual(
      {
        code: 7,
        out: '',
        err: `location-sdk mock gateway listening on http://127.0.0.1:${port}\n`,
      },
    );
    const other = createServer().listen(Number(port), '127.0.0.1');
    await once(other, 'listening');
    const { code, err } = await runCli(['mock', 'run', '--port', port, '--', process.execPath, '-e', script]);
    other.close();
    expect(code).not.toBe(0);
    expect(err).toContain(`cannot listen on 127.0.0.1:${port}`);
  });

  test('sends the reports of a store that an earlier run began, on another port', { tags: 'slow' }, async () => {
    const file = newFile();
    const script = ['--', process.execPath, 'test/cli/report-and-leave.js'];
    const runs = [];
    for (const bet of ['B-1', 'B-2'])
      runs.push(await cli.run('mock', 'run', '--validation', 'partial', ...script, file, bet));
    expect(runs.map(({ code, out }) => [code, out])).toEqual([
      [0, 'B-1 recorded\n1 waits\n'],
      [0, 'B-1-later B-2 recorded\n1 waits\n'],
    ]);
    expect(new Set(runs.map(({ err }) => /127\.0\.0\.1:\d+/.exec(err)?.[0])).size).toBe(2);

    const real = await runNode(['test/cli/report-and-leave.js', file, 'B-3'], {
      LOCATION_SDK_STAGING_BASE_URL: 'http://127.0.0.1:9',
      LOCATION_SDK_STAGING_API_KEY: 'key',
    });
    expect(real.code).toBe(1);
    expect(real.output).toContain('needs a store of its own');
    const rebind = ['rebind', '--environment', 'staging', '--gateway', 'https://real.example.com', '--reason', 'x'];
    expect(await runCli(['outbox', file, ...rebind])).toMatchObject({
      code: 1,
      err: expect.stringContaining('are those of a mock gateway (LOCATION_SDK_MOCK), which never go to another one'),
    });
  });

  test('says that the command does not exist', async () => {
    const { code, err } = await runCli(['mock', 'run', '--', 'no-such-command-4711', 'x']);
    expect(code).toBe(127);
    expect(err).toContain('location-sdk: cannot start no-such-command-4711 (ENOENT): is it installed, and in PATH?\n');
  });
});

test('the version and the help are printed', async () => {
  expect(await runCli(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  for (const words of [[], ['--help'], ['mock', '--help'], ['mock', 'run', '--help', '--', 'npm']]) {
    const { code, out, err } = await runCli(words);
    expect({ code, err }).toEqual({ code: words.length === 0 ? 2 : 0, err: '' });
    expect(out).toMatch(/^Usage: location-sdk/m);
    expect(out.split('\n').filter((line) => line.length > 120)).toEqual([]);
  }
});

test('a separate process returns the exit code, and prints errors on standard error', async () => {
  expect(await cli.run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  expect(await cli.run('mock', '--bogus')).toEqual({
    code: 2,
    out: '',
    err: 'location-sdk: unknown option --bogus; see --help\n',
  });
});

test.skipIf(!existsSync('/dev/full'))('a full disk below the standard output is named, and ends with 1', async () => {
  const full = await cli.runInto('/dev/full', '--help');
  expect(full).toEqual({
    code: 1,
    err: 'location-sdk: the output could not be written (ENOSPC), and is not complete\n',
  });
  expect(await cli.runInto('/dev/full', 'mock', '--bogus')).toMatchObject({ code: 2 });
});

test('a closed standard output does not change the exit code', { tags: 'slow' }, async () => {
  expect(await cli.runUnread('--help')).toBe(0);
});
