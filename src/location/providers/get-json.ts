import { readBody } from '../../body.js';
import { isBrowser } from '../../runtime.js';
import type { Fetch } from '../../web-types.js';
import { type IpLookupRequest, LookupFailure } from '../provider.js';

/** Some servers' runtimes refuse these by name, and have nothing for them to keep. */
const PRIVATE = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/** An answer about one address is small. */
const LONGEST_ANSWER = 65_536;

/** Asks a service for JSON, without cookies and without telling it the page. */
export async function getJson(url: string, { fetch, signal }: IpLookupRequest, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  let response: Awaited<ReturnType<Fetch>>;
  let text: string | undefined;
  try {
    response = await fetch(url, { method: 'GET', headers: { accept: 'application/json', ...headers }, signal, ...(isBrowser() && PRIVATE) });
    text = await readBody(response, signal, LONGEST_ANSWER);
  } catch {
    throw new LookupFailure('unreachable', 'the service could not be reached');
  }
  const { status } = response;
  if (status === 429 || status === 403 || status === 401) {
    const why = status === 429 ? 'the service takes no more requests for now' : 'the service refuses: too many requests, or a wrong token';
    throw new LookupFailure('refused', `${why} (HTTP ${status})`, response.headers.get('retry-after'));
  }
  try {
    const body: unknown = status >= 200 && status < 300 && text ? JSON.parse(text) : undefined;
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Not JSON; said below.
  }
  throw new LookupFailure('bad-answer', `the service gave no answer that can be used (HTTP ${status})`);
}
