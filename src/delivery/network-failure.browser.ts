import type { NetworkFailure } from './network-failure.js';

/** Browsers tell nothing of what broke, so the request may have left. */
export const readNetworkFailure = (): NetworkFailure => ({ code: undefined, notSent: false, certificate: false });
