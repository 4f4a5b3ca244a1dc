// Tests the installed package's script-tag file in real browsers: a report with a location, and a prompt that the
// player leaves open.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testedChromium } from '../support/tested-chromium.js';
import { EXPECTED, page } from './browser-page.js';
import { consolePage, judgeConsole } from './console-page.js';
import { programIn } from './debian.js';
import { runInBrowser } from './in-browser.js';
import { findOldChromium, judgeOldBrowser, oldBrowserPage } from './old-chromium.js';
import { judgeOpenPrompt, openPromptPage } from './open-prompt.js';

/** Replaces the services that tell Firefox its position. */
const FIREFOX_PREFERENCES = {
  'geo.provider.network.url': 'data:application/json,{"location":{"lat":6.4474,"lng":7.5139},"accuracy":20.0}',
  'geo.provider.use_geoclue': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'browser.aboutwelcome.enabled': false,
};

/** Answers Firefox's prompt. */
export const ALLOWED = { 'geo.prompt.testing': true, 'geo.prompt.testing.allow': true };

/** @typedef {import('./in-browser.js').Run} Run */

/**
 * @typedef {object} Browser
 * @property {string} name
 * @property {string} missing how to install it; a missing browser of Debian is not a failure
 * @property {boolean} needed
 * @property {boolean} headed whether it needs a display
 * @property {() => Promise<{ path: string, env: NodeJS.ProcessEnv } | undefined>} find
 * @property {(profile: string) => string[]} prepare makes a profile, and returns the arguments
 * @property {string} page
 * @property {boolean} [hasConsole] whether the operator's console is there
 * @property {string} [query] the query of the page: with a location given, or not
 * @property {(run: Run) => string[]} judge the problems, in words
 */

const CHROMIUM = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

/** @param {string} profile @param {object} preferences */
export function firefoxProfile(profile, preferences) {
  mkdirSync(profile, { recursive: true });
  const lines = Object.entries({ ...FIREFOX_PREFERENCES, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  return ['--no-remote', '--profile', profile];
}

/** A browser of Debian. @param {import('./debian.js').DebianPackage} name */
const fromDebian = (name) => ({
  needed: false,
  missing: `Debian has it ("apt-get install ${name}").`,
  find: async () => {
    const path = programIn(name);
    return path ? { path, env: process.env } : undefined;
  },
});

const REPORT = { page, judge: judgeReports };
const CONSOLE = { page: consolePage, judge: judgeConsole, headed: false, hasConsole: true };
const OPEN_PROMPT = { page: openPromptPage, judge: judgeOpenPrompt, headed: true };

/** @param {number} major @returns {Browser} */
const oldChromium = (major) => ({
  name: `Chromium ${major}`,
  needed: true,
  missing: 'npm left it out: this is not linux x64 with glibc, or the registry did not give it.',
  headed: false,
  find: async () => findOldChromium(`chromium-${major}`, (await testedChromium()).env),
  prepare: (profile) => ['--headless', '--remote-debugging-port=0', ...CHROMIUM, `--user-data-dir=${profile}`],
  page: oldBrowserPage,
  judge: judgeOldBrowser,
});

/** @type {readonly Browser[]} */
export const BROWSERS = [
  {
    name: 'Chromium',
    needed: true,
    missing: 'Run "npm ci", or set CHROMIUM_PATH to the file of a Chromium.',
    headed: false,
    find: testedChromium,
    prepare: (profile) => ['--headless', ...CHROMIUM, `--user-data-dir=${profile}`],
    ...REPORT,
    query: '?given',
  },
  oldChromium(83),
  oldChromium(90),
  {
    name: 'Firefox',
    ...fromDebian('firefox-esr'),
    headed: false,
    prepare: (profile) => ['--headless', ...firefoxProfile(profile, ALLOWED)],
    // Its own geolocation is used.
    ...REPORT,
  },
  {
    name: 'Firefox, the console',
    ...fromDebian('firefox-esr'),
    prepare: (profile) => ['--headless', ...firefoxProfile(profile, { 'dom.disable_open_during_load': false })],
    ...CONSOLE,
  },
  {
    name: 'WebKitGTK',
    ...fromDebian('webkit2gtk-driver'),
    headed: true,
    prepare: () => ['--private'],
    ...REPORT,
    query: '?given',
  },
  {
    name: 'Chromium, prompt left open',
    ...fromDebian('chromium'),
    prepare: (profile) => [...CHROMIUM, `--user-data-dir=${profile}`],
    ...OPEN_PROMPT,
  },
  {
    name: 'Firefox, prompt left open',
    ...fromDebian('firefox-esr'),
    prepare: (profile) => firefoxProfile(profile, {}),
    ...OPEN_PROMPT,
  },
];

/** @param {Run} run */
function judgeReports({ said: { outcomes }, reports }) {
  const wrong = [];
  if (String(outcomes) !== String(EXPECTED)) wrong.push(`the page got ${outcomes}, not ${EXPECTED}`);
  const held = reports.map(({ operation, body }) => `${operation} ${JSON.stringify(Reflect.get(body, 'location'))}`);
  const where = held.filter((text) => text.includes('6.4474') && text.includes('"source":"gps"'));
  if (held.length !== 2 || where.length !== 2) wrong.push(`the gateway has ${held.join(', ') || 'nothing'}`);
  return wrong;
}

/**
 * Lets a browser load its page, and throws an error with the problems. Returns the browser's version.
 * @param {Browser} browser
 * @param {{ path: string, env: NodeJS.ProcessEnv }} executable
 * @param {string} project
 */
export async function tryBrowser({ name, prepare, judge, ...browser }, executable, project) {
  const args = prepare(join(project, `.${name.replace(/\W+/g, '-')}`));
  const run = await runInBrowser({ ...browser, executable, args, project });
  const wrong = judge(run);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return run.version;
}
