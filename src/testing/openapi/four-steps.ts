import { type OperationName, operations } from '../../core/protocol/operations.js';
import { EXAMPLES, type JsonObject, OPERATION_WORDS } from './words.js';

const STEPS = [
  'reportBetEvent',
  'reportSettledBet',
  'reportWithdrawalEvent',
  'reportSettledWithdrawal',
] as const satisfies OperationName[];

const text = (description: string, example: string) => ({
  type: 'string',
  minLength: 1,
  description,
  examples: [example],
});

const INPUTS: Readonly<Record<string, JsonObject>> = {
  api_key: text("The operator's API key (section 5).", 'mock-api-key'),
  bet_id: text("The operator's identifier of the bet.", 'NG-2026-000017'),
  request_id: text("The operator's identifier of the withdrawal request.", 'WR-2211'),
  nin: text("The player's national identification number (section 8).", '99012345678'),
};

/**
 * The four steps (section 1 of the specification) and a verification as an Arazzo 1.0 document, beside the OpenAPI
 * document `openapi.json`. It shows the order of the calls, each with a body that can be sent unchanged.
 */
export function fourStepsDocument(): JsonObject {
  return {
    arazzo: '1.0.1',
    info: {
      title: 'Operator Reporting Service: the four steps',
      version: '1.0.0',
      description: 'The reports of a bet and of a withdrawal, in this order (section 1 of the specification).',
    },
    sourceDescriptions: [{ name: 'gateway', url: './openapi.json', type: 'openapi' }],
    workflows: [
      {
        workflowId: 'fourSteps',
        summary: 'Report a bet and a withdrawal, each when it begins and when it is settled',
        inputs: inputs('api_key', 'bet_id', 'request_id'),
        steps: STEPS.map((name) => step(name, operations[name].reference)),
      },
      {
        workflowId: 'verifyNin',
        summary: "Verify a player's national identification number",
        inputs: inputs('api_key', 'nin'),
        steps: [{ ...step('verifyNin', 'nin'), outputs: { verified: '$response.body#/success' } }],
      },
    ],
  };
}

const inputs = (...names: string[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, INPUTS[name]])),
  required: names,
});

function step(name: OperationName, own: string): JsonObject {
  return {
    stepId: name,
    description: `${OPERATION_WORDS[name].summary}. ${OPERATION_WORDS[name].description}`,
    operationId: name,
    parameters: [{ name: 'x-api-key', in: 'header', value: '$inputs.api_key' }],
    requestBody: { contentType: 'application/json', payload: { ...EXAMPLES[name], [own]: `$inputs.${own}` } },
    successCriteria: [{ condition: '$statusCode == 200' }],
  };
}
