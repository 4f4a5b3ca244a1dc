import type { Fetch } from '../platform/web-types.js';
import { pageTransport, type Send, transportBy } from './fetch-transport.js';
import { readBroken } from './network-failure.js';
import type { Transport } from './transport.js';

let loading: Promise<typeof import('ky')> | undefined;

/** Loaded at the first request, so that a process that sends nothing does not read it. Kept: even another import costs. */
function loadKy() {
  loading ??= import('ky').catch(() => {
    loading = undefined;
    throw Object.assign(new Error('ky'), { code: 'KY_NOT_LOADED' });
  });
  return loading;
}

/** ky's retries and its time limit are off, since `deliver` does both and keeps track of doubt. */
const byKy: Send = async (url, init) => {
  const { default: ky } = await loadKy();
  return ky.post(url, {
    // Read again each time: the page or a tracer may have replaced it. It is given a URL and an init, as the option
    // `fetch` is: a function that is not the platform's refuses the Request that ky makes. So that Request stays empty.
    fetch: () => globalThis.fetch(url, init),
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
  });
};

export const moduleTransport = (fetch: Fetch | undefined, inPage: boolean): Transport =>
  inPage ? pageTransport(fetch) : transportBy(fetch ?? byKy, { inPage, readBroken });
