import { readAnswer } from '../../delivery/failures.js';
import { ask, describeAttempt, type Run } from './run.js';

const SECTION = 'The gateway';
const NO_SUCH_PATH = 'location-sdk-check/no-such-path';
/** A body that can record nothing and look no person up, since its `nin` is not a number. */
export const MALFORMED = JSON.stringify({ nin: 'check' });

/** Beyond the first limit, timestamps are noticeably wrong. Beyond the second, the reports are wrong. */
const SKEW_TO_NOTICE_MS = 5_000;
const SKEW_TO_FAIL_MS = 60_000;

/** Whether the gateway answers at the address. No key is sent before this is certain. */
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
    return stop(run, name, text, 'redirects are not followed, since the key would travel: set the address that the redirect leads to');
  }
  if (status < 300) return stop(run, name, text, 'another server answers, such as a web site, a proxy or a captive portal: is the base address right?');
  if (status >= 500) return stop(run, name, text, 'the gateway fails, or a proxy in front of it');
  if (!json || body === undefined) run.tell(SECTION, 'warn', name, text, 'a gateway answers in JSON; the next checks show whether this is one');
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
    else run.tell(SECTION, 'warn', name, text, "the specification (section 5) requires 401 and JSON with error: 'Unauthorized'");
    return true;
  }
  if (json && (status === 400 || status === 422 || status === 429)) {
    if (status !== 429) run.findings.note('once', 'confirmed', text);
    run.tell(SECTION, 'warn', name, text, 'the specification (section 5) requires 401 here');
    return true;
  }
  if (status === 404 || status === 405) run.findings.note('once', 'differs', text);
  const advice =
    status === 404 || status === 405
      ? 'is the base address right? /integration-gateway/external/nin/verify is added to it; a path before that is kept. For other paths: the option paths, in a file for --options'
      : status < 300
        ? 'it answers without a key, so it is not the gateway, or a gateway that is open to anyone'
        : 'another server answers, or the gateway fails';
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
    run.tell(SECTION, 'skip', name, 'the answers have no header Date, so the clocks cannot be compared');
    return;
  }
  // A Date has whole seconds, so it is half a second early on average.
  const skew = clock.ours - clock.theirs - 500;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const text = seconds === 0 ? 'this machine and the gateway agree' : `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the gateway`;
  const status = Math.abs(skew) <= SKEW_TO_NOTICE_MS ? 'ok' : Math.abs(skew) <= SKEW_TO_FAIL_MS ? 'warn' : 'fail';
  run.tell(SECTION, status, name, text, status === 'ok' ? undefined : 'timestamps of reports come from this clock: synchronise it (NTP)');
}
