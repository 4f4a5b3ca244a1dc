import ky from 'ky';
import type { Fetch } from '../platform/web-types.js';
import { PAGE, type Send, transportBy } from './fetch-transport.js';
import { readBroken } from './network-failure.js';
import type { Transport } from './transport.js';

/** The Request that ky makes is the one that leaves. Off is what `deliver` does itself: ky's retries and its time limit know no doubt. */
const byKy: Send = (url, { signal, ...init }) =>
  ky.post(url, {
    ...init,
    // Asked for anew each time: others may have replaced it. The signal is given here alone, since ky would join it with its own, which costs a tenth of a call.
    fetch: (request) => globalThis.fetch(request, { signal }),
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
  });

/** The transport of the modules: ky, or the user's own `fetch`, which is given an address and an init, since some refuse a Request of others. */
export const moduleTransport = (fetch: Fetch | undefined, inPage: boolean): Transport => transportBy(fetch ?? byKy, inPage ? PAGE : { inPage, readBroken });
