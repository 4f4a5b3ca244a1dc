import type { Attributes } from '@opentelemetry/api';
import type { AttemptResult } from '../core/delivery/send-once.js';
import { isReportingError, type ReportingError } from '../core/errors/errors.js';
import { DEFAULT_ACCOUNT, type PauseReason } from '../outbox/rules/destination.js';

/** Metrics have them too, since each has few values. The account is that of an outbox, if it has a name of its own. */
export const callAttributes = (operation: string, environment: string | undefined, account?: string): Attributes => ({
  'location_sdk.operation': operation,
  ...destinationAttributes(environment, account),
});

/** The same, read from the id of a report in an outbox. */
export function idAttributes(operation: string, id: string): Attributes {
  const [account, environment] = id.split(':');
  return callAttributes(operation, environment, account);
}

export const destinationAttributes = (environment: string | undefined, account = DEFAULT_ACCOUNT): Attributes => ({
  ...(environment !== undefined && { 'location_sdk.environment': environment }),
  ...(account !== DEFAULT_ACCOUNT && { 'location_sdk.account': account }),
});

export const pauseAttributes = (environment: string, reason: PauseReason, account?: string): Attributes => ({
  ...destinationAttributes(environment, account),
  'location_sdk.pause.reason': reason,
});

/** Only spans have them, since each report has its own values. */
export const reportAttributes = (value: string | undefined): Attributes =>
  value === undefined ? {} : { 'location_sdk.reference': value };

/** The gateway's id of the request. Only spans have it. */
export const requestAttributes = (requestId: unknown): Attributes =>
  typeof requestId === 'string' ? { 'location_sdk.request_id': requestId } : {};

/** Nothing is shown of an error from outside this package: it may contain any data. */
export const failureAttributes = (error: unknown): Attributes =>
  isReportingError(error) ? describe(error) : { 'error.type': '_OTHER' };

/** The report of an error, its environment, and the gateway's id of the request. Only spans have them. */
export const subjectAttributes = (error: unknown): Attributes =>
  isReportingError(error)
    ? {
        ...destinationAttributes(error.environment),
        ...reportAttributes(error.reference),
        ...requestAttributes(error.requestId),
      }
    : {};

export const resultAttributes = (result: AttemptResult): Attributes =>
  result.kind === 'recorded'
    ? { 'location_sdk.outcome': 'recorded' }
    : describe({ ...result, status: result.details?.status });

function describe({ code, outcome, status }: Pick<ReportingError, 'code' | 'outcome' | 'status'>): Attributes {
  return {
    'error.type': code,
    'location_sdk.outcome': outcome,
    ...(status !== undefined && { 'http.response.status_code': status }),
  };
}

/** Without path, and without a port that is the scheme's default. */
export function serverAttributes(baseUrl: string | undefined): Attributes {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return {};
  const { hostname, port } = new URL(baseUrl);
  return { 'server.address': hostname, ...(port !== '' && { 'server.port': Number(port) }) };
}
