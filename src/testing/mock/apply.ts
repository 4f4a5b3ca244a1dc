import type { Environment } from '../../core/errors/errors.js';
import type { Operation, OperationName } from '../../core/protocol/operations.js';
import { copyJson } from '../../core/schema/copy-json.js';
import { issue, type ValidationIssue } from '../../core/schema/issue.js';
import { location } from '../../core/schema/location.js';
import type { ValidationMode } from '../../core/schema/model.js';
import type { NinVerification } from '../../core/schema/nin.js';
import { validate } from '../../core/schema/validate.js';
import { type MockAnswer, refuse } from './answers.js';
import { freezeDeep, type Ledger, record } from './ledger.js';

export interface Rules {
  readonly validation: ValidationMode;
  readonly locationRequired: boolean;
  readonly requireInitiated: boolean;
  readonly duplicateStatus: number;
  readonly identities: ReadonlyMap<string, Identity>;
}

export interface Applied {
  readonly answer: MockAnswer;
  readonly applied: boolean;
}

export type RequestBody = Readonly<Record<string, unknown>>;

const RECORDED: Readonly<Record<OperationName, string>> = {
  reportBetEvent: 'Bet event reported successfully',
  reportSettledBet: 'Settled bet reported successfully',
  reportWithdrawalEvent: 'Withdrawal event reported successfully',
  reportSettledWithdrawal: 'Withdrawal settled successfully',
  verifyNin: 'NIN verified successfully',
};

/** The request has a valid key. */
export function apply(
  ledger: Ledger,
  environment: Environment,
  row: Operation,
  body: RequestBody,
  rules: Rules,
): Applied {
  const refused = (answer: MockAnswer): Applied => ({ answer, applied: false });
  const issues = problemsOf(row, body, rules);
  if (issues.length > 0)
    return refused(refuse(row.reference ? 422 : 400, `${hintFor(row, body, rules)}${listed(issues)}`));
  if (!row.reference) return refused(verify(environment, String(body.nin), rules));

  const reference = String(body[row.reference]);
  switch (record(ledger, freezeDeep({ operation: row.name, reference, body }), rules)) {
    case 'recorded':
      return { answer: { status: 200, body: { message: RECORDED[row.name] } }, applied: true };
    case 'not-initiated':
      return refused(refuse(404, `${row.reference} has no initiated report; report it before settling`));
    case 'same':
      return refused(refuse(rules.duplicateStatus, 'This data has already been reported'));
    case 'conflict':
      return refused(
        refuse(rules.duplicateStatus, `This ${row.reference} has already been reported with different data`),
      );
  }
}

/**
 * A client checks by its own `validation`. With the same option here, the gateway accepts the reports that the client
 * lets through.
 */
const hintFor = (row: Operation, body: RequestBody, rules: Rules): string =>
  rules.validation === 'strict' && problemsOf(row, body, { ...rules, validation: 'partial' }).length === 0
    ? "This body is valid with validation: 'partial'. Start this gateway with that option (--validation partial). "
    : '';

const MOST_LISTED = 100;

function listed(issues: readonly ValidationIssue[]): string {
  const lines = issues.slice(0, MOST_LISTED).map(({ path, message }) => `${path || 'body'}: ${message}`);
  if (issues.length > MOST_LISTED) lines.push(`and ${issues.length - MOST_LISTED} more`);
  return lines.join('; ');
}

function problemsOf(row: Operation, body: RequestBody, { validation, locationRequired }: Rules): ValidationIssue[] {
  const { issues } = copyJson(body);
  // The whole body is invalid: it is too large to check each field.
  if (issues.some(({ path }) => path === '')) return issues;
  if (row.location === 'none') return [...issues, ...validate(row.request, validation, body).issues];
  const { location: given, ...rest } = body;
  issues.push(...validate(row.request, validation, rest).issues);
  if (given !== undefined) issues.push(...validate(location, validation, given, ['location']).issues);
  else if (locationRequired) issues.push(issue(['location'], 'missing', 'is required'));
  return issues;
}

/** Specification, section 4.3: in staging, numbers that start with 99 are verified. */
function verify(environment: Environment, nin: string, { identities }: Rules): MockAnswer {
  const madeUp = nin.startsWith('99') ? madeUpIdentity(nin) : undefined;
  const data = environment === 'staging' ? madeUp : identities.get(nin);
  const message = data ? RECORDED.verifyNin : 'NIN could not be verified';
  return { status: 200, body: { success: data !== undefined, status: 200, message, ...(data && { data }) } };
}

/** The data in the answer for a verified number. */
export type Identity = NonNullable<NinVerification['data']>;

/** A small white image, so that a client that decodes it gets a valid one. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==';

/** Invented data: one person, whose identifiers end with the last digits of the number. */
function madeUpIdentity(nin: string): Identity {
  const last = nin.slice(-4);
  return {
    requestID: `mock-request-${last}`,
    pseudoID: `mock-pseudo-${last}`,
    consentID: `mock-consent-${last}`,
    biographicData: {
      firstName: 'Adaeze',
      middleName: 'Chidi',
      lastName: 'Mock',
      dateOfBirth: '1990-01-31',
      gender: 'F',
      residenceAddressLine1: '1 Mock Street',
      residenceAddressLine2: 'Lagos',
    },
    biometricData: [{ biometricType: 'FACE', biometricSubType: 'FRONT', image: IMAGE }],
    contactData: { phone1: `0800000${last}` },
    tax_details: { tax_id: `MOCK-TAX-${last}` },
  };
}
