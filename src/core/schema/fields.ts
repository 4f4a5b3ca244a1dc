import * as z from 'zod/v4/core';

/**
 * The shared field types. The text of each schema completes the sentence "expected …". A validation message contains
 * only this text, so it cannot repeat the value.
 */

interface Traits {
  /** Sensitive: its value never appears in an error, a log or an event (our decision). */
  readonly personal?: true;
  /** Identifies a report: only these values may be shown in messages. */
  readonly reference?: true;
  /** Also required in partial mode. */
  readonly always?: true;
}

/** The words after "expected", or a function that chooses them for a value. */
type Expected = string | ((value: unknown) => string);

/** A pattern of a string, and what is expected of strings without it. */
type Pattern = readonly [pattern: RegExp, expected: Expected];
type Range = readonly [least: number, most: number];

/** A field. zod's schema of it is made at first use, so that a page loads faster. `Given` is what callers pass. */
export interface Field<Given = unknown> extends Traits {
  readonly schema: () => z.$ZodType<unknown, Given>;
  /** Undefined for a value of another type, or of several. */
  readonly type?: 'string' | 'number' | 'boolean' | undefined;
  readonly patterns?: readonly Pattern[];
  readonly range?: Range | undefined;
}

export function field<Given>(make: () => z.$ZodType): Field<Given> {
  let made: z.$ZodType | undefined;
  return {
    schema: () => {
      made ??= make();
      return made as z.$ZodType<unknown, Given>;
    },
  };
}

export const personal = <F extends Field>(of: F): F => ({ ...of, personal: true });

export const always = <F extends Field>(of: F): F => ({ ...of, always: true });

export const reference = <F extends Field>(of: F): F => ({ ...of, reference: true });

interface Rule {
  readonly expected: Expected;
  readonly holds: (value: unknown) => boolean;
  /** The code of zod's issue if the rule does not hold. */
  readonly code: 'invalid_type' | 'custom';
}

interface RuleSchemaDef extends z.$ZodTypeDef {
  /** Only the first rule that does not hold is reported. */
  readonly rules: readonly Rule[];
  /** Whether all of them hold. zod calls it if the application has imported `zod/compile`, which this copy obeys too. */
  readonly fn: (value: unknown) => boolean;
}

/**
 * The one class of zod for every field that `object` does not make. zod's own classes check more slowly, and add code
 * to the files of pages.
 */
const RuleSchema = z.$constructor<z.$ZodType, RuleSchemaDef>('RuleSchema', (inst, def) => {
  // TypeScript demands the declared type for a function that asserts.
  const type: z.$constructor<z.$ZodType> = z.$ZodType;
  type.init(inst, def);
  inst._zod.parse = (payload) => {
    const { value: input, issues } = payload;
    for (const { holds, expected, code } of def.rules) {
      if (holds(input)) continue;
      const message = typeof expected === 'string' ? expected : expected(input);
      issues.push({ code, message, input, inst } as z.$ZodRawIssue);
      break;
    }
    return payload;
  };
});

const ruled = <Given>(makeRules: () => readonly Rule[], type?: Field['type']): Field<Given> => ({
  ...field(() => {
    const rules = makeRules();
    return new RuleSchema({ type: 'custom', rules, fn: (value) => rules.every(({ holds }) => holds(value)) });
  }),
  type,
});

const ruleWith =
  (code: Rule['code']) =>
  (expected: Expected, holds: Rule['holds']): Rule => ({ expected, holds, code });
const ofType = ruleWith('invalid_type');
const rule = ruleWith('custom');

export const string = <Given = string>(expected: string, ...patterns: readonly Pattern[]): Field<Given> => ({
  ...ruled(
    () => [
      ofType(expected, (value) => typeof value === 'string'),
      ...patterns.map(([pattern, otherwise]) => rule(otherwise, (value) => pattern.test(String(value)))),
    ],
    'string',
  ),
  patterns,
});

export const number = (expected: string, range?: Range, otherwise = expected): Field<number> => ({
  ...ruled(() => {
    const type = ofType(expected, (value) => typeof value === 'number' && Number.isFinite(value));
    if (!range) return [type];
    const [least, most] = range;
    return [type, rule(otherwise, (value) => Number(value) >= least && Number(value) <= most)];
  }, 'number'),
  range,
});

/** `rest` checks the members that the shape does not name. */
export const object = <Given>(shape: () => z.$ZodShape, rest: () => z.$ZodType) =>
  field<Given>(() => new z.$ZodObject({ type: 'object', shape: shape(), catchall: rest(), error: () => 'an object' }));

export const checked = (expected: Expected, holds: (value: unknown) => boolean) =>
  ruled<unknown>(() => [rule(expected, holds)]);

/**
 * The largest `maxReferenceLength`. PostgreSQL indexes at most 2,704 bytes of a report's id: account, environment,
 * operation and reference. A UTF-16 code unit has at most 3 bytes, so 800 of them leave 304 bytes for the other parts.
 */
export const LONGEST_REFERENCE = 800;

/** The problem with a reference that is too long for the stores (our decision: the specification gives no limit). */
export const referenceTooLong = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value.length > most
    ? `expected a string of at most ${most} characters (maxReferenceLength), got a string of length ${value.length}`
    : undefined;

const NOT_BLANK: Pattern = [/\S/, 'a string that is not empty or blank'];

/** Sent as given, untrimmed (our decision). */
export const text = () => string('a string', NOT_BLANK);

/** Finite, since JSON turns `NaN` and `Infinity` into `null`; no bounds (the specification gives none). */
export const finite = () => number('a finite number');

const EXACT = 'an amount of at most 9007199254740991 (a larger number is not exact)';

/**
 * Money. A number that is not exact is not the amount that was meant (our decision). The specification gives no other
 * bounds.
 */
export const amount = () => number('a finite number', [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], EXACT);

export const flag = () =>
  ruled<boolean>(() => [ofType('true or false', (value) => typeof value === 'boolean')], 'boolean');

const between = (low: number, high: number) => number(`a number from ${low} to ${high}`, [low, high]);

export const latitude = () => between(-90, 90);
export const longitude = () => between(-180, 180);

const NIN = 'a string of exactly 11 digits (a number would lose leading zeros)';

/** Specification, section 8. ASCII digits only, no checksum (our decision). */
export const nin = () =>
  string(NIN, [
    /^[0-9]{11}$/,
    (value) =>
      /[^0-9]/.test(String(value)) ? 'a string of exactly 11 digits without a space or another character' : NIN,
  ]);

const TIMESTAMP = 'Unix seconds as a string of at most 10 digits, or a Date';

/** Specification, section 2.2. A `Date` was converted to a string before. */
export const timestamp = () =>
  string<string | Date>(TIMESTAMP, [
    /^[0-9]{1,10}$/,
    (value) =>
      /^[0-9]{13}$/.test(String(value)) ? `${TIMESTAMP}; this looks like milliseconds, divide by 1000` : TIMESTAMP,
  ]);

/** More than four digits, in any grouping, are more than the last four. Older apps' JavaScript knows no `\p{Nd}`. */
export const lastFourDigits = () =>
  string('a string', NOT_BLANK, [
    /^(?:\D*\d){0,4}\D*$/,
    'at most the last 4 digits; this looks like a whole account number',
  ]);

type FreeForm = Record<string, string | number | boolean>;

export const anything = checked('anything', () => true);

const isPlain = checked('a string, a finite number, true or false', (value) =>
  /^(?:string|number|boolean)$/.test(typeof value),
);

/** Strings (also empty), numbers and booleans by name; nothing nested (our decision). */
export const freeForm = () => object<FreeForm>(() => ({}), isPlain.schema);
