import type { ConsoleRefusal, ConsoleRefusalCode } from '../outbox/console/refusal.js';
import { pageHeaders } from '../platform/page-headers.js';

/** Every answer has these. */
const HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders(),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

/** An answer before it is a `Response`. */
export interface ConsoleAnswer {
  readonly status: number;
  readonly text: string | ReadableStream<Uint8Array>;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const toResponse = ({ status, text, type, headers }: ConsoleAnswer): Response =>
  new Response(status === 304 ? null : text, { status, headers: { ...HEADERS, 'content-type': `${type}; charset=utf-8`, ...headers } });

export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): ConsoleAnswer => ({
  status,
  text: JSON.stringify(value),
  type: 'application/json',
  headers,
});

/** Many values, a line each. */
export const lines = (stream: ReadableStream<Uint8Array>): ConsoleAnswer => ({ status: 200, text: stream, type: 'application/jsonl' });

/** Why a call was not done. The page shows `message`, and acts by `code`. */
export type RefusalCode =
  | ConsoleRefusalCode
  | 'address'
  | 'method'
  | 'origin'
  | 'media-type'
  | 'session'
  | 'rights'
  | 'read-only'
  | 'token'
  | 'too-large'
  | 'too-slow'
  | 'store'
  | 'failed';

/** The answer to a call that was not done. */
export interface Refusal {
  readonly error: { readonly code: RefusalCode; readonly message: string };
}

const refusal = (status: number, code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}): ConsoleAnswer =>
  json({ error: { code, message } } satisfies Refusal, status, headers);

/** The refusal that an answer made here holds. */
export const refusalIn = ({ text }: ConsoleAnswer): Refusal => JSON.parse(String(text)) as Refusal;

/** Refusals before anything is read: the same words for everybody. */
export const refusals = {
  noSuchPath: refusal(404, 'address', 'There is nothing here.'),
  method: (allow: string) => refusal(405, 'method', `Use ${allow}.`, { allow }),
  foreign: refusal(403, 'origin', 'This is not accepted.'),
  mediaType: refusal(415, 'media-type', 'Send application/json.'),
  noSession: refusal(401, 'session', 'Log in first. Nothing was changed.'),
  mayNotAct: refusal(403, 'rights', 'You may look, but not act. Nothing was changed.'),
  mayNotRead: refusal(403, 'rights', 'You may not see what is in a report. Nothing was shown.'),
  readOnly: refusal(403, 'read-only', 'This console only shows; nothing was changed.'),
  token: refusal(403, 'token', 'The token of this page is over. Nothing was changed; load the page again.'),
  tooLarge: refusal(413, 'too-large', 'That is too much for one request. Nothing was changed.'),
  tooSlow: refusal(408, 'too-slow', 'The request did not come in time. Nothing was changed.'),
} as const;

export const invalid = (message: string): ConsoleAnswer => refusal(422, 'invalid', message);
export const notFound = (message: string): ConsoleAnswer => refusal(404, 'not-found', message);

const STATUS: Readonly<Record<ConsoleRefusalCode, number>> = { invalid: 422, 'not-found': 404, conflict: 409, locked: 423, 'store-cannot': 501 };

/** A refusal of the console's data, in their own words. */
export const refusedByData = ({ code, message }: ConsoleRefusal): ConsoleAnswer => refusal(STATUS[code], code, message);

/** A failure of the store's file, in the words of the store, which say what to do. */
export const storeFailed = (message: string): ConsoleAnswer => refusal(503, 'store', message);

/** A failure whose reason is in the server's log alone, under this id. */
export const failed = (id: string): ConsoleAnswer =>
  refusal(500, 'failed', `Something went wrong; the server's log says what, under ${id}. Look again before you repeat an action.`);

/** Ends a request with an answer. */
export class RefusedCall extends Error {
  constructor(readonly answer: ConsoleAnswer) {
    super('refused');
  }
}

export function refuse(answer: ConsoleAnswer): never {
  throw new RefusedCall(answer);
}
