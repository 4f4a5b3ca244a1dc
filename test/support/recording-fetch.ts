import type { FetchResponse } from '../../src/core/platform/web-types.js';
import type { Fetch } from '../../src/entries/index.js';
import { byTransport } from '../core/delivery/wire.js';

export interface Recorded {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Parsed. Undefined if there is none. */
  body: Record<string, unknown> | undefined;
}

/** An answer with JSON and with its length, so that it is complete over a socket too. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): FetchResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const length = String(new TextEncoder().encode(text).byteLength);
  return { status, headers: new Headers({ 'content-length': length, ...headers }), text: async () => text };
}

/** A `fetch` that records its requests and answers as given. */
export function recordingFetch(
  answer: (request: Recorded) => FetchResponse | Promise<FetchResponse> = () => json({ message: 'ok' }),
) {
  const requests: Recorded[] = [];
  const fetch: Fetch = async (url, { method, headers, body }) => {
    const request = {
      url,
      method,
      headers,
      body: body === undefined ? undefined : (JSON.parse(body) as Record<string, unknown>),
    };
    requests.push(request);
    return answer(request);
  };
  return { ...byTransport(fetch), requests };
}
