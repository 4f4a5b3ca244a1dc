import { RELAY_HEADER } from '../protocol/player-header.js';
import { type RelayAnswer, refusals } from './answers.js';
import type { RelayOperation } from './options.js';
import { corsHeaders, preflightHeaders, senderOf } from './origin.js';
import { routeOf } from './route.js';

/** The operation of a request, or the reason why it is refused, and the headers of its answer. An accepted preflight has neither. */
export interface Admitted {
  readonly operation?: RelayOperation | undefined;
  readonly refused?: RelayAnswer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is refused because of its origin. */
  readonly foreign?: boolean;
  /** The reason, if the answer does not contain it. */
  readonly why?: string;
}

export interface AdmitRules {
  readonly allowedOrigins: ReadonlySet<string>;
  readonly allowedHeaders: readonly string[];
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** The checks that need only the address and the headers, in the order of their answers: address, origin, method, headers, media type. */
export function admit(request: Request, { allowedOrigins, allowedHeaders }: AdmitRules, target?: unknown): Admitted {
  const operation = routeOf(request.url, target);
  if (!operation) return { refused: refusals.noSuchPath, headers: {} };
  const sender = senderOf(request, allowedOrigins);
  if (sender.kind === 'refused')
    return { refused: refusals.forbidden, headers: {}, foreign: true, why: 'its Origin and Sec-Fetch-Site headers are not those of an allowed page' };
  const headers = sender.kind === 'other' ? corsHeaders(sender.origin) : {};
  if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method'))
    return { headers: { ...headers, ...preflightHeaders(allowedHeaders) } };
  if (request.method !== 'POST') return { refused: refusals.method, headers };
  if (request.headers.get(RELAY_HEADER) !== '1')
    return { refused: refusals.forbidden, headers, why: "it has no header x-location-sdk: 1, which the package's pages send" };
  const isJson = JSON_TYPE.test(request.headers.get('content-type') ?? '') && !request.headers.has('content-encoding');
  return isJson ? { operation, headers } : { refused: refusals.mediaType, headers };
}
