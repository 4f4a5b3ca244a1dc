import type { ConsoleData } from '../outbox/console/data.js';
import { reportNames } from '../protocol/operations.js';
import { notFound, refuse } from './answers.js';
import {
  ENVIRONMENTS,
  type Input,
  readDecision,
  readEnvironment,
  readList,
  readNarrowing,
  readOperation,
  readOptionalGroup,
  readOptionalText,
  readSelection,
  readText,
  readTime,
  readWord,
  requireWord,
} from './input.js';
import type { Visitor } from './visitor.js';

/** Needed beside a session: nothing, the right to act, or the right to see bodies. */
type Right = 'look' | 'act' | 'read-body';

export interface Call {
  readonly right: Right;
  /** Names what it does, where the store does not know by itself that a call is the same one again. */
  once?(input: Input): string;
  /** Gives what is answered as JSON; many things one after the other are answered a line each. */
  run(data: ConsoleData, input: Input, visitor: Visitor): Promise<unknown> | AsyncIterable<unknown>;
}

/** How long one call of a long decision may work; the page calls again for the rest. */
const WORK_MS = 2_000;
const MOST_REFERENCES = 5_000;
const STATES = ['waiting', 'blocked', 'in-flight', 'quarantined', 'recorded', 'dismissed'] as const;
const ACTIONS = ['retry', 'recorded', 'dismissed'] as const;

const placeOf = (input: Input) => ({
  account: readText(input, 'account'),
  environment: requireWord(input, 'environment', ENVIRONMENTS),
});

const whoOf = (input: Input, { name }: Visitor) => ({ who: name, reason: readText(input, 'reason') });

/** Every call of the page. A call that changes something, or shows personal data, needs a right and a token. */
export const CALLS: Readonly<Record<string, Call>> = {
  overview: { right: 'look', run: (data) => data.overview() },
  charts: { right: 'look', run: (data, input) => data.charts(requireWord(input, 'range', ['minutes', 'hours', 'days']), readNarrowing(input)) },
  groups: { right: 'look', run: (data, input) => data.groups(readNarrowing(input)) },
  search: { right: 'look', run: (data, input) => data.search(searchOf(input), readOptionalText(input, 'cursor')) },
  report: {
    right: 'look',
    run: async (data, input) => (await data.report(readText(input, 'id'))) ?? refuse(notFound('The outbox has no report with this id.')),
  },
  preview: { right: 'look', run: (data, input) => data.preview(readSelection(input), requireWord(input, 'action', ACTIONS)) },
  decisions: { right: 'look', run: (data, input) => data.decisions(readOptionalText(input, 'before')) },
  head: { right: 'look', run: async (data) => ({ head: await data.proof.head() }) },
  verify: { right: 'look', run: (data, input) => data.proof.verify(readOptionalText(input, 'head')) },
  reconcile: {
    right: 'look',
    run: (data, input) => {
      const defaults = { operation: requireWord(input, 'operation', reportNames), environment: readEnvironment(input) };
      return data.proof.reconcile(readText(input, 'account'), readList(input, 'references', MOST_REFERENCES), defaults);
    },
  },
  decide: {
    right: 'act',
    run: (data, input, visitor) =>
      data.decide({
        ...whoOf(input, visitor),
        decision: readDecision(input),
        action: requireWord(input, 'action', ACTIONS),
        selection: readSelection(input),
        asOf: readTime(input, 'asOf'),
        forMs: WORK_MS,
      }),
  },
  undo: {
    right: 'act',
    run: (data, input, visitor) => data.undo({ ...whoOf(input, visitor), decision: readDecision(input), of: readDecision(input, 'of'), forMs: WORK_MS }),
  },
  resume: {
    right: 'act',
    once: (input) => `resume ${JSON.stringify(placeOf(input))}`,
    run: (data, input, visitor) => data.resume(placeOf(input), whoOf(input, visitor)),
  },
  body: {
    right: 'read-body',
    once: (input) => `body ${readText(input, 'id')}`,
    run: (data, input, visitor) => data.body(readText(input, 'id'), whoOf(input, visitor)),
  },
};

const searchOf = (input: Input) => ({
  ...readNarrowing(input),
  text: readOptionalText(input, 'text')?.trim() || undefined,
  state: readWord(input, 'state', STATES),
  operation: readOperation(input),
  from: readTime(input, 'from'),
  to: readTime(input, 'to'),
  group: readOptionalGroup(input),
});
