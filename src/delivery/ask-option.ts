import { type Limit, withTimeout } from '../platform/time.js';
import { ABORTED, configurationFailure, OUT_OF_TIME, withinLimit } from './failures.js';
import type { Failure } from './verdict.js';

/**
 * The value from a user's function, which is called before each attempt and within its time limit; or why there is
 * none. The error that it threw is not shown, since it may contain a secret.
 */
export async function askOption(ask: () => unknown, name: string, limit: Limit): Promise<{ readonly value: unknown } | Failure> {
  const asked = await withTimeout(ask, limit);
  if (asked.ended === 'done') return asked;
  if (asked.ended === 'aborted') return ABORTED;
  if (asked.ended === 'timeout') return { ...OUT_OF_TIME, text: `${name} did not answer ${withinLimit(limit)}` };
  return configurationFailure(`${name} threw an error; check that function`);
}
