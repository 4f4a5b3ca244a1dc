import { setTimeout } from 'node:timers/promises';
import type { ReportingError } from '../../errors/errors.js';
import { isRateLimitError, isReportingError } from '../../errors/guards.js';
import { lastAnswer, type Run } from './run.js';

/** The result of a call of the client. */
export type Ended<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: ReportingError };

const LONGEST_RETRY_WAIT_MS = 15_000;

/** Calls the client. If the gateway answers 429, waits and calls once more. */
export async function call<T>(run: Run, about: string, begin: () => Promise<T>): Promise<Ended<T>> {
  run.recorder.label(about);
  for (let waited = false; ; waited = true) {
    try {
      return { value: await begin() };
    } catch (error) {
      if (!isReportingError(error)) throw error;
      if (waited || !isRateLimitError(error)) return { error };
      run.findings.note('rate', 'differs', `429 after ${run.recorder.exchanges.length} requests`);
      run.findings.note('retryAfter', error.retryAfterMs === undefined ? 'differs' : 'confirmed', lastAnswer(run));
      await setTimeout(Math.min(error.retryAfterMs ?? 2_000, LONGEST_RETRY_WAIT_MS), undefined, { signal: run.signal }).catch(() => undefined);
    }
  }
}
