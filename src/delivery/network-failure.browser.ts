import type { NetworkFailure } from './network-failure.js';

/** Browsers tell nothing of what broke, so the request may have left. */
export const readNetworkFailure = (): NetworkFailure => ({ code: undefined, notSent: false, certificate: false });

export const describeFailure = () =>
  "no answer came, and a browser does not say why; check the address, the network, and that this page's origin is allowed (CORS)";
