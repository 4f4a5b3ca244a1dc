import { asRecord, isRecord } from '../../core/platform/as-record.js';
import { type OperationName, operationNames } from '../../core/protocol/operations.js';
import {
  isString,
  must,
  type OptionTable,
  oneOf,
  optional,
  readOptions,
  required,
  wholeNumber,
} from '../../core/schema/option-rules.js';

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

/** The length of a delay, in milliseconds. */
type Delay =
  | number
  | {
      /** Every value between the two is equally likely. */
      readonly uniform: readonly [least: number, most: number];
    };

/** One fault rule. Conditions that are left out match every request. */
export interface FaultRule {
  /** The operation to which it applies. Default: any. */
  readonly operation?: OperationName | undefined;
  /** The report's `bet_id` or `request_id`. */
  readonly reference?: string | undefined;
  /** The kind of fault. */
  readonly kind: FaultKind;
  /**
   * `'before'`: the report is not processed, and no answer says that it was recorded. `'after'`: the report is
   * processed as usual, and only the answer is changed. Default: `'before'`.
   */
  readonly when?: 'before' | 'after' | undefined;
  /** How many matching requests are skipped first. Default: 0. */
  readonly skip?: number | undefined;
  /** How often it applies; `null` for always. Default: 1. */
  readonly times?: number | null | undefined;
  /** The probability that it applies, by the gateway's seed. Default: 1. */
  readonly probability?: number | undefined;
  /** The delay for `'latency'` and `'slow-body'`. Default: 1,000. */
  readonly delay?: Delay | undefined;
  /** The status for `'status'` (default: 503) and `'wrong-content-type'` (default: that of the answer). */
  readonly status?: number | undefined;
  /** For `'status'`: `Retry-After` in seconds, or as a date (milliseconds since 1970, or a `Date`). */
  readonly retryAfter?:
    | number
    | {
        /** The header names this moment, in milliseconds since 1970 or as a `Date`. */
        readonly date: number | Date;
      }
    | undefined;
  /** For `'status'`: more headers, for example `location`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For `'status'`: the answer's body. Default: the generic error body. */
  readonly body?: unknown;
}

/** A rule that is set. */
export interface SetFault extends FaultRule {
  /** The id with which the rule is removed. */
  readonly id: number;
  /** How many requests it was applied to. */
  readonly struck: number;
}

/**
 * The rules that are set. Those with `before` are tried first, then those with `after`, each in the order in which they
 * were set. At most one rule applies to a request.
 */
export interface Faults {
  /**
   * Sets a rule and returns its id. Throws a `TypeError` that says what is wrong with it.
   *
   * @example
   * ```ts
   * gateway.faults.add({ kind: 'connection-reset', when: 'after' }); // recorded, then the answer is lost
   * ```
   */
  add(rule: FaultRule): number;
  /** The rules that are set, in order. Used-up rules are included. */
  list(): SetFault[];
  /** Removes one rule, or all of them. */
  clear(id?: number): void;
}

/** In milliseconds. */
const LONGEST_DELAY = 600_000;

const isFrom = (least: unknown, value: unknown, most: number) =>
  typeof value === 'number' && value >= Number(least) && value <= most;
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

/** Headers that frame the answer. With wrong values no answer would arrive. */
const FRAMING = /^(?:content-length|transfer-encoding|trailer|connection|upgrade|keep-alive)$/i;

const areHeaders = (headers: unknown) =>
  isRecord(headers) &&
  Object.entries(headers).every(
    ([name, value]) =>
      /^[\w-]{1,100}$/.test(name) &&
      !FRAMING.test(name) &&
      typeof value === 'string' &&
      /^[\x20-\x7e]{0,1000}$/.test(value),
  );

const isDate = (date: unknown) =>
  (date instanceof Date || typeof date === 'number') && !Number.isNaN(new Date(date).getTime());

function isDelay(delay: unknown): boolean {
  const { uniform } = asRecord(delay);
  if (!Array.isArray(uniform)) return isFrom(0, delay, LONGEST_DELAY);
  const [least, most] = uniform;
  return uniform.length === 2 && isFrom(0, least, LONGEST_DELAY) && isFrom(least, most, LONGEST_DELAY);
}

const faultTable = {
  operation: optional(oneOf(...operationNames)),
  reference: optional(isString),
  kind: required(oneOf(...FAULT_KINDS)),
  when: optional(oneOf('before', 'after')),
  skip: optional(wholeNumber(0)),
  times: optional(must('a whole number from 0, or null for always', (times) => times === null || isCount(times))),
  probability: optional(must('a number from 0 to 1', (value) => isFrom(0, value, 1))),
  delay: optional(must(`milliseconds up to ${LONGEST_DELAY}, or { uniform: [least, most] }`, isDelay)),
  status: optional(wholeNumber(200, 599)),
  retryAfter: optional(must('whole seconds or { date }', (wait) => isCount(wait) || isDate(asRecord(wait).date))),
  headers: optional(
    must('an object of header names and plain ASCII values, without those that frame the answer', areHeaders),
  ),
  body: optional(must('JSON', (body) => JSON.stringify(body) !== undefined)),
} satisfies OptionTable;

/** The members that only these kinds read. */
const READ_BY: Readonly<Record<string, readonly FaultKind[]>> = {
  delay: ['latency', 'slow-body'],
  status: ['status', 'wrong-content-type'],
  retryAfter: ['status'],
  headers: ['status'],
  body: ['status'],
};

export interface FaultBox extends Faults {
  /** Removes all rules and restarts the random numbers from the seed. */
  reset(): void;
  /** The rule that applies at this point. One of its uses is counted. */
  strike(when: 'before' | 'after', operation: OperationName, reference: string | undefined): SetFault | undefined;
  /** The length of this rule's delay this time. */
  delayOf(rule: FaultRule): number;
}

export function createFaults(seed: number): FaultBox {
  let rules: { readonly fault: SetFault & { struck: number }; seen: number }[] = [];
  let last = 0;
  let random = createRandom(seed);
  return {
    add(rule) {
      const { problem } = readOptions('the fault', faultTable, rule);
      if (problem !== undefined) throw new TypeError(problem);
      for (const [name, kinds] of Object.entries(READ_BY))
        if (asRecord(rule)[name] !== undefined && !kinds.includes(rule.kind))
          throw new TypeError(
            `the fault: ${name}: the kind ${rule.kind} does not use it; use it with ${kinds.join(' or ')}`,
          );
      last += 1;
      // A copy, so that no later change of the caller's object avoids the check.
      rules.push({ fault: { ...structuredClone(rule), id: last, struck: 0 }, seen: 0 });
      return last;
    },
    list: () => structuredClone(rules.map(({ fault }) => fault)),
    reset() {
      rules = [];
      random = createRandom(seed);
    },
    clear(id) {
      rules = id === undefined ? [] : rules.filter(({ fault }) => fault.id !== id);
    },
    strike(when, operation, reference) {
      for (const one of rules) {
        const { fault } = one;
        if ((fault.when ?? 'before') !== when || (fault.operation ?? operation) !== operation) continue;
        if (fault.reference !== undefined && fault.reference !== reference) continue;
        one.seen += 1;
        const { skip = 0, times = 1 } = fault;
        if (one.seen <= skip || fault.struck >= (times ?? Number.POSITIVE_INFINITY)) continue;
        if (fault.probability !== undefined && random() >= fault.probability) continue;
        fault.struck += 1;
        return fault;
      }
      return undefined;
    },
    delayOf({ delay = 1_000 }) {
      if (typeof delay === 'number') return delay;
      const [least, most] = delay.uniform;
      return least + random() * (most - least);
    },
  };
}

/** Pseudo-random numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
