import { readBody } from '../../platform/body.js';
import { isBrowser } from '../../platform/runtime.js';
import type { Fetch } from '../../platform/web-types.js';
import { type IpLookupRequest, LookupFailure } from '../lookup/provider.js';
import { isSameAddress } from '../lookup/same-address.js';

/** Some servers' runtimes refuse these by name, and have nothing for them to keep. */
const PRIVATE = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/** An answer about one address is small. */
const LONGEST_ANSWER = 65_536;

interface Traits {
  /** The member of the answer that says which address it is about. */
  readonly address: string;
  readonly headers: Record<string, string> | undefined;
}

/** Asks a service for JSON, without cookies and without telling it the page. A redirect is not followed: it would tell the address to somebody else. */
export async function getJson(url: string, { ip, fetch, signal }: IpLookupRequest, { address, headers }: Traits): Promise<Record<string, unknown>> {
  let response: Awaited<ReturnType<Fetch>>;
  let text: string | undefined;
  try {
    const init = { method: 'GET', headers: { accept: 'application/json', ...headers }, signal, redirect: 'manual', ...(isBrowser() && PRIVATE) } as const;
    response = await fetch(url, init);
    text = await readBody(response, signal, LONGEST_ANSWER);
  } catch {
    throw new LookupFailure('unreachable', 'the service could not be reached');
  }
  const { status } = response;
  let answer: Record<string, unknown> | undefined;
  if (status === 429 || status === 403 || status === 401) {
    const why = `the service takes no more requests for now${status === 429 ? '' : ', or not this token'} (HTTP ${status})`;
    throw new LookupFailure('refused', why, response.headers.get('retry-after'));
  }
  try {
    const body: unknown = status >= 200 && status < 300 && text ? JSON.parse(text) : undefined;
    if (typeof body === 'object' && body !== null) answer = body as Record<string, unknown>;
  } catch {
    // Not JSON; said below.
  }
  if (answer && !isSameAddress(ip, answer[address])) throw new LookupFailure('bad-answer', 'the service told of another address');
  if (answer) return answer;
  throw new LookupFailure('bad-answer', `the service gave no answer that can be used (HTTP ${status})`);
}
