import type { Receipt } from '../client/receipt.js';
import type { DuplicateReportError, ErrorCode, LocationError, LocationStep, RateLimitError, ReportingError, ValidationError } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import { broken, invalid, type RelayAnswer, type RelayFailure, tooMany } from './answers.js';
import { noteFault } from './fault.js';
import type { RelayQueued } from './options.js';

/** The page's message for each kind of failure. The messages of the client and of the gateway are for the operator only. */
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

/** The page's message for a step of the lookup. It reveals neither the operator's lookup services nor its network. */
const stepForPage = ({ step, reason, durationMs }: LocationStep): LocationStep => ({
  step: step === 'client-ip' ? step : 'ip-lookup',
  reason,
  message: 'gave no location',
  durationMs,
});

interface About {
  readonly reference: string | undefined;
  /** The fields of the event that the operator supplies. */
  readonly owned: readonly string[];
  readonly logger: Required<Logger>;
}

/** The answer to a failed report. The operator's own mistakes are logged, with an id for the page. */
export function answerForError(error: ReportingError, { reference, owned, logger }: About): RelayAnswer {
  const { code, outcome } = error;
  const inDoubt = outcome === 'unknown';
  if (code === 'configuration') return broken(noteFault(logger, error.message), outcome, inDoubt ? 502 : 503, code, reference);
  if (code === 'validation') {
    const issues = (error as ValidationError).issues ?? [];
    const ofPage = issues.filter(({ path }) => !owned.includes(path.split('.')[0] ?? ''));
    if (ofPage.length < issues.length || issues.length === 0 || inDoubt) {
      const id = noteFault(logger, error.message);
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
  return { status: inDoubt ? 502 : status, body: { error: failure } };
}

/** The answer to a recorded report: its receipt, without the gateway's message. */
export const answerForReceipt = ({ outcome, operation, reference, environment, attempts, requestId, location }: Receipt): RelayAnswer => ({
  status: 200,
  body: { outcome, operation, reference, environment, attempts, requestId, location },
});

/** The answer to a report that an outbox has stored. */
export const answerForQueued = ({ id, state }: RelayQueued, operation: string, reference: string | undefined): RelayAnswer => ({
  status: 202,
  body: { id: String(id), state, operation, reference },
});

/** Whether it is an outbox's answer. */
export const isQueued = (result: Receipt | RelayQueued): result is RelayQueued => !('outcome' in result) && 'state' in result;
