import {
  compareClocks,
  judgeLatency,
  needStaging,
  tryNumber,
  tryOwnKey,
  tryUnknownPath,
  tryWithoutKey,
  tryWrongKey,
  UNVERIFIED_NIN,
  VERIFIED_NIN,
} from './gateway.js';
import { openConnection } from './reach.js';
import { type CheckRun, lineOf, type Result, skip } from './run.js';
import { allowMadeUp, repeatOther, repeatSame, STEPS, settleTooEarly, takeStep } from './steps.js';

interface Check {
  readonly section: string;
  readonly name: string;
  /** Its name in the list of the checks that a failure leaves out. */
  readonly part?: string;
  /** Whether it also runs after a failure. */
  readonly always?: true;
  /** Tests, and says what the finding means and what to do. Undefined if there is nothing to test. */
  readonly test: (run: CheckRun, name: string) => Promise<Result | undefined> | Result | undefined;
}

const REACH = 'Reachability';
const GATEWAY = 'The gateway';
const KEY = 'The key';
const NUMBERS = 'Test numbers';
const FOUR_STEPS = 'The four steps, with made-up data';
const REPEATS = 'Repeats of recorded reports';

/** All checks, in their order: each needs those before it. */
const CHECKS: readonly Check[] = [
  { section: REACH, name: 'connection', test: openConnection },

  // No key is sent before it is certain that the gateway answers.
  { section: GATEWAY, name: 'a path that does not exist', part: 'gateway', test: tryUnknownPath },
  { section: GATEWAY, name: 'a known path, without a key', part: 'gateway', test: tryWithoutKey },
  { section: GATEWAY, name: 'clock', always: true, test: compareClocks },

  { section: KEY, name: 'a wrong key', part: 'key', test: tryWrongKey },
  { section: KEY, name: 'your key', part: 'key', test: tryOwnKey },

  { section: FOUR_STEPS, name: 'steps and repeats', test: allowMadeUp },
  { section: NUMBERS, name: 'a number that starts with 99', test: (run, name) => tryNumber(run, name, VERIFIED_NIN) },
  { section: NUMBERS, name: 'another number', test: (run, name) => tryNumber(run, name, UNVERIFIED_NIN) },
  { section: NUMBERS, name: 'is it staging?', test: needStaging },

  ...(['reportSettledBet', 'reportSettledWithdrawal'] as const).map((operation) => ({
    section: FOUR_STEPS,
    name: `${operation} without its initiated event`,
    part: 'four steps',
    test: (run: CheckRun, name: string) => settleTooEarly(run, name, operation),
  })),
  ...STEPS.map((step, index) => ({
    section: FOUR_STEPS,
    name: `${index + 1} ${step.operation}`,
    test: (run: CheckRun) => takeStep(run, `step ${index + 1}`, step),
  })),
  ...STEPS.flatMap(({ operation }) => [
    {
      section: REPEATS,
      name: `${operation}, the same data`,
      part: 'repeats',
      test: (run: CheckRun, name: string) => repeatSame(run, name, operation),
    },
    {
      section: REPEATS,
      name: `${operation}, other data`,
      part: 'repeats',
      test: (run: CheckRun, name: string) => repeatOther(run, name, operation),
    },
  ]),
];

/** Runs all checks in order. After a failure, leaves out the checks that depend on it, and names them. */
export async function runChecks(run: CheckRun): Promise<void> {
  const tested = new Set<string | undefined>([undefined]);
  const leftOut = new Set<string>();
  let end: Result['end'];
  for (const { section, name, part, always, test } of CHECKS) {
    const result = end && !always ? undefined : await test(run, name);
    if (!result) {
      if (part !== undefined && end !== 'done') leftOut.add(part);
      continue;
    }
    run.tell(lineOf(section, name, result));
    tested.add(part);
    end ??= result.status === 'fail' && run.signal.aborted ? 'failed' : result.end;
  }
  const left = [...leftOut].filter((part) => !tested.has(part));
  if (left.length > 0) run.tell(lineOf('Left out', left.join(', '), skip('not tested because of the failure above')));
  const latency = judgeLatency(run);
  if (latency) run.tell(lineOf('Latency', 'answers', latency));
}
