import ky from 'ky';
import type { Fetch, FetchInit, FetchResponse } from '../web-types.js';

/** One request through ky, with everything off that `deliver` does itself: its retries and its time limit know no doubt. */
export const request = (url: string, init: FetchInit & { body: string }, fetch: Fetch): Promise<FetchResponse> =>
  ky.post(url, {
    body: init.body,
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
    // ky hands over a Request, which some functions refuse; everybody takes an address and an init.
    fetch: (made) => fetch((made as Request).url, init) as Promise<Response>,
  });
