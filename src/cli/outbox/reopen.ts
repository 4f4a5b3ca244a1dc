import { OperatorRefusal } from '../../outbox/operator/context.js';
import { decided, type Row, wasDismissedWith } from '../../outbox/rules/state-machine.js';
import { printable } from '../../platform/messages.js';
import { EXIT, Failure, say } from '../output.js';
import { printDecided } from './decide.js';
import { findReport } from './find.js';
import { needed, type OutboxValues } from './options.js';
import { newDecision, type View } from './view.js';

export async function reopen(view: View, values: OutboxValues, names: readonly string[]): Promise<number> {
  const { decision, json } = values;
  const request = newDecision(needed(values, 'reason'));
  if (decision !== undefined) {
    if (names.length > 0) throw new Failure('--decision goes without names of reports');
    return reopenDecision(view, { ...request, of: decision }, json);
  }
  const reopening = { action: 'reopened', reason: '', at: view.now } as const;
  const ids = new Set<string>();
  for (const name of names) {
    // A settlement that was dismissed with its initiated report is reopened with it.
    const fits = (row: Row, all: readonly Row[]) =>
      typeof decided(row, reopening, true) !== 'string' && !all.some((one) => wasDismissedWith(row, one));
    ids.add((await findReport(view, name, values, 'reopen', fits)).id);
  }
  let refused = 0;
  for (let more = true; more; )
    ({ more } = await view.operator.reopen({ ...request, ids: [...ids] }, (results) => {
      for (const result of results) refused += printDecided('reopen', result, 'is reopened', json) ? 0 : 1;
    }));
  return refused > 0 ? EXIT.failed : EXIT.done;
}

async function reopenDecision(
  { store, operator }: View,
  request: Parameters<View['operator']['undo']>[0],
  json: true | undefined,
): Promise<number> {
  const { of } = request;
  const known = await store.console?.decision(of);
  if (known?.action !== 'dismissed')
    throw new Failure(
      `${printable(of)} is not the decision of a dismissal; show prints the decision of a dismissed report. Nothing was changed`,
      EXIT.failed,
    );
  let kept = 0;
  let touched = 0;
  try {
    for (let more = true; more; ) {
      const step = await operator.undo(request);
      kept += step.kept;
      touched = step.decision.touched;
      more = step.more;
    }
  } catch (error) {
    if (error instanceof OperatorRefusal) throw new Failure(error.message.replace(/\.$/, ''), EXIT.failed);
    throw error;
  }
  if (json) say(JSON.stringify({ decision: request.decision, reopened: touched, kept }));
  else
    say(
      `${touched} reports are reopened${kept > 0 ? `; ${kept} stay as they are: a person has decided about them later, or their data was erased` : ''}.`,
    );
  return EXIT.done;
}
