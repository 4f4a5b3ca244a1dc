import {
  compareClocks,
  judgeLatency,
  readCertificate,
  tryNumber,
  tryOwnKey,
  tryWithoutKey,
  tryWrongKey,
  UNVERIFIED_NIN,
  VERIFIED_NIN,
} from './gateway.js';
import { type CheckResult, type CheckRun, skip } from './run.js';
import { allowMadeUp, repeat, STEPS, settleTooEarly, takeStep } from './steps.js';

interface Check {
  readonly section: string;
  readonly name: string;
  /** Whether it also runs after a failure. */
  readonly always?: true;
  /** Undefined if there is nothing to test. */
  readonly test: (run: CheckRun) => Promise<CheckResult | undefined> | CheckResult | undefined;
}

const REACH = 'Reachability';
const KEY = 'The key';
const NUMBERS = 'Test numbers';
const FOUR_STEPS = 'The four steps with made-up data';

/** All checks, in their order: each needs those before it. */
const CHECKS: readonly Check[] = [
  // No key is sent before it is certain that the gateway answers.
  { section: REACH, name: 'a known path, without a key', test: tryWithoutKey },
  { section: REACH, name: 'certificate', test: readCertificate },
  { section: REACH, name: 'clock', always: true, test: compareClocks },

  { section: KEY, name: 'a wrong key', test: tryWrongKey },
  { section: KEY, name: 'your key', test: tryOwnKey },

  { section: FOUR_STEPS, name: 'steps and repeats', test: allowMadeUp },
  { section: NUMBERS, name: 'a number that starts with 99', test: (run) => tryNumber(run, VERIFIED_NIN) },
  { section: NUMBERS, name: 'another number', test: (run) => tryNumber(run, UNVERIFIED_NIN) },

  ...(['reportSettledBet', 'reportSettledWithdrawal'] as const).map((operation) => ({
    section: FOUR_STEPS,
    name: `${operation} without its initiated event`,
    test: (run: CheckRun) => settleTooEarly(run, operation),
  })),
  ...STEPS.map((step, index) => ({
    section: FOUR_STEPS,
    name: `${index + 1} ${step.operation}`,
    test: (run: CheckRun) => takeStep(run, step),
  })),
  ...STEPS.flatMap(({ operation }) =>
    [false, true].map((isOther) => ({
      section: 'Repeats of recorded reports',
      name: `${operation}, ${isOther ? 'other data' : 'the same data'}`,
      test: (run: CheckRun) => repeat(run, operation, isOther),
    })),
  ),
];

/** After a failure, leaves out the checks that depend on it, and names their sections. */
export async function runChecks(run: CheckRun): Promise<void> {
  const tested = new Set<string>();
  const leftOut = new Set<string>();
  let end: CheckResult['end'];
  for (const { section, name, always, test } of CHECKS) {
    run.recorder.label(name);
    const result = end && !always ? undefined : await test(run);
    if (!result) {
      if (end !== 'done') leftOut.add(section);
      continue;
    }
    run.tell(section, name, result);
    tested.add(section);
    end ??= result.status === 'fail' && run.signal.aborted ? 'failed' : result.end;
  }
  const left = [...leftOut].filter((section) => !tested.has(section));
  if (left.length > 0) run.tell('Left out', left.join(', '), skip('not tested because of the failure above'));
  const latency = judgeLatency(run);
  if (latency) run.tell('Latency', 'answers', latency);
}
