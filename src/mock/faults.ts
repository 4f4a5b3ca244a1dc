import type { OperationName } from '../protocol/operations.js';
import { type FaultKind, faultProblem, LONGEST_DELAY } from './fault-problem.js';
import { createRandom, normal } from './random.js';

export { FAULT_KINDS, type FaultKind } from './fault-problem.js';

/** How long a delay is, in milliseconds. */
export type Delay =
  | number
  | {
      /** Every value between the two is as likely. */
      readonly uniform: readonly [least: number, most: number];
    }
  | {
      /** Most near the median, and a few that take far longer, as on a real network. */
      readonly logNormal: {
        /** Milliseconds: half of all delays are shorter. */
        readonly median: number;
        /** How wide they are spread: from 0, not at all, to 3. */
        readonly sigma: number;
      };
    };

/** A rule for misbehaving. Left-out conditions match everything. */
export interface FaultRule {
  /** The call that it strikes. Default: any. */
  readonly operation?: OperationName | undefined;
  /** The report's `bet_id` or `request_id`. */
  readonly reference?: string | undefined;
  /** What goes wrong. */
  readonly kind: FaultKind;
  /**
   * `'before'`: the report is not looked at, and no answer says that it was recorded. `'after'`: it is applied as
   * usual, and only the answer suffers. Default: `'before'`.
   */
  readonly when?: 'before' | 'after' | undefined;
  /** How many matching requests go by first. Default: 0. */
  readonly skip?: number | undefined;
  /** How often it strikes; `null` for always. Default: 1. */
  readonly times?: number | null | undefined;
  /** How likely it strikes where it could, by the gateway's seed. Default: 1. */
  readonly probability?: number | undefined;
  /** For `'latency'` and `'slow-body'`. Default: 1,000. */
  readonly delay?: Delay | undefined;
  /** For `'status'`. Default: 503. */
  readonly status?: number | undefined;
  /** For `'status'`: `Retry-After` in seconds, or as a date (milliseconds since 1970, or a `Date`). */
  readonly retryAfter?:
    | number
    | {
        /** The header names this moment, in milliseconds since 1970 or as a `Date`. */
        readonly date: number | Date;
      }
    | undefined;
  /** For `'status'`: more headers, such as `location`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For `'status'`: the answer's body. Default: the generic error body. */
  readonly body?: unknown;
}

/** A rule that is set. */
export interface SetFault extends FaultRule {
  /** By which it is taken away. */
  readonly id: number;
  /** How many requests it struck. */
  readonly struck: number;
}

/** The rules that are set. Those of `before` are asked first, then those of `after`, each in the order set; a request is struck once. */
export interface Faults {
  /**
   * Sets a rule and gives its id. Throws a `TypeError` that says what is wrong with it.
   *
   * @example
   * ```ts
   * gateway.faults.add({ kind: 'connection-reset', when: 'after' }); // recorded, then the answer is lost
   * ```
   */
  add(rule: FaultRule): number;
  /** The rules that are set, in order, those that are used up too. */
  list(): SetFault[];
  /** Takes a rule away, or all of them. */
  clear(id?: number): void;
}

export interface FaultBox extends Faults {
  /** Takes all rules away and starts chance anew. */
  reset(): void;
  /** The rule that strikes at this point, one strike of it used up. */
  strike(when: 'before' | 'after', operation: OperationName, reference: string | undefined): SetFault | undefined;
  /** How long this rule's delay is now. */
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
      // A copy, so that no later change of the caller's object passes by the check.
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
      // Its tail has no end, and a timer has: one that is too long would fire at once.
      return Math.min(LONGEST_DELAY, delay.logNormal.median * Math.exp(delay.logNormal.sigma * normal(random)));
    },
  };
}

const timesOf = ({ times }: FaultRule): number => (times === null ? Number.POSITIVE_INFINITY : (times ?? 1));
