import type { Attributes } from '@opentelemetry/api';
import type { AttemptResult } from '../delivery/send-once.js';
import { isReportingError } from '../errors/guards.js';

/** The account of an outbox without an account name. */
export const DEFAULT_ACCOUNT = 'default';
/** The environment of a report. */
export const ENVIRONMENTS = ['staging', 'production'] as const;

/** The attributes that identify a call. Metrics have them too, since each has few values. The account is that of an outbox, if it has a name of its own. */
export const callAttributes = (operation: string, environment: string | undefined, account?: string): Attributes => ({
  'location_sdk.operation': operation,
  ...destinationAttributes(environment, account),
});

/** The environment of a report. */
export const destinationAttributes = (environment: string | undefined, account = DEFAULT_ACCOUNT): Attributes => ({
  ...(environment !== undefined && { 'location_sdk.environment': environment }),
  ...(account !== DEFAULT_ACCOUNT && { 'location_sdk.account': account }),
});

/** The attributes that identify a report. Only spans have them, since each report has its own values. */
export const reportAttributes = (value: string | undefined): Attributes => (value === undefined ? {} : { 'location_sdk.reference': value });

/** The gateway's id of the request. Only spans have it. */
export const requestAttributes = (requestId: unknown): Attributes => (typeof requestId === 'string' ? { 'location_sdk.request_id': requestId } : {});

/** The kind of failure. Nothing is shown of an error from outside this package: it may contain any data. */
export function failureAttributes(error: unknown): Attributes {
  if (!isReportingError(error)) return { 'error.type': '_OTHER' };
  return describe(error);
}

/** The report of an error, its environment, and the gateway's id of the request. Only spans have them. */
export const subjectAttributes = (error: unknown): Attributes =>
  isReportingError(error) ? { ...destinationAttributes(error.environment), ...reportAttributes(error.reference), ...requestAttributes(error.requestId) } : {};

/** The result of one attempt. */
export const resultAttributes = (result: AttemptResult): Attributes =>
  result.kind === 'recorded' ? { 'location_sdk.outcome': 'recorded' } : describe({ ...result.failure, status: result.failure.details?.status });

function describe({ code, outcome, status }: { readonly code: string; readonly outcome: string; readonly status?: number | undefined }): Attributes {
  return { 'error.type': code, 'location_sdk.outcome': outcome, ...(status !== undefined && { 'http.response.status_code': status }) };
}

/** The gateway's address, without path: `server.address` and, if it is not the scheme's default, `server.port`. */
export function serverAttributes(baseUrl: string | undefined): Attributes {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return {};
  const { hostname, port } = new URL(baseUrl);
  return { 'server.address': hostname, ...(port !== '' && { 'server.port': Number(port) }) };
}
