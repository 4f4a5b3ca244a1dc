import * as z from 'zod/mini';
import { OUTBOX_ENVIRONMENTS } from '../outbox/rules/destination.js';
import { LONGEST_REASON } from '../outbox/rules/state-machine.js';
import { isStorable } from '../outbox/stores/rows.js';
import { bareObject } from '../platform/as-record.js';
import { unprintable } from '../platform/messages.js';
import { refuse } from '../web/answer.js';
import { invalid } from './answers.js';

/**
 * The checks of a call's input, the only ones between the page and the store. The text of each completes the sentence
 * "expected …". The page shows ids and words of problems with their control characters escaped, so those are converted
 * back here.
 */

export type Input = Readonly<Record<string, unknown>>;

export function text(longest = 4_000) {
  const expected = `a text of at most ${longest} characters`;
  return z
    .string(expected)
    .check(z.maxLength(longest, expected), z.refine(isStorable, 'a text without NUL and halves of characters'));
}

const filled = (longest?: number) => text(longest).check(z.regex(/\S/, 'a text'));

export const id = filled().check(z.overwrite(unprintable));

export const reason = filled(LONGEST_REASON).check(z.trim());

const NEXT = 'the `next` of the previous page';
export const cursor = z.optional(
  z.string(NEXT).check(z.refine((value) => /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)), NEXT)),
);

const TIME = 'a time in milliseconds since 1970';
/** Up to the last time that a `Date` can hold; PostgreSQL refuses numbers that are much larger. */
export const time = z.optional(z.number(TIME).check(z.minimum(0, TIME), z.maximum(8.64e15, TIME)));

export const word = <const Word extends string>(words: readonly Word[]) => z.enum(words, words.join(', '));

/** The id of a decision: the page makes one for each, so that a second press of a button is the same decision. */
export const decision = z.string('a text').check(z.regex(/^[A-Za-z0-9-]{16,64}$/, '16 to 64 letters, digits and -'));

const environment = word(OUTBOX_ENVIRONMENTS);

export const place = { account: filled(), environment };

export const narrowing = { account: z.optional(text()), environment: z.optional(environment) };

export const list = (most: number) =>
  z.array(filled(), 'a list').check(z.maxLength(most, `a list of at most ${most} texts`));

const words = z._default(text(), '').check(z.overwrite(unprintable));

/** A group of the page. */
export const group = z.object({ ...place, code: filled(), words }, '{ account, environment, code, words }');

const MOST_IDS = 500;

/** Each id counts once. */
const ids = list(MOST_IDS).check(
  z.minLength(1, 'at least one report'),
  z.overwrite((given) => [...new Set(given.map(unprintable))]),
);

/** The reports of a decision: ids, or a group of the page. */
export const selection = z.union(
  [z.strictObject({ ids }), z.strictObject({ group })],
  `{ ids }, of 1 to ${MOST_IDS} reports, or { group }`,
);

const withoutNull = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** Reads an input by the schemas of its members. One that is null counts as absent. */
export function readInput<Shape extends z.core.$ZodShape>(shape: Shape, input: Input) {
  const given = Object.assign(bareObject(), withoutNull(input));
  const { data, error } = z.safeParse(z.object(shape), given);
  const [problem] = error?.issues ?? [];
  if (problem) refuse(invalid(`${problem.path.join('.')}: expected ${problem.message}. Nothing was changed.`));
  return data as z.output<z.ZodMiniObject<Shape>>;
}
