import ky from 'ky';
import type { Fetch } from '../platform/web-types.js';
import { BROWSER_PAGE, type Send, transportBy } from './fetch-transport.js';
import { readBroken } from './network-failure.js';
import type { Transport } from './transport.js';

/**
 * Sends with ky. Its retries and its time limit are off, since `deliver` does both and keeps track of doubt.
 */
const byKy: Send = (url, init) =>
  ky.post(url, {
    // Read again each time: the page or a tracer may have replaced it. It is given a URL and an init, as the option
    // `fetch` is: a function that is not the platform's refuses the Request that ky makes. So that Request stays empty.
    fetch: () => globalThis.fetch(url, init),
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
  });

/** The transport of the modules: ky, or the user's own `fetch`. */
export const moduleTransport = (fetch: Fetch | undefined, inPage: boolean): Transport =>
  transportBy(fetch ?? byKy, inPage ? BROWSER_PAGE : { inPage, readBroken });
