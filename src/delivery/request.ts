import ky from 'ky';
import { isDirect, isUnsent } from '../platform/direct-fetch.js';
import { type Aborting, type Limit, type Limited, limited } from '../platform/time.js';
import type { Fetch, FetchInit, FetchResponse } from '../platform/web-types.js';
import { createAborting } from './aborting.js';

/** One request through ky, with everything off that `deliver` does itself: its retries and its time limit know no doubt. */
export const request = (url: string, init: FetchInit & { body: string }, fetch: Fetch): Promise<FetchResponse> =>
  isDirect(fetch)
    ? fetch(url, init)
    : ky.post(url, {
        // ky hands over a Request, which some functions refuse; everybody takes an address and an init. So its Request is
        // never sent, and needs no body, which ky would copy.
        fetch: (made) => fetch((made as Request).url, init) as Promise<Response>,
        retry: { limit: 0 },
        timeout: false,
        throwHttpErrors: false,
      });

/** Whether a request can tell that nothing of it had left. */
export const KNOWS_UNSENT: boolean = true;

/** How a request ended; `unsent` where its time was over, or it was aborted, before anything of it had left. */
export type LimitedRequest<T> = Limited<T> & { readonly unsent?: boolean };

/** What aborts a request that is asked as it is; all else takes the platform's own. */
export const abortingFor = (fetch: Fetch): Aborting | undefined => (isDirect(fetch) ? createAborting() : undefined);

/** Limits a request. One that is asked as it is tells by its signal whether anything of it had left. */
export function limitedRequest<T>(work: (signal: AbortSignal) => Promise<T>, limit: Limit, aborting: Aborting | undefined): Promise<LimitedRequest<T>> {
  const result = limited(work, limit, aborting);
  if (!aborting) return result;
  return result.then((end) => (end.ended !== 'done' && isUnsent(aborting.signal) ? { ...end, unsent: true } : end));
}
