import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { GATEWAY_PATH, type OperationName, operations } from '../../../src/core/protocol/operations.js';
import { openApiDocument } from '../../../src/entries/mock.js';
import type { OpenApiOptions } from '../../../src/testing/openapi/document.js';

/** The problems, in words. Empty if there are none. */
type Problems = readonly string[];

/** The document as a validator of bodies. */
export function contractOf({ address, validation, location, duplicateStatus }: OpenApiOptions = {}) {
  const document = JSON.parse(JSON.stringify(openApiDocument({ address, validation, location, duplicateStatus })));
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
  });
  addFormats.default(ajv);
  // `components` is added to each schema, so that its references resolve.
  for (const word of ['x-personal-data', 'components']) ajv.addKeyword(word);
  const checks = new Map<object, ValidateFunction>();

  const judge = ({ content }: { content: { 'application/json': { schema: object } } }, value: unknown): Problems => {
    const { schema } = content['application/json'];
    const check = checks.get(schema) ?? ajv.compile({ ...schema, components: document.components });
    checks.set(schema, check);
    return check(value)
      ? []
      : (check.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
        );
  };
  const postOf = (operation: OperationName) => document.paths[GATEWAY_PATH + operations[operation].path].post;
  const shared = document.components.responses;

  return {
    document,
    request: (operation: OperationName, body: unknown) => judge(postOf(operation).requestBody, body),
    /** An unknown path is answered with the shared 404. */
    response(operation: OperationName | undefined, status: number, body: unknown): Problems {
      const answer = operation ? postOf(operation).responses[status] : status === 404 && shared.NotFound;
      if (!answer) return [`${operation ?? 'an unknown path'} does not list ${status}`];
      return judge(answer.$ref ? shared[answer.$ref.split('/').pop()] : answer, body);
    },
  };
}
