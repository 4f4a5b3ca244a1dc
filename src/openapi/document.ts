import { GATEWAY_PATH, type Operation, operationNames, operations } from '../protocol/operations.js';
import { location } from '../schema/location.js';
import type { ValidationMode } from '../schema/model.js';
import { isAnything, oneOf, optional, readOptions } from '../schema/option-rules.js';
import { GENERIC_ERROR, refusalAnswer, refusals } from './answers.js';
import { EXAMPLES } from './examples.js';
import { createSchemaBox, type JsonObject, plainSchema, type SchemaBox } from './json-schema.js';
import { FIELD_WORDS, OPERATION_WORDS } from './words.js';

/** The version of the package. A test keeps it up to date. */
const VERSION = '0.1.0';

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
      version: VERSION,
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
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: "The operator's API key (section 5)." } },
      schemas: { ...box.schemas, ReportAnswer: reportAnswer, NinVerification: ninVerification(), GenericError: GENERIC_ERROR },
      responses: refusals([...new Set([400, 401, 404, 405, duplicateStatus, 413, 422, 429])].sort()),
    },
  };
}

const server = (description: string, variable: string, address: string): JsonObject => ({
  url: `{${variable}}`,
  description,
  variables: { [variable]: { default: address, description: 'The specification does not give it; the default is a mock gateway.' } },
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
      content: { 'application/json': { schema: requestOf(row, box, schema, body, locationRequired), example: EXAMPLES[row.name] } },
    },
    responses: {
      200: {
        description: success,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${row.reference ? 'ReportAnswer' : 'NinVerification'}` } } },
      },
      ...Object.fromEntries(statuses.map((status) => [status, refusalAnswer(status)])),
    },
  };
}

function requestOf(row: Operation, box: SchemaBox, name: string, description: string, locationRequired: boolean): JsonObject {
  if (row.location === 'none') return box.refer(row.request, name, description);
  const place = box.refer(location, 'Location', 'Section 2.2. Assumption: the coordinates and `source` are required.');
  return box.refer(row.request, name, description, {
    properties: { location: { ...place, description: FIELD_WORDS.location } },
    required: locationRequired ? ['location'] : [],
  });
}

const reportAnswer: JsonObject = {
  ...plainSchema(operations.reportSettledWithdrawal.response),
  description: 'Section 4.2: one string field.',
  required: ['message'],
};

/** Section 2.4, including the fields that the section lists and the SDK does not require. */
function ninVerification(): JsonObject {
  const schema = structuredClone(plainSchema(operations.verifyNin.response)) as Schema;
  const data = schema.properties.data as Schema;
  const { biographicData, biometricData } = data.properties as { biographicData: Schema; biometricData: { items: Schema } };
  Object.assign(schema.properties.status as JsonObject, { type: 'integer', description: 'Mirrors the result status.' });
  Object.assign(data, { description: 'Present when the number is verified.', 'x-personal-data': true });
  Object.assign(biographicData.properties.dateOfBirth as JsonObject, { format: 'date' });
  Object.assign(biometricData.items.properties.image as JsonObject, { contentEncoding: 'base64' });
  return {
    ...schema,
    description: 'Section 2.4.',
    if: { properties: { success: { const: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['data'] },
    else: { properties: { data: false } },
  };
}

interface Schema extends JsonObject {
  properties: JsonObject;
}
