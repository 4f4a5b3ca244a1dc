/** The headers that may name a request, of a request and of its answer; the first one with an id counts (our decision). */
export const REQUEST_ID_HEADERS: readonly string[] = ['x-request-id', 'x-correlation-id', 'request-id', 'traceparent'];
