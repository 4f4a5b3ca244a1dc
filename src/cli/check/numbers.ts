import { call } from './call.js';
import { UNVERIFIED_NIN, VERIFIED_NIN } from './made-up.js';
import { describeError, lastAnswer, type Run } from './run.js';

const SECTION = 'Test numbers';

/**
 * Tests the numbers of staging (specification, section 4.3). They also show that this is staging. If a number that starts
 * with 99 is not verified, or another one is, made-up reports might be recorded as real ones, so none is sent.
 */
export async function checkNumbers(run: Run): Promise<boolean> {
  const passes = async (name: string, nin: string, expected: boolean) => (await verify(run, name, nin, expected)) || run.trustEnvironment;
  // One after the other: outside of staging, the second number may belong to a person.
  if ((await passes('a number that starts with 99', VERIFIED_NIN, true)) && (await passes('another number', UNVERIFIED_NIN, false))) return true;
  run.tell(
    SECTION,
    'skip',
    'is it staging?',
    'it does not answer as staging does, so no made-up report is sent there',
    'if you are sure that it is staging: --trust-environment',
  );
  return false;
}

/** Whether the gateway answers as staging does. */
async function verify(run: Run, name: string, nin: string, expected: boolean): Promise<boolean> {
  const { value, error } = await call(run, name, () => run.client.verifyNin({ nin }, { signal: run.signal }));
  if (error) {
    if (error.status !== undefined && error.status < 300) run.findings.note('nin', 'differs', lastAnswer(run));
    run.tell(SECTION, 'fail', name, describeError(run, error));
    return false;
  }
  run.findings.note('nin', 'confirmed', 'success is a boolean');
  const text = `success is ${value.success}`;
  if (value.success === expected) run.tell(SECTION, 'ok', name, `${text}, as in staging`);
  else run.tell(SECTION, 'fail', name, text, `in staging it is ${expected} (specification, section 4.3)`);
  return value.success === expected;
}
