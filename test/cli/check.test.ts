import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMockGateway, type FaultRule, type MockGatewayOptions } from '../../src/entries/mock.js';
import { serve } from '../../src/entries/node.js';
import { type BuiltCli, buildCli } from '../support/built-cli.js';
import { certificateKey, expired, forElsewhere, selfSigned } from '../support/certificates.js';
import { runCli } from '../support/cli-in-process.js';
import { newFolder } from '../support/new-folder.js';

vi.setConfig({ testTimeout: 60_000 });

const KEY = 'sk-canary-5f2e91c7';
let cli: BuiltCli;
const folder = newFolder('check');
const open: (() => Promise<unknown> | unknown)[] = [];

beforeAll(async () => {
  cli = await buildCli();
}, 60_000);

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

afterAll(() => cli.remove());

async function mock(options: MockGatewayOptions = {}, ...faults: FaultRule[]) {
  const gateway = createMockGateway({ apiKey: KEY, ...options });
  for (const fault of faults) gateway.faults.add(fault);
  const server = await serve(gateway);
  open.push(() => server.close());
  return { gateway, url: server.url };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

const answering = async (listener: RequestListener) => {
  const server = createServer(listener);
  const port = await listen(server);
  open.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${port}`;
};

const staging = (url: string, more: Record<string, string> = {}) => ({
  LOCATION_SDK_STAGING_BASE_URL: url,
  LOCATION_SDK_STAGING_API_KEY: KEY,
  ...more,
});

const expectNoKey = <Ended extends { out: string; err: string }>(ended: Ended): Ended => {
  expect(ended.out + ended.err).not.toContain(KEY.slice(3));
  return ended;
};

/** The command in its own process, for behaviour that only a process shows. */
const checkAlone = async (variables: Record<string, string>, ...words: string[]) =>
  expectNoKey(await cli.runWith(variables, 'check', ...words));

/** The command in this process, with its output. */
async function check(variables: Record<string, string>, ...words: string[]) {
  for (const name of Object.keys(process.env)) if (/^LOCATION_SDK_|_proxy$/i.test(name)) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  try {
    return expectNoKey(await runCli(['check', ...words]));
  } finally {
    vi.unstubAllEnvs();
  }
}

/** A file with client options. */
function optionsFile(code: string): string {
  const file = join(mkdtempSync(join(folder, 'options-')), 'options.mjs');
  writeFileSync(file, `export default ${code};`);
  return file;
}

/** The lines that failed. */
const failed = (out: string) => out.split('\n').filter((line) => line.startsWith('  FAIL'));

describe('a gateway as specified', () => {
  test('passes every check, and gets the four steps under one new reference each time', async () => {
    const { gateway, url } = await mock();
    const { code, out, err } = await checkAlone(staging(url));
    expect({ code, err, failed: failed(out) }).toEqual({ code: 0, err: '', failed: [] });
    expect(out).toMatch(/ 4 reportSettledWithdrawal: recorded: HTTP 200, "Withdrawal settled successfully"/);
    expect(out).toMatch(/reportSettledBet, the same data: is recognised as a duplicate: HTTP 409/);
    expect(out).toMatch(/reportSettledBet, other data: is recognised as a conflict: HTTP 409/);
    expect(out).toMatch(/reportSettledWithdrawal without its initiated event: is refused: HTTP 404/);
    expect(gateway.reports().map(({ operation }) => operation)).toEqual([
      'reportBetEvent',
      'reportSettledBet',
      'reportWithdrawalEvent',
      'reportSettledWithdrawal',
    ]);
    await check(staging(url));
    expect(new Set(gateway.reports().map(({ reference }) => reference)).size).toBe(2);
  });

  test('is described in a report that contains every answer, every assumption and no key', async () => {
    const { gateway, url } = await mock();
    const file = join(folder, 'report.md');
    expect((await check(staging(url), '--report', file)).code).toBe(0);
    const report = readFileSync(file, 'utf8');
    expect(report).not.toContain(KEY.slice(3));
    expect(report).toMatch(/^- Result: \d+ ok/m);
    expect(report).toContain('\n\nThe reports were made up. This document contains no API key');
    expect(report).toContain(gateway.reports()[0]?.reference);
    expect(report).toMatch(/^\| confirmed \| the status of a duplicate report \|.*409.*`isDuplicate` \|$/m);
    // The other values are still unknown: the authority is asked for these rows.
    expect(report).toMatch(/^\| one value taken \| how `win_amount`/m);
    expect(report).toMatch(/^\| one value taken \| the values of `outcome`/m);
    expect(report).toMatch(/^\| not seen \| whether `Retry-After` is sent \|/m);
    const [, answers = ''] = report.split('## Answers of the gateway');
    expect(answers.match(/^\| /gm)).toHaveLength(gateway.requests().length + 2);
    // An identity is never shown, even if it is made up.
    expect(report).toContain('"firstName":"\\[masked\\]"');
    expect(report.match(/"(?:firstName|dateOfBirth|phone1)":(?!"\\\[masked)/g)).toBe(null);
  });

  test('is described in JSON', async () => {
    const { url } = await mock();
    const { code, out } = await check(staging(url), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      environment: 'staging',
      baseUrl: url,
      ok: true,
      tally: { fail: 0 },
      latency: { answers: 19 },
    });
    expect(JSON.parse(out).assumptions).toContainEqual(
      expect.objectContaining({ id: 'duplicate', verdict: 'confirmed' }),
    );
  });

  test('passes in mock mode, with a warning that it is a mock gateway', async () => {
    const { url } = await mock({ apiKey: 'mock-api-key' });
    const { code, out } = await check({ LOCATION_SDK_MOCK: url });
    expect(code).toBe(0);
    expect(out).toMatch(/warn {2}mock mode: LOCATION_SDK_MOCK leads to http/);
  });

  test('in production gets no advice to use mock mode', async () => {
    const { code, out } = await check({}, '--environment', 'production');
    expect(code).toBe(1);
    expect(out).toContain('set the variables');
    expect(out).not.toContain('LOCATION_SDK_MOCK');
    expect((await check({})).out).toContain('LOCATION_SDK_MOCK=http://127.0.0.1:4010');
  });

  test('never asks production in mock mode, and says why', async () => {
    const { gateway, url } = await mock({ apiKey: 'mock-api-key' });
    const production = {
      LOCATION_SDK_MOCK: url,
      LOCATION_SDK_PRODUCTION_BASE_URL: `${url}/production`,
      LOCATION_SDK_PRODUCTION_API_KEY: 'mock-api-key',
    };
    const { code, out } = await check(production, '--environment', 'production');
    expect(code).toBe(1);
    expect(out).toContain('LOCATION_SDK_MOCK is set, and while it is, nothing goes to production');
    expect(out).not.toContain('set the variables');
    expect(gateway.requests()).toEqual([]);
  });

  test('may ask to slow down', { tags: 'slow' }, async () => {
    const { url } = await mock({ rateLimit: { requests: 8, perMs: 2_000 } });
    const { code, out } = await check(staging(url), '--json');
    expect({ code, failed: failed(out) }).toEqual({ code: 0, failed: [] });
    expect(JSON.parse(out).assumptions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'rate', verdict: 'differs' }),
        expect.objectContaining({ id: 'retryAfter', verdict: 'confirmed', seen: expect.stringContaining('HTTP 429') }),
      ]),
    );
  });
});

describe('production', () => {
  const production = (url: string) => ({
    LOCATION_SDK_PRODUCTION_BASE_URL: `${url}/production`,
    LOCATION_SDK_PRODUCTION_API_KEY: KEY,
  });

  test('gets no request that records a report or looks a person up', async () => {
    const { gateway, url } = await mock();
    const file = join(folder, 'production.md');
    const { code, out } = await check(production(url), '--environment', 'production', '--report', file);
    expect(code).toBe(0);
    expect(out).toMatch(/skip {2}steps and repeats: never in production: .*cannot be taken back/);
    expect(out).toMatch(/ok {4}your key: is accepted/);
    expect(gateway.reports('production')).toEqual([]);
    expect(readFileSync(file, 'utf8')).toContain('\n\nThe check recorded nothing. This document contains no API key');
    expect(gateway.requests().map(({ operation, status }) => [operation, status])).toEqual([
      ['verifyNin', 401],
      ['verifyNin', 401],
      ['verifyNin', 400],
    ]);
  });

  test('behind the address for staging is noticed before a report is made', async () => {
    const { gateway, url } = await mock();
    const { code, out } = await check(staging(`${url}/production`));
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL {2}a number that starts with 99: success is false/);
    expect(out).toMatch(/does not answer as staging does, so no made-up report is sent/);
    expect(gateway.reports('production')).toEqual([]);
    await check(staging(`${url}/production`), '--trust-environment');
    expect(gateway.reports('production')).toHaveLength(4);
  });

  test('with the same address as staging is noticed before a report is made', async () => {
    const { gateway, url } = await mock();
    const { code, out } = await check(
      staging(url, { LOCATION_SDK_PRODUCTION_BASE_URL: url, LOCATION_SDK_PRODUCTION_API_KEY: KEY }),
    );
    expect(code).toBe(1);
    expect(out).toMatch(/staging and production have the same address/);
    expect(gateway.reports()).toEqual([]);
  });

  test('with the same address as staging also fails in a check of production', async () => {
    const { url } = await mock();
    const both = { ...production(url), ...staging(`${url}/production`) };
    const { code, out } = await check(both, '--environment', 'production');
    expect(code).toBe(1);
    expect(failed(out)).toEqual([
      expect.stringMatching(/FAIL {2}steps and repeats: staging and production have the same address.*/),
    ]);
    expect(out).toContain('-> give each its own base address');
  });
});

describe('wrong settings', () => {
  test('are named before any request', async () => {
    const { code, out } = await check({});
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(/LOCATION_SDK_STAGING_BASE_URL.*LOCATION_SDK_STAGING_API_KEY/)]);
    expect(out).toMatch(/-> set the variables, or give a file with client options/);
  });

  test.each([
    [
      'an address with a key in it',
      { LOCATION_SDK_STAGING_BASE_URL: 'https://gateway.example.com/?key=1' },
      /baseUrl: contains a user name, a password, a query/,
    ],
    [
      'an address without TLS',
      { LOCATION_SDK_STAGING_BASE_URL: 'http://gateway.example.com' },
      /must begin with https:\/\//,
    ],
    ['a key with a line end', { LOCATION_SDK_STAGING_API_KEY: `${KEY}\n` }, /apiKey: contains a space, a line end/],
    ['certificates that are not checked', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /NODE_TLS_REJECT_UNAUTHORIZED: is 0/],
  ])('%s', async (_, variables, line) => {
    const { code, out } = await check(staging('https://gateway.example.com', variables));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(line)]);
  });

  test('a key function that throws', async () => {
    const { url } = await mock();
    const file = optionsFile(
      `{ gateways: { staging: { baseUrl: '${url}', apiKey: () => { throw new Error('${KEY}'); } } } }`,
    );
    const { code, out } = await checkAlone({}, '--options', file);
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(/your key: the function apiKey threw an error/)]);
  });
});

describe('an address that does not answer', () => {
  test('a name that does not resolve', async () => {
    const { code, out } = await check(staging('https://gateway.invalid'));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([
      expect.stringMatching(/without a key: could not connect to gateway\.invalid \((?:ENOTFOUND|EAI_AGAIN)\)/),
    ]);
    expect(out).toContain(
      'skip  The key, The four steps with made-up data, Test numbers, Repeats of recorded reports: not tested',
    );
  });

  test('a port that refuses', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    const { code, out } = await check(staging(`http://127.0.0.1:${port}`));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringContaining(`could not connect to 127.0.0.1:${port} (ECONNREFUSED)`)]);
  });

  test('a port that refuses while a proxy is set but not used', async () => {
    const { out } = await check(
      staging('http://127.0.0.1:9', { HTTPS_PROXY: 'http://user:secret-canary@proxy.example.com' }),
    );
    expect(out).toMatch(/-> HTTPS_PROXY is set, which Node\.js's fetch does not use by itself/);
    expect(out).not.toContain('secret-canary');
  });

  test('a port without TLS', async () => {
    const { url } = await mock();
    const { code, out } = await check(staging(url.replace('http:', 'https:')));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([
      expect.stringMatching(/\(ERR_SSL_WRONG_VERSION_NUMBER\); is it an http:\/\/ address\?/),
    ]);
  });

  test('a port that is open and silent times out', async () => {
    const port = await listen(
      createTcpServer((socket) => void open.unshift(() => socket.on('error', () => undefined).destroy())),
    );
    const { code, out } = await check(staging(`http://127.0.0.1:${port}`), '--timeout', '700ms');
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(/the time limit for all checks is over/)]);
  });

  test.each([
    ['the key', 'verifyNin', /your key: no complete answer within 0\.3 s/],
    ['a step', 'reportWithdrawalEvent', /3 reportWithdrawalEvent: .*No answer from /],
  ] as const)('a gateway that hangs at %s times out', async (_, operation, line) => {
    const { url } = await mock({}, { kind: 'hang', operation, times: null });
    const { code, out } = await check(staging(url), '--options', optionsFile('{ attemptTimeoutMs: 300 }'));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(line)]);
  });
});

describe('certificates', () => {
  async function secure(cert: string) {
    const gateway = createMockGateway({ apiKey: KEY });
    const { url, close } = await serve(gateway);
    open.push(close);
    // Forwards everything to the mock gateway.
    const server = createTlsServer({ key: certificateKey, cert }, async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const { host, connection, 'content-length': length, ...headers } = request.headers as Record<string, string>;
      const answer = await fetch(url + request.url, {
        method: request.method ?? 'POST',
        headers,
        body: Buffer.concat(pieces),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    server.on('tlsClientError', () => undefined);
    const port = await listen(server);
    open.push(() => server.closeAllConnections());
    const file = join(mkdtempSync(join(folder, 'certificate-')), 'authority.pem');
    writeFileSync(file, cert);
    return { url: `https://localhost:${port}`, trusted: { NODE_EXTRA_CA_CERTS: file } };
  }

  test('one that is self-signed is refused, with advice how to trust it', async () => {
    const { url } = await secure(selfSigned);
    const { code, out } = await check(staging(url));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([
      expect.stringMatching(/the certificate was refused \(DEPTH_ZERO_SELF_SIGNED_CERT\); .*NODE_EXTRA_CA_CERTS=/),
    ]);
  });

  test('one that is trusted passes, with its remaining days', { tags: 'slow' }, async () => {
    const { url, trusted } = await secure(selfSigned);
    const { code, out } = await checkAlone(staging(url, trusted));
    expect({ code, failed: failed(out) }).toEqual({ code: 0, failed: [] });
    expect(out).toMatch(/ok {4}certificate: is valid for \d{5} more days/);
  });

  test.each([
    ['one that has expired', expired, /CERT_HAS_EXPIRED\); check this machine's clock/],
    ['one for another name', forElsewhere, /ERR_TLS_CERT_ALTNAME_INVALID\); the certificate is for another name/],
  ])('%s is refused', { tags: 'slow' }, async (_, certificate, line) => {
    const { url, trusted } = await secure(certificate);
    const { code, out } = await checkAlone(staging(url, trusted));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(line)]);
  });
});

describe('a server that is not the gateway gets no key', () => {
  test.each<[string, RequestListener, RegExp]>([
    [
      'a captive portal',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Log in'),
      /HTTP 200, an HTML page/,
    ],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'https://elsewhere.example.com/' }).end(),
      /HTTP 302, empty/,
    ],
    ['a server that fails', (_, response) => response.writeHead(500).end('oops'), /HTTP 500, not JSON/],
    [
      'a server without these paths',
      (_, response) => response.writeHead(404).end('{"message":"no"}'),
      /known path, without a key: HTTP 404, "no"/,
    ],
    ['a server that is open to anyone', (_, response) => response.writeHead(200).end('{}'), /without a key: HTTP 200/],
    [
      'half an answer',
      (_, response) => void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      /connection broke/,
    ],
  ])('%s', async (_, listener, line) => {
    const keys: unknown[] = [];
    const url = await answering((request, response) => {
      keys.push(request.headers['x-api-key']);
      request.resume();
      listener(request, response);
    });
    const { code, out } = await check(staging(url));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(line)]);
    expect(keys.filter((key) => key !== undefined)).toEqual([]);
  });

  test('a base address with a wrong path', async () => {
    const { url } = await mock();
    const { code, out } = await check(staging(`${url}/api`));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(/a known path, without a key: HTTP 404/)]);
    expect(out).toMatch(/-> is the base address right\?/);
  });
});

describe('a gateway with a problem', () => {
  test('a key that it refuses', async () => {
    const { url } = await mock({ apiKey: 'another' });
    const { code, out } = await check(staging(url));
    expect(code).toBe(1);
    expect(failed(out)).toEqual(['  FAIL  your key: is refused: HTTP 401, "API key is invalid"']);
    expect(out).toMatch(/is it the key of staging\?/);
  });

  test('an answer that repeats the key is shown without it', async () => {
    const body = { message: `unknown key ${KEY}`, [KEY]: KEY };
    const { url } = await mock({}, { kind: 'status', status: 401, operation: 'verifyNin', times: null, body });
    const file = join(folder, 'echo.md');
    const { code } = await check(staging(url), '--report', file);
    expect(code).toBe(1);
    expect(readFileSync(file, 'utf8')).toContain('unknown key \\[masked\\]');
    expect(readFileSync(file, 'utf8')).not.toContain(KEY.slice(3));
  });

  test('a gateway that fails', async () => {
    const { url } = await mock({}, { kind: 'status', status: 500, times: null });
    const { code, out } = await check(staging(url));
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(/your key: HTTP 500/)]);
  });

  test('other paths for initiated events, with the option to set', async () => {
    const { url } = await mock({}, { kind: 'status', status: 404, operation: 'reportBetEvent', times: null });
    const { code, out } = await check(staging(url), '--json');
    const { lines, assumptions } = JSON.parse(out);
    expect(code).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({
        name: '1 reportBetEvent',
        status: 'fail',
        advice: expect.stringContaining('paths.reportBetEvent'),
      }),
    );
    expect(assumptions).toContainEqual(expect.objectContaining({ id: 'paths', verdict: 'differs' }));
  });

  test('bets that it refuses, while it accepts withdrawals', async () => {
    const { gateway, url } = await mock(
      {},
      { kind: 'status', status: 422, operation: 'reportBetEvent', times: null, body: { message: 'stake is required' } },
    );
    const { code, out } = await check(staging(url), '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out).assumptions).toContainEqual(
      expect.objectContaining({
        id: 'bet',
        verdict: 'differs',
        seen: 'HTTP 422, "stake is required"',
        option: 'validation',
      }),
    );
    expect(JSON.parse(out).lines).toContainEqual(
      expect.objectContaining({ name: '2 reportSettledBet', status: 'skip', text: 'reportBetEvent was not recorded' }),
    );
    expect(gateway.reports().map(({ operation }) => operation)).toEqual([
      'reportWithdrawalEvent',
      'reportSettledWithdrawal',
    ]);
  });

  test('settled reports that it accepts without their initiated events are a warning', async () => {
    const { url } = await mock({ requireInitiated: false });
    const { code, out } = await check(staging(url));
    expect(code).toBe(0);
    expect(out).toMatch(/warn {2}reportSettledBet without its initiated event: is recorded: HTTP 200/);
  });

  test('a duplicate with another status is recognised by its message', async () => {
    const { url } = await mock({ duplicateStatus: 422 });
    const { code, out } = await check(staging(url));
    expect({ code, failed: failed(out) }).toEqual({ code: 0, failed: [] });
    expect(out).toMatch(/the same data: is recognised as a duplicate: HTTP 422/);
  });

  test('a duplicate that is not recognised, with the option to set', async () => {
    const { url } = await mock({ duplicateStatus: 403 });
    const { code, out } = await check(staging(url));
    expect(code).toBe(1);
    expect(failed(out)).toHaveLength(4);
    expect(failed(out)[0]).toMatch(/the same data: is not recognised as a duplicate: HTTP 403/);
    const file = optionsFile(
      "{ isDuplicate: ({ status, body }) => status === 403 && (/different/.test(body?.message) ? 'conflict' : 'same') }",
    );
    expect((await check(staging(url), '--options', file)).code).toBe(0);
  });

  test('a gateway that accepts every repeat', async () => {
    const url = await answering((request, response) => {
      request.resume();
      const status = request.headers['x-api-key'] === KEY ? 200 : 401;
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(status === 401 ? { error: 'Unauthorized' } : { success: true }));
    });
    const { code, out } = await check(staging(url), '--trust-environment');
    expect(code).toBe(1);
    expect(failed(out).filter((line) => line.includes('the same data: is recorded again'))).toHaveLength(4);
    expect(failed(out).filter((line) => line.includes('other data: is recorded'))).toHaveLength(4);
  });

  test('a clock that differs from this one', async () => {
    const url = await answering((_, response) =>
      response.writeHead(404, { date: new Date(Date.now() - 300_000).toUTCString() }).end('{}'),
    );
    const { out } = await check(staging(url));
    expect(failed(out)).toContainEqual(
      expect.stringMatching(/clock: this machine is (?:299|300|301) s ahead of the gateway/),
    );
  });
});

describe('a wrong call ends with one line and exit code 2', () => {
  test.each([
    ['--environment prod', /--environment must be staging or production/],
    ['now', /unexpected word 'now'/],
    ['--report /nowhere/at/all.md', /--report .*its folder cannot be written to \(ENOENT\)/],
    ['--options /nowhere/options.mjs', /--options .* cannot be loaded \(ERR_MODULE_NOT_FOUND\)/],
  ])('%s', async (words, line) => {
    const { code, out, err } = await check({}, ...words.split(' '));
    expect({ code, out, lines: err.split('\n').length }).toEqual({ code: 2, out: '', lines: 2 });
    expect(err).toMatch(line);
    expect(existsSync('/nowhere')).toBe(false);
  });

  test('options that Node.js cannot run', { tags: 'slow' }, async () => {
    const { code, out, err } = await checkAlone({}, '--options', join(import.meta.dirname, '../support/run.ts'));
    expect({ code, out, lines: err.split('\n').length }).toEqual({ code: 2, out: '', lines: 2 });
    expect(err).toMatch(/--options/);
  });

  test('options without a default export', async () => {
    const file = join(folder, 'none.mjs');
    writeFileSync(file, 'export const options = {};');
    expect(await check({}, '--options', file)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/exports no object of client options as default/),
    });
  });

  test('options that throw, since the error may contain the key', async () => {
    const file = join(folder, 'throws.mjs');
    writeFileSync(file, `throw new Error('${KEY}')`);
    expect(await check({}, '--options', file)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/cannot be loaded \(Error\)/),
    });
  });

  test('an option that the client does not know is a failed check', async () => {
    const { code, out } = await check(
      staging('https://gateway.example.com'),
      '--options',
      optionsFile('{ isDuplicat: () => false }'),
    );
    expect(code).toBe(1);
    expect(failed(out)).toEqual([expect.stringMatching(/isDuplicat/)]);
  });
});
