// Programs that Debian has and npm does not: browsers with a window, and a display for them. Installed with apt-get if
// possible.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const { FIREFOX_PATH, SYSTEM_CHROMIUM_PATH } = process.env;
const WEBKIT = [
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser',
];

/** The possible paths of each, by package. @type {Readonly<Record<string, readonly (string | undefined)[]>>} */
const PLACES = {
  xvfb: ['/usr/bin/Xvfb'],
  'firefox-esr': [FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
  chromium: [SYSTEM_CHROMIUM_PATH, '/usr/bin/chromium'],
  'webkit2gtk-driver': WEBKIT,
};

/** @typedef {'xvfb' | 'firefox-esr' | 'chromium' | 'webkit2gtk-driver'} DebianPackage */

/** The program of a package. @param {DebianPackage} name @returns {string | undefined} */
export const programIn = (name) => PLACES[name]?.find((path) => path && existsSync(path));

/**
 * Installs the missing ones of some packages. Returns a line that says why it could not, or ''.
 * @param {readonly DebianPackage[]} names
 */
export function installFromDebian(names) {
  const missing = names.filter((name) => !programIn(name));
  if (missing.length === 0) return '';
  const words = missing.join(', ');
  if (process.getuid?.() !== 0) return `${words}: not installed, and only root may install it`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (/** @type {string[]} */ ...given) => spawnSync('apt-get', given, { env, stdio: 'ignore' });
  if (apt('--version').error) return `${words}: there is no apt-get`;
  if (apt('update', '-qq').status !== 0) return `${words}: apt-get update failed`;
  // One by one, since a distribution may have only some of them.
  const failed = missing.filter(
    (name) =>
      apt('install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', name).status !== 0,
  );
  return failed.length > 0 ? `${failed.join(', ')}: apt-get could not install it` : '';
}

/** Starts a virtual display. Returns its name and a function that ends it. Undefined without Xvfb. */
export async function startDisplay() {
  const program = programIn('xvfb');
  if (!program) return undefined;
  // It finds a free number itself, and writes it once it is ready.
  const child = spawn(program, ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  const number = await Promise.race([
    new Promise((resolve) => child.stdout.once('data', resolve)),
    ended.then(() => undefined),
  ]);
  if (number === undefined) return undefined;
  return {
    name: `:${String(number).trim()}`,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
