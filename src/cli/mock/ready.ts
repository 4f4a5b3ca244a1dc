import { setTimeout } from 'node:timers/promises';
import { version } from '../../platform/version.js';
import { MOCK_NAME } from '../../protocol/mock-mode.js';
import { duration, httpAddress, readArgs, type Values, visibleText, wholeNumber } from '../args.js';
import { EXIT, Failure, say } from '../output.js';
import { DEFAULT_PORT } from './mock.js';

export const READY_OPTIONS = {
  port: { hint: '<number>', help: 'The port of the mock gateway on this machine', read: wholeNumber(1, 65_535) },
  url: { hint: '<address>', help: `The address of the mock gateway (default: LOCATION_SDK_MOCK, or http://127.0.0.1:${DEFAULT_PORT})`, read: httpAddress },
  pid: { hint: '<number>', help: 'Accept only the mock gateway of this process, such as $!', read: wholeNumber(1, 9_999_999_999) },
  wait: { help: 'Try again until it answers' },
  timeout: { hint: '<time>', help: 'The time limit, such as 500ms, 10s or 2m (default: 10s)', read: duration },
  'admin-token': { hint: '<token>', help: 'The --admin-token of the mock gateway', read: visibleText },
} as const;

const PAUSE_MS = 50;
const VARIABLE = 'LOCATION_SDK_MOCK';

/** Tests whether a mock gateway answers. */
export async function ready(words: readonly string[]): Promise<number> {
  const { wait, timeout = 10_000, 'admin-token': token, pid, ...where } = readArgs(READY_OPTIONS, words);
  const url = addressOf(where);
  const until = Date.now() + timeout;
  const shown = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  for (;;) {
    const { problem, isOther } = await ask(`${shown}/__admin/health`, { token, pid, milliseconds: Math.max(1, until - Date.now()) });
    if (problem === undefined) {
      say(`location-sdk mock gateway ready at ${shown}`);
      return EXIT.done;
    }
    // The port is in use, so no other mock gateway will answer there.
    if (isOther) throw new Failure(`another mock gateway answers at ${shown}: ${problem}; start yours on a free port`, EXIT.failed);
    if (!wait || Date.now() + PAUSE_MS >= until)
      throw new Failure(`no mock gateway at ${shown}: ${problem}; start one with: npx location-sdk mock`, EXIT.failed);
    await setTimeout(PAUSE_MS);
  }
}

function addressOf({ url, port }: Pick<Values<typeof READY_OPTIONS>, 'url' | 'port'>): URL {
  if (url !== undefined && port !== undefined) throw new Failure('give --port or --url, not both');
  if (url !== undefined) return url;
  if (port !== undefined) return new URL(`http://127.0.0.1:${port}`);
  const variable = process.env[VARIABLE];
  if (!variable) return new URL(`http://127.0.0.1:${DEFAULT_PORT}`);
  try {
    return httpAddress(variable);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(`${VARIABLE} ${error.message}`);
  }
}

interface Asked {
  /** The reason why this is not the expected mock gateway. Undefined if it is. */
  readonly problem?: string;
  /** Whether it is a mock gateway of another process or version. */
  readonly isOther?: boolean;
}

interface Asking {
  readonly token: string | undefined;
  readonly pid: number | undefined;
  readonly milliseconds: number;
}

async function ask(address: string, { token, pid, milliseconds }: Asking): Promise<Asked> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { 'x-admin-token': token };
    const response = await fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(milliseconds) });
    const body = (await response.json()) as Readonly<Record<string, unknown>> | null;
    const { status, name, version: theirs, pid: theirPid, message } = body ?? {};
    if (!response.ok) return { problem: `it answers ${response.status}${typeof message === 'string' ? `, ${message}` : ''}` };
    if (status !== 'ok' || name !== MOCK_NAME) return { problem: 'another server answers there' };
    if (theirs !== version) return { problem: `it has version ${String(theirs)}, and this command has ${version}`, isOther: true };
    if (pid !== undefined && theirPid !== pid) return { problem: `its process is ${String(theirPid)}, not ${pid}`, isOther: true };
    return {};
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (name === 'TimeoutError') return { problem: 'no answer in time' };
    return { problem: cause?.code ?? (name === 'SyntaxError' ? 'another server answers there' : 'no connection') };
  }
}
