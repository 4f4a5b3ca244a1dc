import * as z from 'zod/mini';
import type { DecisionRecord } from '../outbox/operator/decision-log.js';
import type { Operator } from '../outbox/operator/operator.js';
import { SHOWN_STATES } from '../outbox/rules/state-machine.js';
import { unprintable } from '../platform/messages.js';
import { reportNames } from '../protocol/operations.js';
import { refuse } from '../web/answer.js';
import { notFound } from './answers.js';
import {
  cursor,
  decision,
  group,
  type Input,
  id,
  list,
  narrowing,
  place,
  readInput,
  reason,
  selection,
  text,
  time,
  word,
} from './input.js';
import { LONGEST_NAME, type Visitor } from './visitor.js';

/** A value, which is sent as JSON, or values, which are sent as a line each. */
type Result = Promise<unknown> | AsyncIterable<unknown>;

export interface Call {
  /** The right of the visitor that it needs. `'look'`: every visitor with a session may call it. */
  readonly right: 'look' | 'act' | 'read-body';
  run(operator: Operator, input: Input, visitor: Visitor): Result;
}

const call = <Shape extends z.core.$ZodShape>(
  right: Call['right'],
  shape: Shape,
  run: (operator: Operator, input: z.output<z.ZodMiniObject<Shape>>, visitor: Visitor) => Result,
): Call => ({
  right,
  run: (operator, input, visitor) => run(operator, readInput(shape, input), visitor),
});

const ACTIONS = ['retry', 'recorded', 'dismissed'] as const;
const DECIDED = [
  ...ACTIONS,
  ...(['reopened', 'replaced', 'undo', 'body', 'erase', 'resume'] as const),
] as const satisfies readonly DecisionRecord['action'][];
const RANGES = ['minutes', 'hours', 'days'] as const;

const action = word(ACTIONS);
const why = { decision, reason };
const period = { from: time, to: time };

/** Every call of the page. Those that change something or show personal data need a token, too. */
export const CALLS: Readonly<Record<string, Call>> = {
  overview: call('look', {}, (operator) => operator.overview()),
  charts: call('look', { range: word(RANGES) }, (operator, { range }) => operator.charts(range)),
  groups: call('look', narrowing, (operator, where) => operator.groups(where)),
  search: call(
    'look',
    {
      ...narrowing,
      ...period,
      text: z.optional(text().check(z.overwrite((value) => unprintable(value.trim())))),
      state: z.optional(word(SHOWN_STATES)),
      operation: z.optional(word(reportNames)),
      group: z.optional(group),
      decision: z.optional(decision),
      cursor,
    },
    (operator, { cursor: from, ...filter }) => operator.search(filter, from),
  ),
  report: call(
    'look',
    { id },
    async (operator, { id: of }) =>
      (await operator.report(of)) ?? refuse(notFound('The outbox has no report with this id.')),
  ),
  preview: call('look', { selection, action }, (operator, of) => operator.preview(of.selection, of.action)),
  decisions: call(
    'look',
    {
      ...period,
      id: z.optional(decision),
      who: z.optional(text(LONGEST_NAME).check(z.overwrite(unprintable))),
      action: z.optional(word(DECIDED)),
      before: cursor,
    },
    (operator, { before, ...filter }) => operator.decisions(filter, before),
  ),
  head: call('look', {}, async (operator) => ({ head: await operator.proof.head() })),
  verify: call('look', { head: z.optional(text()) }, (operator, { head }) => operator.proof.verify(head)),
  reconcile: call(
    'look',
    { ...place, operation: word(reportNames), references: list(5_000) },
    (operator, { account, references, ...defaults }) => operator.proof.reconcile(account, references, defaults),
  ),
  decide: call('act', { ...why, action, selection, asOf: time }, (operator, input, { name }) =>
    operator.decide({ ...input, who: name }),
  ),
  reopen: call('act', { ...why, id }, (operator, { id: of, ...input }, { name }) =>
    operator.decide({ ...input, who: name, action: 'reopened', selection: { ids: [of] } }),
  ),
  undo: call('act', { ...why, of: decision }, (operator, input, { name }) => operator.undo({ ...input, who: name })),
  resume: call('act', { ...why, ...place }, (operator, { account, environment, ...input }, { name }) =>
    operator.resume({ account, environment }, { ...input, who: name }),
  ),
  body: call('read-body', { ...why, id }, (operator, { id: of, ...input }, { name }) =>
    operator.body(of, { ...input, who: name }),
  ),
};
