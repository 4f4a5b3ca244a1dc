import type { Environment } from '../../core/errors/errors.js';
import { isRecord } from '../../core/platform/as-record.js';
import { readBody } from '../../core/platform/body.js';
import type { Clock } from '../../core/platform/time.js';
import { GATEWAY_PATH, type Operation, operationNames, operations } from '../../core/protocol/operations.js';
import { parseJson } from '../../core/web/read-json.js';
import { type MockAnswer, refuse, unseenAnswer } from './answers.js';
import type { Applied, RequestBody } from './apply.js';
import type { FaultBox, SetFault } from './faults.js';
import type { JournalEntry } from './journal.js';
import type { RateLimitOptions } from './options.js';
import type { Pending } from './pending.js';

export const LONGEST_REQUEST = 1024 * 1024;

/** Whether a request declares a JSON body, as every request must (specification, section 5). */
const saysJson = ({ headers }: Request): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');

interface Endpoint {
  readonly environment: Environment;
  readonly row: Operation;
}

export const PRODUCTION = '/production';

/** By path: staging at the address itself, production below `/production`. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  operationNames.flatMap((name): [string, Endpoint][] => {
    const row = operations[name];
    const path = GATEWAY_PATH + row.path;
    return [
      [path, { environment: 'staging', row }],
      [PRODUCTION + path, { environment: 'production', row }],
    ];
  }),
);

const PATHS = [...endpoints.keys()].join(', ');

/** The answer to a request before its fault changes it, and what the journal notes. */
interface Responded {
  readonly answer: MockAnswer;
  readonly applied?: boolean;
  readonly body?: RequestBody | undefined;
  readonly reference?: string | undefined;
  readonly fault?: SetFault | undefined;
}

interface ResponderParts {
  readonly clock: Clock;
  readonly rateLimit: RateLimitOptions | undefined;
  readonly faults: FaultBox;
  readonly pending: Pending;
  readonly apply: (endpoint: Endpoint, body: RequestBody) => Applied;
}

/** Answers requests, in the order of the checks: path, method, key, rate, fault, body, fields, ledger. */
export function createResponder({ clock, rateLimit, faults, pending, apply }: ResponderParts) {
  let resets = 0;
  let limiter = rateLimit && createRateLimiter(rateLimit);

  async function respond(
    request: Request,
    endpoint: Endpoint | undefined,
    key: JournalEntry['key'],
  ): Promise<Responded> {
    if (!endpoint) return { answer: refuse(404, `There is no such path; known are ${PATHS}`) };
    if (request.method !== 'POST') return { answer: refuse(405, 'Use POST', { allow: 'POST' }) };
    if (key !== 'valid') return { answer: refuse(401, `API key is ${key}`) };
    const retryAfter = limiter?.(clock.now());
    if (retryAfter !== undefined)
      return { answer: refuse(429, 'Too many requests', { 'retry-after': String(retryAfter) }) };

    const { row } = endpoint;
    const text = await readBody(request, undefined, LONGEST_REQUEST);
    const sent = text === undefined ? undefined : parseJson(text);
    const body = isRecord(sent) ? sent : undefined;
    const named = row.reference && body?.[row.reference];
    const reference = typeof named === 'string' ? named : undefined;
    const before = faults.strike('before', row.name, reference);
    const seen = { body, reference, fault: before };
    if (before && before.kind !== 'duplicate-delivery' && before.kind !== 'latency')
      return { ...seen, answer: unseenAnswer(before) };
    if (before?.kind === 'latency') {
      const began = resets;
      await pending.wait(faults.delayOf(before));
      if (resets !== began) return { ...seen, answer: refuse(503, 'The mock gateway was reset meanwhile') };
    }
    if (text === undefined) return { ...seen, answer: refuse(413, `The body is larger than ${LONGEST_REQUEST} bytes`) };
    if (!saysJson(request)) return { ...seen, answer: refuse(400, 'The content-type must be application/json') };
    if (!body) return { ...seen, answer: refuse(400, 'The body is not a JSON object') };

    const first = apply(endpoint, body);
    const fault = before ?? faults.strike('after', row.name, reference);
    if (fault?.kind !== 'duplicate-delivery') return { ...seen, ...first, fault };
    const second = apply(endpoint, body);
    return { ...seen, answer: second.answer, applied: first.applied || second.applied, fault };
  }

  return {
    respond,
    reset() {
      resets += 1;
      limiter = rateLimit && createRateLimiter(rateLimit);
    },
  };
}

/** A token bucket of `requests` tokens that fills evenly. */
function createRateLimiter({ requests, perMs = 1_000 }: RateLimitOptions) {
  let tokens = requests;
  let filled: number | undefined;
  return (now: number): number | undefined => {
    tokens = Math.min(requests, tokens + (Math.max(0, now - (filled ?? now)) * requests) / perMs);
    filled = now;
    if (tokens < 1) return Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1_000));
    tokens -= 1;
    return undefined;
  };
}
