// The defaults of a client's options that `locate` of a page has as well: it has no options of its own. Constants, since
// bundlers keep a table that reads members of another object.
export const CHAIN_TIMEOUT_MS = 20_000;
export const BROWSER_TIMEOUT_MS = 10_000;
export const MAXIMUM_AGE_MS = 60_000;
export const DENIAL_MEMORY_MS = 60_000;
export const GPS = 'gps';
