import { readBody } from '../../platform/body.js';
import { isBrowser } from '../../platform/runtime.js';
import type { Fetch } from '../../platform/web-types.js';
import { type IpLookupRequest, LookupFailure } from '../lookup/provider.js';
import { isSameAddress } from '../lookup/same-address.js';

/** Some server runtimes reject these options, and have no cookies or cache to protect. */
const PRIVATE = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/** An answer about one address is small. */
const LONGEST_ANSWER = 65_536;

interface Traits {
  /** The member of the answer that contains the requested address. */
  readonly address: string;
  readonly headers: Record<string, string> | undefined;
}

/** Requests JSON from a service, without cookies and without a referrer. It does not follow redirects: they would send the address to another host. */
export async function getJson(url: string, { ip, fetch, signal }: IpLookupRequest, { address, headers }: Traits): Promise<Record<string, unknown>> {
  let response: Awaited<ReturnType<Fetch>>;
  let text: string | undefined;
  try {
    const init = { method: 'GET', headers: { accept: 'application/json', ...headers }, signal, redirect: 'manual', ...(isBrowser() && PRIVATE) } as const;
    response = await fetch(url, init);
    text = await readBody(response, signal, LONGEST_ANSWER);
  } catch {
    throw new LookupFailure('unreachable', 'could not connect to the service');
  }
  const { status } = response;
  let answer: Record<string, unknown> | undefined;
  if (status === 429 || status === 403 || status === 401) {
    const why = `rate limited by the lookup service${status === 429 ? '' : ', or the token is not accepted'} (HTTP ${status})`;
    throw new LookupFailure('refused', why, response.headers.get('retry-after'));
  }
  try {
    const body: unknown = status >= 200 && status < 300 && text ? JSON.parse(text) : undefined;
    if (typeof body === 'object' && body !== null) answer = body as Record<string, unknown>;
  } catch {
    // Not JSON. The check below reports it.
  }
  if (answer && !isSameAddress(ip, answer[address])) throw new LookupFailure('bad-answer', 'the service answered for another address');
  if (answer) return answer;
  throw new LookupFailure('bad-answer', `the service sent an unusable answer (HTTP ${status})`);
}
