import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectFreshBuild } from '../support/built.js';
import { codeBlocks, copiedFiles } from '../support/code-blocks.js';
import { newFolder } from '../support/new-folder.js';
import { root, startNode } from '../support/run.js';
import type { Exchange } from './bad-network.js';

/** The code that begins so, in a tutorial or in a file that it copies. */
export function codeOf(tutorial: string, begin: string): string {
  const guide = readFileSync(join(root, 'docs/start', `${tutorial}.md`), 'utf8');
  const found = [...codeBlocks(guide), ...copiedFiles(guide)].find(({ code }) => code.startsWith(begin));
  if (!found) throw new Error(`${tutorial}.md has no code that begins with ${begin}`);
  return found.code;
}

/** The stakes of the bets that a tutorial's server has placed, by their `bet_id`, from all of its answers. */
export const betsIn = (exchanges: readonly Exchange[]): Map<string, number> =>
  new Map(
    exchanges
      .filter(({ path, status }) => path === '/bets' && status === 200)
      .map(({ body, answer }) => [JSON.parse(answer).bet_id, JSON.parse(body).stake]),
  );

export const PAGE = '<!doctype html>';
export const SERVER = '// server.mjs';

/**
 * Starts the page and the server of a tutorial as they are written there, with the built package: only the port
 * differs. Another page may take the place of the tutorial's, with its own script.
 */
export async function startTutorial(
  tutorial: 'page' | 'page-with-relay',
  gateway: string,
  page = codeOf(tutorial, PAGE),
) {
  expectFreshBuild();
  const folder = newFolder(tutorial);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/location-sdk'));
  writeFileSync(join(folder, 'page.html'), page);
  const server = codeOf(tutorial, SERVER);
  const [script = ''] = /\/location-sdk\.\w+\.global\.js/.exec(page) ?? [];
  const anyPort = server
    .replace(/\/location-sdk\.\w+\.global\.js/, script)
    .replace('listen(3000', 'listen(0')
    .replace("'http://127.0.0.1:3000/'", "'http://127.0.0.1:' + server.address().port + '/'");
  writeFileSync(join(folder, 'server.mjs'), anyPort);
  const child = startNode(['server.mjs'], { LOCATION_SDK_MOCK: gateway }, folder);
  const [line] = child.stdout ? await once(child.stdout, 'data') : [];
  child.stdout?.resume();
  child.stderr?.resume();
  return {
    url: /http:\S+/.exec(String(line))?.[0] ?? `not an address: ${line}`,
    async close(): Promise<void> {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
