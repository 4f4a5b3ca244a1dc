import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserServer, chromium } from 'playwright-core';
import { findChromium } from './find-chromium.js';

/** A host name that is not loopback, so that its `http:` pages are not a secure context. */
export const INSECURE_HOST = 'operator.test';
/** Another site than 127.0.0.1, whose pages are a secure context. */
export const OTHER_SITE = 'partner.localhost';

/** No option here weakens the browser for pages. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Only our own names resolve, so no test can reach the internet. */
function resolverRules(more: readonly string[] = []): string {
  const own = [INSECURE_HOST, OTHER_SITE].map((host) => `MAP ${host} 127.0.0.1`);
  return `--host-resolver-rules=${[...more, ...own, 'MAP * ~NOTFOUND', 'EXCLUDE 127.0.0.1'].join(', ')}`;
}

/**
 * Starts a browser with a new profile. Throws if none starts, since a skipped browser test proves nothing. `rules` map
 * more names to addresses of this machine.
 */
export async function launchChromium(rules: readonly string[] = []): Promise<Browser> {
  return chromium.launch(await launchOptions(rules));
}

/** Starts a browser to which several processes connect by its `wsEndpoint`. */
export async function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer(await launchOptions());
}

async function launchOptions(rules: readonly string[] = []) {
  const { path, env } = await findChromium();
  return { executablePath: path, env, args: [...ARGUMENTS, resolverRules(rules)] };
}

/** A browser that the test can kill, and the tabs of its profile. */
export interface KillableBrowser {
  readonly context: BrowserContext;
  /** Ends all its processes at once, like a crash or an empty battery. */
  kill(): Promise<void>;
}

/** Starts a browser over a profile in a folder, with the data of an earlier one. */
export async function startChromium(profile: string): Promise<KillableBrowser> {
  const { path, env } = await findChromium();
  const portFile = join(profile, 'DevToolsActivePort');
  await rm(portFile, { force: true });
  const flags = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  // Its own process group, so that all of it can be killed.
  const child = spawn(path, [...ARGUMENTS, resolverRules(), ...flags], { env, stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  try {
    const browser = await chromium.connectOverCDP(await endpointIn(portFile));
    const [context] = browser.contexts();
    if (!context) throw new Error('The browser has no default context.');
    return { context, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** The browser writes its address once it listens. */
async function endpointIn(portFile: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const [port, path] = (await readFile(portFile, 'utf8').catch(() => '')).split('\n');
    if (port && path) return `ws://127.0.0.1:${port}${path}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The browser did not write its address.');
}
