import { setTimeout } from 'node:timers/promises';
import { duration, httpAddress, readArgs, visibleText } from '../args.js';
import { EXIT, Failure, say } from '../output.js';
import { DEFAULT_PORT } from './mock.js';

export const READY_OPTIONS = {
  url: { hint: '<address>', help: `Where it listens (default: http://127.0.0.1:${DEFAULT_PORT})`, read: httpAddress },
  wait: { help: 'Ask again until it answers' },
  timeout: { hint: '<time>', help: 'For how long at most, such as 500ms, 10s or 2m (default: 10s)', read: duration },
  'admin-token': { hint: '<token>', help: 'What it was started with', read: visibleText },
} as const;

const PAUSE_MS = 50;

/** Asks a mock gateway whether it is there. */
export async function ready(words: readonly string[]): Promise<number> {
  const { url = new URL(`http://127.0.0.1:${DEFAULT_PORT}`), wait, timeout = 10_000, 'admin-token': token } = readArgs(READY_OPTIONS, words);
  const until = Date.now() + timeout;
  const shown = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  for (;;) {
    const problem = await ask(`${shown}/__admin/health`, token, Math.max(1, until - Date.now()));
    if (!problem) {
      say(`location-sdk mock gateway ready at ${shown}`);
      return EXIT.done;
    }
    if (!wait || Date.now() + PAUSE_MS >= until)
      throw new Failure(`no mock gateway at ${shown}: ${problem}; start one with: npx location-sdk mock`, EXIT.failed);
    await setTimeout(PAUSE_MS);
  }
}

/** What is wrong with the answer; undefined for a good one. */
async function ask(address: string, token: string | undefined, milliseconds: number): Promise<string | undefined> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { 'x-admin-token': token };
    const response = await fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(milliseconds) });
    const body = (await response.json()) as { status?: unknown; message?: unknown };
    if (response.ok && body?.status === 'ok') return undefined;
    return `it answers ${response.status}${typeof body?.message === 'string' ? `, ${body.message}` : ''}`;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (name === 'TimeoutError') return 'no answer in time';
    return cause?.code ?? (name === 'SyntaxError' ? 'something else answers there' : 'no connection');
  }
}
