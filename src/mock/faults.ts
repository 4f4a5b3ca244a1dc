import type { OperationName } from '../operations.js';

/** A rule for misbehaving. Left-out conditions match everything. */
export interface FaultRule {
  readonly operation?: OperationName | undefined;
  /** The report's `bet_id` or `request_id`. */
  readonly reference?: string | undefined;
  /** What happens: the connection breaks without an answer, or the gateway answers with a status of its own. */
  readonly kind: 'connection-reset' | 'status';
  /** `'before'`: the report is not looked at. `'after'`: it is applied as usual, and only the answer suffers. Default: `'before'`. */
  readonly when?: 'before' | 'after' | undefined;
  /** How often it strikes. Default: 1. */
  readonly times?: number | undefined;
  /** For `kind: 'status'`. Default: 503. */
  readonly status?: number | undefined;
  /** Headers of that answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The rules that are set, in order; the first that matches strikes. */
export interface Faults {
  /** Sets a rule. */
  add(rule: FaultRule): void;
  /** Takes all rules away. */
  clear(): void;
}

export interface FaultBox extends Faults {
  /** The rule that strikes at this point, one strike of it used up. */
  strike(when: 'before' | 'after', operation: OperationName, reference: string | undefined): FaultRule | undefined;
}

export function createFaults(): FaultBox {
  let rules: { rule: FaultRule; left: number }[] = [];
  return {
    add: (rule) => void rules.push({ rule, left: rule.times ?? 1 }),
    clear: () => {
      rules = [];
    },
    strike(when, operation, reference) {
      const found = rules.find(
        ({ rule, left }) =>
          left > 0 &&
          (rule.when ?? 'before') === when &&
          (rule.operation ?? operation) === operation &&
          (rule.reference === undefined || rule.reference === reference),
      );
      if (found) found.left -= 1;
      return found?.rule;
    },
  };
}
