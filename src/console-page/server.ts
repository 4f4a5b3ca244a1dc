import type { Refusal, RefusalCode } from '../console/answers.js';
import type { ConsoleSession } from '../console/session.js';

/** Beside the page's script, wherever the console is mounted. */
const API = new URL('./api/', import.meta.url);
const LONGEST_MS = 40_000;

/** Why a call was not done: the server's code, or that it could not be reached. */
export class CallError extends Error {
  constructor(
    readonly code: RefusalCode | 'lost',
    message: string,
  ) {
    super(message);
  }
}

export const isLost = (error: unknown): boolean => error instanceof CallError && error.code === 'lost';

/** The reason of a failure, in words for the page. */
export const messageOf = (error: unknown): string =>
  error instanceof CallError ? error.message : 'Something in this page went wrong. Load it again, and look before you repeat an action.';

const lost = () => new CallError('lost', 'The server cannot be reached. It is not known whether it did what was asked; pressing again is safe.');

let token = '';

async function post(name: string, input: object, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-location-sdk': '1', 'x-console-token': token };
  const limit = signal ?? AbortSignal.timeout(LONGEST_MS);
  let response: Response;
  try {
    response = await fetch(new URL(name, API), { method: 'POST', headers, body: JSON.stringify(input), cache: 'no-store', redirect: 'error', signal: limit });
  } catch {
    throw lost();
  }
  if (response.ok) return response;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<CallError> {
  try {
    const { error } = (await response.json()) as Refusal;
    return new CallError(error.code, error.message);
  } catch {
    // A proxy's page, say.
    return new CallError('lost', `The server answered ${response.status}, and not as the console does. Look again before you repeat an action.`);
  }
}

/** Reads who looks, and takes a new token. */
export async function openSession(): Promise<ConsoleSession> {
  const session = (await (await post('session', {})).json()) as ConsoleSession;
  token = session.token;
  return session;
}

/** Sends a call, with a new token where the old one is over. */
async function send(name: string, input: object, signal?: AbortSignal): Promise<Response> {
  try {
    return await post(name, input, signal);
  } catch (error) {
    if (!(error instanceof CallError && error.code === 'token')) throw error;
    await openSession();
    return post(name, input, signal);
  }
}

export async function call<Answer>(name: string, input: object = {}): Promise<Answer> {
  const response = await send(name, input);
  try {
    return (await response.json()) as Answer;
  } catch {
    throw lost();
  }
}

/** An answer of many lines, as they come. */
export async function* callLines<Line>(name: string, input: object, signal: AbortSignal): AsyncGenerator<Line> {
  const response = await send(name, input, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const piece = await reader?.read().catch(() => Promise.reject(lost()));
    if (!piece || piece.done) return;
    const lines = (rest + piece.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const value = JSON.parse(line) as Line | Refusal;
      if (typeof value === 'object' && value !== null && 'error' in value) throw new CallError(value.error.code, value.error.message);
      yield value as Line;
    }
  }
}
