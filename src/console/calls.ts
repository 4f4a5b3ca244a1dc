import type { DecisionRecord } from '../outbox/operator/decision-log.js';
import type { Operator } from '../outbox/operator/operator.js';
import { SHOWN_STATES } from '../outbox/rules/state-machine.js';
import { unprintable } from '../platform/messages.js';
import { reportNames } from '../protocol/operations.js';
import { refuse } from '../web/answer.js';
import { notFound } from './answers.js';
import {
  type Input,
  readCursor,
  readDecision,
  readId,
  readList,
  readNarrowing,
  readOperation,
  readOptionalDecision,
  readOptionalGroup,
  readOptionalText,
  readPlace,
  readReason,
  readSelection,
  readTime,
  readWord,
  requireWord,
} from './input.js';
import { LONGEST_NAME, type Visitor } from './visitor.js';

export interface Call {
  /** The right of the visitor that it needs. `'look'`: every visitor with a session may call it. */
  readonly right: 'look' | 'act' | 'read-body';
  /** Returns a value, which is sent as JSON, or values, which are sent as a line each. */
  run(operator: Operator, input: Input, visitor: Visitor): Promise<unknown> | AsyncIterable<unknown>;
}

const MOST_REFERENCES = 5_000;
const ACTIONS = ['retry', 'recorded', 'dismissed'] as const;
const DECIDED = [
  ...ACTIONS,
  ...(['reopened', 'replaced', 'undo', 'body', 'erase', 'resume'] as const),
] as const satisfies readonly DecisionRecord['action'][];

const whoOf = (input: Input, { name }: Visitor) => ({
  who: name,
  reason: readReason(input),
  decision: readDecision(input),
});

/** Every call of the page. Those that change something or show personal data need a token, too. */
export const CALLS: Readonly<Record<string, Call>> = {
  overview: { right: 'look', run: (operator) => operator.overview() },
  charts: {
    right: 'look',
    run: (operator, input) => operator.charts(requireWord(input, 'range', ['minutes', 'hours', 'days'])),
  },
  groups: { right: 'look', run: (operator, input) => operator.groups(readNarrowing(input)) },
  search: { right: 'look', run: (operator, input) => operator.search(searchOf(input), readCursor(input, 'cursor')) },
  report: {
    right: 'look',
    run: async (operator, input) =>
      (await operator.report(readId(input))) ?? refuse(notFound('The outbox has no report with this id.')),
  },
  preview: {
    right: 'look',
    run: (operator, input) => operator.preview(readSelection(input), requireWord(input, 'action', ACTIONS)),
  },
  decisions: {
    right: 'look',
    run: (operator, input) => operator.decisions(decisionsOf(input), readCursor(input, 'before')),
  },
  head: { right: 'look', run: async (operator) => ({ head: await operator.proof.head() }) },
  verify: { right: 'look', run: (operator, input) => operator.proof.verify(readOptionalText(input, 'head')) },
  reconcile: {
    right: 'look',
    run: (operator, input) => {
      const { account, environment } = readPlace(input);
      const defaults = { operation: requireWord(input, 'operation', reportNames), environment };
      return operator.proof.reconcile(account, readList(input, 'references', MOST_REFERENCES), defaults);
    },
  },
  decide: {
    right: 'act',
    run: (operator, input, visitor) =>
      operator.decide({
        ...whoOf(input, visitor),
        action: requireWord(input, 'action', ACTIONS),
        selection: readSelection(input),
        asOf: readTime(input, 'asOf'),
      }),
  },
  reopen: {
    right: 'act',
    run: (operator, input, visitor) =>
      operator.decide({ ...whoOf(input, visitor), action: 'reopened', selection: { ids: [readId(input)] } }),
  },
  undo: {
    right: 'act',
    run: (operator, input, visitor) => operator.undo({ ...whoOf(input, visitor), of: readDecision(input, 'of') }),
  },
  resume: {
    right: 'act',
    run: (operator, input, visitor) => operator.resume(readPlace(input), whoOf(input, visitor)),
  },
  body: {
    right: 'read-body',
    run: (operator, input, visitor) => operator.body(readId(input), whoOf(input, visitor)),
  },
};

function searchOf(input: Input) {
  const text = readOptionalText(input, 'text')?.trim();
  return {
    ...readNarrowing(input),
    text: text ? unprintable(text) : undefined,
    state: readWord(input, 'state', SHOWN_STATES),
    operation: readOperation(input),
    from: readTime(input, 'from'),
    to: readTime(input, 'to'),
    group: readOptionalGroup(input),
    decision: readOptionalDecision(input, 'decision'),
  };
}

function decisionsOf(input: Input) {
  const who = readOptionalText(input, 'who', LONGEST_NAME);
  return {
    id: readOptionalDecision(input, 'id'),
    who: who === undefined ? undefined : unprintable(who),
    action: readWord(input, 'action', DECIDED),
    from: readTime(input, 'from'),
    to: readTime(input, 'to'),
  };
}
