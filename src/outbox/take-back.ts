import { oneMore } from './counts.js';
import type { Decision } from './problem.js';
import type { Change, Row } from './state-machine.js';

/**
 * The change of a row whose retry is undone: it is quarantined as before. A text: the reason why this is refused. The fence rises,
 * so that a late repetition of the decision changes nothing: it expects the old fence.
 */
export function takenBack(row: Row, of: string, undone: NonNullable<Decision['undone']>): Change | string {
  const { state, fence, attempts, inDoubt, doubtBefore, decisions } = row;
  const last = decisions.at(-1);
  if (last?.id !== of || last.action !== 'retry' || last.undone) return 'another decision was made about it since';
  if (!last.before) return 'it was not quarantined before';
  if (state !== 'waiting' || fence !== last.before.fence) return 'a worker has claimed it since: it may have been sent';
  return {
    state: 'quarantined',
    fence: oneMore(fence),
    attempts,
    inDoubt,
    doubtBefore,
    delayMs: 0,
    outcome: undefined,
    message: undefined,
    requestId: undefined,
    problem: last.before.problem,
    decisions: [...decisions.slice(0, -1), { ...last, undone }],
    keepBody: true,
  };
}
