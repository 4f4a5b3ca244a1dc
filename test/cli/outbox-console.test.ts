import { type IncomingHttpHeaders, request } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sqliteStore } from '../../src/entries/outbox-sqlite.js';
import { outboxWorld } from '../outbox/world.js';
import { runCli, startCli } from '../support/cli-in-process.js';
import { betEvent } from '../support/factories.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder('cli-console');
const file = join(folder, 'reports.db');

beforeAll(async () => {
  const store = await sqliteStore({ file });
  const { outbox } = outboxWorld({ store });
  await outbox.reportBetEvent(betEvent({ bet_id: 'BET-1' }));
  await store.close?.();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request with any header, including headers that `fetch` sets itself. */
function ask(address: URL, path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body);
    const all = {
      host: address.host,
      ...(text && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...headers,
    };
    const asked = request(
      { host: '127.0.0.1', port: address.port, path, method: body ? 'POST' : 'GET', headers: all, agent: false },
      (answer) => {
        const pieces: Buffer[] = [];
        answer
          .on('data', (piece) => pieces.push(piece))
          .on('end', () =>
            resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString() }),
          );
      },
    );
    asked.on('error', reject).end(text);
  });
}

/** A console for one test, with the requests of its page. */
async function started(...words: string[]) {
  const console = await startCli(['outbox', file, 'console', ...words]);
  const address = new URL(console.url);
  const own = { origin: address.origin, 'x-location-sdk': '1' };
  const enter = (token: string, headers: Record<string, string> = own) => ask(address, '/enter', headers, { token });
  const logIn = async () => String((await enter(address.hash.slice(1))).headers['set-cookie']).split(';')[0] ?? '';
  const call = (name: string, cookie: string, body: object = {}, more: Record<string, string> = {}) =>
    ask(address, `/api/${name}`, { ...own, cookie, ...more }, body);
  return { ...console, address, token: address.hash.slice(1), own, enter, logIn, call };
}

describe('the console of the command line', () => {
  test('prints an address on loopback that lets one browser in, and ends at a signal', async () => {
    const { address, token, enter, end, call, written } = await started();
    expect(address.hostname).toBe('127.0.0.1');
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await ask(address, '/')).status).toBe(401);
    expect((await ask(address, '/enter')).text).not.toContain(token);
    const { status, headers } = await enter(token);
    expect(status).toBe(200);
    expect(String(headers['set-cookie'])).toMatch(
      /^location-sdk-console-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
    expect((await ask(address, '/', { cookie })).text).toContain('<title>Outbox</title>');
    expect(JSON.parse((await call('overview', cookie)).text).states).toMatchObject({ waiting: 1 });
    expect(JSON.parse((await call('session', cookie)).text)).toMatchObject({ name: userInfo().username, mayAct: true });
    // A second browser is refused, and the token is not written again.
    expect((await enter(token)).status).toBe(401);
    expect(written().split(token)).toHaveLength(2);
    expect(await end()).toBe(0);
    await expect(ask(address, '/')).rejects.toThrow('ECONNREFUSED');
  });

  test('refuses a request without the complete token, from another page, or with another host name', async () => {
    const { address, token, own, enter, logIn, end } = await started();
    expect((await enter('')).status).toBe(401);
    expect((await enter(token.slice(1))).status).toBe(401);
    expect((await enter(token, { ...own, origin: 'https://evil.example' })).status).toBe(403);
    expect((await enter(token, { 'x-location-sdk': '1' })).status).toBe(403);
    expect((await enter(token, { origin: address.origin })).status).toBe(403);
    expect((await enter(token, { ...own, host: 'evil.example', origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask(address, `/enter?${token}`)).status).toBe(404);
    // The token is still valid after these requests.
    const cookie = await logIn();
    expect((await ask(address, '/', { cookie })).status).toBe(200);
    expect((await ask(address, '/', { cookie, host: `evil.example:${address.port}` })).status).toBe(403);
    expect((await ask(address, '/', { cookie: cookie.slice(0, -1) })).status).toBe(401);
    await end();
  });

  test('decides, except with --read-only', async () => {
    const selection = { ids: ['default:staging:reportBetEvent:BET-1'] };
    const decide = { decision: crypto.randomUUID(), action: 'retry', selection, reason: 'now' };
    const only = await started('--read-only');
    const refused = await only.logIn();
    const { token } = JSON.parse((await only.call('session', refused)).text);
    expect(JSON.parse((await only.call('decide', refused, decide, { 'x-console-token': token })).text).error.code).toBe(
      'read-only',
    );
    await only.end();

    const acting = await started();
    const cookie = await acting.logIn();
    const session = JSON.parse((await acting.call('session', cookie)).text);
    const done = await acting.call('decide', cookie, decide, { 'x-console-token': session.token });
    expect(JSON.parse(done.text)).toMatchObject({ decision: { touched: 1, who: userInfo().username } });
    await acting.end();
  });

  test.each([
    [['--port', '70000'], /--port must be a whole number/],
    [['--limit', '5'], /--limit does not go with console/],
  ])('refuses %j', async (words, message) => {
    const { code, err } = await runCli(['outbox', file, 'console', ...words]);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
