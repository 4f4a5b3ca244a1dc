import ky from 'ky';
import type { Fetch } from '../platform/web-types.js';
import { BROWSER_PAGE, type Send, transportBy } from './fetch-transport.js';
import { readBroken } from './network-failure.js';
import type { Transport } from './transport.js';

/**
 * Sends with the Request that ky makes. ky's retries and its time limit are off, since `deliver` does both and keeps
 * track of doubt.
 */
const byKy: Send = (url, { signal, ...init }) => {
  const { body, referrerPolicy } = init;
  return ky.post(url, {
    ...init,
    // Read again each time: the page may have replaced it. ky would join the signal with its own, and `fetch` would
    // copy the body of a Request through a stream: each costs a tenth of a call. Any init resets a Request's referrer
    // policy.
    fetch: (request) => globalThis.fetch(request, { signal, body, ...(referrerPolicy && { referrerPolicy }) }),
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
  });
};

/**
 * The transport of the modules: ky, or the user's own `fetch`, which is called with a URL and an init, since some
 * refuse a foreign Request.
 */
export const moduleTransport = (fetch: Fetch | undefined, inPage: boolean): Transport =>
  transportBy(fetch ?? byKy, inPage ? BROWSER_PAGE : { inPage, readBroken });
