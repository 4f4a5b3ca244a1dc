import { systemClock, withTimeout } from '../../platform/time.js';
import { apiKeyProblem } from '../../schema/api-key.js';
import { MALFORMED } from './identify.js';
import { VERIFIED_NIN, WRONG_KEY } from './made-up.js';
import { ask, describeAttempt, type Run } from './run.js';

const SECTION = 'The key';

/**
 * Whether the gateway accepts the key and refuses another. The requests verify a text that is not a number. They can
 * record nothing and look no person up, so they are sent in production, too.
 */
export async function checkKey(run: Run): Promise<boolean> {
  const key = await readKey(run);
  if (key === undefined) return false;
  const refusesWrong = await tryWrongKey(run);
  return tryKey(run, key, refusesWrong);
}

/** Reads the key, and hides it in all later output. */
export async function readKey(run: Run): Promise<string | undefined> {
  const { apiKey } = run.gateway;
  const key = await withTimeout<unknown>(() => (typeof apiKey === 'string' ? apiKey : apiKey()), {
    clock: systemClock,
    milliseconds: run.requestMs,
    signal: run.signal,
  });
  const problem = key.ended === 'done' ? apiKeyProblem(key.value) : key.ended === 'failed' ? 'threw an error' : 'did not answer in time';
  if (problem !== undefined || key.ended !== 'done') {
    run.tell(SECTION, 'fail', 'your key', `the function apiKey ${problem}`, 'check your function; its error is not shown, since it may contain the key');
    return undefined;
  }
  const text = String(key.value);
  run.recorder.hide(text);
  return text;
}

async function tryWrongKey(run: Run): Promise<boolean> {
  const name = 'a wrong key';
  const path = run.gateway.paths.verifyNin;
  let attempted = await ask(run, name, path, MALFORMED, WRONG_KEY);
  let status = attempted.ended === 'answered' ? attempted.status : undefined;
  const looksFirst = status === 400 || status === 422;
  // A well-formed number may belong to a person, except the test numbers of staging.
  if (looksFirst && run.environment === 'staging') {
    attempted = await ask(run, name, path, JSON.stringify({ nin: VERIFIED_NIN }), WRONG_KEY);
    status = attempted.ended === 'answered' ? attempted.status : undefined;
  }
  const text = describeAttempt(run, attempted);
  if (status === 401 || status === 403) {
    if (status === 401) run.tell(SECTION, 'ok', name, `is refused: ${text}`);
    else run.tell(SECTION, 'warn', name, `is refused: ${text}`, 'the specification (section 5) requires 401; an outbox pauses for 403, too');
    return true;
  }
  if (looksFirst && run.environment === 'production') run.tell(SECTION, 'skip', name, `cannot be tested without looking a person up: ${text}`);
  else if (status !== undefined && status < 300)
    run.tell(SECTION, 'fail', name, `is accepted: ${text}`, 'tell the authority: anyone could report in your name');
  else run.tell(SECTION, 'warn', name, text, 'the specification (section 5) requires 401');
  return false;
}

async function tryKey(run: Run, key: string, refusesWrong: boolean): Promise<boolean> {
  const name = 'your key';
  const attempted = await ask(run, name, run.gateway.paths.verifyNin, MALFORMED, key);
  const text = describeAttempt(run, attempted);
  const status = attempted.ended === 'answered' ? attempted.status : undefined;
  if (status === 401 || status === 403) {
    run.tell(SECTION, 'fail', name, `is refused: ${text}`, `is it the key of ${run.environment}? Keys of staging and production differ`);
    return false;
  }
  if (status === 400 || status === 422 || (status !== undefined && status < 300)) {
    if (status === 400) run.findings.note('meanings', 'confirmed', `malformed: ${text}`);
    else run.findings.note('meanings', 'differs', `malformed: ${text}`);
    if (refusesWrong) run.tell(SECTION, 'ok', name, `is accepted; the answer to a text that is not a number: ${text}`);
    else run.tell(SECTION, 'skip', name, `is not refused, but neither was a wrong key: ${text}`);
    return true;
  }
  if (status === 429) {
    run.tell(SECTION, 'warn', name, text, 'wait, and run the checks again');
    return true;
  }
  run.tell(
    SECTION,
    'fail',
    name,
    text,
    status === 404 ? 'is the base address right?' : 'the gateway fails: run the checks again later, and tell its operator if it lasts',
  );
  return false;
}
