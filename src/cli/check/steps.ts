import { hasCode } from '../../core/errors/errors.js';
import { type Operation, operations, type ReportName } from '../../core/protocol/operations.js';
import type { Location } from '../../core/schema/location.js';
import type { AssumptionId } from './assumptions.js';
import { VERIFIED_NIN } from './gateway.js';
import {
  type CheckResult,
  type CheckRun,
  call,
  describeError,
  fail,
  lastAnswer,
  type MadeUpReports,
  ok,
  skip,
  warn,
} from './run.js';

interface Step {
  readonly operation: ReportName;
  /** The assumptions that its acceptance confirms. */
  readonly shows: readonly AssumptionId[];
  /** The assumptions that may be wrong if the gateway refuses its data. */
  readonly blames: readonly AssumptionId[];
}

/** The four steps in the order of the specification (section 1). */
export const STEPS: readonly Step[] = [
  { operation: 'reportBetEvent', shows: ['paths', 'bet', 'required', 'source'], blames: ['bet'] },
  { operation: 'reportSettledBet', shows: ['bounds', 'words'], blames: ['words'] },
  {
    operation: 'reportWithdrawalEvent',
    shows: ['paths', 'withdrawal', 'required', 'source', 'country'],
    blames: ['withdrawal'],
  },
  { operation: 'reportSettledWithdrawal', shows: ['words', 'source', 'country'], blames: ['words'] },
];

/** Assumptions about all values of a field. A step sends only one of them. */
const GENERAL_ASSUMPTIONS: readonly AssumptionId[] = ['bounds', 'words'];

const who = { user_id: 'CHECK-PLAYER', nin: VERIFIED_NIN, tax_id: 'CHECK-TIN' };

const betUser = {
  ...who,
  first_name: 'Test',
  last_name: 'Player',
  resident_address: '1 Test Street',
  resident_lga: 'Test Area',
  resident_state: 'LAGOS',
  is_resident: true,
};

const withdrawalUser = {
  ...who,
  full_name: 'Test Player',
  residence_address: '1 Test Street',
  residence_lga: 'Test Area',
  residence_state: 'LAGOS',
  residency_status: 'RESIDENT',
};

/** A location from a browser has no place names. */
const BROWSER_LOCATION: Location = { latitude: 6.4541, longitude: 3.3947, accuracy: 25, source: 'gps' };
/** A location from an IP lookup has no accuracy. */
const LOOKUP_LOCATION: Location = {
  latitude: 6.4541,
  longitude: 3.3947,
  city: 'Lagos',
  country: 'NG',
  source: 'client_ip',
};

const LETTERS = 'bcdfghjkmnpqrstvwxz';

/** Only letters, since long numbers are masked in the texts of a gateway. */
const newReference = (): string =>
  `SDK-CHECK-${Array.from({ length: 10 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('')}`;

const FIRST_AMOUNT = 1_500;
const OTHER_AMOUNT = 1_600;

/** The data is complete, valid and about no person. */
function madeUpReports({ client, signal }: CheckRun, reference: string): MadeUpReports {
  const timestamp = `${Math.floor(Date.now() / 1_000)}`;
  const withdrawal = {
    request_id: reference,
    timestamp,
    user: withdrawalUser,
    metadata: { method: 'bank_transfer', bank: 'Test Bank', account_last4: '0000' },
    withdrawalId: `${reference}-W`,
    userId: who.user_id,
  };
  const settlement = { win_amount: 0, outcome: 'LOSS', ggr: -1, ur: 0 };
  return {
    reportBetEvent: (amount) =>
      client.reportBetEvent(
        { bet_id: reference, amount, timestamp, user: betUser, metadata: { made_up: true } },
        { signal, location: BROWSER_LOCATION },
      ),
    reportSettledBet: (payout_amount) =>
      client.reportSettledBet({ bet_id: reference, user: betUser, payout_amount, ...settlement }, { signal }),
    reportWithdrawalEvent: (amount) =>
      client.reportWithdrawalEvent({ ...withdrawal, amount }, { signal, location: LOOKUP_LOCATION }),
    reportSettledWithdrawal: (amount) =>
      client.reportSettledWithdrawal(
        { ...withdrawal, amount, status: 'SUCCESS', location: LOOKUP_LOCATION },
        { signal },
      ),
  };
}

/** Ends the run before any made-up report where one would be a real one. */
export function allowMadeUp({ environment, sharedAddress }: CheckRun): CheckResult | undefined {
  if (environment === 'staging' && !sharedAddress) return undefined;
  const result = sharedAddress
    ? fail(
        'staging and production have the same address, so tests would be recorded as real reports, or real reports as tests',
        'give each its own base address',
      )
    : skip(
        'never in production: a report there is a statement to the authority, and cannot be taken back',
        'test them with --environment staging',
      );
  return { ...result, end: 'done' };
}

/** Its initiated event was never reported, so the gateway must refuse it (specification, section 1). */
export async function settleTooEarly(run: CheckRun, operation: ReportName): Promise<CheckResult> {
  const reference = newReference();
  const reports = madeUpReports(run, reference);
  const { error } = await call(run, () => reports[operation](FIRST_AMOUNT));
  const text = lastAnswer(run);
  if (error && hasCode(error, 'not-found')) {
    run.findings.note('meanings', 'confirmed', `never initiated: ${text}`);
    return ok(`is refused: ${text}`);
  }
  if (!error || error.outcome === 'unknown') run.references.push(reference);
  if (!error || error.outcome === 'rejected') run.findings.note('meanings', 'differs', `never initiated: ${text}`);
  return error
    ? warn(text, 'an outbox reads only 404 as "report the initiated event first"')
    : warn(
        `is recorded: ${text}`,
        'the gateway does not enforce the order, so your code must keep it: await step 1 before step 2 (an outbox does so)',
      );
}

function reportsOf(run: CheckRun): MadeUpReports {
  if (run.state.madeUp) return run.state.madeUp;
  const reference = newReference();
  run.references.push(reference);
  run.state.madeUp = madeUpReports(run, reference);
  return run.state.madeUp;
}

export async function takeStep(run: CheckRun, { operation, shows, blames }: Step) {
  const { state, findings } = run;
  if (state.isSilent) return undefined;
  const reports = reportsOf(run);
  const { after }: Operation = operations[operation];
  if (after && !state.recorded.has(after)) return skip(`${after} was not recorded`);
  const { value, error } = await call(run, () => reports[operation](FIRST_AMOUNT));
  const text = lastAnswer(run);
  if (value) {
    state.recorded.add(operation);
    for (const id of shows)
      findings.note(
        id,
        GENERAL_ASSUMPTIONS.includes(id) ? 'one value taken' : 'confirmed',
        `${operation} was accepted`,
      );
    findings.note('success', 'confirmed', text);
    return ok(`recorded: ${text}`);
  }
  // A gateway that refuses a bet may accept a withdrawal. A gateway that does not answer will not.
  state.isSilent = error.outcome !== 'rejected';
  if (error.status !== undefined && error.status < 300) findings.note('success', 'differs', text);
  if (error.code === 'timeout') findings.note('timeouts', 'differs', `${operation}: no answer in time`);
  if (error.status === 404 && !after) {
    findings.note('paths', 'differs', text);
    return fail(
      describeError(run, error),
      `the specification gives no path for it: ask the authority for it, and set paths.${operation} in a file for --options`,
    );
  }
  if (error.status !== 400 && error.status !== 422) return fail(describeError(run, error));
  for (const id of blames) findings.note(id, 'differs', text);
  if (!after) findings.note('paths', 'confirmed', `the path of ${operation} exists`);
  return fail(
    describeError(run, error),
    'the data is made up but complete: the gateway expects other fields or values than we assume',
  );
}

/**
 * The delivery needs an error for a repeat (specification, section 1) that the client recognises, and tells from an
 * error for other data under the same reference.
 */
export async function repeat(run: CheckRun, operation: ReportName, isOther: boolean) {
  const { state, findings } = run;
  if (!state.recorded.has(operation)) return undefined;
  const { error } = await call(run, () => reportsOf(run)[operation](isOther ? OTHER_AMOUNT : FIRST_AMOUNT));
  const text = lastAnswer(run);
  const kind = isOther ? 'conflict' : 'duplicate';
  const isDuplicate = error !== undefined && hasCode(error, 'duplicate');
  if (isDuplicate && error.conflict === isOther) {
    findings.note(kind, 'confirmed', text);
    return ok(`is recognised as a ${kind}: ${text}`);
  }
  if (error && error.status === undefined) return fail(describeError(run, error));
  const taken = isOther ? 'taken' : 'taken again';
  findings.note(kind, 'differs', error ? text : `${taken}: ${text}`);
  if (isOther)
    return error
      ? warn(
          `${isDuplicate ? 'looks like the same data' : 'is not recorded, but not recognised as a conflict'}: ${text}`,
          'if the answer distinguishes the two, let the option isDuplicate return conflict; if not, never report a reference from two places',
        )
      : fail(
          `is recorded: ${text}`,
          'the specification (section 1, rule 1) says that a report is immutable: ask the authority which of the two it holds',
        );
  if (!error)
    return fail(
      `is recorded again: ${text}`,
      'the specification (section 1, rule 2) says that a repeat is an error: tell the authority',
    );
  const [mistake, should] = isDuplicate
    ? ['is mistaken for other data', 'must return same']
    : ['is not recognised as a duplicate', 'must recognise it'];
  return fail(
    `${mistake}: ${text}`,
    `after a lost answer the client would not know that the report is recorded: write the option isDuplicate, which ${should}. It is called with every answer that does not say "recorded", with a 2xx, too`,
  );
}
