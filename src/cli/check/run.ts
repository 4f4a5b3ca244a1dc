import type { Client } from '../../client/client.js';
import { moreHeaders } from '../../delivery/more-headers.js';
import type { Gateway } from '../../delivery/settings.js';
import type { Attempted } from '../../delivery/transport.js';
import type { Environment, ReportingError } from '../../errors/errors.js';
import { systemClock } from '../../platform/time.js';
import { GATEWAY_PATH } from '../../protocol/operations.js';
import type { HeadersOption } from '../../schema/headers.js';
import type { Findings } from './assumptions.js';
import { describeExchange, type Recorder } from './exchange.js';

export type Status = 'ok' | 'warn' | 'fail' | 'skip';

/** The result of one test. */
export interface Line {
  readonly section: string;
  readonly status: Status;
  readonly name: string;
  /** The finding. */
  readonly text: string;
  /** The next step for the reader, if there is one. */
  readonly advice?: string | undefined;
}

/** The tested environment. */
export interface Target {
  readonly environment: Environment;
  readonly gateway: Gateway;
  readonly client: Client<'strict'>;
  /** The option `headers`, which a gateway behind another one needs. */
  readonly headers: readonly HeadersOption[];
  readonly requestMs: number;
  /** Whether the operator's own `fetch` or transport makes the connections. */
  readonly ownFetch: boolean;
  /** Whether both environments have one address, so that a report for staging would be recorded in production. */
  readonly sharedAddress: boolean;
}

/** One run of the checks. */
export interface Run extends Target {
  readonly recorder: Recorder;
  readonly findings: Findings;
  readonly lines: readonly Line[];
  /** Aborts when the time limit of the whole run is over. */
  readonly signal: AbortSignal;
  /** Whether reports are sent even if the gateway does not answer as staging does. */
  readonly trustEnvironment: boolean;
  /** The references of the made-up reports. */
  readonly references: string[];
  tell(section: string, status: Status, name: string, text: string, advice?: string): void;
  now(): number;
  random(): number;
}

const TIME_OVER = 'the time limit for all checks is over (see --timeout)';

/** Sends a request that no call of the client makes, exactly as the client would. */
export async function ask(run: Run, about: string, path: string, body: string, apiKey?: string): Promise<Attempted> {
  const limit = { clock: systemClock, milliseconds: run.requestMs, signal: run.signal };
  const more = await moreHeaders(run.headers, () => limit, new Set());
  if ('code' in more) return { ended: 'broken', failure: { text: more.text, notSent: true, retryable: false } };
  run.recorder.label(about);
  return run.recorder.transport.send(
    {
      url: run.gateway.baseUrl + GATEWAY_PATH + path.replace(/^\//, ''),
      headers: { ...more.headers, ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
      body,
      credentials: 'omit',
      keepalive: false,
    },
    limit,
  );
}

/** Describes the result of a request. */
export function describeAttempt(run: Run, attempted: Attempted): string {
  if (attempted.ended === 'broken') return attempted.failure.text;
  if (attempted.ended === 'timeout') return `no complete answer within ${run.requestMs / 1_000} s`;
  if (attempted.ended === 'aborted') return TIME_OVER;
  return lastAnswer(run);
}

/** Describes why a call of the client failed. The client hides the key of this call, but a gateway may repeat an earlier key. */
export function describeError({ signal, recorder }: Run, error: ReportingError): string {
  if (signal.aborted) return TIME_OVER;
  return error.status === undefined ? error.message : recorder.maskKeys(error.message);
}

export function lastAnswer({ recorder }: Run): string {
  const last = recorder.exchanges.at(-1);
  return last ? describeExchange(last) : 'no answer';
}
