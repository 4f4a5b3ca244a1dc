import type { Environment } from '../../src/core/errors/errors.js';
import type { OperationName } from '../../src/core/protocol/operations.js';
import type { Row } from '../../src/outbox/rules/state-machine.js';
import type { Known } from './answers.js';
import type { Random } from './random.js';

/** One attempt, with the truth about it. */
export interface Attempt {
  readonly report: Report;
  readonly fence: number;
  /** The bytes of its claim, which it sends. */
  readonly body: string;
  readonly worker: number;
  readonly claimedAt: number;
  /** The time from which it may be sent: the claim, or the earlier time at which the probe was taken. */
  since: number;
  sentAt: number | undefined;
  /** Whether its worker has the result, or is dead. */
  over: boolean;
  reply: Known | undefined;
  /** The time at which its worker got the result. */
  endedAt: number;
  /** Whether the answer differs from the records of the gateway. */
  lie: boolean;
  /** The version of its destination's pause when it ended. */
  pauseVersion: number;
  /** The version of its operation's breaker when it ended. */
  breakerVersion: number;
  /** The pause that it probes: that of its destination, or a breaker. */
  probe: 'destination' | 'operation' | undefined;
  /** Its place among all settled ends of the history. Undefined before its worker settled it. */
  settled: number | undefined;
  /** Whether its destination was paused right after that. */
  settledPaused: boolean;
  /** Whether its success was committed as the end of a pause or of the strikes, even if its row was never written. */
  opened: boolean;
  /** Whether its worker read it as a refusal that quarantines nothing. */
  postponed: boolean;
  /** The committed state of its row. */
  became: Row | undefined;
}

/** One report of a history, with the truth about it, which no worker sees. */
export interface Report {
  readonly id: string;
  /** The account of the report. */
  readonly account: string;
  readonly environment: Environment;
  readonly operation: OperationName;
  readonly reference: string;
  /** The bytes that were enqueued. */
  readonly body: string;
  /** The bytes that are to be sent: those that were enqueued, or those that a person has sent instead. */
  current: string;
  readonly initiated: Report | undefined;
  /** Whether the gateway refuses it for ever, unless its bytes are replaced. */
  bad: boolean;
  /** Whether a person has reopened it. */
  reopened: boolean;
  /** The bytes that the gateway holds. */
  held: { readonly body: string; readonly by: 'us' | 'another sender' } | undefined;
  /** The time of its first commit. */
  enqueuedAt: number | undefined;
  /** Whether `enqueue` resolved. */
  accepted: boolean;
  /** The number of claims that may have recorded something. */
  unproven: number;
  /** The number of counted attempts. */
  counted: number;
  /** The fence of its row since it got other data. */
  replacedAt: number | undefined;
  /** Whether a person declared it as recorded, which may be wrong. */
  vouched: boolean;
  /** Whether a worker knows, after a restore of the database, that the gateway recorded its stored data. */
  known: boolean;
  readonly attempts: Attempt[];
}

export type Weather =
  | 'wrongKey'
  | 'misdirected'
  | 'pages'
  | 'refused'
  | 'rateLimit'
  | 'unavailable'
  | 'failed'
  | 'unreachable';

interface Period {
  readonly environment: Environment;
  readonly kind: Weather;
  /** Whether this applies only to settled reports. */
  readonly settled: boolean;
  readonly from: number;
  readonly to: number;
}

/** The parameters of a history: its faults and their times, in milliseconds. */
export interface Scenario {
  readonly reports: readonly Report[];
  /** The reports of which the gateway refuses many. */
  readonly many: readonly Report[];
  readonly workers: number;
  /** Whether each worker serves one of the accounts, or both. */
  readonly apart: boolean;
  /** Whether a laptop in mock mode uses the same store. */
  readonly laptop: boolean;
  readonly concurrency: number;
  /** The number of prefetched rows. In the source it depends on the speed of the gateway. */
  readonly ahead: number;
  readonly pollMs: number;
  /** The number of refusals in a row after which the outbox pauses. */
  readonly breakerAfter: number;
  /** The time from which there are no more faults. */
  readonly wellAt: number;
  readonly periods: readonly Period[];
  /** Probabilities for each attempt, for each wait of a worker, and for each use of the store. */
  readonly network: number;
  readonly gateway: number;
  readonly death: number;
  readonly freeze: number;
  readonly store: number;
  /** The frequency of other events: jumps of a clock, reports of another sender, decisions of a person. */
  readonly jumps: number;
  readonly strangers: number;
  readonly persons: number;
  readonly stops: number;
  /** Whether the database is restored once to an earlier commit. */
  readonly goesBack: boolean;
  /** The number of times at which the store loses its pauses and bindings. */
  readonly forgets: number;
}

/** For histories in which workers wait long. A shorter interval would fill them with polls. */
export const RARE_POLL_MS = 600_000;

/** Two licences over one store. */
export const ACCOUNTS = ['default', 'brandB'] as const;

/** The environment of an account's reports. */
export const gatewaysOf = (account: string, at = 'gateway') => ({
  staging: `https://${account}.staging.${at}.example`,
  production: `https://${account}.production.${at}.example`,
});

const PAIRS = [
  ['reportBetEvent', 'reportSettledBet'],
  ['reportWithdrawalEvent', 'reportSettledWithdrawal'],
] as const;

function newReport(
  given: Pick<Report, 'account' | 'environment' | 'operation' | 'reference' | 'initiated' | 'bad'>,
): Report {
  const { account, environment, operation, reference } = given;
  const body = `${operation} of ${account} ${reference}`;
  return {
    ...given,
    id: `${account}:${environment}:${operation}:${reference}`,
    body,
    current: body,
    reopened: false,
    held: undefined,
    enqueuedAt: undefined,
    accepted: false,
    unproven: 0,
    counted: 0,
    replacedAt: undefined,
    vouched: false,
    known: false,
    attempts: [],
  };
}

/** Reports of one operation in a row, with a field that the gateway refuses in most of them, and some settlements. */
function drawMany(random: Random): Report[] {
  if (!random.chance(0.05)) return [];
  const [first, second] = random.pick(PAIRS);
  const place = { account: ACCOUNTS[0], environment: 'staging' } as const;
  const isEveryBad = random.chance(0.5);
  return Array.from({ length: 3 + random.below(6) }, (_, index) => {
    const reference = `M-${index}`;
    const bad = isEveryBad || random.chance(0.7);
    const report = newReport({ ...place, operation: first, reference, initiated: undefined, bad });
    const isSettled = random.chance(0.4);
    return isSettled
      ? [report, newReport({ ...place, operation: second, reference, initiated: report, bad: random.chance(0.1) })]
      : [report];
  }).flat();
}

function drawReports(random: Random): Report[] {
  const reports: Report[] = [];
  const references = random.chance(0.45) ? 1 : random.chance(0.7) ? 2 : 3;
  for (let index = 0; index < references; index += 1) {
    const account = index === 1 && random.chance(0.5) ? ACCOUNTS[1] : ACCOUNTS[0];
    const environment = random.chance(0.75) ? 'staging' : 'production';
    const [first, second] = random.chance(0.6) ? PAIRS[0] : PAIRS[1];
    // Two licences number their bets by themselves.
    const reference = account === ACCOUNTS[0] ? `R-${index}` : 'R-0';
    const draw = (operation: OperationName, initiated: Report | undefined) =>
      newReport({ account, environment, operation, reference, initiated, bad: random.chance(0.04) });
    const which = random.next();
    const initiated = which < 0.92 ? draw(first, undefined) : undefined;
    if (initiated) reports.push(initiated);
    if (which > 0.35) reports.push(draw(second, initiated));
  }
  return reports;
}

const WEATHERS: readonly Weather[] = [
  'wrongKey',
  'misdirected',
  'pages',
  'refused',
  'refused',
  'rateLimit',
  'rateLimit',
  'unavailable',
  'failed',
  'unreachable',
];

/**
 * `later`, `corrected`: the random numbers of troubles that were added later, so that the other histories stay the same for a seed.
 */
export function drawScenario(random: Random, later: Random, corrected: Random): Scenario {
  const many = drawMany(corrected);
  const reports = [...drawReports(random), ...many];
  const wellAt = random.between(20_000, 200_000);
  const periods: Period[] = [];
  while (periods.length < 2 && random.chance(0.35)) {
    const from = random.between(0, wellAt);
    periods.push({
      environment: random.chance(0.75) ? 'staging' : 'production',
      kind: random.pick(WEATHERS),
      settled: random.chance(0.4),
      from,
      to: from + random.between(1_000, 90_000),
    });
  }
  const some = (often: number, least: number, most: number) => (random.chance(often) ? random.between(least, most) : 0);
  return {
    reports,
    many,
    periods,
    wellAt,
    workers: random.chance(0.4) ? 1 : random.chance(0.7) ? 2 : 3,
    apart: random.chance(0.4),
    laptop: random.chance(0.1),
    concurrency: 1 + random.below(3),
    ahead: random.below(3),
    breakerAfter: 1 + random.below(4),
    pollMs: random.chance(0.3) ? 30_000 : RARE_POLL_MS,
    network: some(0.7, 0.05, 0.6),
    gateway: some(0.5, 0.05, 0.5),
    death: some(0.4, 0.005, 0.08),
    freeze: some(0.35, 0.005, 0.08),
    store: some(0.15, 0.01, 0.1),
    jumps: random.chance(0.2) ? 1 + random.below(2) : 0,
    strangers: random.chance(0.12) ? 1 : 0,
    persons: random.chance(0.2) ? 1 + random.below(3) : 0,
    stops: random.chance(0.1) ? 1 : 0,
    goesBack: random.chance(0.06),
    forgets: later.chance(0.1) ? 1 + later.below(3) : 0,
  };
}

export const weatherAt = (
  { periods, wellAt }: Scenario,
  { environment, operation }: Pick<Report, 'environment' | 'operation'>,
  at: number,
): Weather | undefined =>
  at < wellAt
    ? periods.find(
        (one) =>
          one.environment === environment &&
          at >= one.from &&
          at < one.to &&
          (!one.settled || operation.startsWith('reportSettled')),
      )?.kind
    : undefined;
