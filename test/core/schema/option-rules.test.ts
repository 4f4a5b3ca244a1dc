import { expect, test } from 'vitest';
import { issue } from '../../../src/core/schema/issue.js';
import {
  having,
  isDuration,
  isFlag,
  isWord,
  option,
  optional,
  readOptions,
  required,
  wholeNumber,
} from '../../../src/core/schema/option-rules.js';

const table = {
  store: required<object>(having('get')),
  name: option(isWord, 'outbox'),
  persist: option(isFlag, true),
  concurrency: option(wholeNumber(1, 10), 8),
  retry: { baseMs: option(isDuration, 500), capMs: option(isDuration, 8_000) },
  player: optional<string>(isWord),
};
const store = { get: () => {} };

const problemOf = (options: unknown) => readOptions('the test', table, options).problem;

test('options are completed by the table', () => {
  expect(readOptions('the test', table, { store, retry: { capMs: 1_000 }, persist: undefined })).toMatchObject({
    complete: {
      store,
      name: 'outbox',
      persist: true,
      concurrency: 8,
      retry: { baseMs: 500, capMs: 1_000 },
      player: undefined,
    },
  });
});

test('every problem is listed at once, also one that concerns several options', () => {
  const more = () => [issue(['player'], 'invalid', 'needs https')];
  expect(
    readOptions('the test', table, { nam: 'x', persist: 1, concurrency: 11, retry: { baseMs: -1 } }, more),
  ).toMatchObject({
    problem: `The options of the test cannot be used: 6 problems:
  - store: is required: expected an object with get
  - persist: expected true or false, got a number
  - concurrency: expected a whole number from 1 to 10, got another number
  - retry.baseMs: expected a number of milliseconds from 0 to 2147483647, got another number
  - nam: unknown field nam; did you mean name?
  - player: needs https`,
    issues: [
      { code: 'missing' },
      { code: 'wrong-type' },
      { code: 'invalid' },
      { code: 'invalid' },
      { code: 'unknown-field' },
      { code: 'invalid' },
    ],
  });
});

test.each([[null], [7], [[store]]])('%j is refused as options', (options) => {
  expect(problemOf(options)).toMatch(/expected an object/);
});

test('a property on the prototype of all objects is not an option', () => {
  Object.defineProperty(Object.prototype, 'player', {
    value: 'U-1',
    configurable: true,
    enumerable: true,
    writable: true,
  });
  try {
    expect(readOptions('the test', table, { store })).toMatchObject({ complete: { player: undefined } });
  } finally {
    Reflect.deleteProperty(Object.prototype, 'player');
  }
});

test.each([
  [
    'an option',
    {
      store,
      get name(): string {
        throw new Error('U-1');
      },
    },
  ],
  [
    'a part of an option',
    {
      store,
      retry: {
        get baseMs(): number {
          throw new Error('U-1');
        },
      },
    },
  ],
  [
    'a method of an option',
    {
      store: {
        get get(): unknown {
          throw new Error('U-1');
        },
      },
    },
  ],
])('a getter of %s that throws is a problem, and its error is not shown', (_what, options) => {
  expect(problemOf(options)).toMatch(
    /^The options of the test cannot be used: 1 problem:\n {2}- (?:options: could not be read|store: expected an object with get)/,
  );
  expect(problemOf(options)).not.toContain('U-1');
});

test('each option is read once', () => {
  let reads = 0;
  const options = {
    store,
    get name() {
      reads += 1;
      return 'x';
    },
  };
  expect(readOptions('the test', table, options)).toMatchObject({ complete: { name: 'x' } });
  expect(reads).toBe(1);
});
