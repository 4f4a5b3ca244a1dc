import type { Limit } from '../platform/time.js';
import { REQUEST_ID_HEADERS } from '../protocol/request-id-headers.js';
import { type HeadersOption, headerIssues, lowerCased } from '../schema/headers.js';
import { askOption } from './ask-option.js';
import { configurationFailure } from './failures.js';
import type { Failure } from './verdict.js';

/** The values of headers that are never shown. A gateway answers with the id of the request, so that is not secret. */
export const secretsOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (value && !REQUEST_ID_HEADERS.includes(name) ? [value] : []));

/** A getter may throw, or return another value the next time. */
const readOnce = (given: unknown): unknown => (typeof given === 'object' && given !== null && !(Symbol.iterator in given) ? { ...given } : given);

/** The user's headers for one request; those of the call take precedence. Their values are secrets from now on. */
export async function moreHeaders(
  options: readonly HeadersOption[],
  limit: () => Limit,
  secrets: Set<string>,
): Promise<{ readonly headers: Readonly<Record<string, string>> } | Failure> {
  const headers: Record<string, string> = {};
  for (const option of options) {
    const asked = typeof option === 'function' ? await askOption(async () => readOnce(await option()), 'headers', limit()) : { value: option };
    if (!('value' in asked)) return asked;
    // Headers that are not a function were checked earlier.
    const [problem] = typeof option === 'function' ? headerIssues(asked.value) : [];
    if (problem || typeof asked.value === 'function')
      return configurationFailure(`the function headers returned ${problem?.path ?? 'a function'}: ${problem?.message ?? 'expected headers'}`);
    Object.assign(headers, lowerCased(Object(asked.value)));
  }
  for (const value of secretsOf(headers)) secrets.add(value);
  return { headers };
}
