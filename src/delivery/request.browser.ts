import type { Fetch, FetchInit } from '../platform/web-types.js';

/** In the script-tag file without ky: of it nothing would be used, and every visitor would pay for it. */
export const request = (url: string, init: FetchInit, fetch: Fetch) => fetch(url, init);

/** Nothing here tells whether a request has left. */
export const KNOWS_UNSENT: boolean = false;

export { limited as limitedRequest } from '../platform/time.js';

/** The platform's own. */
export const abortingFor = (_fetch: Fetch) => undefined;
