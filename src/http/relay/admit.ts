import { PLAYER_HEADER, RELAY_HEADER } from '../../core/protocol/headers.js';
import { operations } from '../../core/protocol/operations.js';
import type { WebAnswer } from '../../core/web/answer.js';
import { senderOf } from '../../core/web/origin.js';
import { plainPathOf } from '../../core/web/plain-path.js';
import { declaresJson } from '../../core/web/read-json.js';
import { refusals } from './answers.js';
import { RELAY_OPERATIONS, type RelayOperation, type RelaySettings } from './relay-options.js';

/** The operation of a request, or its refusal. An accepted preflight has neither. */
interface Admitted {
  readonly operation?: RelayOperation | undefined;
  readonly refused?: WebAnswer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly foreign?: boolean;
  /** The line for the log about a request of no page. */
  readonly native?: string;
  /** The reason, if the answer does not contain it. */
  readonly why?: string;
}

type AdmitRules = Pick<RelaySettings, 'allowNative' | 'allowedOrigins' | 'allowedHeaders'>;

/** The checks that need only the address and the headers, in the order of their answers. */
export function admit(request: Request, rules: AdmitRules, target?: unknown): Admitted {
  const { allowedOrigins, allowedHeaders } = rules;
  const operation = routeOf(request.url, target);
  if (!operation) return { refused: refusals.noSuchPath, headers: {} };
  const sender = senderOf(request, allowedOrigins);
  if (sender.kind === 'refused')
    return {
      refused: refusals.forbidden,
      headers: {},
      foreign: true,
      why: 'its Origin and Sec-Fetch-Site headers are not those of an allowed page',
    };
  const native = sender.kind === 'none' ? nativeProblem(request, rules) : undefined;
  if (native) return { refused: refusals.forbidden, headers: {}, native };
  const headers = sender.kind === 'other' ? corsHeaders(sender.origin) : {};
  if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method'))
    return { headers: { ...headers, ...preflightHeaders(allowedHeaders) } };
  if (request.method !== 'POST') return { refused: refusals.method, headers };
  if (request.headers.get(RELAY_HEADER) !== '1')
    return {
      refused: refusals.forbidden,
      headers,
      why: "it has no header x-location-sdk: 1, which the package's pages send",
    };
  return declaresJson(request) ? { operation, headers } : { refused: refusals.mediaType, headers };
}

/**
 * A page's browser always names its origin, so a forged request of a page never comes here. A cookie is refused all the
 * same: a request without one has nothing to steal.
 */
function nativeProblem({ headers }: Request, { allowNative }: AdmitRules): string | undefined {
  if (!allowNative)
    return 'a request without Origin and Sec-Fetch-Site was refused: no page sent it. If it is from your app, set createRelay({ allowNative: true })';
  if (!headers.has('cookie')) return undefined;
  return 'a request without Origin and Sec-Fetch-Site was refused, since it has a cookie. If it is from your app, send the session in another header, such as authorization, and no cookie (allowNative)';
}

/** The operation that an address asks for: the last segment of its path is the operation's, letter by letter. */
function routeOf(address: string, target?: unknown): RelayOperation | undefined {
  const path = plainPathOf(address, target);
  const last = path?.slice(path.lastIndexOf('/') + 1);
  return RELAY_OPERATIONS.find((name) => operations[name].path === last);
}

const corsHeaders = (origin: string): Record<string, string> => ({
  'access-control-allow-origin': origin,
  // The operator's session is usually a cookie.
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': `retry-after, ${RELAY_HEADER}`,
});

const preflightHeaders = (more: readonly string[]): Record<string, string> => ({
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': ['content-type', RELAY_HEADER, PLAYER_HEADER, ...more].join(', '),
  'access-control-max-age': '600',
});
