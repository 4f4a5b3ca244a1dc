import { isWithoutEnd, readBody, withoutEnd } from '../body.js';
import type { FetchResponse } from '../web-types.js';

/**
 * Reads the body of an answer; throws where it may have broken off before its first byte. Over HTTP/2, where no header need
 * say how long a body is, that cannot be; so it is asked for the one header that only HTTP/1 has.
 */
export async function readWholeBody(response: FetchResponse, signal: AbortSignal): Promise<string | undefined> {
  const text = await readBody(response, signal);
  if (text !== undefined && isWithoutEnd(response, text) && /\bclose\b/i.test(response.headers.get('connection') ?? '')) throw withoutEnd();
  return text;
}
