import type { OperationName } from '../core/protocol/operations.js';
import type { DecidedReport } from '../outbox/decisions/decide-rows.js';
import { endPauses } from '../outbox/decisions/end-pauses.js';
import { operationScope } from '../outbox/rules/destination.js';
import type { Decision } from '../outbox/rules/state-machine.js';
import type { OperatorContext } from './context.js';
import { commitDecision, type RowsPage } from './decide.js';
import { type CorrectedFile, storeDecision, type Who } from './decision-log.js';

export interface CorrectRequest extends Who {
  readonly about: CorrectedFile;
  /** The operations of its reports. */
  readonly operations: readonly OperationName[];
  /** The reports of the next lines, and this number and theirs as the cursor. Without any at the end of the file. */
  next(from: number, decision: Decision): Promise<RowsPage>;
  tell(results: readonly DecidedReport[]): void;
}

/**
 * Replaces the data of the reports of a file, as one decision. It ends the open breakers of their operations as its
 * last step, and returns the number of the other refused reports, which are quarantined then. If it was interrupted, a call
 * with the same decision continues it.
 */
export async function correct(
  context: OperatorContext,
  { about, operations, next, tell, ...by }: CorrectRequest,
): Promise<number> {
  const begun = await storeDecision(context, by, { action: 'replaced', about, done: false });
  const { at, id } = begun;
  const decision: Decision = { action: 'replaced', reason: by.reason, at, by: by.who, id, file: about.file };
  let quarantined = 0;
  await commitDecision(context, begun, {
    decision,
    forMs: Number.POSITIVE_INFINITY,
    tell,
    async next({ cursor }) {
      const page = await next(cursor, decision);
      for (const operation of page.done ? operations : [])
        for (const pause of await endPauses(context, operationScope({ ...about, operation })))
          quarantined += pause.quarantined;
      return page;
    },
  });
  await context.afterDecision('replaced');
  return quarantined;
}
