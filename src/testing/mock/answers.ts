import type { SetFault } from './faults.js';
import type { WireAnswer } from './wire.js';

/** An answer before a fault changes it. */
export interface MockAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** The generic error body (specification, section 2.5). */
export const refuse = (
  statusCode: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): MockAnswer => ({
  status: statusCode,
  body: { message, error: ERRORS[statusCode] ?? 'Error', statusCode },
  headers,
});

/** An answer that a fault changed, and how long it is held back: `'forever'` until it is released. */
interface Struck {
  readonly wire: WireAnswer;
  readonly delay: number | 'forever';
  /** The message of the answer, before its connection or its text is broken. Undefined if it has no body. */
  readonly sent: unknown;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const PAGE = '<!doctype html><html lang="en"><title>Sign in</title><p>Please sign in to use this network.</p></html>';

/**
 * The answer to a report that was not processed, for a fault to change. If the answer would arrive whole or without a
 * body, it must not be a success: the client would believe that a lost report is recorded.
 */
export const unseenAnswer = ({ kind }: SetFault): MockAnswer =>
  kind === 'slow-body' || kind === 'empty-body'
    ? refuse(503, 'The report was not looked at')
    : { status: 200, body: {} };

export function misbehave(
  answer: MockAnswer,
  fault: SetFault | undefined,
  delayOf: (fault: SetFault) => number,
): Struck {
  const wire = toWire(answer);
  const whole: Struck = { wire, delay: 0, sent: answer.body };
  const changed = (part: Partial<WireAnswer>): Struck => ({ ...whole, wire: { ...wire, ...part } });
  switch (fault?.kind) {
    case 'hang':
      return { ...changed({ transport: { kind: 'connection-reset' } }), delay: 'forever' };
    case 'latency':
      return { ...whole, delay: fault.when === 'after' ? delayOf(fault) : 0 };
    case 'slow-body':
      return changed({ transport: { kind: 'slow-body', milliseconds: delayOf(fault) } });
    case 'connection-reset':
    case 'half-body':
      return changed({ transport: { kind: fault.kind } });
    case 'status': {
      const told = statusAnswer(fault);
      return { ...whole, wire: toWire(told), sent: told.body };
    }
    case 'broken-json':
      return changed({ body: JSON.stringify(answer.body ?? {}).slice(0, -1) });
    case 'wrong-content-type': {
      const headers = { ...answer.headers, 'content-type': 'text/html; charset=utf-8' };
      return { ...changed({ status: fault.status ?? wire.status, headers, body: PAGE }), sent: PAGE };
    }
    case 'empty-body':
      return { ...changed({ body: '' }), sent: undefined };
    default:
      return whole;
  }
}

const toWire = ({ status, body, headers }: MockAnswer): WireAnswer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: body === undefined ? '' : JSON.stringify(body),
  transport: { kind: 'whole' },
});

function statusAnswer({ status = 503, retryAfter, body, headers: more }: SetFault): MockAnswer {
  const wait = typeof retryAfter === 'object' ? new Date(retryAfter.date).toUTCString() : retryAfter?.toString();
  const own = Object.fromEntries(Object.entries(more ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const headers = { ...(wait !== undefined && { 'retry-after': wait }), ...own };
  return body === undefined ? refuse(status, 'Told to answer so', headers) : { status, body, headers };
}
