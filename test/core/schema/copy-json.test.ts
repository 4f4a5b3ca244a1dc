import { describe, expect, it } from 'vitest';
import { copyJson } from '../../../src/core/schema/copy-json.js';

const MANY = 'has more values than any report; did you pass another object?';
const DEEP = 'is nested deeper than any report; does it contain itself?';

const messagesOf = (input: unknown) => copyJson(input).issues.map(({ message }) => message);

/** The report is the first value, and its list is the second. */
const withValues = (count: number) => ({ list: Array.from({ length: count - 2 }, () => 1) });
/** A report with this number of objects within each other. */
const nested = (levels: number): object => (levels === 0 ? { leaf: 1 } : { inner: nested(levels - 1) });

describe('a report is accepted', () => {
  it('with 10,000 values, and not with one more', () => {
    expect(messagesOf(withValues(10_000))).toEqual([]);
    expect(messagesOf(withValues(10_001))).toEqual([MANY]);
  });

  it('with objects up to 8 levels below it, and not with one more', () => {
    expect(messagesOf(nested(8))).toEqual([]);
    expect(messagesOf(nested(9))).toEqual([DEEP]);
  });
});
