import type { Receipt } from '../../client/receipt.js';
import { isNotFoundError } from '../../errors/guards.js';
import { type Operation, type OperationName, operations } from '../../protocol/operations.js';
import type { AssumptionId } from './assumptions.js';
import { call, type Ended } from './call.js';
import { madeUp, newReference } from './made-up.js';
import { describeError, lastAnswer, type Run } from './run.js';

const SECTION = 'The four steps, with made-up data';

/** A report that can be sent again, as the same data or with another amount. */
export interface Step {
  readonly operation: OperationName;
  send(amount: number): Promise<Receipt>;
}

export const FIRST_AMOUNT = 1_500;
export const OTHER_AMOUNT = 1_600;

/** The four steps in the order of the specification (section 1). */
function stepsOf({ client, signal }: Run, reference: string, now: number): readonly Step[] {
  const data = madeUp(reference, now);
  return [
    { operation: 'reportBetEvent', send: (amount) => client.reportBetEvent(data.bet(amount), { signal, location: data.locationOfBet }) },
    { operation: 'reportSettledBet', send: (amount) => client.reportSettledBet(data.settledBet(amount), { signal }) },
    {
      operation: 'reportWithdrawalEvent',
      send: (amount) => client.reportWithdrawalEvent(data.withdrawal(amount), { signal, location: data.locationOfWithdrawal }),
    },
    { operation: 'reportSettledWithdrawal', send: (amount) => client.reportSettledWithdrawal(data.settledWithdrawal(amount), { signal }) },
  ];
}

/** The assumptions that an accepted step confirms. */
const SHOWS: Readonly<Record<string, readonly AssumptionId[]>> = {
  reportBetEvent: ['paths', 'bet', 'required', 'source'],
  reportSettledBet: ['bounds', 'words'],
  reportWithdrawalEvent: ['paths', 'withdrawal', 'required', 'source', 'country'],
  reportSettledWithdrawal: ['words', 'source', 'country'],
};

/** Assumptions about all values of a field. A step sends only one of them. */
const OF_EVERY_VALUE: readonly AssumptionId[] = ['bounds', 'words'];

/** The assumptions that may be wrong if the gateway refuses the data of a step. */
const BLAMES: Readonly<Record<string, readonly AssumptionId[]>> = {
  reportBetEvent: ['bet'],
  reportSettledBet: ['words'],
  reportWithdrawalEvent: ['withdrawal'],
  reportSettledWithdrawal: ['words'],
};

/** The end of the labels of settled reports without their initiated event. */
export const NEVER_INITIATED = ' without its initiated event';

/** Sends the four steps. Returns those that were recorded. */
export async function takeSteps(run: Run): Promise<readonly Step[]> {
  await settleTooEarly(run, 'reportSettledBet');
  await settleTooEarly(run, 'reportSettledWithdrawal');
  const reference = newReference(run.random);
  run.references.push(reference);
  const recorded: Step[] = [];
  for (const [index, step] of stepsOf(run, reference, run.now()).entries()) {
    const name = `${index + 1} ${step.operation}`;
    const row: Operation = operations[step.operation];
    if (row.after && !recorded.some(({ operation }) => operation === row.after)) {
      run.tell(SECTION, 'skip', name, `${row.after} was not recorded`);
      continue;
    }
    const ended = await call(run, `step ${index + 1}`, () => step.send(FIRST_AMOUNT));
    if (tellStep(run, name, step, ended)) recorded.push(step);
    // A gateway that refuses a bet may accept a withdrawal. A gateway that does not answer will not.
    else if (ended.error?.outcome !== 'rejected') break;
  }
  return recorded;
}

/** Sends a settled report whose initiated event was never reported. The gateway must refuse it (specification, section 1). */
async function settleTooEarly(run: Run, settling: OperationName): Promise<void> {
  const name = `${settling}${NEVER_INITIATED}`;
  const reference = newReference(run.random);
  const settle = stepsOf(run, reference, run.now()).find(({ operation }) => operation === settling) as Step;
  const { error } = await call(run, name, () => settle.send(FIRST_AMOUNT));
  const text = lastAnswer(run);
  if (error && isNotFoundError(error)) {
    run.findings.note('meanings', 'confirmed', `never initiated: ${text}`);
    return run.tell(SECTION, 'ok', name, `is refused: ${text}`);
  }
  if (!error || error.outcome === 'unknown') run.references.push(reference);
  if (!error || error.outcome === 'rejected') run.findings.note('meanings', 'differs', `never initiated: ${text}`);
  const advice = error
    ? 'an outbox reads only 404 as "report the initiated event first"'
    : 'the gateway does not enforce the order, so your code must keep it: await step 1 before step 2 (an outbox does so)';
  run.tell(SECTION, 'warn', name, error ? text : `is recorded: ${text}`, advice);
}

function tellStep(run: Run, name: string, { operation }: Step, { value, error }: Ended<Receipt>): boolean {
  const text = lastAnswer(run);
  if (value) {
    for (const id of SHOWS[operation] ?? []) run.findings.note(id, OF_EVERY_VALUE.includes(id) ? 'one value taken' : 'confirmed', `${operation} was accepted`);
    run.findings.note('success', 'confirmed', text);
    run.tell(SECTION, 'ok', name, `recorded: ${text}`);
    return true;
  }
  const event = operation === 'reportBetEvent' || operation === 'reportWithdrawalEvent';
  const isRefused = error.status === 400 || error.status === 422;
  if (error.status === 404 && event) run.findings.note('paths', 'differs', text);
  if (isRefused) for (const id of BLAMES[operation] ?? []) run.findings.note(id, 'differs', text);
  if (isRefused && event) run.findings.note('paths', 'confirmed', `the path of ${operation} exists`);
  if (error.status !== undefined && error.status >= 200 && error.status < 300) run.findings.note('success', 'differs', text);
  if (error.code === 'timeout') run.findings.note('timeouts', 'differs', `${operation}: no answer in time`);
  const advice =
    error.status === 404 && event
      ? `the specification gives no path for it: ask the authority for it, and set paths.${operation} in a file for --options`
      : isRefused
        ? 'the data is made up but complete: the gateway expects other fields or values than we assume'
        : undefined;
  run.tell(SECTION, 'fail', name, describeError(run, error), advice);
  return false;
}
