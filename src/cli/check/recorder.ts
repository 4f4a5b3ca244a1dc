import { messageOf } from '../../delivery/answer.js';
import { secretsOf } from '../../delivery/ask-option.js';
import { readAnswer } from '../../delivery/failures.js';
import type { Transport } from '../../delivery/transport.js';
import { MASK, maskSent } from '../../redact/redact.js';

/** A key that no gateway issues. */
export const WRONG_KEY = 'location-sdk-check-wrong-key';

/** A request and its answer, in a form that may be shared: without the key, and without the personal data of a body. */
export interface CheckExchange {
  readonly about: string;
  readonly path: string;
  /** Undefined if no answer came. */
  readonly status?: number;
  readonly contentType?: string;
  /** The message and the names of the other members, or a description of a body that is not an object. */
  readonly body?: string;
  /** The message alone. */
  readonly said?: string;
  readonly retryAfter?: string;
  /** From the request to the end of the answer. */
  readonly durationMs: number;
  /** The answer's `Date`, and this machine's time halfway through the request. */
  readonly clock?: { readonly theirs: number; readonly ours: number };
}

export interface Recorder {
  readonly transport: Transport;
  readonly exchanges: CheckExchange[];
  /** Sets the purpose of the next requests. */
  label(about: string): void;
  /** Hides a key in all later output. Every sent key, and every other sent header, is hidden, too. */
  hide(key: string): void;
  /** Masks the hidden keys in a text of the gateway. */
  maskKeys(said: string): string;
}

const MOST_BYTES = 1024 * 1024;

/** Wraps a transport, and records its answers. */
export function createRecorder(transport: Transport): Recorder {
  const exchanges: CheckExchange[] = [];
  // A function may return another key each time, and an answer may repeat an earlier key.
  const keys = new Set<string>();
  let about = '';

  // The sent data may be shown: it is made up.
  const maskKeys = (text: string): string =>
    maskSent(
      text,
      [...keys].map((key) => ({ text: key, kind: 'secret' })),
    );

  return {
    exchanges,
    label: (next) => {
      about = next;
    },
    hide: (key) => void keys.add(key),
    maskKeys,
    transport: {
      async send(asked, limit) {
        // The wrong key is made up, and its words may occur in any answer.
        for (const secret of secretsOf(asked.headers)) if (secret !== WRONG_KEY) keys.add(secret);
        const request = { about, path: new URL(asked.url).pathname };
        const began = Date.now();
        const since = performance.now();
        const attempted = await transport.send(asked, limit);
        const durationMs = Math.round((performance.now() - since) * 10) / 10;
        if (attempted.ended !== 'answered') {
          exchanges.push({ ...request, durationMs });
          return attempted;
        }
        const { status, header, text } = attempted;
        const theirs = Date.parse(header('date') ?? '');
        const isTooLong = text === undefined || text.length > MOST_BYTES;
        exchanges.push({
          ...request,
          status,
          contentType: mediaTypeOf(header('content-type') ?? undefined),
          ...describeBody(status, isTooLong ? undefined : text, maskKeys),
          ...(header('retry-after') && { retryAfter: waitOf(header('retry-after') ?? '') }),
          durationMs,
          ...(!Number.isNaN(theirs) && { clock: { theirs, ours: began + durationMs / 2 } }),
        });
        return isTooLong ? { ...attempted, text: undefined } : attempted;
      },
    },
  };
}

/** Any other value of these headers is masked, since it could contain a secret. */
const mediaTypeOf = (value = 'none'): string =>
  /^(?:none|(?:application|text)\/(?:json|problem\+json|html|plain|xml|octet-stream)(?:; ?charset="?(?:utf-8|us-ascii|iso-8859-1)"?)?)$/i.test(
    value,
  )
    ? value
    : MASK;
const waitOf = (value: string): string =>
  /^(?:[0-9]{1,7}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT)$/.test(value) ? value : MASK;

/** The members whose values may be shown: messages, and values that are neither secret nor personal. */
const WORDS = ['message', 'error'];
const PLAIN = ['statusCode', 'success', 'status', 'code'];
const MOST_MEMBERS = 12;

function describeBody(
  status: number,
  text: string | undefined,
  maskKeys: (said: string) => string,
): Pick<CheckExchange, 'body' | 'said'> {
  if (text === undefined) return { body: `longer than ${MOST_BYTES} bytes` };
  const { body, json } = readAnswer(status, text);
  if (body === undefined) return { body: 'empty' };
  if (!json) return { body: /^\s*<(?:!doctype|html)/i.test(text) ? 'an HTML page' : 'not JSON' };
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { body: `JSON, but ${Array.isArray(body) ? 'a list' : 'not an object'}` };
  const entries = Object.entries(body);
  const members = entries
    .slice(0, MOST_MEMBERS)
    .map(([name, value]) => `${nameOf(name, maskKeys)}: ${describeMember(name, value, maskKeys)}`);
  const said = messageOf(body);
  return {
    body: `{ ${members.join(', ')}${entries.length > MOST_MEMBERS ? ', …' : ''} }`,
    ...(said && { said: maskKeys(said) }),
  };
}

/** Masks a name that does not look like one, since it may be data, and a name that contains the key. */
const nameOf = (name: string, maskKeys: (said: string) => string): string =>
  /^[A-Za-z_]\w{0,30}$/.test(name) && maskKeys(name) === name ? name : MASK;

function describeMember(name: string, value: unknown, maskKeys: (said: string) => string): string {
  if (WORDS.includes(name) && (typeof value === 'string' || Array.isArray(value))) {
    return JSON.stringify(
      maskKeys(Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('; ') : value),
    );
  }
  if (PLAIN.includes(name) && (typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) < 1_000)))
    return String(value);
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

export const describeExchange = ({ status, body, said }: CheckExchange): string =>
  status === undefined ? 'no answer' : `HTTP ${status}, ${said === undefined ? body : JSON.stringify(said)}`;

export interface Latency {
  readonly answers: number;
  readonly medianMs: number;
  readonly slowestMs: number;
}

/** The times from the request to the end of the answer. Undefined if no answer came. */
export function latencyOf(exchanges: readonly CheckExchange[]): Latency | undefined {
  const durations = exchanges
    .filter(({ status }) => status !== undefined)
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  const medianMs = durations[Math.floor(durations.length / 2)];
  const slowestMs = durations.at(-1);
  return medianMs === undefined || slowestMs === undefined
    ? undefined
    : { answers: durations.length, medianMs, slowestMs };
}
