import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserServer, chromium } from 'playwright-core';
import { findChromium } from './find-chromium.js';

/** A host name that is not loopback's, so that its `http:` pages are no secure context. */
export const INSECURE_HOST = 'operator.test';

/** Nothing here weakens the browser for pages. No name but ours resolves, so no test can reach the internet. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
];

/** Starts a browser with a new profile. It throws if none starts, since a browser test that is skipped proves nothing. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch(await launchOptions());
}

/** Starts a browser that several processes connect to by its `wsEndpoint`. */
export async function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer(await launchOptions());
}

async function launchOptions() {
  const { path, env } = await findChromium();
  return { executablePath: path, env, args: ARGUMENTS };
}

/** A browser that the test can kill, and the tabs of its profile. */
export interface KillableBrowser {
  readonly context: BrowserContext;
  /** Ends all its processes at once, as a crash or a flat battery does. */
  kill(): Promise<void>;
}

/** Starts a browser over a profile in a folder, with what an earlier one left there. */
export async function startChromium(profile: string): Promise<KillableBrowser> {
  const { path, env } = await findChromium();
  const portFile = join(profile, 'DevToolsActivePort');
  await rm(portFile, { force: true });
  const flags = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  // A group of its own, so that all of it can be killed.
  const child = spawn(path, [...ARGUMENTS, ...flags], { env, stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  try {
    const browser = await chromium.connectOverCDP(await endpointIn(portFile));
    const [context] = browser.contexts();
    if (!context) throw new Error('The browser has no context of its own.');
    return { context, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** The browser writes where it listens, once it does. */
async function endpointIn(portFile: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const [port, path] = (await readFile(portFile, 'utf8').catch(() => '')).split('\n');
    if (port && path) return `ws://127.0.0.1:${port}${path}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The browser did not say where it listens.');
}
