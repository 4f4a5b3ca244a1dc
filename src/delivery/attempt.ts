import { isMeasured, readBody } from '../platform/body.js';
import type { Limit } from '../platform/time.js';
import type { Fetch } from '../platform/web-types.js';
import { takeRoom } from './leaving-page.js';
import { type NetworkFailure, readNetworkFailure } from './network-failure.js';
import { abortingFor, limitedRequest, request } from './request.js';
import type { RelayCredentials } from './settings.js';

export interface AttemptRequest {
  url: string;
  /** Beside those of every request. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** In a browser: whether cookies go with it. */
  credentials: RelayCredentials | 'omit';
  /** In a browser: whether it should outlive its page, if there is room for it. */
  keepalive: boolean;
}

export type Attempted =
  /** `measured`: whether the answer proves that its whole body was read. */
  | { ended: 'answered'; status: number; retryAfter: string | null; text: string | undefined; measured: boolean }
  | { ended: 'broken'; failure: NetworkFailure }
  /** `unsent`: nothing of it had left. */
  | { ended: 'timeout'; unsent?: boolean }
  | { ended: 'aborted'; unsent?: boolean };

/**
 * Sends a request once and waits for its whole answer, headers and body, within the limit. Whatever ky or
 * `fetch` throws ends here: their errors hold headers and bodies.
 */
export async function attempt(
  { url, headers, body, credentials, keepalive }: AttemptRequest,
  { fetch, browser }: { fetch: Fetch; browser: boolean },
  limit: Limit,
): Promise<Attempted> {
  let answered = false;
  const leaveRoom = browser && keepalive ? takeRoom(body) : undefined;
  const result = await limitedRequest(
    async (signal) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body,
        signal,
        // The key, or the player's session, would travel with a redirect.
        redirect: 'manual' as const,
        ...(browser && { credentials, referrerPolicy: 'no-referrer' as const }),
        ...(leaveRoom && { keepalive: true }),
      };
      const response = await request(url, init, fetch);
      answered = true;
      const text = await readBody(response, signal);
      return { status: response.status, retryAfter: response.headers.get('retry-after'), text, measured: text !== undefined && isMeasured(response) };
    },
    limit,
    abortingFor(fetch),
  );
  leaveRoom?.();

  if (result.ended === 'done') return { ended: 'answered', ...result.value };
  if (result.ended !== 'failed') return result;
  const failure = readNetworkFailure(result.error, browser);
  return { ended: 'broken', failure: answered ? { ...failure, notSent: false, certificate: false } : failure };
}
