import * as z from 'zod/mini';
import { version } from '../../core/platform/version.js';
import { GATEWAY_PATH, type Operation, operationNames, operations } from '../../core/protocol/operations.js';
import type { Field } from '../../core/schema/fields.js';
import { location } from '../../core/schema/location.js';
import { isModel, type Model, type ValidationMode } from '../../core/schema/model.js';
import { isAnything, oneOf, option, readOptions } from '../../core/schema/option-rules.js';
import { EXAMPLES, FIELD_WORDS, type JsonObject, OPERATION_WORDS } from './words.js';

const optionTable = {
  address: option(isAnything, 'http://127.0.0.1:4010'),
  validation: option<ValidationMode>(oneOf('strict', 'partial'), 'strict'),
  location: { required: option<boolean>(isAnything, true) },
  duplicateStatus: option(isAnything, 409),
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
  const read = readOptions('openApiDocument', optionTable, options);
  if (read.problem !== undefined) throw new TypeError(read.problem);
  const { address, validation, location: of, duplicateStatus } = read.complete;
  const paths = Object.fromEntries(
    operationNames.map((name) => {
      const row: Operation = operations[name];
      const description = 'Assumption: another method than POST is answered with 405.';
      return [GATEWAY_PATH + row.path, { description, post: operationOf(row, duplicateStatus) }];
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
        ...requestSchemas(validation, of.required),
        ReportAnswer: REPORT_ANSWER,
        NinVerification: NIN_VERIFICATION,
        GenericError: GENERIC_ERROR,
      },
      responses: refusals([...new Set([...STATUSES, duplicateStatus])].sort()),
    },
  };
}

/** Those of every refusal except that of a repeat, whose status is an option. */
const STATUSES = [400, 401, 404, 405, 413, 422, 429];

const server = (description: string, variable: string, address: string): JsonObject => ({
  url: `{${variable}}`,
  description,
  variables: {
    [variable]: { default: address, description: 'The specification does not give it; the default is a mock gateway.' },
  },
});

function operationOf(row: Operation, duplicateStatus: number): JsonObject {
  const { summary, description, schema, success } = OPERATION_WORDS[row.name];
  const statuses = row.reference ? [...STATUSES, duplicateStatus] : STATUSES;
  return {
    operationId: row.name,
    summary,
    description,
    tags: [row.reference ? 'reports' : 'verification'],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: schemaAddress(schema) }, example: EXAMPLES[row.name] } },
    },
    responses: {
      200: {
        description: success,
        content: {
          'application/json': { schema: { $ref: schemaAddress(row.reference ? 'ReportAnswer' : 'NinVerification') } },
        },
      },
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/${wordsOf(status).name}` }]),
      ),
    },
  };
}

const schemaAddress = (name: string): string => `#/components/schemas/${name}`;

/** Names that could change how objects behave. They are refused in every mode. */
const WITHOUT_FORBIDDEN = { not: { enum: ['__proto__', 'constructor', 'prototype'] } };

/** The rules of a field beside its type, as JSON Schema says them. */
function rulesOf({ patterns = [], range }: Field): JsonObject {
  const written = patterns.map(([{ source }]) => ({ pattern: source }));
  const [minimum, maximum] = range ?? [];
  return {
    ...(written.length > 1 ? { allOf: written } : written[0]),
    ...(range && { minimum, maximum }),
  };
}

/** By name, as zod describes those that check a payload. */
function requestSchemas(mode: ValidationMode, locationRequired: boolean): JsonObject {
  const registry = z.registry<{ id: string; description: string }>();
  const add = (schema: z.core.$ZodType, id: string, description = ''): void => {
    if (!registry.has(schema)) registry.add(schema, { id, description });
  };
  const place = location[mode].schema();
  const leaves = new Map<z.core.$ZodType, Field>();
  const addLeaves = ({ fields }: Model): void => {
    for (const field of Object.values(fields))
      if (isModel(field)) addLeaves(field);
      else leaves.set(field.schema(), field);
  };
  addLeaves(location);
  add(place, 'Location', 'Section 2.2. Assumption: the coordinates and `source` are required.');
  for (const name of operationNames) {
    const row: Operation = operations[name];
    const { schema: id, body } = OPERATION_WORDS[name];
    const request = row.request[mode].schema() as z.ZodMiniObject;
    addLeaves(row.request);
    for (const [field, inner] of Object.entries(row.request.fields))
      if (isModel(inner)) add(inner[mode].schema(), id + field[0]?.toUpperCase() + field.slice(1), FIELD_WORDS[field]);
    const located = () => z.extend(request, { location: locationRequired ? place : z.optional(place) });
    add(row.location === 'none' ? request : located(), id, body);
  }
  const { schemas } = z.toJSONSchema(registry, {
    metadata: registry,
    uri: schemaAddress,
    // The rules are functions for zod; see below.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const leaf = leaves.get(zodSchema);
      if (leaf)
        Object.assign(
          jsonSchema,
          leaf.type && { type: leaf.type },
          rulesOf(leaf),
          leaf.personal && { 'x-personal-data': true },
        );
      const { properties } = jsonSchema;
      if (!properties) return;
      const fields = Object.entries(properties) as [string, JsonObject][];
      for (const [name, property] of fields) property.description = FIELD_WORDS[name];
      if (jsonSchema.additionalProperties === false) return;
      jsonSchema.propertyNames = WITHOUT_FORBIDDEN;
      // An object without fields of its own is free: the check on the kinds of its members is a function.
      jsonSchema.additionalProperties = fields.length > 0 || { type: ['string', 'number', 'boolean'] };
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
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
