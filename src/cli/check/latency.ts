import type { CheckExchange } from './exchange.js';
import type { Run } from './run.js';
import { SIZE_OF_BODY } from './size.js';

const SECTION = 'Latency';
const SLOW_SHARE = 0.5;

export interface Latency {
  readonly answers: number;
  readonly medianMs: number;
  readonly slowestMs: number;
}

/** The times from the request to the end of the answer, for requests as small as reports. Undefined if no answer came. */
export function latencyOf(exchanges: readonly CheckExchange[]): Latency | undefined {
  const durations = exchanges
    .filter(({ about, status }) => status !== undefined && !about.startsWith(SIZE_OF_BODY))
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b);
  const medianMs = durations[Math.floor(durations.length / 2)];
  const slowestMs = durations.at(-1);
  return medianMs === undefined || slowestMs === undefined ? undefined : { answers: durations.length, medianMs, slowestMs };
}

/** Whether the slowest answer is close to the time limit of the client. */
export const isSlow = ({ slowestMs }: Latency, requestMs: number): boolean => slowestMs > requestMs * SLOW_SHARE;

/** Compares the time of the answers with the time limit of the client. */
export function checkLatency(run: Run): void {
  const latency = latencyOf(run.recorder.exchanges);
  if (!latency) return;
  const text = `median ${Math.round(latency.medianMs)} ms, slowest ${Math.round(latency.slowestMs)} ms, of ${latency.answers} answers`;
  if (isSlow(latency, run.requestMs)) {
    run.tell(SECTION, 'warn', 'answers', text, `close to attemptTimeoutMs (${run.requestMs} ms): beyond it a report is in doubt`);
  } else run.tell(SECTION, 'ok', 'answers', text);
  if (!run.recorder.exchanges.some(({ status }) => status === undefined))
    run.findings.note('timeouts', 'confirmed', `slowest ${Math.round(latency.slowestMs)} ms`);
  if (latency.answers >= 15) run.findings.note('rate', 'confirmed', `no 429 in ${latency.answers} requests`);
}
