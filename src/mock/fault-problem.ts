import { type OperationName, operationNames } from '../protocol/operations.js';
import { printableKey } from '../schema/issue.js';
import { suggest } from '../schema/suggest.js';

/** The kinds of faults. */
export type FaultKind =
  /** The answer comes late: `delay`. */
  | 'latency'
  /** No answer ever comes. The gateway's `reset()` ends the request. */
  | 'hang'
  /** The answer's body comes in pieces over `delay`. */
  | 'slow-body'
  /** The connection breaks without an answer. */
  | 'connection-reset'
  /** The connection breaks in the middle of the answer's body. */
  | 'half-body'
  /** An answer with its own `status`, and `retryAfter`. */
  | 'status'
  /** JSON that breaks off. */
  | 'broken-json'
  /** An HTML page, as a proxy or a captive portal sends it. */
  | 'wrong-content-type'
  /** An empty body. */
  | 'empty-body'
  /** The request arrives twice, as some proxies send it. The client gets the second answer. */
  | 'duplicate-delivery';

export const FAULT_KINDS: readonly FaultKind[] = [
  'latency',
  'hang',
  'slow-body',
  'connection-reset',
  'half-body',
  'status',
  'broken-json',
  'wrong-content-type',
  'empty-body',
  'duplicate-delivery',
];

/** In milliseconds. */
export const LONGEST_DELAY = 600_000;
const NAMES = ['operation', 'reference', 'kind', 'when', 'skip', 'times', 'probability', 'delay', 'status', 'retryAfter', 'headers', 'body'];

const isNumber = (value: unknown, least: number, most: number) => typeof value === 'number' && value >= least && value <= most;
const isWhole = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

/** Headers that frame the answer. With wrong values no answer would arrive. */
const FRAMING = /^(?:content-length|transfer-encoding|trailer|connection|upgrade|keep-alive)$/i;

const areHeaders = (headers: unknown) =>
  typeof headers === 'object' &&
  headers !== null &&
  !Array.isArray(headers) &&
  Object.entries(headers).every(
    ([name, value]) => /^[\w-]{1,100}$/.test(name) && !FRAMING.test(name) && typeof value === 'string' && /^[\x20-\x7e]{0,1000}$/.test(value),
  );

/** Whether it is a moment that a header can express. */
const isDate = (date: unknown) => (date instanceof Date || typeof date === 'number') && !Number.isNaN(new Date(date).getTime());

function isJson(body: unknown): boolean {
  try {
    return JSON.stringify(body) !== undefined;
  } catch {
    return false;
  }
}

function isDelay(delay: unknown): boolean {
  if (typeof delay === 'number') return isNumber(delay, 0, LONGEST_DELAY);
  const { uniform, logNormal } = (delay ?? {}) as { uniform?: unknown[]; logNormal?: { median?: unknown; sigma?: unknown } };
  if (Array.isArray(uniform)) {
    const [least, most] = uniform;
    return uniform.length === 2 && isNumber(least, 0, LONGEST_DELAY) && isNumber(most, Number(least), LONGEST_DELAY);
  }
  return isNumber(logNormal?.median, 0, LONGEST_DELAY) && isNumber(logNormal?.sigma, 0, 3);
}

/** The problem with a rule from outside. */
export function faultProblem(rule: unknown): string | undefined {
  if (typeof rule !== 'object' || rule === null) return 'expected an object such as { "kind": "connection-reset", "when": "after" }';
  const { operation, reference, kind, when, skip, times, probability, delay, status, retryAfter, headers, body } = rule as Record<string, unknown>;
  const unknown = Object.keys(rule).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    const nearest = suggest(unknown, NAMES);
    return `unknown field ${printableKey(unknown)}; ${nearest ? `did you mean ${nearest}?` : `known are ${NAMES.join(', ')}`}`;
  }
  if (!FAULT_KINDS.includes(kind as FaultKind)) return `kind must be one of ${FAULT_KINDS.join(', ')}`;
  if (operation !== undefined && !operationNames.includes(operation as OperationName)) return `operation must be one of ${operationNames.join(', ')}`;
  if (reference !== undefined && typeof reference !== 'string') return 'reference must be a string';
  if (when !== undefined && when !== 'before' && when !== 'after') return "when must be 'before' or 'after'";
  if (skip !== undefined && !isWhole(skip)) return 'skip must be a whole number from 0';
  if (times !== undefined && times !== null && !isWhole(times)) return 'times must be a whole number from 0, or null for always';
  if (probability !== undefined && !isNumber(probability, 0, 1)) return 'probability must be a number from 0 to 1';
  if (delay !== undefined && !isDelay(delay))
    return `delay must be milliseconds up to ${LONGEST_DELAY}, { uniform: [least, most] } or { logNormal: { median, sigma } }`;
  if (status !== undefined && !(isWhole(status) && isNumber(status, 200, 599))) return 'status must be a whole number from 200 to 599';
  if (headers !== undefined && !areHeaders(headers))
    return 'headers must be an object of header names and plain ASCII values, without those that frame the answer';
  if (body !== undefined && !isJson(body)) return 'body must be JSON';
  if (retryAfter !== undefined && !isWhole(retryAfter) && !isDate((retryAfter as { date?: unknown } | null)?.date)) {
    return 'retryAfter must be whole seconds or { date }';
  }
  return undefined;
}
