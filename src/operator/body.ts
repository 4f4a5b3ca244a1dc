import { hasCode } from '../core/errors/errors.js';
import { shownName } from '../core/platform/messages.js';
import { missingKeyOf } from '../outbox/seal/seal.js';
import { type OperatorContext, OperatorRefusal } from './context.js';
import { type DecisionRecord, recordOf, storeDecision, type Who } from './decision-log.js';
import { erasureOf, findRow } from './report-details.js';

export interface ReportBody {
  readonly id: string;
  readonly body: string;
  readonly decision: DecisionRecord;
}

/**
 * Only this function returns personal data. It stores a decision of the person first. Refuses with `'locked'` if this
 * process does not have the key of the body, or if the body was deleted.
 */
export async function readReportBody(context: OperatorContext, id: string, by: Who): Promise<ReportBody> {
  const row = await findRow(context, id);
  if (!row) throw new OperatorRefusal('not-found', 'The outbox has no such report.');
  const { body } = row;
  const erased = await erasureOf(context, row);
  if (erased)
    throw new OperatorRefusal('locked', `The body of this report was erased by ${erased.who}: ${erased.reason}`);
  if (body === undefined)
    throw new OperatorRefusal(
      'locked',
      'The body of this report was deleted: the outbox keeps a body only until its report is final.',
    );
  const log = (who: Who) => storeDecision(context, who, { action: 'body', about: { ids: [row.id] }, done: true });
  const isRepeated = (await context.operator.decision(by.decision)) !== undefined;
  const kept = await log(by);
  // Each reading has a line of its own.
  const decision = recordOf(isRepeated ? await log({ ...by, decision: crypto.randomUUID() }) : kept);
  try {
    return { id: shownName(id), body: await context.seal.open(body, row), decision };
  } catch (error) {
    throw new OperatorRefusal('locked', whyLocked(error));
  }
}

function whyLocked(error: unknown): string {
  const keyId = missingKeyOf(error);
  if (keyId !== undefined)
    return `This body is encrypted with the key ${keyId}, which this process does not have. Open the console of an outbox that has it.`;
  if (hasCode(error, 'configuration')) return 'This body cannot be opened with the settings of this process.';
  return 'The stored body is damaged, or the outbox of another store has sealed it.';
}
