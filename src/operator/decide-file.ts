import type { OperationName } from '../core/protocol/operations.js';
import type { DecidedReport } from '../outbox/decisions/decide-rows.js';
import { endPauses } from '../outbox/decisions/end-pauses.js';
import { operationScope } from '../outbox/rules/destination.js';
import type { Decision } from '../outbox/rules/state-machine.js';
import type { OperatorContext } from './context.js';
import { commitDecision, type RowsPage } from './decide.js';
import { type NamedFile, storeDecision, type Who } from './decision-log.js';

export interface FileRequest extends Who {
  /** `'replaced'`: its lines are corrected data. `'recorded'`: it proves that the gateway holds its reports. */
  readonly action: 'replaced' | 'recorded';
  readonly about: NamedFile;
  /** The operations of its reports. */
  readonly operations: readonly OperationName[];
  /** The reports of the next lines, and this number and theirs as the cursor. Without any at the end of the file. */
  next(from: number, decision: Decision): Promise<RowsPage>;
  tell(results: readonly DecidedReport[]): void;
}

/**
 * Decides about the reports of a file, as one decision. It ends the open breakers of their operations as its last step,
 * and returns the number of the other refused reports, which are quarantined then. If it was interrupted, a call with
 * the same decision continues it.
 */
export async function decideFile(
  context: OperatorContext,
  { action, about, operations, next, tell, ...by }: FileRequest,
): Promise<number> {
  const begun = await storeDecision(context, by, { action, about, done: false });
  const { at, id } = begun;
  const decision: Decision = { action, reason: by.reason, at, by: by.who, id, file: about.file };
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
  await context.afterDecision(action);
  return quarantined;
}
