/**
 * The header that names the report's player to the relay. The relay accepts the report only in that player's session
 * (our decision).
 */
export const PLAYER_HEADER = 'x-location-sdk-player';

/**
 * The header of a page's requests, which makes a browser send a preflight, and of a relay's answers: its texts are of
 * this package, which repeats no value in them (our decision). Its value is 1.
 */
export const RELAY_HEADER = 'x-location-sdk';

/**
 * The headers that may name a request, of a request and of its answer; the first one with an id counts (our decision).
 */
export const REQUEST_ID_HEADERS: readonly string[] = ['x-request-id', 'x-correlation-id', 'request-id', 'traceparent'];
