import type { Catalogue } from './answers.js';
import type { Coverage } from './coverage.js';
import type { Decisions, Options } from './decisions.js';
import type { Random } from './random.js';
import type { Attempt, Report, Scenario } from './scenario.js';
import type { Schedule } from './schedule.js';

/** The parts of one history. */
export interface World {
  readonly random: Random;
  readonly schedule: Schedule;
  readonly scenario: Scenario;
  readonly catalogue: Catalogue;
  readonly decisions: Decisions;
  readonly options: Options;
  readonly coverage: Coverage;
  /** Whether a clock has jumped so far. */
  jumped: boolean;
  /** Whether the database was restored. Then committed changes are lost, and most rules cannot hold. */
  wentBack: boolean;
  /** Whether the store has lost its pauses and bindings. Then rules about pauses cannot hold. */
  forgot: boolean;
  /** The number of ends of attempts that were settled with a pause so far. */
  settled: number;
  /** The rules that are left out, to test whether their consequences are caught, too. */
  readonly overlooked: ReadonlySet<string>;
  /** Writes a line of the history. Undefined if the history is not printed. */
  readonly trace: ((line: string) => void) | undefined;
}

/** A broken rule. */
export class Violation extends Error {
  constructor(
    readonly rule: string,
    detail: string,
  ) {
    super(`${rule}: ${detail}`);
  }
}

/** The rules that also hold after a restore of the database. */
const STILL_HOLD: ReadonlySet<string> = new Set([
  'what a worker knows outlives its database',
  'a pause stops everything but probes',
]);

/** The rules that do not hold after the store has lost its pauses. */
const LOST_WITH_PAUSES: ReadonlySet<string> = new Set([
  'what is wrong with the destination pauses it',
  'a refusal condemns where nothing is paused',
  'a few refusals in a row condemn, and no more',
  'a breaker opens no earlier than its option says',
  'a breaker opens after the strikes of its option, in a row over all workers',
  'Retry-After is kept',
  'one probe at a time',
]);

/** Throws a broken rule. */
export function breaks(
  { overlooked, wentBack, forgot }: Pick<World, 'overlooked' | 'wentBack' | 'forgot'>,
  rule: string,
  detail: string,
): void {
  if (!overlooked.has(rule) && (!wentBack || STILL_HOLD.has(rule)) && !(forgot && LOST_WITH_PAUSES.has(rule)))
    throw new Violation(rule, detail);
}

export const subject = ({ report, fence }: Attempt): string => `${nameOf(report)} attempt ${fence}`;

export const nameOf = ({ account, environment, operation, reference }: Report): string =>
  `${account === 'default' ? '' : `${account} `}${environment === 'staging' ? '' : 'production '}${operation} ${reference}`;
