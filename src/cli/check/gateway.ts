import { withTimeout } from '../../platform/time.js';
import { apiKeyProblem } from '../../schema/headers.js';
import { latencyOf, WRONG_KEY } from './recorder.js';
import {
  ask,
  type CheckRun,
  call,
  describeError,
  fail,
  lastAnswer,
  limitOf,
  ok,
  type Result,
  type Seen,
  skip,
  stop,
  warn,
} from './run.js';

/** Staging verifies this number, since it starts with 99, and not the other one (specification, section 4.3). */
export const VERIFIED_NIN = '99000000001';
export const UNVERIFIED_NIN = '10000000000';

/** A body that can record nothing and look no person up, since its `nin` is not a number. */
const MALFORMED = JSON.stringify({ nin: 'check' });

/** Verifies a text that is not a number, which can be asked in production, too. */
const verifyNothing = (run: CheckRun, about: string, apiKey?: string): Promise<Seen> =>
  ask(run, about, run.gateway.paths.verifyNin, MALFORMED, apiKey);

/** The answer to an unknown path shows whether the gateway, or another server, answers at the address. */
export async function tryUnknownPath(run: CheckRun, name: string): Promise<Result> {
  const { status, json, body, text } = await ask(run, name, 'location-sdk-check/no-such-path', '{}');
  if (status === undefined) return stop(text, 'the port is open, but no gateway answers: is the base address right?');
  if (status >= 500) return stop(text, 'the gateway fails, or a proxy in front of it');
  if (status < 300)
    return stop(
      text,
      'another server answers, such as a web site, a proxy or a captive portal: is the base address right?',
    );
  if (status < 400) {
    run.findings.note('redirects', 'differs', text);
    return stop(
      text,
      'redirects are not followed, since the key would travel: set the address that the redirect leads to',
    );
  }
  return json && body !== undefined
    ? ok(text)
    : warn(text, 'a gateway answers in JSON; the next checks show whether this is one');
}

/** The gateway refuses a request without a key. Another server does not know the path. */
export async function tryWithoutKey(run: CheckRun, name: string): Promise<Result> {
  const { status, json, body, text } = await verifyNothing(run, name);
  if (status === undefined) return stop(text, 'no gateway answers: is the base address right?');
  const isRefused = status === 401 || status === 403;
  if (isRefused || (json && (status === 400 || status === 422 || status === 429))) {
    if (status !== 429) run.findings.note('once', 'confirmed', text);
    if (!isRefused) return warn(text, 'the specification (section 5) requires 401 here');
    const isNamed = json && (body as { error?: unknown } | null | undefined)?.error === 'Unauthorized';
    return status === 401 && isNamed
      ? ok(text)
      : warn(text, "the specification (section 5) requires 401 and JSON with error: 'Unauthorized'");
  }
  if (status === 404 || status === 405) {
    run.findings.note('once', 'differs', text);
    return stop(
      text,
      'is the base address right? /integration-gateway/external/nin/verify is added to it; a path before that is kept. For other paths: the option paths, in a file for --options',
    );
  }
  return stop(
    text,
    status < 300
      ? 'it answers without a key, so it is not the gateway, or a gateway that is open to anyone'
      : 'another server answers, or the gateway fails',
  );
}

/** Beyond the first limit, timestamps are noticeably wrong. Beyond the second, the reports are wrong. */
const SKEW_TO_NOTICE_MS = 5_000;
const SKEW_TO_FAIL_MS = 60_000;

/** Compares this machine's clock with the header `Date` of an answer. */
export function compareClocks({ recorder: { exchanges } }: CheckRun): Result | undefined {
  if (exchanges.length === 0) return undefined;
  const clock = exchanges.find((exchange) => exchange.clock)?.clock;
  if (!clock) return skip('the answers have no header Date, so the clocks cannot be compared');
  // A Date has whole seconds, so it is half a second early on average.
  const skew = clock.ours - clock.theirs - 500;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const text =
    seconds === 0
      ? 'this machine and the gateway agree'
      : `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the gateway`;
  if (Math.abs(skew) <= SKEW_TO_NOTICE_MS) return ok(text);
  const judge = Math.abs(skew) <= SKEW_TO_FAIL_MS ? warn : fail;
  return judge(text, 'timestamps of reports come from this clock: synchronise it (NTP)');
}

/** Whether the gateway refuses a key that it never issued. */
export async function tryWrongKey(run: CheckRun, name: string): Promise<Result> {
  const { status, text } = await verifyNothing(run, name, WRONG_KEY);
  run.state.refusesWrongKey = status === 401 || status === 403;
  if (status === 401) return ok(`is refused: ${text}`);
  if (status === 403)
    return warn(`is refused: ${text}`, 'the specification (section 5) requires 401; an outbox pauses for 403, too');
  // Only a well-formed number would show more, and it may belong to a person.
  if (status === 400 || status === 422) return skip(`cannot be tested without looking a person up: ${text}`);
  return status !== undefined && status < 300
    ? fail(`is accepted: ${text}`, 'tell the authority: anyone could report in your name')
    : warn(text, 'the specification (section 5) requires 401');
}

/** Whether the gateway accepts the operator's key. */
export async function tryOwnKey(run: CheckRun, name: string): Promise<Result> {
  const key = await readKey(run);
  if (typeof key !== 'string') return key;
  const { status, text } = await verifyNothing(run, name, key);
  if (status === 401 || status === 403)
    return stop(`is refused: ${text}`, `is it the key of ${run.environment}? Keys of staging and production differ`);
  if (status === 429) return warn(text, 'wait, and run the checks again');
  if (status === 400 || status === 422 || (status !== undefined && status < 300)) {
    run.findings.note('meanings', status === 400 ? 'confirmed' : 'differs', `malformed: ${text}`);
    return run.state.refusesWrongKey
      ? ok(`is accepted; the answer to a text that is not a number: ${text}`)
      : skip(`is not refused, but neither was a wrong key: ${text}`);
  }
  return stop(
    text,
    status === 404
      ? 'is the base address right?'
      : 'the gateway fails: run the checks again later, and tell its operator if it lasts',
  );
}

/** Reads the key, and hides it in all later output. */
async function readKey(run: CheckRun): Promise<string | Result> {
  const { apiKey } = run.gateway;
  const read = await withTimeout(() => (typeof apiKey === 'string' ? apiKey : apiKey()), limitOf(run));
  const problem =
    read.ended === 'done'
      ? apiKeyProblem(read.value)
      : read.ended === 'failed'
        ? 'threw an error'
        : 'did not answer in time';
  if (problem === undefined && read.ended === 'done') {
    run.recorder.hide(read.value);
    return read.value;
  }
  return stop(
    `the function apiKey ${problem}`,
    'check your function; its error is not shown, since it may contain the key',
  );
}

/**
 * Tests a number of staging. The numbers also show that this is staging. One after the other: outside of staging, the
 * second number may belong to a person.
 */
export async function tryNumber(run: CheckRun, name: string, nin: string): Promise<Result | undefined> {
  const expected = nin === VERIFIED_NIN;
  if (run.state.isOther) return undefined;
  const { value, error } = await call(run, name, () => run.client.verifyNin({ nin }, { signal: run.signal }));
  if (error) {
    if (error.status !== undefined && error.status < 300) run.findings.note('nin', 'differs', lastAnswer(run));
    run.state.isOther = !run.trustEnvironment;
    return fail(describeError(run, error));
  }
  run.findings.note('nin', 'confirmed', 'success is a boolean');
  const text = `success is ${value.success}`;
  if (value.success === expected) return ok(`${text}, as in staging`);
  run.state.isOther = !run.trustEnvironment;
  return fail(text, `in staging it is ${expected} (specification, section 4.3)`);
}

/** Made-up reports might be recorded as real ones if this is not staging, so none is sent. */
export const needStaging = ({ state }: CheckRun): Result | undefined =>
  state.isOther
    ? {
        ...skip(
          'it does not answer as staging does, so no made-up report is sent there',
          'if you are sure that it is staging: --trust-environment',
        ),
        end: 'failed',
      }
    : undefined;

/** A slower answer, as a share of the time limit, is too close to it. */
const SLOW_SHARE = 0.5;
/** From this number of answers without a 429 the run says that it met no rate limit. */
const MANY_ANSWERS = 15;

/** Compares the time of the answers with the time limit of the client. */
export function judgeLatency({ recorder: { exchanges }, requestMs, findings }: CheckRun): Result | undefined {
  const latency = latencyOf(exchanges);
  if (!latency) return undefined;
  const slowest = `slowest ${Math.round(latency.slowestMs)} ms`;
  if (!exchanges.some(({ status }) => status === undefined)) findings.note('timeouts', 'confirmed', slowest);
  if (latency.answers >= MANY_ANSWERS) findings.note('rate', 'confirmed', `no 429 in ${latency.answers} requests`);
  const text = `median ${Math.round(latency.medianMs)} ms, ${slowest}, of ${latency.answers} answers`;
  return latency.slowestMs > requestMs * SLOW_SHARE
    ? warn(text, `close to attemptTimeoutMs (${requestMs} ms): beyond it a report is in doubt`)
    : ok(text);
}
