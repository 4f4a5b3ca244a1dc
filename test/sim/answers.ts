import { createClient } from '../../src/core/client/create-client.js';
import { internalsOf } from '../../src/core/client/internals.js';
import { endingOf, gatewayRefusal } from '../../src/outbox/rules/attempt-ending.js';
import type { Ending } from '../../src/outbox/rules/state-machine.js';
import { betEvent, LOCATION, settledBet } from '../support/factories.js';

/**
 * The true end of an attempt, independent of the source. `'recorded'`: the gateway recorded it now.
 * `'same'`, `'conflict'`: it holds these or other bytes. `'refused'`: it refuses them. `'missing'`: it does not
 * hold the initiated report. `'turned-away'`: it did not process the report, which is valid. `'silent'`:
 * the end is unknown. `'not-begun'`: nothing was sent.
 */
export type Truth = 'recorded' | 'same' | 'conflict' | 'refused' | 'missing' | 'turned-away' | 'silent' | 'not-begun';

/** The end of an attempt: an answer, or an error instead of one. */
export interface Reply {
  readonly name: string;
  readonly truth: Truth;
  readonly status?: number;
  readonly body?: unknown;
  readonly retryAfter?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the destination must be paused. */
  readonly pauses?: boolean;
  /** The error of `fetch`. `'never'`: it does not settle. `'aborted'`: it does not settle, and the caller cancels. */
  readonly throws?: object | 'never' | 'aborted';
  /** Whether the answer breaks off after its headers. */
  readonly cut?: boolean;
}

const generic = (statusCode: number, message: string | readonly string[]) => ({ message, error: 'Error', statusCode });
const status = (truth: Truth, code: number, message: string | readonly string[], more: Partial<Reply> = {}): Reply => ({
  name: `${code} ${JSON.stringify(message)}${more.retryAfter === undefined ? '' : ` (Retry-After: ${more.retryAfter})`}`,
  truth,
  status: code,
  body: generic(code, message),
  ...more,
});
const pausing = (truth: Truth, code: number, message: string, retryAfter?: string): Reply =>
  status(truth, code, message, { pauses: true, ...(retryAfter !== undefined && { retryAfter }) });

/** An answer whose end is missing: its connection closed, and the runtime does not report that. */
const unseen = (code: number, body: string): Reply => ({
  name: `${code} that broke off after ${JSON.stringify(body)}`,
  truth: 'silent',
  status: code,
  body,
  headers: { 'transfer-encoding': 'chunked', connection: 'close' },
  // The status alone shows that the destination has a problem. The doubt stays.
  ...([401, 403, 404, 429].includes(code) && { pauses: true }),
});

/** Every end of an attempt in the simulation, by its cause. */
export const REPLIES = {
  recorded: [
    { name: '200 recorded', truth: 'recorded', status: 200, body: { message: 'Bet reported' } },
    { name: '200 empty', truth: 'recorded', status: 200, body: '' },
    { name: '201 with success', truth: 'recorded', status: 201, body: { success: true } },
  ],
  same: [
    status('same', 409, 'This bet has already been reported'),
    status('same', 409, 'The bet already exists'),
    { name: '409 with a code', truth: 'same', status: 409, body: { code: 'DUPLICATE_REPORT' } },
    status('same', 400, 'Duplicate report'),
    status('same', 422, ['This bet was already recorded']),
  ],
  conflict: [
    status('conflict', 409, 'This bet has already been reported with different data'),
    status('conflict', 400, 'already submitted, with other data'),
    status('conflict', 422, 'Duplicate: the data is different'),
  ],
  /** Some of them have words like those of a duplicate, and are not duplicates. */
  refused: [
    status('refused', 400, 'Invalid request'),
    status('refused', 422, 'nin is wrong'),
    status('refused', 413, 'Too large'),
    status('refused', 400, 'user is already suspended'),
    status('refused', 422, 'the bet must not be already settled'),
    status('refused', 400, 'user already exists in the self-exclusion list'),
    status('refused', 422, 'Duplicate detection is unavailable'),
    status('refused', 422, 'duplicate must be a number'),
    status('refused', 400, 'amount is different from the stake'),
    status('refused', 409, ''),
    status('refused', 409, 'Optimistic lock failure'),
    status('refused', 409, 'Wallet is busy'),
  ],
  /** Pages of another server. They do not show whether the gateway has processed the report. */
  pages: [
    { name: '400 HTML', truth: 'silent', status: 400, body: '<h1>Bad Request</h1>' },
    { name: '402 HTML', truth: 'silent', status: 402, body: '<h1>Payment Required</h1>' },
    { name: '422 HTML', truth: 'silent', status: 422, body: '<h1>Unprocessable</h1>' },
    { name: '422 empty', truth: 'silent', status: 422, body: '' },
    { name: '500 HTML', truth: 'silent', status: 500, body: '<h1>Error</h1>' },
    { name: '502 HTML, Retry-After: 5', truth: 'silent', status: 502, body: '<h1>Bad Gateway</h1>', retryAfter: '5' },
  ],
  missing: [status('missing', 404, 'Record not found')],
  wrongKey: [
    pausing('turned-away', 401, 'API key is invalid'),
    pausing('turned-away', 403, 'Forbidden'),
    { name: '403 HTML', truth: 'turned-away', status: 403, body: '<h1>Forbidden</h1>', pauses: true },
  ],
  /** Another server answers at the gateway's address. */
  misdirected: [
    { name: '404 HTML', truth: 'turned-away', status: 404, body: '<h1>Not Found</h1>', pauses: true },
    { name: '404 empty', truth: 'turned-away', status: 404, body: '', pauses: true },
    pausing('turned-away', 405, 'Method Not Allowed'),
    pausing('turned-away', 407, 'Proxy Authentication Required'),
    pausing('turned-away', 421, 'Misdirected Request'),
    { name: '302', truth: 'silent', status: 302, body: '', pauses: true },
  ],
  rateLimit: [
    pausing('turned-away', 429, 'Too many requests'),
    pausing('turned-away', 429, 'Too many requests', '0'),
    pausing('turned-away', 429, 'Too many requests', '5'),
    pausing('turned-away', 429, 'Too many requests', '90'),
  ],
  /** Longer than the longest wait of an outbox. */
  absurdRateLimit: [pausing('turned-away', 429, 'Too many requests', '9999999')],
  unavailable: [
    pausing('silent', 503, 'Service Unavailable'),
    pausing('silent', 503, 'Service Unavailable', '0'),
    pausing('silent', 503, 'Service Unavailable', '30'),
  ],
  failed: [
    status('silent', 500, 'Internal Server Error'),
    status('silent', 500, 'already recorded'),
    status('silent', 504, 'Gateway Timeout'),
    status('silent', 408, 'Request Timeout'),
    { name: '502 HTML', truth: 'silent', status: 502, body: '<h1>Bad Gateway</h1>' },
  ],
  /** Answers that look like success by their status alone. */
  portal: [
    { name: '200 HTML', truth: 'silent', status: 200, body: '<h1>Sign in</h1>' },
    { name: '200 with an error', truth: 'silent', status: 200, body: { success: false, error: 'busy' } },
  ],
  /** The gateway may have recorded the attempt. */
  broken: [
    { name: 'connection reset', truth: 'silent', throws: { code: 'ECONNRESET', syscall: 'read' } },
    { name: 'answer cut off', truth: 'silent', status: 200, body: { message: 'Bet reported' }, cut: true },
    ...[200, 401, 404, 409, 422, 429].map((code) => unseen(code, '')),
    unseen(409, '{"message":"This bet has already been reported'),
    unseen(422, '{"message":"This bet has already been reported'),
    unseen(403, '<h1>Forb'),
  ],
  unreachable: [
    {
      name: 'connection refused',
      truth: 'turned-away',
      pauses: true,
      throws: { code: 'ECONNREFUSED', syscall: 'connect' },
    },
    {
      name: 'name not resolved',
      truth: 'turned-away',
      pauses: true,
      throws: { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
    },
  ],
  timeout: [{ name: 'no answer in time', truth: 'silent', throws: 'never' }],
  aborted: [{ name: 'cut off by stop', truth: 'silent', throws: 'aborted' }],
} as const satisfies Record<string, readonly Reply[]>;

export type ReplyKind = keyof typeof REPLIES;

/** A reply, and the reading of it by the source's own delivery. */
export interface Known extends Reply {
  readonly ending: Ending;
  readonly retryAfterMs: number | undefined;
}

export type Catalogue = { readonly [Kind in ReplyKind]: readonly Known[] };

const never = new Promise<never>(() => {});

/** Sends one report through the real client, and lets the gateway answer as it is told. */
async function askOnce(reply: Reply): Promise<Ending> {
  const controller = new AbortController();
  const client = createClient({
    gateways: { staging: { baseUrl: 'http://localhost', apiKey: 'key' } },
    fetch: async () => {
      if (reply.throws === 'aborted') controller.abort();
      if (typeof reply.throws === 'string') return never;
      if (reply.throws) throw Object.assign(new TypeError('fetch failed'), { cause: reply.throws });
      return answer(reply);
    },
    clock: {
      now: () => 0,
      setTimeout: (callback) => (reply.throws === 'never' ? setTimeout(callback, 20) : undefined),
      clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    },
    logger: { error: () => {}, warn: () => {} },
  });
  const internals = internalsOf(client);
  if (!internals) throw new Error('the value is not a client');
  const { report } =
    reply.truth === 'missing'
      ? await internals.freeze('reportSettledBet', settledBet(), {})
      : await internals.freeze('reportBetEvent', betEvent(), LOCATED);
  return endingOf(() => internals.attempt(report, { signal: controller.signal, milliseconds: 10_000 }), gatewayRefusal);
}

const LOCATED = { location: LOCATION };

function answer({ status: code = 200, body, retryAfter, headers, cut }: Reply): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(cut ? text.slice(0, 5) : text));
      if (cut) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(stream, {
    status: code,
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    },
  });
}

/** Reads every reply once. So the simulation uses the real reading of answers without its cost in each history. */
export async function readAnswers(): Promise<Catalogue> {
  const read = async ([kind, replies]: [string, readonly Reply[]]) => {
    const known = replies.map(
      async (reply): Promise<Known> => ({
        ...reply,
        ending: await askOnce(reply),
        retryAfterMs: reply.retryAfter === undefined ? undefined : Number(reply.retryAfter) * 1_000,
      }),
    );
    return [kind, await Promise.all(known)] as const;
  };
  return Object.fromEntries(await Promise.all(Object.entries(REPLIES).map(read))) as unknown as Catalogue;
}
