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

/** One thing that was tested. */
export interface Line {
  readonly section: string;
  readonly status: Status;
  readonly name: string;
  /** What was found. */
  readonly text: string;
  /** What to do, where something is to be done. */
  readonly advice?: string | undefined;
}

/** What is tested. */
export interface Target {
  readonly environment: Environment;
  readonly gateway: Gateway;
  readonly client: Client<'strict'>;
  /** The option `headers`, which a gateway behind another one needs. */
  readonly headers: readonly HeadersOption[];
  readonly requestMs: number;
  /** Whether connections are made by a `fetch` of the operator's own. */
  readonly ownFetch: boolean;
  /** Whether the two environments lead to one address, so that what is meant for staging would be recorded in production. */
  readonly sharedAddress: boolean;
}

/** One run of the checks. */
export interface Run extends Target {
  readonly recorder: Recorder;
  readonly findings: Findings;
  readonly lines: readonly Line[];
  /** Ends everything when the time of the whole run is over. */
  readonly signal: AbortSignal;
  /** Whether reports are sent to what does not answer as staging does. */
  readonly trustEnvironment: boolean;
  /** The references of the reports that were made. */
  readonly references: string[];
  tell(section: string, status: Status, name: string, text: string, advice?: string): void;
  now(): number;
  random(): number;
}

const TIME_OVER = 'the time for all checks is over (see --timeout)';

/** Sends a request that is none of the client's, exactly as the client would. */
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

/** The end of a request in words. */
export function describeAttempt(run: Run, attempted: Attempted): string {
  if (attempted.ended === 'broken') return attempted.failure.text;
  if (attempted.ended === 'timeout') return `no whole answer within ${run.requestMs / 1_000} s`;
  if (attempted.ended === 'aborted') return TIME_OVER;
  return lastAnswer(run);
}

/** Why a call of the client failed. The client hides the key that it sent; a gateway may repeat one that was sent before. */
export function describeError({ signal, recorder }: Run, error: ReportingError): string {
  if (signal.aborted) return TIME_OVER;
  return error.status === undefined ? error.message : recorder.maskKeys(error.message);
}

export function lastAnswer({ recorder }: Run): string {
  const last = recorder.exchanges.at(-1);
  return last ? describeExchange(last) : 'no answer';
}
