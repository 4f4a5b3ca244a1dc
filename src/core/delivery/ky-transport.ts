import type { Fetch } from '../platform/web-types.js';
import { pageTransport, type Send, transportBy } from './fetch-transport.js';
import { readBroken } from './network-failure.js';
import type { Transport } from './transport.js';

let loaded: typeof import('ky').default | undefined;

/**
 * Loaded at the first request, so that a process that sends nothing does not read it. Kept, since each further import
 * costs; its promise is not, so that one that hangs or fails concerns no later request.
 */
async function loadKy() {
  try {
    loaded ??= (await import('ky')).default;
    return loaded;
  } catch {
    throw Object.assign(new Error('ky'), { code: 'KY_NOT_LOADED' });
  }
}

/** ky's retries and its time limit are off, since `deliver` does both and keeps track of doubt. */
const byKy: Send = async (url, init) => {
  const ky = loaded ?? (await loadKy());
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
