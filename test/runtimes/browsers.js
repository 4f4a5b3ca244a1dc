// Tries the installed package's script-tag file in real browsers. They need no driver: the page itself says what came of it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { EXPECTED, page } from './browser-page.js';
import { betUser, withdrawalUser } from './players.js';

const LIMIT_MS = 60_000;
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8' };

/** Stands for the services that tell Firefox where it is, and answers its question to the player. */
const FIREFOX_PREFERENCES = {
  'geo.provider.network.url': 'data:application/json,{"location":{"lat":6.4474,"lng":7.5139},"accuracy":20.0}',
  'geo.provider.use_geoclue': false,
  'geo.prompt.testing': true,
  'geo.prompt.testing.allow': true,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.aboutwelcome.enabled': false,
};

/**
 * @typedef {object} Browser
 * @property {string} name
 * @property {boolean} needed whether this fails where it is not installed
 * @property {string} missing what to do then
 * @property {() => Promise<{ path: string, env: NodeJS.ProcessEnv } | undefined>} find
 * @property {(profile: string) => string[]} prepare makes a profile, and gives the arguments
 * @property {string} query how the page is asked for: with a location given, or not
 */

/** @type {readonly Browser[]} */
export const BROWSERS = [
  {
    name: 'Chromium',
    needed: true,
    missing: 'Run "npm ci", or set CHROMIUM_PATH to the file of a Chromium.',
    find: testedChromium,
    prepare: (profile) => ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', `--user-data-dir=${profile}`],
    query: '?given',
  },
  {
    name: 'Firefox',
    needed: false,
    missing: 'Debian has it as firefox-esr ("apt-get install firefox-esr"); FIREFOX_PATH names another.',
    find: async () => {
      const { FIREFOX_PATH } = process.env;
      const found = [FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => path && existsSync(path));
      return found ? { path: found, env: process.env } : undefined;
    },
    prepare: (profile) => {
      mkdirSync(profile, { recursive: true });
      const lines = Object.entries(FIREFOX_PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
      writeFileSync(join(profile, 'user.js'), lines.join(''));
      return ['--headless', '--no-remote', '--profile', profile];
    },
    // Its own geolocation is asked.
    query: '',
  },
];

/** The one that the browser tests use: from npm, unless CHROMIUM_PATH names another. */
async function testedChromium() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const outfile = join(root, 'node_modules/.cache/find-chromium.mjs');
  await build({ entryPoints: [join(root, 'test/browser/find-chromium.ts')], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' });
  process.chdir(root);
  const { findChromium } = await import(pathToFileURL(outfile).href);
  return findChromium();
}

/**
 * Serves the page beside a relay, lets a browser load it, and throws an error that holds what was wrong. Gives the browser's version.
 * @param {Browser} browser @param {{ path: string, env: NodeJS.ProcessEnv }} executable @param {string} project
 */
export async function tryBrowser(browser, { path, env }, project) {
  const require = createRequire(join(project, 'consumer.cjs'));
  const { createClient } = /** @type {typeof import('location-sdk')} */ (require('location-sdk'));
  const { createMockGateway } = /** @type {typeof import('location-sdk/mock')} */ (require('location-sdk/mock'));
  const { createRelay } = /** @type {typeof import('location-sdk/relay')} */ (require('location-sdk/relay'));
  const { toNodeHandler } = /** @type {typeof import('location-sdk/relay/node')} */ (require('location-sdk/relay/node'));
  const script = readFileSync(join(project, 'node_modules/location-sdk/dist/location-sdk.global.js'));

  const gateway = createMockGateway();
  const { location: _location, ...options } = gateway.clientOptions();
  const authorize = (/** @type {unknown} */ _request, /** @type {{ operation: string }} */ { operation }) => ({
    user: operation === 'reportBetEvent' ? betUser : withdrawalUser,
  });
  const relay = toNodeHandler(createRelay({ client: createClient({ ...options, logger: {} }), authorize, logger: {} }));

  /** @type {(said: { outcomes?: string[], agent?: string, problem?: string, steps?: unknown }) => void} */
  let done = () => {};
  const told = new Promise((resolve) => {
    done = resolve;
  });
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/relay')) return relay(request, response);
    if (request.url === '/done') {
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      response.end();
      return done(JSON.parse(Buffer.concat(pieces).toString('utf8')));
    }
    if (request.url === '/location-sdk.global.js') return response.writeHead(200, { 'content-type': TYPES.js }).end(script);
    if (request.url === `/${browser.query}`) return response.writeHead(200, { 'content-type': TYPES.html }).end(page);
    return response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());

  const profile = join(project, `.${browser.name}`);
  const child = spawn(path, [...browser.prepare(profile), `http://127.0.0.1:${address.port}/${browser.query}`], {
    env: { ...env, HOME: project },
    stdio: 'ignore',
    detached: true,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The page said nothing within ${LIMIT_MS / 1_000} seconds.`)), LIMIT_MS);
    });
    const early = ended.then((why) => Promise.reject(new Error(`The browser ended before the page said anything: ${why}`)));
    const { outcomes, agent = '', problem, steps } = await Promise.race([told, late, early]);
    if (problem) throw new Error(`${problem} ${JSON.stringify(steps ?? [])}`);
    const wrong = [];
    if (String(outcomes) !== String(EXPECTED)) wrong.push(`the page was told ${outcomes}, not ${EXPECTED}`);
    const held = gateway.reports().map(({ operation, body }) => `${operation} ${JSON.stringify(Reflect.get(body, 'location'))}`);
    const where = held.filter((text) => text.includes('6.4474') && text.includes('"source":"gps"'));
    if (held.length !== 2 || where.length !== 2) wrong.push(`the gateway holds ${held.join(', ') || 'nothing'}`);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return /(?:Chrome|Firefox)\/([\d.]+)/.exec(agent)?.[1] ?? '?';
  } finally {
    clearTimeout(timer);
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
  }
}
