import * as z from 'zod/mini';

/**
 * The shared field types. The text of each schema completes the sentence "expected …". A validation message contains
 * only this text, so it cannot repeat the value.
 */

export type Field = z.ZodMiniType;

interface Traits {
  /** Sensitive: its value never appears in an error, a log or an event (our decision). */
  personal?: true;
  /** Identifies a report: only these values may be shown in messages. */
  reference?: true;
  /** Also required in partial mode. */
  always?: true;
}

const traits = new WeakMap<Field, Traits>();

export const traitsOf = (field: Field): Readonly<Traits> => traits.get(field) ?? {};

function mark<T extends Field>(field: T, more: Traits): T {
  traits.set(field, { ...traitsOf(field), ...more });
  return field;
}

export const personal = <T extends Field>(field: T): T => mark(field, { personal: true });

export const always = <T extends Field>(field: T): T => mark(field, { always: true });

export const reference = <T extends Field>(field: T): T => mark(field, { reference: true });

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

/** Sent as given, untrimmed (our decision). */
export const text = () => z.string('a string').check(z.regex(/\S/, 'a string that is not empty or blank'));

/** Finite, since JSON turns `NaN` and `Infinity` into `null`; no bounds (the specification gives none). */
export const finite = () => z.number('a finite number');

const EXACT = 'an amount of at most 9007199254740991 (a larger number is not exact)';

/**
 * Money. A number that is not exact is not the amount that was meant (our decision). The specification gives no other
 * bounds.
 */
export const amount = () =>
  finite().check(z.gte(-Number.MAX_SAFE_INTEGER, EXACT), z.lte(Number.MAX_SAFE_INTEGER, EXACT));

export const flag = () => z.boolean('true or false');

const between = (low: number, high: number) => {
  const expected = `a number from ${low} to ${high}`;
  return z.number(expected).check(z.gte(low, expected), z.lte(high, expected));
};

export const latitude = () => between(-90, 90);
export const longitude = () => between(-180, 180);

const NIN = 'a string of exactly 11 digits (a number would lose leading zeros)';

/** Specification, section 8. ASCII digits only, no checksum (our decision). */
export const nin = () =>
  z.string(NIN).check(
    z.regex(/^[0-9]{11}$/, {
      error: ({ input }) =>
        /[^0-9]/.test(String(input)) ? 'a string of exactly 11 digits without a space or another character' : NIN,
    }),
  );

const TIMESTAMP = 'Unix seconds as a string of at most 10 digits, or a Date';

/** Specification, section 2.2. A `Date` was converted to a string before. */
export const timestamp = () =>
  z.string(TIMESTAMP).check(
    z.regex(/^[0-9]{1,10}$/, {
      error: (issue) =>
        /^[0-9]{13}$/.test(String(issue.input))
          ? `${TIMESTAMP}; this looks like milliseconds, divide by 1000`
          : TIMESTAMP,
    }),
  ) as z.ZodMiniType<string, string | Date>;

/** More than four digits, in any grouping, are more than the last four. */
export const lastFourDigits = () =>
  text().check(
    z.regex(/^(?:\P{Nd}*\p{Nd}){0,4}\P{Nd}*$/u, 'at most the last 4 digits; this looks like a whole account number'),
  );

type FreeForm = Record<string, string | number | boolean>;

const PLAIN = 'a string, a finite number, true or false';

/** Strings (also empty), numbers and booleans by name; nothing nested (our decision). */
export const freeForm = () =>
  z.looseObject({}, 'an object').check(
    z.check<Record<string, unknown>>(({ value, issues }) => {
      for (const [name, member] of Object.entries(value)) {
        if (!/^(?:string|number|boolean)$/.test(typeof member))
          issues.push({ code: 'custom', path: [name], message: PLAIN, input: value });
      }
    }),
  ) as z.ZodMiniType<FreeForm, FreeForm>;
