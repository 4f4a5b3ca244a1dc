import { readBody } from '../body.js';
import { type Limit, limited } from '../time.js';
import type { Fetch } from '../web-types.js';
import { type NetworkFailure, readNetworkFailure } from './network-failure.js';
import { request } from './request.js';

export interface AttemptRequest {
  url: string;
  apiKey: string;
  body: string;
}

export type Attempted =
  | { ended: 'answered'; status: number; retryAfter: string | null; text: string | undefined }
  | { ended: 'broken'; failure: NetworkFailure }
  | { ended: 'timeout' }
  | { ended: 'aborted' };

/**
 * Sends a request once and waits for its whole answer, headers and body, within the limit. Whatever ky or
 * `fetch` throws ends here: their errors hold headers and bodies.
 */
export async function attempt({ url, apiKey, body }: AttemptRequest, { fetch, browser }: { fetch: Fetch; browser: boolean }, limit: Limit): Promise<Attempted> {
  let answered = false;
  const result = await limited(async (signal) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': apiKey },
      body,
      signal,
      // The key would travel with a redirect.
      redirect: 'manual' as const,
      ...(browser && { credentials: 'omit' as const, referrerPolicy: 'no-referrer' as const }),
    };
    const response = await request(url, init, fetch);
    answered = true;
    const text = await readBody(response, signal);
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  }, limit);

  if (result.ended === 'done') return { ended: 'answered', ...result.value };
  if (result.ended !== 'failed') return result;
  const failure = readNetworkFailure(result.error, browser);
  return { ended: 'broken', failure: answered ? { ...failure, notSent: false, certificate: false } : failure };
}
