import type { JsonObject } from './json-schema.js';

interface ErrorWords {
  readonly name: string;
  readonly description: string;
  readonly headers?: JsonObject;
}

/** Every refusal of the gateway, all with the generic error body (section 2.5). */
const REFUSALS: Readonly<Record<number, ErrorWords>> = {
  400: {
    name: 'BadRequest',
    description:
      'The request format is invalid (section 4.3). Assumption for reports: the content type is not application/json, or the body is not a JSON object.',
  },
  401: { name: 'Unauthorized', description: 'The API key is missing or invalid (section 5).' },
  404: {
    name: 'NotFound',
    description: 'Record not found (section 7). Assumption: the initiated report of a settled one is missing, or the path does not exist.',
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'Assumption: another method than POST.',
    headers: { Allow: { description: 'The allowed methods.', schema: { const: 'POST' } } },
  },
  409: {
    name: 'Conflict',
    description: 'A report with this identifier is already recorded, and reports are immutable (section 1). The status is an assumption.',
  },
  413: { name: 'PayloadTooLarge', description: 'Assumption: the body is larger than 1 MiB (section 8 gives no limit).' },
  422: {
    name: 'UnprocessableEntity',
    description: 'A field is wrong; `message` names the fields (section 7 gives the status; the condition is an assumption).',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Rate limited (section 7 gives it for the verification; assumption for reports).',
    headers: { 'Retry-After': { description: 'Seconds to wait, or a date (assumption).', schema: { type: 'string', minLength: 1 } } },
  },
};

export const GENERIC_ERROR: JsonObject = {
  type: 'object',
  description: 'The generic error body (section 2.5).',
  properties: {
    message: { type: 'string', minLength: 1, description: 'A description of the problem.' },
    error: { type: 'string', minLength: 1, description: 'The name of the status.' },
    statusCode: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
  },
  required: ['message', 'error', 'statusCode'],
};

/** A refused status keeps its description. A user's own status for duplicates gets that of 409. */
const wordsOf = (status: number): ErrorWords => REFUSALS[status] ?? { name: `Status${status}`, description: REFUSALS[409]?.description ?? '' };

export const refusalAnswer = (status: number): JsonObject => ({ $ref: `#/components/responses/${wordsOf(status).name}` });

/** The shared answers by name. */
export const refusals = (statuses: readonly number[]): JsonObject =>
  Object.fromEntries(
    statuses.map((status) => {
      const { name, description, headers } = wordsOf(status);
      const schema = { allOf: [{ $ref: '#/components/schemas/GenericError' }, { properties: { statusCode: { const: status } } }] };
      return [name, { description, ...(headers && { headers }), content: { 'application/json': { schema } } }];
    }),
  );
