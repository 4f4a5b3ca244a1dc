import { type MockAnswer, refuse } from './answers.js';
import type { SetFault } from './faults.js';
import type { WireAnswer, WireMode } from './wire.js';

/** An answer that a fault changed, and how long it is held back: `'forever'` until it is released. */
export interface Struck {
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
  kind === 'slow-body' || kind === 'empty-body' ? refuse(503, 'The report was not looked at') : { status: 200, body: {} };

/** Changes an answer as the fault requires. */
export function misbehave(answer: MockAnswer, fault: SetFault | undefined, delayOf: (fault: SetFault) => number): Struck {
  const sent = answer.body;
  switch (fault?.kind) {
    case 'hang':
      return { wire: toWire(answer, { kind: 'connection-reset' }), delay: 'forever', sent };
    case 'latency':
      return { wire: toWire(answer), delay: fault.when === 'after' ? delayOf(fault) : 0, sent };
    case 'slow-body':
      return { wire: toWire(answer, { kind: 'slow-body', milliseconds: delayOf(fault) }), delay: 0, sent };
    case 'connection-reset':
    case 'half-body':
      return { wire: toWire(answer, { kind: fault.kind }), delay: 0, sent };
    case 'status':
      return { wire: toWire(statusAnswer(fault)), delay: 0, sent: statusAnswer(fault).body };
    case 'broken-json':
      return { wire: { ...toWire(answer), body: JSON.stringify(answer.body ?? {}).slice(0, -1) }, delay: 0, sent };
    case 'wrong-content-type':
      return { wire: { ...toWire(answer), headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' }, body: PAGE }, delay: 0, sent: PAGE };
    case 'empty-body':
      return { wire: { ...toWire(answer), body: '' }, delay: 0, sent: undefined };
    default:
      return { wire: toWire(answer), delay: 0, sent };
  }
}

function toWire({ status, body, headers }: MockAnswer, transport: WireMode = { kind: 'whole' }): WireAnswer {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: body === undefined ? '' : JSON.stringify(body), transport };
}

function statusAnswer({ status = 503, retryAfter, body, headers: more }: SetFault): MockAnswer {
  const wait = typeof retryAfter === 'object' ? new Date(retryAfter.date).toUTCString() : retryAfter?.toString();
  const own = Object.fromEntries(Object.entries(more ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const headers = { ...(wait !== undefined && { 'retry-after': wait }), ...own };
  return body === undefined ? refuse(status, 'Told to answer so', headers) : { status, body, headers };
}
