// Tests the packed and installed package in every runtime, and prints the results: `npm run test:runtimes`, which
// builds first. With `--firefox` it installs Debian's Firefox and a display for it, if possible. With `--browser-tests`
// it installs all of Debian's browsers, and runs all tests of the project `browser` in Debian's Chromium too, which
// takes minutes. Linux x64 with glibc only. Everything comes from the npm registry, as `package-lock.json` has it, and
// no install script is run.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { authority, certificateKey, ofUnknownAuthority } from '../support/certificates.js';
import { installPackage, npm, readJson, root, run, wordsOf } from '../support/packed.js';
import { tryBrowserTests } from './browser-tests.js';
import { ALLOWED, BROWSERS, firefoxProfile, tryBrowser } from './browsers.js';
import { installFromDebian, programIn, startDisplay } from './debian.js';
import { tellFirefoxStory } from './firefox-story.js';
import { manifestOf, programOf, RUNTIMES } from './runtimes.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const RUN_LIMIT_MS = 60_000;
const FILES = [
  'broken-answers.js',
  'file-outbox.js',
  'four-steps.js',
  'http2.js',
  'installed.js',
  'main.js',
  'players.js',
  'relay.js',
  'worker.js',
  'worker.capnp',
];

/** The authority that signed the certificate of http2.js. */
const AUTHORITY = 'authority.pem';

const { optionalDependencies: wanted } = readJson(join(here, 'package.json'));

/** Whether the exact version in `package.json` is installed. @param {import('./runtimes.js').Runtime} runtime */
const isInstalled = (runtime) =>
  existsSync(programOf(runtime)) &&
  existsSync(manifestOf(runtime)) &&
  String(wanted[runtime.folder]).split('@').at(-1) === readJson(manifestOf(runtime)).version;

/** Returns why it could not, if it failed. */
async function installRuntimes() {
  if (RUNTIMES.every(isInstalled)) return '';
  try {
    await npm(here, 'ci');
    return '';
  } catch (error) {
    return wordsOf(error);
  }
}

/** Bundles the worker under the conditions that Cloudflare's own tool sets. @param {string} project */
const bundleWorker = (project) =>
  build({
    absWorkingDir: project,
    entryPoints: ['worker.js'],
    outfile: join(project, 'bundle.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
  });

/** @param {import('./runtimes.js').Runtime} runtime @param {string} project @param {string} notInstalled npm's reason */
async function tryRuntime(runtime, project, notInstalled) {
  const { name, args, shows } = runtime;
  if (!isInstalled(runtime))
    return {
      name,
      version: '-',
      seconds: 0,
      problem: 'NOT INSTALLED',
      words: notInstalled || 'npm left it out: this is not linux x64 with glibc, or the registry did not give it.',
    };
  const options = {
    cwd: project,
    timeout: RUN_LIMIT_MS,
    killSignal: /** @type {const} */ ('SIGKILL'),
    env: {
      PATH: process.env.PATH,
      HOME: project,
      NODE_EXTRA_CA_CERTS: join(project, AUTHORITY),
      DENO_DIR: join(project, '.deno'),
      DENO_NO_UPDATE_CHECK: '1',
      NO_COLOR: '1',
    },
  };
  const started = performance.now();
  let version = '?';
  try {
    const asked = await run(programOf(runtime), ['--version'], options);
    version = /\d[\d.-]*\d/.exec(asked.stdout)?.[0] ?? '?';
    if (name === 'workerd') await bundleWorker(project);
    const { stdout, stderr } = await run(programOf(runtime), [...args], options);
    if (!`${stdout}${stderr}`.includes(shows)) throw new Error(`It ended without "${shows}".`);
    return { name, version, seconds: (performance.now() - started) / 1_000 };
  } catch (error) {
    return { name, version, seconds: (performance.now() - started) / 1_000, problem: 'failed', words: wordsOf(error) };
  }
}

/**
 * @param {import('./browsers.js').Browser} browser
 * @param {string} project
 * @param {string | undefined} display
 */
async function tryInBrowser(browser, project, display) {
  const { name, needed, missing, headed } = browser;
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const absent = (/** @type {string} */ words) => ({
    name,
    version: '-',
    seconds: 0,
    problem: 'NOT INSTALLED',
    words,
    isAccepted: !needed,
  });
  try {
    const executable = await browser.find();
    if (!executable) return absent(missing);
    if (headed && !display) return absent('It needs a display, and there is no Xvfb ("apt-get install xvfb").');
    const env = headed ? { ...executable.env, DISPLAY: display } : executable.env;
    return { name, version: await tryBrowser(browser, { ...executable, env }, project), seconds: seconds() };
  } catch (error) {
    return { name, version: '?', seconds: seconds(), problem: 'failed', words: wordsOf(error) };
  }
}

/** @param {string} project */
async function tryFirefoxStory(project) {
  const name = 'Firefox, pages that fail';
  const path = programIn('firefox-esr');
  if (!path) {
    const words = 'Debian has it ("apt-get install firefox-esr").';
    return { name, version: '-', seconds: 0, problem: 'NOT INSTALLED', words, isAccepted: true };
  }
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const profile = (/** @type {string} */ folder, /** @type {object} */ preferences = {}) =>
    firefoxProfile(join(project, folder), { ...ALLOWED, ...preferences });
  try {
    const version = await tellFirefoxStory({ path, env: process.env }, profile, project);
    return { name, version, seconds: seconds() };
  } catch (error) {
    return { name, version: '?', seconds: seconds(), problem: 'failed', words: wordsOf(error) };
  }
}

const withBrowserTests = process.argv.includes('--browser-tests');
const withFirefox = process.argv.includes('--firefox');
const notInstalled = await installRuntimes();
// Without it, Debian's browsers are used if they are already installed.
const whyNot = installFromDebian(
  withBrowserTests
    ? ['xvfb', 'firefox-esr', 'chromium', 'webkit2gtk-driver']
    : withFirefox
      ? ['xvfb', 'firefox-esr']
      : [],
);
if (whyNot) console.log(`Not from Debian: ${whyNot}.`);
const display = await startDisplay();
const project = mkdtempSync(join(tmpdir(), 'location-sdk-runtimes-'));
try {
  await installPackage(project);
  for (const name of FILES) cpSync(join(here, name), join(project, name));
  // `nodeTransport` needs it.
  cpSync(join(root, 'node_modules/undici'), join(project, 'node_modules/undici'), { recursive: true });
  writeFileSync(join(project, 'localhost.pem'), `${certificateKey}\n${ofUnknownAuthority}`);
  writeFileSync(join(project, AUTHORITY), authority);
  const results = [];
  for (const runtime of RUNTIMES) results.push(await tryRuntime(runtime, project, notInstalled));
  // In parallel, since they mostly wait.
  results.push(...(await Promise.all(BROWSERS.map((browser) => tryInBrowser(browser, project, display?.name)))));
  results.push(await tryFirefoxStory(project));
  if (withBrowserTests) results.push(await tryBrowserTests());

  console.log(`\n${'runtime'.padEnd(30)}${'version'.padEnd(14)}${'result'.padEnd(16)}seconds`);
  for (const { name, version, seconds, problem = 'ok' } of results) {
    console.log(`${name.padEnd(30)}${version.padEnd(14)}${problem.padEnd(16)}${seconds.toFixed(1).padStart(7)}`);
  }
  const problems = results.filter(({ problem }) => problem !== undefined);
  for (const { name, problem, words } of problems) console.error(`\n${name}: ${problem}\n${words}`);
  process.exitCode = problems.every((result) => 'isAccepted' in result && result.isAccepted) ? 0 : 1;
} finally {
  await display?.stop();
  rmSync(project, { recursive: true, force: true });
}
