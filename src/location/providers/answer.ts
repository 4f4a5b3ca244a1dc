import { readBody } from '../../body.js';
import { isBrowser } from '../../runtime.js';
import type { Fetch } from '../../web-types.js';
import { type IpLookup, LookupFailure } from '../provider.js';

/** Some servers' runtimes refuse these by name, and have nothing for them to keep. */
const PRIVATE = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const;

/** An answer about one address is small. */
const LONGEST_ANSWER = 65_536;

/** Asks a service for JSON, without cookies and without telling it the page. */
export async function getJson(url: string, { fetch, signal }: IpLookup, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  let response: Awaited<ReturnType<Fetch>>;
  let text: string | undefined;
  try {
    response = await fetch(url, { method: 'GET', headers: { accept: 'application/json', ...headers }, signal, ...(isBrowser() && PRIVATE) });
    text = await readBody(response, signal, LONGEST_ANSWER);
  } catch {
    throw new LookupFailure('unreachable', 'the service could not be reached');
  }
  const { status } = response;
  if (status === 429 || status === 403) {
    const retryAfter = response.headers.get('retry-after');
    throw new LookupFailure('refused', `the service refuses more requests for now (HTTP ${status})`, retryAfter);
  }
  try {
    const body: unknown = status >= 200 && status < 300 && text ? JSON.parse(text) : undefined;
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Not JSON; said below.
  }
  throw new LookupFailure('bad-answer', `the service gave no answer that can be used (HTTP ${status})`);
}

const LONGEST_PLACE = 200;

/** A place's name; undefined for what services write where they do not know. */
export const placeName = (value: unknown): string | undefined => {
  const place = typeof value === 'string' ? value.slice(0, LONGEST_PLACE).trim() : '';
  return /^(?:-|nil|null|undefined|unknown|not found)?$/i.test(place) ? undefined : place;
};

/** A coordinate that a service gives as a number or as a decimal string; NaN for anything else. */
export const coordinate = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?[0-9]+(?:\.[0-9]+)?$/.test(value.trim()) ? Number(value) : Number.NaN;
};

const KILOMETRE = 1000;

/** Metres from the kilometres that services give; undefined where they give none. */
export const metresFromKilometres = (value: unknown): number | undefined => {
  const distance = coordinate(value);
  return distance > 0 ? distance * KILOMETRE : undefined;
};
