import { asRecord } from '../platform/as-record.js';
import { issue, type ValidationIssue } from './issue.js';

/** Headers by name, or a function that is called for them on every request. */
export type HeadersOption =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Those that this package sets, and those that tell a connection where a request ends. */
const OURS =
  /^(?:x-api-key|x-location-sdk(?:-player)?|accept|content-(?:type|length|encoding)|user-agent|host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer)$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** The issues do not show values. */
export function headerIssues(given: unknown): ValidationIssue[] {
  if (typeof given === 'function') return [];
  if (asRecord(given) !== given || Array.isArray(given) || Symbol.iterator in given)
    return [issue(['headers'], 'wrong-type', 'expected an object of headers by name, or a function that returns one')];
  return Object.entries(given).flatMap(([name, value]) => {
    const problem = problemOf(name.toLowerCase(), value);
    return problem ? [issue(['headers', name], 'invalid', problem)] : [];
  });
}

function problemOf(name: string, value: unknown): string | undefined {
  if (OURS.test(name)) return 'this package sets this header, and it cannot be replaced; remove it';
  if (!NAME.test(name)) return 'this is not a valid header name';
  return typeof value === 'string' && VALUE.test(value)
    ? undefined
    : 'expected a string of visible ASCII characters and spaces, without line ends';
}

export const lowerCased = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Does not show the key. The platform's own error would print it. */
export function apiKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return 'must be a string, or a function that returns one';
  if (key === '') return 'is empty';
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'contains a space, a line end or another character that a header cannot contain; trim it where it is read';
  return undefined;
}
