import { isDuplicateReportError } from '../../errors/guards.js';
import { call } from './call.js';
import { OTHER_DATA, SAME_DATA } from './duplicate-rule.js';
import { describeError, lastAnswer, type Run } from './run.js';
import { FIRST_AMOUNT, OTHER_AMOUNT, type Step } from './steps.js';

const SECTION = 'Repeats of recorded reports';

/** Sends recorded reports again. The delivery needs an error for a repeat (specification, section 1) that the client recognises. */
export async function checkRepeats(run: Run, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    await repeatSame(run, step);
    await repeatOther(run, step);
    if (run.signal.aborted) return;
  }
}

async function repeatSame(run: Run, { operation, send }: Step): Promise<void> {
  const name = `${operation}${SAME_DATA}`;
  const { error } = await call(run, name, () => send(FIRST_AMOUNT));
  const text = lastAnswer(run);
  if (!error) {
    run.findings.note('duplicate', 'differs', `taken again: ${text}`);
    return run.tell(
      SECTION,
      'fail',
      name,
      `is recorded again: ${text}`,
      'the specification (section 1, rule 2) says that a repeat is an error: tell the authority',
    );
  }
  if (isDuplicateReportError(error) && !error.conflict) {
    run.findings.note('duplicate', 'confirmed', text);
    return run.tell(SECTION, 'ok', name, `is recognised as a duplicate: ${text}`);
  }
  if (error.outcome !== 'rejected') {
    if (error.status !== undefined) run.findings.note('duplicate', 'differs', text);
    return run.tell(SECTION, 'fail', name, describeError(run, error));
  }
  run.findings.note('duplicate', 'differs', text);
  const [mistaken, should] = isDuplicateReportError(error)
    ? ['is mistaken for other data', 'must return same']
    : ['is not recognised as a duplicate', 'must recognise it'];
  run.tell(
    SECTION,
    'fail',
    name,
    `${mistaken}: ${text}`,
    `after a lost answer the client would take a recorded report for a refused one: the option isDuplicate ${should} (see the options to copy, below)`,
  );
}

async function repeatOther(run: Run, { operation, send }: Step): Promise<void> {
  const name = `${operation}${OTHER_DATA}`;
  const { error } = await call(run, name, () => send(OTHER_AMOUNT));
  const text = lastAnswer(run);
  if (!error) {
    run.findings.note('conflict', 'differs', `taken: ${text}`);
    return run.tell(
      SECTION,
      'fail',
      name,
      `is recorded: ${text}`,
      'the specification (section 1, rule 1) says that a report is immutable: ask the authority which of the two it holds',
    );
  }
  if (isDuplicateReportError(error) && error.conflict) {
    run.findings.note('conflict', 'confirmed', text);
    return run.tell(SECTION, 'ok', name, `is recognised as a conflict: ${text}`);
  }
  if (error.outcome !== 'rejected') return run.tell(SECTION, 'fail', name, describeError(run, error));
  run.findings.note('conflict', 'differs', text);
  const what = isDuplicateReportError(error) ? 'looks like the same data' : 'is refused, but not recognised as a conflict';
  run.tell(
    SECTION,
    'warn',
    name,
    `${what}: ${text}`,
    'if the answer distinguishes the two, let the option isDuplicate return conflict; if not, never report a reference from two places',
  );
}
