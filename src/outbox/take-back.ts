import { oneMore } from './counts.js';
import type { Decision } from './problem.js';
import type { Change, Row } from './state-machine.js';

/**
 * What taking back a retry makes of a row: quarantined as before. A text says why it cannot. The fence goes up, so that a late
 * repetition of the decision, which saw the row quarantined with the fence of before, changes nothing.
 */
export function takenBack(row: Row, of: string, undone: NonNullable<Decision['undone']>): Change | string {
  const { state, fence, attempts, inDoubt, doubtBefore, decisions } = row;
  const last = decisions.at(-1);
  if (last?.id !== of || last.action !== 'retry' || last.undone) return 'something else was decided about it since';
  if (!last.before) return 'it was not quarantined before';
  if (state !== 'waiting' || fence !== last.before.fence) return 'a worker has claimed it since: it may have left';
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
