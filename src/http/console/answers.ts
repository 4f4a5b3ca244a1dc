import { pageHeaders, type RefusalAnswer, type WebAnswer, toResponse as webResponse } from '../../core/web/answer.js';
import type { OperatorRefusal, OperatorRefusalCode } from '../../operator/context.js';

const HEADERS: Readonly<Record<string, string>> = {
  ...pageHeaders(),
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

export const toResponse = (answer: WebAnswer): Response => webResponse(answer, HEADERS);

export const textAnswer = (
  type: string,
  body: string | ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): WebAnswer => ({ status: 200, body, headers: { 'content-type': `${type}; charset=utf-8`, ...headers } });

export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): WebAnswer =>
  textAnswer('application/json', JSON.stringify(value), headers);

export type RefusalCode =
  | OperatorRefusalCode
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

/** The page shows `message`, and acts by `code`. */
export interface Refusal {
  readonly error: { readonly code: RefusalCode; readonly message: string };
}

const refusal = (
  status: number,
  code: RefusalCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): RefusalAnswer => ({ status, body: { error: { code, message } } satisfies Refusal, headers });

/** Refusals before the body is read: the same words for every visitor. */
export const refusals = {
  noSuchPath: refusal(404, 'address', 'This path does not exist.'),
  method: (allow: string) => refusal(405, 'method', `Use ${allow}.`, { allow }),
  foreign: refusal(
    403,
    'origin',
    'This request came from another site. Nothing was changed; open the console at its own address.',
  ),
  mediaType: refusal(415, 'media-type', 'Send application/json.'),
  noSession: refusal(401, 'session', 'Log in first. Nothing was changed.'),
  mayNotAct: refusal(403, 'rights', 'You may look, but not act. Nothing was changed.'),
  mayNotRead: refusal(403, 'rights', 'You may not see what is in a report. Nothing was shown.'),
  readOnly: refusal(403, 'read-only', 'This console only shows; nothing was changed.'),
  token: refusal(403, 'token', 'The token of this page has expired. Nothing was changed; load the page again.'),
  tooLarge: refusal(413, 'too-large', 'That is too much for one request. Nothing was changed.'),
  tooSlow: refusal(408, 'too-slow', 'The request did not come in time. Nothing was changed.'),
} as const;

export const invalid = (message: string): RefusalAnswer => refusal(422, 'invalid', message);
export const notFound = (message: string): RefusalAnswer => refusal(404, 'not-found', message);

const STATUS: Readonly<Record<OperatorRefusalCode, number>> = {
  invalid: 422,
  'not-found': 404,
  conflict: 409,
  locked: 423,
};

export const refusedByOperator = ({ code, message }: OperatorRefusal): RefusalAnswer =>
  refusal(STATUS[code], code, message);

export const storeFailed = (message: string): RefusalAnswer => refusal(503, 'store', message);

/** The reason is in the server's log alone, under this id. */
export const failed = (id: string): RefusalAnswer =>
  refusal(
    500,
    'failed',
    `Something went wrong; the server's log says what, under ${id}. Look again before you repeat an action.`,
  );

export interface ConsoleSession {
  readonly name: string;
  readonly mayAct: boolean;
  readonly mayReadBodies: boolean;
  readonly readOnly: boolean;
  /** The accounts that are shown; null: all that the store has. */
  readonly accounts: readonly string[] | null;
  /** Every action sends it along, as `x-console-token`. */
  readonly token: string;
}
