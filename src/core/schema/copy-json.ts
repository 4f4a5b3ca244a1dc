import { asRecord, bareObject } from '../platform/as-record.js';
import { FORBIDDEN_NAMES, forbiddenName, type IssueCode, issue, type Path, type ValidationIssue } from './issue.js';

/** Deeper or larger than any report: a cycle, or a value that is not a report. */
const MAX_DEPTH = 8;
const MAX_VALUES = 10_000;

/** An object chooses its own tag, so only known tags are repeated. */
const NAMED_KINDS = /\b(?:Map|Set|Promise|RegExp|Error|String|Number|Boolean|FormData)\b/;

/** `position.coords` of a browser as plain data, since its members are getters. Any other value as it is. */
export function plainCoordinates<T>(value: T) {
  if ({}.toString.call(value) !== '[object GeolocationCoordinates]') return value;
  const { latitude, longitude, accuracy } = asRecord(value);
  return { latitude, longitude, accuracy, source: 'gps' };
}

/**
 * Copies a value into plain JSON: own enumerable properties only, each read once, no `toJSON`. Of `position.coords` the
 * members are read. The copy is both validated and sent, so that no getter, proxy or later change of the caller's object
 * can come between. A value that JSON cannot express becomes an issue. A `Date` is accepted only as the `timestamp`, and becomes Unix seconds.
 */
export function copyJson(input: unknown): { value: unknown; issues: ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const path: PropertyKey[] = [];
  let values = 0;

  const refuse = (message: string, at: Path = path, code: IssueCode = 'not-json'): undefined => {
    issues.push(issue(at, code, message));
  };

  const copyAt = (key: PropertyKey, source: unknown): unknown => {
    path.push(key);
    const value = copy(source);
    path.pop();
    return value;
  };

  const copyObject = (given: object): unknown => {
    const source = plainCoordinates(given);
    const kind = Object.prototype.toString.call(source);
    if (kind === '[object Date]') {
      if (path.length !== 1 || path[0] !== 'timestamp') return refuse('a Date is accepted only as the timestamp');
      const time = Date.prototype.getTime.call(source);
      return Number.isNaN(time)
        ? refuse('expected a valid Date, got an invalid Date', path, 'invalid')
        : String(Math.floor(time / 1000));
    }
    if (Array.isArray(source)) {
      const { length } = source;
      if (length > MAX_VALUES) return refuse('is too large for a report');
      const items: unknown[] = [];
      for (let index = 0; index < length; index += 1) items.push(copyAt(index, source[index]) ?? null);
      return items;
    }
    if (kind !== '[object Object]')
      return refuse(`${NAMED_KINDS.exec(kind)?.[0] ?? 'this kind of object'} cannot be sent as JSON`);
    const target = bareObject();
    for (const key of Object.keys(source)) {
      if (FORBIDDEN_NAMES.test(key)) {
        issues.push(forbiddenName([...path, key]));
        continue;
      }
      const value = copyAt(key, (source as Record<string, unknown>)[key]);
      if (value !== undefined) target[key] = value;
    }
    return target;
  };

  const copy = (source: unknown): unknown => {
    values += 1;
    if (values > MAX_VALUES) {
      if (values === MAX_VALUES + 1) refuse('has more values than any report; did you pass another object?', []);
      return undefined;
    }
    switch (typeof source) {
      case 'function':
      case 'symbol':
      case 'bigint':
        return refuse(`a ${typeof source} cannot be sent as JSON`);
      case 'number':
        return Number.isFinite(source) ? source : refuse('expected a finite number, got NaN or an infinity');
      case 'object':
        if (source === null) return null;
        if (path.length > MAX_DEPTH) return refuse('is nested deeper than any report; does it contain itself?');
        try {
          return copyObject(source);
        } catch {
          return refuse('could not be read: a getter or proxy threw');
        }
      default:
        return source;
    }
  };

  return { value: copy(input), issues };
}
