import { toJSONSchema } from 'zod/mini';
import { version } from '../platform/version.js';
import { GATEWAY_PATH, type Operation, operationNames, operations } from '../protocol/operations.js';
import { type Field, traitsOf } from '../schema/fields.js';
import { location } from '../schema/location.js';
import { isModel, type Model, type ValidationMode } from '../schema/model.js';
import { isAnything, oneOf, optional, readOptions } from '../schema/option-rules.js';
import { EXAMPLES, FIELD_WORDS, type JsonObject, OPERATION_WORDS } from './words.js';

const MOCK_ADDRESS = 'http://127.0.0.1:4010';

const optionTable = {
  address: optional(isAnything),
  validation: optional(oneOf('strict', 'partial')),
  location: { required: optional(isAnything) },
  duplicateStatus: optional(isAnything),
};

/** The options of `openApiDocument`. All are optional, and the defaults are the mock gateway's. */
export interface OpenApiOptions {
  /** The address of a mock gateway, with which the server URLs begin. Default: `http://127.0.0.1:4010`. */
  address?: string | undefined;
  /** Same as the mock gateway's option. Default: `'strict'`. */
  validation?: ValidationMode | undefined;
  /** Same as the mock gateway's option. Default: `{ required: true }`. */
  location?:
    | {
        /** Whether an event without a location is refused. */
        required?: boolean | undefined;
      }
    | undefined;
  /** Same as the mock gateway's option. Default: 409. */
  duplicateStatus?: number | undefined;
}

/**
 * The gateway as an OpenAPI 3.1 document, made from the same table and schemas that the SDK and the mock gateway use.
 * If the specification is silent, its descriptions say "assumption".
 *
 * @example
 * ```ts
 * await writeFile('openapi.json', JSON.stringify(openApiDocument({ validation: 'partial' })));
 * ```
 */
export function openApiDocument(options: OpenApiOptions = {}): JsonObject {
  const problem = readOptions('openApiDocument', optionTable, options).problem;
  if (problem !== undefined) throw new TypeError(problem);
  const { address = MOCK_ADDRESS, validation = 'strict', duplicateStatus = 409 } = options;
  const locationRequired = options.location?.required ?? true;
  const box = createSchemaBox(validation);
  const paths = Object.fromEntries(
    operationNames.map((name) => {
      const row: Operation = operations[name];
      const description = `Assumption: another method than POST is answered with 405.`;
      return [GATEWAY_PATH + row.path, { description, post: operationOf(row, box, locationRequired, duplicateStatus) }];
    }),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Operator Reporting Service: Integration Gateway',
      version,
      description:
        'Reports of bets and withdrawals, and the verification of national identification numbers. Section numbers are those of the specification. If it says nothing, the text says "assumption". Reports are immutable, and a repeat is an error (section 1).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      server('Staging (section 4)', 'staging_base_url', address),
      server('Production (section 4); below /production of a mock gateway', 'base_url', `${address}/production`),
    ],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'reports', description: 'The four steps, in this order (section 1).' },
      { name: 'verification', description: 'Identity validation (section 4.3).' },
    ],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: "The operator's API key (section 5)." },
      },
      schemas: {
        ...box.schemas,
        ReportAnswer: REPORT_ANSWER,
        NinVerification: NIN_VERIFICATION,
        GenericError: GENERIC_ERROR,
      },
      responses: refusals([...new Set([400, 401, 404, 405, duplicateStatus, 413, 422, 429])].sort()),
    },
  };
}

const server = (description: string, variable: string, address: string): JsonObject => ({
  url: `{${variable}}`,
  description,
  variables: {
    [variable]: { default: address, description: 'The specification does not give it; the default is a mock gateway.' },
  },
});

function operationOf(row: Operation, box: SchemaBox, locationRequired: boolean, duplicateStatus: number): JsonObject {
  const { summary, description, schema, body, success } = OPERATION_WORDS[row.name];
  const statuses = [400, 401, 404, 405, ...(row.reference ? [duplicateStatus] : []), 413, 422, 429];
  return {
    operationId: row.name,
    summary,
    description,
    tags: [row.reference ? 'reports' : 'verification'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: requestOf(row, box, schema, body, locationRequired),
          example: EXAMPLES[row.name],
        },
      },
    },
    responses: {
      200: {
        description: success,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${row.reference ? 'ReportAnswer' : 'NinVerification'}` },
          },
        },
      },
      ...Object.fromEntries(statuses.map((status) => [status, refusalAnswer(status)])),
    },
  };
}

function requestOf(
  row: Operation,
  box: SchemaBox,
  name: string,
  description: string,
  locationRequired: boolean,
): JsonObject {
  if (row.location === 'none') return box.refer(row.request, name, description);
  const place = box.refer(location, 'Location', 'Section 2.2. Assumption: the coordinates and `source` are required.');
  return box.refer(row.request, name, description, {
    properties: { location: { ...place, description: FIELD_WORDS.location } },
    required: locationRequired ? ['location'] : [],
  });
}

const text: JsonObject = { type: 'string' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

const REPORT_ANSWER: JsonObject = {
  ...object({ message: text }),
  description: 'Section 4.2: one string field.',
  required: ['message'],
};

/** Only `success` is required: the SDK needs no other field. */
const NIN_VERIFICATION: JsonObject = {
  ...object({
    success: { type: 'boolean' },
    status: { type: 'integer', description: 'Mirrors the result status.' },
    message: text,
    data: {
      ...object({
        requestID: text,
        pseudoID: text,
        consentID: text,
        biographicData: object({
          firstName: text,
          middleName: text,
          lastName: text,
          dateOfBirth: { type: 'string', format: 'date' },
          gender: text,
          residenceAddressLine1: text,
          residenceAddressLine2: text,
        }),
        biometricData: {
          type: 'array',
          items: object({
            biometricType: text,
            biometricSubType: text,
            image: { type: 'string', contentEncoding: 'base64' },
          }),
        },
        contactData: object({ phone1: text }),
        tax_details: object({ tax_id: text }),
      }),
      description: 'Present when the number is verified.',
      'x-personal-data': true,
    },
  }),
  description: 'Section 2.4.',
  required: ['success'],
  if: { properties: { success: { const: true } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['data'] },
  else: { properties: { data: false } },
};

/** Names that could change how objects behave. They are refused in every mode. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

const FREE_FORM = {
  type: 'object',
  propertyNames: { not: { enum: FORBIDDEN } },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
};

/** A schema as plain JSON Schema 2020-12, as `toJSONSchema` makes it. */
function plainSchema(field: Field): JsonObject {
  const { $schema: _dialect, ...schema } = toJSONSchema(field) as JsonObject;
  return schema;
}

/** The free form is the one object among the fields: its check on the kinds of its members is a function. */
const fieldSchema = (field: Field): JsonObject => (field._zod.def.type === 'object' ? FREE_FORM : plainSchema(field));

interface SchemaBox {
  /** Returns a reference to a model. The fields `extra` are added to it. */
  refer(
    model: Model,
    name: string,
    description: string,
    extra?: { properties: JsonObject; required: readonly string[] },
  ): JsonObject;
  readonly schemas: JsonObject;
}

function createSchemaBox(mode: ValidationMode): SchemaBox {
  const schemas: JsonObject = {};
  const names = new Map<Model, string>();

  const describe = (name: string, field: Field | Model, within: string): JsonObject => {
    const description = FIELD_WORDS[name];
    const said = description === undefined ? {} : { description };
    if (isModel(field))
      return { ...refer(field, within + name[0]?.toUpperCase() + name.slice(1), description ?? name), ...said };
    return { ...fieldSchema(field), ...said, ...(traitsOf(field).personal && { 'x-personal-data': true }) };
  };

  const refer: SchemaBox['refer'] = (model, name, description, extra) => {
    const known = names.get(model);
    if (known) return { $ref: `#/components/schemas/${known}` };
    names.set(model, name);
    const properties = Object.fromEntries(
      Object.entries(model.fields).map(([field, type]) => [field, describe(field, type, name)]),
    );
    const { required = [] } = plainSchema(model[mode]) as { required?: string[] };
    schemas[name] = {
      type: 'object',
      description,
      properties: { ...properties, ...extra?.properties },
      required: [...required, ...(extra?.required ?? [])],
      ...(mode === 'strict' ? { additionalProperties: false } : { propertyNames: { not: { enum: FORBIDDEN } } }),
    };
    return { $ref: `#/components/schemas/${name}` };
  };

  return { refer, schemas };
}

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
    description:
      'Record not found (section 7). Assumption: the initiated report of a settled one is missing, or the path does not exist.',
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'Assumption: another method than POST.',
    headers: { Allow: { description: 'The allowed methods.', schema: { const: 'POST' } } },
  },
  409: {
    name: 'Conflict',
    description:
      'A report with this identifier is already recorded, and reports are immutable (section 1). The status is an assumption.',
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'Assumption: the body is larger than 1 MiB (section 8 gives no limit).',
  },
  422: {
    name: 'UnprocessableEntity',
    description:
      'A field is wrong; `message` names the fields (section 7 gives the status; the condition is an assumption).',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Rate limited (section 7 gives it for the verification; assumption for reports).',
    headers: {
      'Retry-After': {
        description: 'Seconds to wait, or a date (assumption).',
        schema: { type: 'string', minLength: 1 },
      },
    },
  },
};

const GENERIC_ERROR: JsonObject = {
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
const wordsOf = (status: number): ErrorWords =>
  REFUSALS[status] ?? { name: `Status${status}`, description: REFUSALS[409]?.description ?? '' };

const refusalAnswer = (status: number): JsonObject => ({
  $ref: `#/components/responses/${wordsOf(status).name}`,
});

/** The shared answers by name. */
const refusals = (statuses: readonly number[]): JsonObject =>
  Object.fromEntries(
    statuses.map((status) => {
      const { name, description, headers } = wordsOf(status);
      const schema = {
        allOf: [{ $ref: '#/components/schemas/GenericError' }, { properties: { statusCode: { const: status } } }],
      };
      return [name, { description, ...(headers && { headers }), content: { 'application/json': { schema } } }];
    }),
  );
