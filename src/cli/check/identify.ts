import { readAnswer } from '../../delivery/failures.js';
import { ask, describeAttempt, type Run } from './run.js';

const SECTION = 'The gateway';
const NO_SUCH_PATH = 'location-sdk-check/no-such-path';
/** Whoever reads it can look nobody up by it, and record nothing: it is no number at all. */
export const MALFORMED = JSON.stringify({ nin: 'check' });

/** Beyond the first, timestamps are noticeably wrong; beyond the second, they are wrong reports. */
const SKEW_TO_NOTICE_MS = 5_000;
const SKEW_TO_FAIL_MS = 60_000;

/** Whether the gateway is what answers at the address. No key goes out before that is known. */
export async function identify(run: Run): Promise<boolean> {
  const isThere = (await askForNothing(run)) && (await askWithoutKey(run));
  compareClocks(run);
  return isThere;
}

async function askForNothing(run: Run): Promise<boolean> {
  const name = 'a path that does not exist';
  const attempted = await ask(run, name, NO_SUCH_PATH, '{}');
  const text = describeAttempt(run, attempted);
  if (attempted.ended !== 'answered') return stop(run, name, text, 'the port is open, but no gateway answers: is the base address right?');
  const { status } = attempted;
  const { json, body } = readAnswer(status, attempted.text);
  if (status >= 300 && status < 400) {
    run.findings.note('redirects', 'differs', text);
    return stop(run, name, text, 'redirects are not followed, since the key would travel: give the address that it leads to');
  }
  if (status < 300) return stop(run, name, text, 'something else answers, such as a web site, a proxy or a captive portal: is the base address right?');
  if (status >= 500) return stop(run, name, text, 'the gateway fails, or whatever stands before it');
  if (!json || body === undefined) run.tell(SECTION, 'warn', name, text, 'a gateway would answer in JSON; what follows tells whether it is one');
  else run.tell(SECTION, 'ok', name, text);
  return true;
}

async function askWithoutKey(run: Run): Promise<boolean> {
  const name = 'a known path, without a key';
  const attempted = await ask(run, name, run.gateway.paths.verifyNin, MALFORMED);
  const text = describeAttempt(run, attempted);
  if (attempted.ended !== 'answered') return stop(run, name, text, 'no gateway answers: is the base address right?');
  const { status } = attempted;
  const { json, body } = readAnswer(status, attempted.text);
  if (status === 401 || status === 403) {
    run.findings.note('once', 'confirmed', text);
    const named = status === 401 && json && (body as { error?: unknown } | null | undefined)?.error === 'Unauthorized';
    if (named) run.tell(SECTION, 'ok', name, text);
    else run.tell(SECTION, 'warn', name, text, "the specification (section 5) wants 401 and JSON with error: 'Unauthorized'");
    return true;
  }
  if (json && (status === 400 || status === 422 || status === 429)) {
    if (status !== 429) run.findings.note('once', 'confirmed', text);
    run.tell(SECTION, 'warn', name, text, 'the specification (section 5) wants 401 here');
    return true;
  }
  if (status === 404 || status === 405) run.findings.note('once', 'differs', text);
  const advice =
    status === 404 || status === 405
      ? 'is the base address right? /integration-gateway/external/nin/verify is added to it; a path before that is kept. For other paths: the option paths, in a file for --options'
      : status < 300
        ? 'it answers without a key, so it is not the gateway, or one that is open to everybody'
        : 'what answers is not the gateway, or the gateway fails';
  return stop(run, name, text, advice);
}

function stop(run: Run, name: string, text: string, advice: string): false {
  run.tell(SECTION, 'fail', name, text, advice);
  return false;
}

function compareClocks(run: Run): void {
  const name = 'clock';
  const clock = run.recorder.exchanges.find((exchange) => exchange.clock)?.clock;
  if (!clock) {
    run.tell(SECTION, 'skip', name, 'the answers carry no Date, so it cannot be compared');
    return;
  }
  // A Date has whole seconds; half a one is the most likely rest.
  const skew = clock.ours - clock.theirs - 500;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const text = seconds === 0 ? 'this machine and the gateway agree' : `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the gateway`;
  const status = Math.abs(skew) <= SKEW_TO_NOTICE_MS ? 'ok' : Math.abs(skew) <= SKEW_TO_FAIL_MS ? 'warn' : 'fail';
  run.tell(SECTION, status, name, text, status === 'ok' ? undefined : 'timestamps of reports come from this clock: synchronise it (NTP)');
}
