import * as z from 'zod/mini';
import { reportNames } from '../../core/protocol/operations.js';
import { refuse } from '../../core/web/answer.js';
import type { DecisionRecord, Who } from '../../operator/decision-log.js';
import type { Operator } from '../../operator/operator.js';
import { SHOWN_STATES } from '../../outbox/rules/state-machine.js';
import { notFound } from './answers.js';
import {
  decisionFields,
  decisionId,
  filledText,
  type Input,
  listOf,
  nameOf,
  nextOfPage,
  oneOf,
  placeFields,
  placeFilter,
  problemGroup,
  readInput,
  reportId,
  selection,
  skip,
  text,
  time,
} from './input.js';
import { LONGEST_NAME, type Visitor } from './visitor.js';

/** A value, which is sent as JSON, or values, which are sent as a line each. */
type CallResult = Promise<unknown> | AsyncIterable<unknown>;

export interface Call {
  /** `'look'`: every visitor with a session may call it. */
  readonly right: 'look' | 'act' | 'read-body';
  run(operator: Operator, input: Input, visitor: Visitor): CallResult;
}

const look = <Shape extends z.core.$ZodShape>(
  shape: Shape,
  run: (operator: Operator, input: z.output<z.ZodMiniObject<Shape>>) => CallResult,
): Call => ({
  right: 'look',
  run: (operator, input) => run(operator, readInput(shape, input)),
});

/** Stored as a decision, with the name of the visitor. */
const act = <Shape extends z.core.$ZodShape>(
  right: 'act' | 'read-body',
  shape: Shape,
  run: (operator: Operator, input: Who & z.output<z.ZodMiniObject<Shape>>) => CallResult,
): Call => ({
  right,
  run: (operator, input, { name }) =>
    run(operator, { ...readInput(shape, input), ...readInput(decisionFields, input), who: name }),
});

const ACTIONS = ['retry', 'recorded', 'dismissed'] as const;
const DECIDED = [
  ...ACTIONS,
  ...(['reopened', 'replaced', 'undo', 'body', 'erase', 'resume', 'went-back'] as const),
] as const satisfies readonly DecisionRecord['action'][];
const RANGES = ['minutes', 'hours', 'days'] as const;

const operation = oneOf(reportNames);
const action = oneOf(ACTIONS);
const flag = z.optional(z.boolean('true or false'));
const period = { from: time, to: time };

/** Every call of the page. Those that change something or show personal data need a token, too. */
export const CALLS: Readonly<Record<string, Call>> = {
  overview: look({}, (operator) => operator.overview()),
  charts: look({ range: oneOf(RANGES) }, (operator, { range }) => operator.charts(range)),
  groups: look(placeFilter, (operator, where) => operator.groups(where)),
  search: look(
    {
      ...placeFilter,
      ...period,
      text: z.optional(nameOf(text().check(z.trim()))),
      state: z.optional(oneOf(SHOWN_STATES)),
      operation: z.optional(operation),
      group: z.optional(problemGroup),
      decision: z.optional(decisionId),
      cursor: nextOfPage,
      skip,
    },
    (operator, { cursor, ...filter }) => operator.search(filter, cursor),
  ),
  report: look(
    { id: reportId },
    async (operator, { id }) =>
      (await operator.report(id)) ?? refuse(notFound('The outbox has no report with this id.')),
  ),
  preview: look({ selection, action }, (operator, input) => operator.preview(input.selection, input.action)),
  decisions: look(
    {
      ...period,
      id: z.optional(decisionId),
      who: z.optional(text(LONGEST_NAME)),
      action: z.optional(oneOf(DECIDED)),
      before: nextOfPage,
    },
    (operator, { before, ...filter }) => operator.decisions(filter, before),
  ),
  verify: look({ head: z.optional(text()) }, (operator, { head }) => operator.proof.verify(head)),
  reconcile: look(
    { ...placeFields, operation, references: listOf(filledText(), 5_000) },
    (operator, { account, references, ...defaults }) => operator.proof.reconcile(account, references, defaults),
  ),
  decide: act('act', { action, selection, asOf: time, withSettlements: flag }, (operator, input) =>
    operator.decide(input),
  ),
  reopen: act('act', { id: reportId }, (operator, { id, ...who }) =>
    operator.decide({ ...who, action: 'reopened', selection: { ids: [id] } }),
  ),
  undo: act('act', { of: decisionId }, (operator, input) => operator.undo(input)),
  resume: act('act', placeFields, (operator, { account, environment, ...who }) =>
    operator.resume({ account, environment }, who),
  ),
  body: act('read-body', { id: reportId }, (operator, { id, ...who }) => operator.body(id, who)),
};
