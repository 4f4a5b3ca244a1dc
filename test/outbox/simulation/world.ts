import type { Catalogue } from './answers.js';
import type { Coverage } from './coverage.js';
import type { Decisions, Options } from './decisions.js';
import type { Random } from './random.js';
import type { Attempt, Report, Scenario } from './scenario.js';
import type { Schedule } from './schedule.js';

/** What all parts of one history share. */
export interface World {
  readonly random: Random;
  readonly schedule: Schedule;
  readonly scenario: Scenario;
  readonly catalogue: Catalogue;
  readonly decisions: Decisions;
  readonly options: Options;
  readonly coverage: Coverage;
  /** Whether any clock has jumped so far. */
  jumped: boolean;
  /** Whether the database went back. What the outbox had committed is then lost, and most rules cannot hold. */
  wentBack: boolean;
  /** How many ends of attempts were settled with a pause so far. */
  settled: number;
  /** Rules that are left out, to see whether what follows from them is noticed too. */
  readonly overlooked: ReadonlySet<string>;
  /** Writes a line of the history; undefined when nobody reads it. */
  readonly trace: ((line: string) => void) | undefined;
}

/** A rule that did not hold. */
export class Violation extends Error {
  constructor(
    readonly rule: string,
    detail: string,
  ) {
    super(`${rule}: ${detail}`);
  }
}

/** Rules that hold also after the database went back. */
const STILL_HOLD: ReadonlySet<string> = new Set(['what a worker knows outlives its database', 'a pause stops everything but probes']);

/** Says that a rule does not hold. */
export function breaks({ overlooked, wentBack }: Pick<World, 'overlooked' | 'wentBack'>, rule: string, detail: string): void {
  if (!overlooked.has(rule) && (!wentBack || STILL_HOLD.has(rule))) throw new Violation(rule, detail);
}

export const subject = ({ report, fence }: Attempt): string => `${nameOf(report)} attempt ${fence}`;

export const nameOf = ({ account, environment, operation, reference }: Report): string =>
  `${account === 'default' ? '' : `${account} `}${environment === 'staging' ? '' : 'production '}${operation} ${reference}`;
