import type { Receipt } from '../../core/client/receipt.js';
import type {
  DuplicateReportError,
  ErrorCode,
  ErrorOutcome,
  LocationError,
  LocationStep,
  RateLimitError,
  ReportingError,
  ValidationError,
} from '../../core/errors/errors.js';
import type { Logger } from '../../core/platform/logger.js';
import { subjectOf } from '../../core/platform/messages.js';
import { RELAY_HEADER } from '../../core/protocol/headers.js';
import { operations } from '../../core/protocol/operations.js';
import type { ValidationIssue } from '../../core/schema/issue.js';
import { isModel } from '../../core/schema/model.js';
import { type RefusalAnswer, type WebAnswer, toResponse as webResponse } from '../../core/web/answer.js';
import { noteFault } from '../../core/web/hooks.js';
import { RELAY_OPERATIONS, type RelayOperation, type RelayQueued } from './relay-options.js';

/** The answer to a page about a failure (our decision: the wire format of the relay). */
interface RelayFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly outcome: ErrorOutcome;
  readonly reference?: string | undefined;
  readonly issues?: readonly ValidationIssue[] | undefined;
  readonly steps?: readonly LocationStep[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly conflict?: boolean | undefined;
}

const answerFor = (status: number, error: RelayFailure, headers?: Readonly<Record<string, string>>): RefusalAnswer => ({
  status,
  headers,
  body: { error },
});

const refusal = (status: number, code: ErrorCode, message: string, headers?: Readonly<Record<string, string>>) =>
  answerFor(status, { code, message, outcome: 'not-sent' }, headers);

/** The message is the same for every caller and every detail. */
export const refusals = {
  noSuchPath: refusal(404, 'not-found', 'This path does not exist.'),
  badAddress: refusal(400, 'bad-request', 'The address makes no sense.'),
  method: refusal(405, 'bad-request', 'Use POST.', { allow: 'POST' }),
  forbidden: refusal(403, 'bad-request', 'This is not accepted.'),
  mediaType: refusal(415, 'bad-request', 'Send application/json.'),
  noSession: refusal(401, 'authentication', 'No player is logged in.'),
  otherPlayer: refusal(401, 'authentication', 'The logged-in player is not the player of this report.'),
  tooLarge: refusal(413, 'bad-request', 'The body is too large.'),
  tooSlow: refusal(408, 'timeout', 'The body did not come in time.'),
  outOfTime: refusal(503, 'timeout', 'The request timed out. Nothing was sent.'),
} as const;

/** Only the operator may see the reason. The page gets an id that leads to it. */
export const broken = (
  id: string,
  outcome: ErrorOutcome = 'not-sent',
  status = 500,
  code: ErrorCode = 'configuration',
  reference?: string,
): RefusalAnswer => answerFor(status, { code, message: `Something went wrong (${id}).`, outcome, reference });

const MOST_ISSUES = 100;

export const invalid = (issues: readonly ValidationIssue[], reference?: string): RefusalAnswer =>
  answerFor(400, {
    code: 'validation',
    message: 'The event is not valid; issues lists the problems. Nothing was sent.',
    outcome: 'not-sent',
    reference,
    issues: issues.slice(0, MOST_ISSUES),
  });

export const tooMany = (
  retryAfterMs: number | undefined,
  outcome: ErrorOutcome,
  status = 429,
  reference?: string,
): RefusalAnswer =>
  answerFor(
    status,
    { code: 'rate-limited', message: 'Too many requests; try again later.', outcome, reference, retryAfterMs },
    retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) },
  );

/**
 * Every text of an answer is written here or in `schema/`, without a value of the report: so the page need not mask it.
 */
const HEADERS = {
  [RELAY_HEADER]: '1',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
};

export const toResponse = (answer: WebAnswer, more: Readonly<Record<string, string>> = {}): Response =>
  webResponse(answer, { ...HEADERS, ...more });

/** The page's messages. Those of the client and of the gateway are for the operator only. */
const FAILURES: { readonly [Code in ErrorCode]: readonly [status: number, words: string, wordsInDoubt?: string] } = {
  configuration: [503, ''],
  validation: [400, ''],
  location: [503, 'No location was found; allow the page to read it and try again.'],
  network: [503, 'Could not connect to the gateway.', 'The connection to the gateway broke.'],
  timeout: [503, 'Timed out before the report was sent.', 'The gateway did not answer in time.'],
  aborted: [503, 'The report was cancelled.'],
  'bad-request': [400, 'The gateway refused the report.'],
  // Not 401, which would tell the page that its session has ended.
  authentication: [502, 'The gateway refused the backend.'],
  'not-found': [404, 'The gateway does not have this record.'],
  duplicate: [409, 'The gateway already has a report with this reference.'],
  unprocessable: [422, 'The gateway cannot accept the data.'],
  'rate-limited': [429, ''],
  gateway: [502, 'The gateway failed.'],
};

const IN_DOUBT = 'It may be recorded: send the same event again.';
const NOT_SENT = 'Nothing was sent.';

/** It reveals neither the operator's lookup services nor its network. */
const stepForPage = ({ step, reason, durationMs }: LocationStep): LocationStep => ({
  step: step === 'client-ip' ? step : 'ip-lookup',
  reason,
  message: 'gave no location',
  durationMs,
});

/** The operator's mistake behind many problems: `authorize` gave the user object of the other operation. */
function wrongUser(operation: RelayOperation, issues: readonly ValidationIssue[]): string | undefined {
  const [other = operation] = RELAY_OPERATIONS.filter((name) => name !== operation);
  const named = (code: ValidationIssue['code']) =>
    issues.flatMap((one) =>
      one.code === code && one.path.startsWith('user.') ? [one.path.slice('user.'.length)] : [],
    );
  const missing = named('missing');
  const { user } = operations[other].request.fields;
  const foreign = named('unknown-field').filter((name) => user && isModel(user) && name in user.fields);
  if (missing.length === 0 || foreign.length === 0) return undefined;
  return `authorize gave the user object of ${other}. Return one for each operation: that of ${operation} has ${missing.join(', ')}, and no ${foreign.join(', ')}.`;
}

interface About {
  readonly operation: RelayOperation;
  readonly reference: string | undefined;
  /** Fields of the event that the operator supplies. */
  readonly owned: readonly string[];
  readonly logger: Required<Logger>;
}

/** The operator's own mistakes are logged, with an id for the page. */
export function answerForError(error: ReportingError, { operation, reference, owned, logger }: About): RefusalAnswer {
  const { code, outcome } = error;
  const inDoubt = outcome === 'unknown';
  if (code === 'configuration')
    return broken(noteFault(logger, error.message), outcome, inDoubt ? 502 : 503, code, reference);
  if (code === 'validation') {
    const issues = (error as ValidationError).issues ?? [];
    const ofPage = issues.filter(({ path }) => !owned.includes(path.split('.')[0] ?? ''));
    if (ofPage.length < issues.length || issues.length === 0 || inDoubt) {
      const why = wrongUser(operation, issues);
      const id = noteFault(
        logger,
        why ? `${subjectOf({ operation, reference })}: ${why}\n${error.message}` : error.message,
      );
      if (ofPage.length === 0 || inDoubt) return broken(id, outcome, inDoubt ? 502 : 500, 'configuration', reference);
    }
    return invalid(ofPage, reference);
  }
  logger.warn(error.message);
  const { retryAfterMs } = error as RateLimitError;
  if (code === 'rate-limited') return tooMany(retryAfterMs, outcome, inDoubt ? 502 : 429, reference);
  const [status, words, wordsInDoubt = words] = FAILURES[code] ?? FAILURES.gateway;
  const failure: RelayFailure = {
    code,
    message: inDoubt ? `${wordsInDoubt} ${IN_DOUBT}` : `${words}${outcome === 'not-sent' ? ` ${NOT_SENT}` : ''}`,
    outcome,
    reference,
    ...(code === 'location' && { steps: (error as LocationError).steps?.map(stepForPage) }),
    ...(code === 'duplicate' && { conflict: (error as DuplicateReportError).conflict === true }),
    ...(code === 'gateway' && { retryAfterMs }),
  };
  return answerFor(inDoubt ? 502 : status, failure);
}

export const answerForReceipt = ({
  outcome,
  operation,
  reference,
  environment,
  attempts,
  requestId,
  location,
}: Receipt): WebAnswer => ({
  status: 200,
  body: { outcome, operation, reference, environment, attempts, requestId, location },
});

export const answerForQueued = (
  { id, state }: RelayQueued,
  operation: string,
  reference: string | undefined,
): WebAnswer => ({
  status: 202,
  body: { id: id === undefined ? id : String(id), state, operation, reference },
});

export const isQueued = (result: Receipt | RelayQueued): result is RelayQueued => 'state' in result;
