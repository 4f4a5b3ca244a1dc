import type { ConsoleSession, Refusal, RefusalCode } from '../../src/http/console/answers.js';

/** The API stands beside the page's script, wherever the console is mounted. */
const API = new URL('./api/', import.meta.url);
const LONGEST_MS = 40_000;

export class CallError extends Error {
  constructor(
    /** The server's, or `lost`: no answer came. */
    readonly code: RefusalCode | 'lost',
    message: string,
  ) {
    super(message);
  }
}

export const isLost = (error: unknown): boolean => error instanceof CallError && error.code === 'lost';

export const messageOf = (error: unknown): string =>
  error instanceof CallError
    ? error.message
    : 'Something in this page went wrong. Load it again, and look before you repeat an action.';

const lost = () =>
  new CallError(
    'lost',
    'The server cannot be reached. It is not known whether it did what was asked; pressing again is safe.',
  );

let token = '';

async function post(name: string, input: object, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-location-sdk': '1', 'x-console-token': token };
  const limit = signal ?? AbortSignal.timeout(LONGEST_MS);
  let response: Response;
  try {
    response = await fetch(new URL(name, API), {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
      cache: 'no-store',
      redirect: 'error',
      signal: limit,
    });
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
    // A proxy answered with a page of its own.
    return new CallError(
      'lost',
      `The server answered ${response.status}, and not as the console does. Look again before you repeat an action.`,
    );
  }
}

/** Every later call sends the token along. */
export async function openSession(): Promise<ConsoleSession> {
  const session = (await (await post('session', {})).json()) as ConsoleSession;
  token = session.token;
  return session;
}

/** If the token has expired, the call is sent again with a new one. */
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

/** For a search: only the answer to the last call counts. The others are undefined, even if they fail. */
export function createLastCall<Answer>(): (name: string, input: object) => Promise<Answer | undefined> {
  let last: unknown;
  return async (name, input) => {
    const own = call<Answer>(name, input);
    last = own;
    const answer = await own.catch((error: unknown) => {
      if (own === last) throw error;
    });
    return own === last && answer ? answer : undefined;
  };
}

/**
 * For a list that is read again, or longer, from several places: one read begins after the other, and fails alone. So a
 * caller whose read succeeds knows that the list shows it.
 */
export function createTurns(): (read: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (read) => {
    last = last.then(read, read);
    return last;
  };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return;
    const lines = (rest + decoder.decode(piece.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

export async function* callLines<Line extends object>(
  name: string,
  input: object,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const response = await send(name, input, signal);
  try {
    for await (const line of linesOf(response)) {
      const value = JSON.parse(line) as Line | Refusal;
      if ('error' in value) throw new CallError(value.error.code, value.error.message);
      yield value;
    }
  } catch (error) {
    throw error instanceof CallError ? error : lost();
  }
}
