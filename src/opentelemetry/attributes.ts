import type { Attributes } from '@opentelemetry/api';
import type { AttemptResult } from '../delivery/send-once.js';
import { isReportingError } from '../errors/guards.js';

/** The account of an outbox that names none. */
export const DEFAULT_ACCOUNT = 'default';
/** Where reports go. */
export const ENVIRONMENTS = ['staging', 'production'] as const;

/** Which call it is: for metrics too, since each of them has few values. The account is that of an outbox, if it has a name of its own. */
export const callAttributes = (operation: string, environment: string | undefined, account?: string): Attributes => ({
  'location_sdk.operation': operation,
  ...destinationAttributes(environment, account),
});

/** Where reports go. */
export const destinationAttributes = (environment: string | undefined, account = DEFAULT_ACCOUNT): Attributes => ({
  ...(environment !== undefined && { 'location_sdk.environment': environment }),
  ...(account !== DEFAULT_ACCOUNT && { 'location_sdk.account': account }),
});

/** Which report it is: for spans alone, since each report has its own. */
export const reportAttributes = (value: string | undefined): Attributes => (value === undefined ? {} : { 'location_sdk.reference': value });

/** The gateway's id of the request: for spans alone, too. */
export const requestAttributes = (requestId: unknown): Attributes => (typeof requestId === 'string' ? { 'location_sdk.request_id': requestId } : {});

/** How it failed. Of an error that is not of this package nothing is told: it may hold anything. */
export function failureAttributes(error: unknown): Attributes {
  if (!isReportingError(error)) return { 'error.type': '_OTHER' };
  return describe(error);
}

/** Which report an error is about, where it was to go, and the gateway's id of the request: for spans alone. */
export const subjectAttributes = (error: unknown): Attributes =>
  isReportingError(error) ? { ...destinationAttributes(error.environment), ...reportAttributes(error.reference), ...requestAttributes(error.requestId) } : {};

/** How one attempt ended. */
export const resultAttributes = (result: AttemptResult): Attributes =>
  result.kind === 'recorded' ? { 'location_sdk.outcome': 'recorded' } : describe({ ...result.failure, status: result.failure.details?.status });

function describe({ code, outcome, status }: { readonly code: string; readonly outcome: string; readonly status?: number | undefined }): Attributes {
  return { 'error.type': code, 'location_sdk.outcome': outcome, ...(status !== undefined && { 'http.response.status_code': status }) };
}

/** The gateway's address, without path: `server.address` and, where it is not the scheme's own, `server.port`. */
export function serverAttributes(baseUrl: string | undefined): Attributes {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return {};
  const { hostname, port } = new URL(baseUrl);
  return { 'server.address': hostname, ...(port !== '' && { 'server.port': Number(port) }) };
}
