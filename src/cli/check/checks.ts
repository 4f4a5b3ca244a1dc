import { identify } from './identify.js';
import { checkKey } from './key.js';
import { checkLatency } from './latency.js';
import { checkNumbers } from './numbers.js';
import { reach } from './reach.js';
import { checkRepeats } from './repeats.js';
import type { Run } from './run.js';
import { checkSize } from './size.js';
import { takeSteps } from './steps.js';

const STEPS = 'The four steps, with made-up data';

/** Runs all checks in order. After a failure, leaves out the checks that depend on it, and names them. */
export async function runChecks(run: Run): Promise<void> {
  const left = await runUntilFailure(run);
  if (left !== undefined) run.tell('Left out', 'skip', left, 'not tested because of the failure above');
  checkLatency(run);
}

/** Returns the names of the checks that were left out because of a failure. */
async function runUntilFailure(run: Run): Promise<string | undefined> {
  if (!(await reach(run))) return 'gateway, key, size, four steps, repeats';
  if (!(await identify(run))) return 'key, size, four steps, repeats';
  if (!(await checkKey(run))) return 'size, four steps, repeats';
  if (run.environment === 'production') {
    run.tell(
      STEPS,
      'skip',
      'steps and repeats',
      'never in production: a report there is a statement to the authority, and cannot be taken back',
      'test them with --environment staging',
    );
    return undefined;
  }
  if (run.sharedAddress) {
    run.tell(
      STEPS,
      'fail',
      'steps and repeats',
      'staging and production have the same address, so made-up reports might be recorded as real ones',
      'give each its own base address',
    );
    return undefined;
  }
  if (!(await checkNumbers(run))) return 'size, four steps, repeats';
  await checkSize(run);
  const recorded = await takeSteps(run);
  if (recorded.length === 0) return 'repeats';
  await checkRepeats(run, recorded);
  return undefined;
}
