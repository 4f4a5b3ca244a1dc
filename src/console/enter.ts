import { senderOf } from '../relay/origin.js';
import { type ConsoleAnswer, json, refusals, toResponse } from './answers.js';

/** The path at which a person with a token comes in. */
export const ENTER_PATH = '/enter';
const SCRIPT_PATH = '/enter.js';

const MOST_BYTES = 1_000;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Outbox</title><script type="module" src=".${SCRIPT_PATH}"></script><h1>Outbox</h1><p role="status">One moment…</p></html>`;

/** The token stands behind the #, which no browser sends or logs, and is gone from the address before it is used. */
const SCRIPT = `const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const headers = { 'content-type': 'application/json', 'x-location-sdk': '1' };
const answer = await fetch('.${ENTER_PATH}', { method: 'POST', headers, body: JSON.stringify({ token }) }).catch(() => undefined);
if (answer?.ok) location.replace('./');
else document.querySelector('p').textContent = 'This address was used already, or it is not whole. Start the command again for a new one.';
`;

const text = (type: string, content: string): ConsoleAnswer => ({ status: 200, text: content, type });

/** Exchanges the one-time token for a cookie; `enter` gives the cookie for the right token. */
export async function enterAnswer(request: Request, enter: (token: string) => string | undefined): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (search !== '') return toResponse(refusals.noSuchPath);
  if (pathname === SCRIPT_PATH) return toResponse(request.method === 'GET' ? text('text/javascript', SCRIPT) : refusals.method('GET'));
  if (pathname !== ENTER_PATH) return toResponse(refusals.noSuchPath);
  if (request.method === 'GET') return toResponse(text('text/html', PAGE));
  if (request.method !== 'POST') return toResponse(refusals.method('GET, POST'));
  const isOwn = senderOf(request, new Set()).kind === 'own' && request.headers.get('x-location-sdk') === '1';
  if (!isOwn) return toResponse(refusals.foreign);
  const cookie = enter(await tokenIn(request));
  return toResponse(cookie === undefined ? refusals.noSession : json({}, 200, { 'set-cookie': cookie }));
}

async function tokenIn(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? MOST_BYTES + 1) > MOST_BYTES) return '';
  try {
    const { token } = (await request.json()) as { token?: unknown };
    return typeof token === 'string' ? token : '';
  } catch {
    return '';
  }
}
