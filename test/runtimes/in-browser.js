// Serves a page with the installed package's script-tag file and a relay, and lets a browser load it. There is no
// driver: the page itself posts the result.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { betUser, withdrawalUser } from './players.js';

const LIMIT_MS = 60_000;
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8' };

/** A page that opens the console may reach it in its window only if it is as closed to others. */
const HEADERS = { 'content-type': TYPES.html, 'cross-origin-opener-policy': 'same-origin' };

/**
 * @typedef {object} Said the data that the page posts to `/done`
 * @property {string[]} [outcomes]
 * @property {string} [agent]
 * @property {string} [problem]
 * @property {unknown} [steps]
 */

/**
 * @typedef {object} Run
 * @property {Said} said
 * @property {number[]} arrivals when each report arrived at the relay
 * @property {readonly { operation: string, reference: string | undefined, body: object }[]} reports the reports of the
 * gateway
 * @property {string} version of the browser
 */

/**
 * Throws a problem that the page reports, and if the browser ends early or the page posts nothing.
 * @param {object} given
 * @param {{ path: string, env: NodeJS.ProcessEnv }} given.executable
 * @param {readonly string[]} given.args of the browser, without the address
 * @param {string} given.project where the package is installed
 * @param {string} given.page
 * @param {string} [given.query]
 * @param {boolean} [given.hasConsole] whether 20 reports that need a person wait at `/console`
 * @returns {Promise<Run>}
 */
export async function runInBrowser({ executable, args, project, page, query = '', hasConsole = false }) {
  const require = createRequire(join(project, 'consumer.cjs'));
  const { createClient } = /** @type {typeof import('location-sdk')} */ (require('location-sdk'));
  const { createMockGateway } = /** @type {typeof import('location-sdk/mock')} */ (require('location-sdk/mock'));
  const { createRelay } = /** @type {typeof import('location-sdk/relay')} */ (require('location-sdk/relay'));
  const { toNodeHandler } = /** @type {typeof import('location-sdk/node')} */ (require('location-sdk/node'));
  const dist = join(project, 'node_modules/location-sdk/dist');

  const gateway = createMockGateway({ location: { required: false } });
  const { location: _location, ...options } = gateway.clientOptions();
  const authorize = (/** @type {unknown} */ _request, /** @type {{ operation: string }} */ { operation }) => ({
    user: operation === 'reportBetEvent' ? betUser : withdrawalUser,
  });
  const client = createClient({ ...options, location: { required: false, ip: { enabled: false } }, logger: {} });
  const relay = toNodeHandler(createRelay({ client, authorize, logger: {} }));

  const operator = hasConsole ? await consoleOf(require, client, gateway) : undefined;

  /** @type {number[]} */
  const arrivals = [];
  /** @type {(said: Said) => void} */
  let done = () => {};
  /** @type {Promise<Said>} */
  const told = new Promise((resolve) => {
    done = resolve;
  });
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname.startsWith('/relay')) {
      arrivals.push(Date.now());
      return relay(request, response);
    }
    if (operator && pathname.startsWith('/console')) return operator.handle(request, response);
    if (pathname === '/done') {
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      response.end();
      return done(JSON.parse(Buffer.concat(pieces).toString('utf8')));
    }
    if (/^\/[\w.-]+\.global\.js$/.test(pathname))
      return response.writeHead(200, { 'content-type': TYPES.js }).end(readFileSync(join(dist, pathname)));
    if (pathname === '/' && search === query) return response.writeHead(200, HEADERS).end(page);
    return response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());

  const child = spawn(executable.path, [...args, `http://127.0.0.1:${address.port}/${query}`], {
    env: { ...executable.env, HOME: project },
    stdio: 'ignore',
    detached: true,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The page posted nothing within ${LIMIT_MS / 1_000} seconds.`)),
        LIMIT_MS,
      );
    });
    const early = ended.then((why) =>
      Promise.reject(new Error(`The browser ended before the page posted anything: ${why}`)),
    );
    /** @type {Said} */
    const said = await Promise.race([told, late, early]);
    if (said.problem) throw new Error(`${said.problem} ${JSON.stringify(said.steps ?? [])}`);
    return {
      said,
      arrivals,
      reports: gateway.reports(),
      version: /(?:Chrome|Firefox|Version)\/([\d.]+)/.exec(said.agent ?? '')?.[1] ?? '?',
    };
  } finally {
    clearTimeout(timer);
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
    await operator?.stop();
  }
}

/**
 * A console over an outbox whose 20 reports the gateway refused once, after which it was mended.
 * @param {NodeJS.Require} require
 * @param {import('location-sdk').Client} client
 * @param {import('location-sdk/mock').MockGateway} gateway
 */
async function consoleOf(require, client, gateway) {
  const { createOutbox } = /** @type {typeof import('location-sdk/outbox')} */ (require('location-sdk/outbox'));
  const { sqliteStore } = /** @type {typeof import('location-sdk/outbox/sqlite')} */ (
    require('location-sdk/outbox/sqlite')
  );
  const { createConsole } = /** @type {typeof import('location-sdk/outbox/console')} */ (
    require('location-sdk/outbox/console')
  );
  const { toNodeHandler } = /** @type {typeof import('location-sdk/node')} */ (require('location-sdk/node'));
  // The folder of the installed package has no SQLite library.
  const store = await sqliteStore({ file: ':memory:', open: (file) => new DatabaseSync(file) });
  const outbox = createOutbox({ client, store, breakerAfter: 1_000_000, retry: { baseMs: 1 } });
  gateway.faults.add({ kind: 'status', status: 422, times: 20 });
  const bets = Array.from({ length: 20 }, (_, index) => ({ bet_id: `BET-${index}`, amount: 1500, user: betUser }));
  await outbox.reportAll(bets.map((payload) => ({ operation: /** @type {const} */ ('reportBetEvent'), payload })));
  await outbox.drain();
  outbox.start();
  const handle = toNodeHandler(createConsole({ outbox, authorize: () => ({ name: 'ada', mayAct: true }), logger: {} }));
  return { handle, stop: () => outbox.stop() };
}
