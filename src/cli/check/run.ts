import { setTimeout } from 'node:timers/promises';
import type { Client } from '../../core/client/client.js';
import type { Receipt } from '../../core/client/receipt.js';
import { moreHeaders } from '../../core/delivery/call-user-function.js';
import { readAnswer } from '../../core/delivery/failures.js';
import type { Gateway } from '../../core/delivery/settings.js';
import { THE_HOST } from '../../core/delivery/transport.js';
import { type Environment, hasCode, isReportingError, type ReportingError } from '../../core/errors/errors.js';
import { type Limit, systemClock } from '../../core/platform/time.js';
import { GATEWAY_PATH, type OperationName, type ReportName } from '../../core/protocol/operations.js';
import type { HeadersOption } from '../../core/schema/headers.js';
import type { Findings } from './assumptions.js';
import { describeExchange, type Recorder } from './recorder.js';

export type Status = 'ok' | 'warn' | 'fail' | 'skip';

export interface CheckResult {
  readonly status: Status;
  readonly text: string;
  readonly advice?: string | undefined;
  /** After `failed`, the checks that follow make no sense, and are named as left out. After `done` they are not due. */
  readonly end?: 'failed' | 'done';
}

export interface Line extends Omit<CheckResult, 'end'> {
  readonly section: string;
  readonly name: string;
}

export type Tell = (section: string, name: string, result: CheckResult) => void;

export const ok = (text: string): CheckResult => ({ status: 'ok', text });
export const warn = (text: string, advice: string): CheckResult => ({ status: 'warn', text, advice });
export const skip = (text: string, advice?: string): CheckResult => ({ status: 'skip', text, advice });
export const fail = (text: string, advice?: string): CheckResult => ({ status: 'fail', text, advice });
export const stop = (text: string, advice?: string): CheckResult => ({ ...fail(text, advice), end: 'failed' });

export interface Target {
  readonly environment: Environment;
  readonly gateway: Gateway;
  readonly client: Client<'strict'>;
  readonly recorder: Recorder;
  /** The option `headers`, which a gateway behind another one needs. */
  readonly headers: HeadersOption | undefined;
  readonly requestMs: number;
  /** Whether the operator's own `fetch` or transport makes the connections. */
  readonly ownFetch: boolean;
  /** Whether both environments have one address, so that a report for staging would be recorded in production. */
  readonly sharedAddress: boolean;
}

/** Each sends the same data again, except for the amount. */
export type MadeUpReports = Readonly<Record<ReportName, (amount: number) => Promise<Receipt>>>;

interface RunState {
  refusesWrongKey?: boolean;
  madeUp?: MadeUpReports;
  /** Whether a step got no answer that refuses it, so that the next one is pointless. */
  isSilent?: boolean;
  readonly recorded: Set<OperationName>;
}

export interface CheckRun extends Target {
  readonly findings: Findings;
  readonly references: string[];
  /** The time limit of the whole run. */
  readonly signal: AbortSignal;
  readonly trustEnvironment: boolean;
  readonly state: RunState;
  readonly tell: Tell;
}

export const limitOf = ({ requestMs, signal }: CheckRun): Limit => ({
  clock: systemClock,
  milliseconds: requestMs,
  signal,
});

const TIME_OVER = 'the time limit for all checks is over (see --timeout)';

/** The answer to a request. Without a status, none came. */
interface SeenAnswer {
  readonly status?: number;
  readonly json?: boolean;
  readonly body?: unknown;
  /** May be shown: the answer, or why none came. */
  readonly text: string;
}

/** A body that can record nothing and look no person up, since its `nin` is not a number. */
const MALFORMED = JSON.stringify({ nin: 'check' });

/**
 * Verifies a text that is not a number, which can be asked in production, too. No call of the client makes this
 * request; it is sent exactly as the client would.
 */
export async function verifyNothing(run: CheckRun, apiKey?: string): Promise<SeenAnswer> {
  const more = run.headers ? await moreHeaders(run.headers, () => limitOf(run), new Set()) : { headers: {} };
  if ('code' in more) return { text: more.text };
  const attempted = await run.recorder.transport.send(
    {
      url: run.gateway.baseUrl + GATEWAY_PATH + run.gateway.paths.verifyNin.replace(/^\//, ''),
      headers: { ...more.headers, ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
      body: MALFORMED,
      credentials: 'omit',
      keepalive: false,
    },
    limitOf(run),
  );
  switch (attempted.ended) {
    case 'answered':
      return { ...readAnswer(attempted.status, attempted.text), text: lastAnswer(run) };
    case 'broken':
      return { text: attempted.failure.text.replace(THE_HOST, new URL(run.gateway.baseUrl).host) };
    case 'timeout':
      return { text: `no complete answer within ${run.requestMs / 1_000} s` };
    case 'aborted':
      return { text: TIME_OVER };
  }
}

export function lastAnswer({ recorder }: CheckRun): string {
  const last = recorder.exchanges.at(-1);
  return last ? describeExchange(last) : 'no answer';
}

const LONGEST_RETRY_WAIT_MS = 15_000;

export async function call<T>(run: CheckRun, begin: () => Promise<T>) {
  for (let waited = false; ; waited = true) {
    try {
      return { value: await begin() };
    } catch (error) {
      if (!isReportingError(error)) throw error;
      if (waited || !hasCode(error, 'rate-limited')) return { error };
      run.findings.note('rate', 'differs', `429 after ${run.recorder.exchanges.length} requests`);
      run.findings.note('retryAfter', error.retryAfterMs === undefined ? 'differs' : 'confirmed', lastAnswer(run));
      await setTimeout(Math.min(error.retryAfterMs ?? 2_000, LONGEST_RETRY_WAIT_MS), undefined, {
        signal: run.signal,
      }).catch(() => undefined);
    }
  }
}

/** The client hides the key of its call, but a gateway may repeat an earlier key. */
export function describeError({ signal, recorder }: CheckRun, error: ReportingError): string {
  if (signal.aborted) return TIME_OVER;
  return error.status === undefined ? error.message : recorder.maskKeys(error.message);
}
