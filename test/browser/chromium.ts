import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { type Executable, inflateChromium } from './bundled-chromium.js';

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

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

/**
 * Starts a browser, with a new profile: the one at `CHROMIUM_PATH` if that is set (`bundled` is the one from npm),
 * else the system's, else the one from npm. Throws where none starts: a browser test that is skipped proves nothing.
 */
export async function launchChromium(): Promise<Browser> {
  const failures: string[] = [];
  for (const place of places()) {
    try {
      const { path, env } = await find(place);
      return await chromium.launch({ executablePath: path, env, args: ARGUMENTS });
    } catch (error) {
      failures.push(`  - ${place}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new Error(`No Chromium could be started. Install one, or set CHROMIUM_PATH to its file, or to "bundled".\n${failures.join('\n')}`);
}

function places(): string[] {
  const chosen = process.env.CHROMIUM_PATH;
  return chosen ? [chosen] : [...SYSTEM.filter((path) => existsSync(path)), 'bundled'];
}

async function find(place: string): Promise<Executable> {
  return place === 'bundled' ? inflateChromium() : { path: place, env: process.env };
}
