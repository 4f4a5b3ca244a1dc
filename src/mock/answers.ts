/** An answer before a fault changes it. */
export interface MockAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** The generic error body (specification, section 2.5). */
export const refuse = (statusCode: number, message: string, headers: Readonly<Record<string, string>> = {}): MockAnswer => ({
  status: statusCode,
  body: { message, error: ERRORS[statusCode] ?? 'Error', statusCode },
  headers,
});
