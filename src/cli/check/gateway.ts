import { once } from 'node:events';
import { connect } from 'node:tls';
import { readKey } from '../../core/delivery/gateway-channel.js';
import { DAY_MS, withTimeout } from '../../core/platform/time.js';
import { latencyOf, WRONG_KEY } from './recorder.js';
import {
  type CheckResult,
  type CheckRun,
  call,
  describeError,
  fail,
  lastAnswer,
  limitOf,
  ok,
  skip,
  stop,
  verifyNothing,
  warn,
} from './run.js';

/** Staging verifies this number, since it starts with 99, and not the other one (specification, section 4.3). */
export const VERIFIED_NIN = '99000000001';
export const UNVERIFIED_NIN = '10000000000';

/** By default, fetch in Node.js ignores a proxy, and its errors do not say so. */
function proxyAdvice(): string {
  const variable = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => process.env[name]);
  return variable
    ? `${variable} is set, which Node.js's fetch does not use by itself: give the client transport: nodeTransport({ proxy: 'environment' }), in a file for --options. Or `
    : '';
}

/** The gateway refuses a request without a key. Another server does not know the path, or answers in another way. */
export async function tryWithoutKey(run: CheckRun): Promise<CheckResult> {
  const { status, json, body, text } = await verifyNothing(run);
  if (status === undefined) return stop(text, `${proxyAdvice()}is the base address right?`);
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
  if (status >= 300 && status < 400) {
    run.findings.note('redirects', 'differs', text);
    return stop(
      text,
      'redirects are not followed, since the key would travel: set the address that the redirect leads to',
    );
  }
  return stop(
    text,
    status < 300
      ? 'it answers without a key, so it is another server (a web site, a proxy or a captive portal), or a gateway that is open to anyone'
      : 'another server answers, or the gateway fails',
  );
}

/** The gateway's operator needs about this time to renew a certificate. */
const FEW_DAYS = 21;

/** This connection sends no data. */
export async function readCertificate(run: CheckRun): Promise<CheckResult | undefined> {
  const { protocol, hostname, port } = new URL(run.gateway.baseUrl);
  if (protocol !== 'https:' || run.ownFetch) return undefined;
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 });
  const opened = await withTimeout(() => once(socket, 'secureConnect'), limitOf(run));
  const until = Date.parse(socket.getPeerCertificate()?.valid_to);
  socket.on('error', () => undefined).destroy();
  if (opened.ended !== 'done') return skip('cannot be read over a connection of its own');
  return judgeCertificate(until, Date.now());
}

export function judgeCertificate(until: number, now: number): CheckResult {
  const days = Math.floor((until - now) / DAY_MS);
  const text = `is valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  return days < FEW_DAYS ? warn(text, "tell the gateway's operator") : ok(text);
}

/** Beyond the first limit, timestamps are noticeably wrong. Beyond the second, the reports are wrong. */
const SKEW_TO_NOTICE_MS = 5_000;
const SKEW_TO_FAIL_MS = 60_000;

export function compareClocks({ recorder: { exchanges } }: CheckRun): CheckResult | undefined {
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

export async function tryWrongKey(run: CheckRun): Promise<CheckResult> {
  const { status, text } = await verifyNothing(run, WRONG_KEY);
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

export async function tryOwnKey(run: CheckRun): Promise<CheckResult> {
  const { apiKey } = run.gateway;
  const key = typeof apiKey === 'string' ? apiKey : await readKey(apiKey, 'the function apiKey', () => limitOf(run));
  if (typeof key !== 'string') return stop(key.text, 'its error is not shown, since it may contain the key');
  const { status, text } = await verifyNothing(run, key);
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

/**
 * Tests a number of staging. If the answer differs, this may not be staging: the other number may belong to a person,
 * and made-up reports might be recorded as real ones, so the run ends.
 */
export async function tryNumber(run: CheckRun, nin: string): Promise<CheckResult> {
  const expected = nin === VERIFIED_NIN;
  const { value, error } = await call(run, () => run.client.verifyNin({ nin }, { signal: run.signal }));
  if (error?.status !== undefined && error.status < 300) run.findings.note('nin', 'differs', lastAnswer(run));
  if (value) run.findings.note('nin', 'confirmed', 'success is a boolean');
  if (value?.success === expected) return ok(`success is ${expected}, as in staging`);
  const text = error
    ? describeError(run, error)
    : `success is ${!expected}, and in staging it is ${expected} (specification, section 4.3)`;
  return run.trustEnvironment
    ? fail(text)
    : stop(
        `${text}. It does not answer as staging does, so no made-up report is sent`,
        'if you are sure that it is staging: --trust-environment',
      );
}

/** Of the time limit. */
const SLOW_SHARE = 0.5;

export function judgeLatency({ recorder: { exchanges }, requestMs, findings }: CheckRun): CheckResult | undefined {
  const latency = latencyOf(exchanges);
  if (!latency) return undefined;
  const slowest = `slowest ${Math.round(latency.slowestMs)} ms`;
  if (!exchanges.some(({ status }) => status === undefined)) findings.note('timeouts', 'confirmed', slowest);
  const text = `median ${Math.round(latency.medianMs)} ms, ${slowest}, of ${latency.answers} answers`;
  return latency.slowestMs > requestMs * SLOW_SHARE
    ? warn(text, `close to attemptTimeoutMs (${requestMs} ms): beyond it a report is in doubt`)
    : ok(text);
}
