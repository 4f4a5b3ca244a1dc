import type { ErrorCode } from '../errors/errors.js';
import type { Failure } from './channel.js';

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'authentication',
  404: 'not-found',
  422: 'unprocessable',
  429: 'rate-limited',
};

/**
 * The meaning of a status if the answer says no more. A 403 rejects the call like a 400. An outbox also pauses, since
 * it concerns every report (`outbox/rules/attempt-ending.ts`).
 */
export function failureOf(status: number, text: string, retryAfterMs: number | undefined): Failure {
  const isRefusal = status >= 400 && status < 500 && status !== 408;
  const waits = !isRefusal || status === 429;
  return {
    code: isRefusal ? (CODES[status] ?? 'bad-request') : 'gateway',
    text,
    outcome: isRefusal ? 'rejected' : 'unknown',
    ...(waits && { retryable: true }),
    details: { status, ...(waits && { retryAfterMs }) },
  };
}
