import { AuthenticationError, BadRequestError, GatewayError, NotFoundError, RateLimitError, UnprocessableError } from '../errors/errors.js';
import { messageOf } from './answer.js';
import type { Answer } from './settings.js';
import type { Asked, Failure } from './verdict.js';

/** What a status means where nothing else is known of the answer. */
export function classifyStatus(
  { status, body, json }: Answer,
  { after, isReport }: Pick<Asked, 'after' | 'isReport'>,
  retryAfterMs: number | undefined,
): Failure {
  // What a browser does not follow it does not tell either.
  const http = status === 0 ? '' : `HTTP ${status}: `;
  const refused = (type: Failure['type'], text: string): Failure => ({ type, text: http + text, outcome: 'rejected', details: { status } });
  const notJson = !json || body === undefined ? 'the answer is not JSON: ' : '';
  const wrongAddress = `; ${notJson}is the base address right?`;

  if (status === 401) return refused(AuthenticationError, 'the API key is missing or not valid in this environment');
  if (status === 404) {
    const missing = after && !notJson ? `; was ${after} reported first, in this environment? If so, check the base address` : wrongAddress;
    return { ...refused(NotFoundError, `no such record${missing}`), foreign: messageOf(body) === undefined };
  }
  if (status === 422) return refused(UnprocessableError, 'the gateway cannot accept the data; correct it and call again');
  if (status === 429) {
    return { ...refused(RateLimitError, 'too many requests; call again later'), retryable: true, details: { status, retryAfterMs } };
  }
  if (status >= 400 && status < 500 && status !== 408)
    return refused(BadRequestError, `the gateway refused the request${status === 405 && notJson ? wrongAddress : ''}`);

  const what =
    status >= 200 && status < 300
      ? json
        ? `the answer does not say that ${isReport ? 'the report is recorded (see the option isRecorded)' : 'the number is verified or not'}`
        : 'the answer is not JSON; does a proxy or a captive portal stand in between?'
      : status < 400
        ? 'a redirect is not followed, since the API key would travel with it; is the base address right?'
        : 'the gateway failed';
  return { type: GatewayError, text: http + what, outcome: 'unknown', retryable: true, details: { status, retryAfterMs } };
}
