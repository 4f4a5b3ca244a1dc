import type { OperationName } from '../protocol/operations.js';
import { type FaultKind, faultProblem, LONGEST_DELAY } from './fault-problem.js';
import { createRandom, normal } from './random.js';

export { FAULT_KINDS, type FaultKind } from './fault-problem.js';

/** The length of a delay, in milliseconds. */
export type Delay =
  | number
  | {
      /** Every value between the two is equally likely. */
      readonly uniform: readonly [least: number, most: number];
    }
  | {
      /** Most values near the median, and a few far longer, as on a real network. */
      readonly logNormal: {
        /** Milliseconds. Half of all delays are shorter. */
        readonly median: number;
        /** The spread of the values: from 0 (none) to 3. */
        readonly sigma: number;
      };
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
  /** The status for `'status'`. Default: 503. */
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

export interface FaultBox extends Faults {
  /** Removes all rules and restarts the random numbers from the seed. */
  reset(): void;
  /** The rule that applies at this point. One of its uses is counted. */
  strike(when: 'before' | 'after', operation: OperationName, reference: string | undefined): SetFault | undefined;
  /** The length of this rule's delay this time. */
  delayOf(rule: FaultRule): number;
}

export function createFaults(seed: number): FaultBox {
  let rules: { rule: FaultRule; id: number; seen: number; struck: number }[] = [];
  let last = 0;
  let random = createRandom(seed);
  const toSetFault = ({ rule, id, struck }: { rule: FaultRule; id: number; struck: number }): SetFault => ({ ...rule, id, struck });
  return {
    add(rule) {
      const problem = faultProblem(rule);
      if (problem) throw new TypeError(`The fault cannot be set: ${problem}.`);
      last += 1;
      // A copy, so that no later change of the caller's object avoids the check.
      rules.push({ rule: structuredClone(rule), id: last, seen: 0, struck: 0 });
      return last;
    },
    list: () => structuredClone(rules.map(toSetFault)),
    reset() {
      rules = [];
      random = createRandom(seed);
    },
    clear(id) {
      rules = id === undefined ? [] : rules.filter((one) => one.id !== id);
    },
    strike(when, operation, reference) {
      for (const one of rules) {
        const { rule } = one;
        if ((rule.when ?? 'before') !== when || (rule.operation ?? operation) !== operation) continue;
        if (rule.reference !== undefined && rule.reference !== reference) continue;
        one.seen += 1;
        if (one.seen <= (rule.skip ?? 0) || one.struck >= timesOf(rule)) continue;
        if (rule.probability !== undefined && random() >= rule.probability) continue;
        one.struck += 1;
        return toSetFault(one);
      }
      return undefined;
    },
    delayOf({ delay = 1_000 }) {
      if (typeof delay === 'number') return delay;
      if ('uniform' in delay) return delay.uniform[0] + random() * (delay.uniform[1] - delay.uniform[0]);
      // The distribution has no upper end, and a timer has: a delay that is too long would fire at once.
      return Math.min(LONGEST_DELAY, delay.logNormal.median * Math.exp(delay.logNormal.sigma * normal(random)));
    },
  };
}

const timesOf = ({ times }: FaultRule): number => (times === null ? Number.POSITIVE_INFINITY : (times ?? 1));
