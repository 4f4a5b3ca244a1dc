import { AuthenticationError, BadRequestError, GatewayError, NotFoundError, RateLimitError, UnprocessableError } from '../errors/errors.js';
import type { Answer } from './settings.js';
import type { Asked, Failure } from './verdict.js';

const TYPES: Readonly<Record<number, Failure['type']>> = { 401: AuthenticationError, 404: NotFoundError, 422: UnprocessableError, 429: RateLimitError };

/** Without words: where a relay answers there are others. */
export function classifyStatus({ status }: Answer, _: Pick<Asked, 'after' | 'isReport'>, retryAfterMs: number | undefined): Failure {
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  const type = isRefusal ? (TYPES[status] ?? BadRequestError) : GatewayError;
  return { type, text: '', outcome: isRefusal ? 'rejected' : 'unknown', retryable: !isRefusal || status === 429, details: { status, retryAfterMs } };
}
