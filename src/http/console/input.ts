import * as z from 'zod/mini';
import { bareObject } from '../../core/platform/as-record.js';
import { storedName } from '../../core/platform/messages.js';
import { refuse } from '../../core/web/answer.js';
import { OUTBOX_ENVIRONMENTS } from '../../outbox/rules/destination.js';
import { LONGEST_REASON } from '../../outbox/rules/state-machine.js';
import { isStorable } from '../../outbox/stores/storable-text.js';
import { invalid } from './answers.js';

/**
 * The checks of a call's input, the only ones between the page and the store. The text of each completes the sentence
 * "expected …".
 */

export type Input = Readonly<Record<string, unknown>>;

const storable = () => z.refine<string>(isStorable, 'a text without NUL and halves of characters');

export function text(longest = 6_000) {
  const expected = `a text of at most ${longest} characters`;
  return z.string(expected).check(z.maxLength(longest, expected), storable());
}

export const filledText = (longest?: number) => text(longest).check(z.regex(/\S/, 'a text'));

/** The page gets ids and the words of problems as `shownName` makes them. */
export const nameOf = (of: ReturnType<typeof text>) => of.check(z.overwrite(storedName), storable());

export const reportId = nameOf(filledText());

/** The id of a decision: the page makes one for each, so that a second press of a button is the same decision. */
export const decisionId = z.string('a text').check(z.regex(/^[A-Za-z0-9-]{16,64}$/, '16 to 64 letters, digits and -'));

export const decisionFields = { decision: decisionId, reason: filledText(LONGEST_REASON).check(z.trim()) };

const NEXT = 'the `next` of the previous page';
export const nextOfPage = z.optional(
  z.string(NEXT).check(z.refine((value) => /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)), NEXT)),
);

const SKIP = 'a number of reports to leave out';
export const skip = z.optional(
  z.number(SKIP).check(z.refine((value) => Number.isSafeInteger(value) && value >= 0, SKIP)),
);

const TIME = 'a time in milliseconds since 1970';
/** Up to the last time that a `Date` can hold; PostgreSQL refuses numbers that are much larger. */
export const time = z.optional(z.number(TIME).check(z.minimum(0, TIME), z.maximum(8.64e15, TIME)));

export const oneOf = <const Word extends string>(words: readonly Word[]) => z.enum(words, words.join(', '));

const environment = oneOf(OUTBOX_ENVIRONMENTS);

export const placeFields = { account: filledText(), environment };

export const placeFilter = { account: z.optional(text()), environment: z.optional(environment) };

export const listOf = (of: ReturnType<typeof text>, most: number) =>
  z.array(of, 'a list').check(z.maxLength(most, `a list of at most ${most} texts`));

export const problemGroup = z.object(
  { ...placeFields, code: filledText(), words: z._default(nameOf(text()), '') },
  '{ account, environment, code, words }',
);

const MOST_IDS = 500;

const reportIds = listOf(reportId, MOST_IDS).check(
  z.minLength(1, 'at least one report'),
  z.overwrite((ids) => [...new Set(ids)]),
);

export const selection = z.union(
  [z.strictObject({ ids: reportIds }), z.strictObject({ group: problemGroup })],
  `{ ids }, of 1 to ${MOST_IDS} reports, or { group }`,
);

/** A member that is null counts as absent. */
export function readInput<Shape extends z.core.$ZodShape>(shape: Shape, input: Input) {
  const present = Object.entries(input).filter(([, value]) => value !== null);
  const { data, error } = z.safeParse(z.object(shape), Object.assign(bareObject(), Object.fromEntries(present)));
  const [problem] = error?.issues ?? [];
  if (problem) refuse(invalid(`${problem.path.join('.')}: expected ${problem.message}. Nothing was changed.`));
  return data as z.output<z.ZodMiniObject<Shape>>;
}
