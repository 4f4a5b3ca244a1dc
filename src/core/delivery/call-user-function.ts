import { type Limit, withTimeout } from '../platform/time.js';
import { REQUEST_ID_HEADERS } from '../protocol/headers.js';
import { type HeadersOption, headerIssues, lowerCased } from '../schema/headers.js';
import type { Failure } from './channel.js';
import { ABORTED, configurationFailure, OUT_OF_TIME, withinLimit } from './failures.js';

/** The error that the function threw is not shown, since it may contain a secret. */
export async function callUserFunction(
  ask: () => unknown,
  name: string,
  limit: Limit,
): Promise<{ readonly value: unknown } | Failure> {
  const asked = await withTimeout(ask, limit);
  if (asked.ended === 'done') return asked;
  if (asked.ended === 'aborted') return ABORTED;
  if (asked.ended === 'timeout') return { ...OUT_OF_TIME, text: `${name} did not answer ${withinLimit(limit)}` };
  return configurationFailure(`${name} threw an error; check that function`);
}

/** The values of headers that are never shown. A gateway answers with the id of the request, so that is not secret. */
export const secretsOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (value && !REQUEST_ID_HEADERS.includes(name) ? [value] : []));

/** A getter may throw, or return another value the next time. */
const readOnce = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && !(Symbol.iterator in given) ? { ...given } : given;

const NO_HEADERS = { path: 'a function', message: 'expected headers' };

/** Their values are secrets from now on. */
export async function moreHeaders(
  option: HeadersOption,
  limit: () => Limit,
  secrets: Set<string>,
): Promise<{ readonly headers: Readonly<Record<string, string>> } | Failure> {
  let given: unknown = option;
  // Other headers were checked earlier.
  if (typeof option === 'function') {
    const asked = await callUserFunction(async () => readOnce(await option()), 'headers', limit());
    if (!('value' in asked)) return asked;
    given = asked.value;
    const [problem] = typeof given === 'function' ? [NO_HEADERS] : headerIssues(given);
    if (problem) return configurationFailure(`the function headers returned ${problem.path}: ${problem.message}`);
  }
  const headers = lowerCased(Object(given));
  for (const value of secretsOf(headers)) secrets.add(value);
  return { headers };
}
