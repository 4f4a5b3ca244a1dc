import { describe, expect, it } from 'vitest';
import { createMockGateway, fourStepsDocument } from '../../../src/entries/mock.js';
import { contractOf } from './contract.js';

interface Step {
  stepId: string;
  description: string;
  operationId: string;
  parameters: { name: string; in: string; value: string }[];
  requestBody: { contentType: string; payload: Record<string, unknown> };
  successCriteria: { condition: string }[];
  outputs?: Record<string, string>;
}

interface Workflow {
  workflowId: string;
  inputs: { properties: Record<string, { examples: string[] }>; required: string[] };
  steps: Step[];
}

const contract = contractOf();
const document = JSON.parse(JSON.stringify(fourStepsDocument())) as {
  arazzo: string;
  sourceDescriptions: object[];
  workflows: Workflow[];
};

const paths = new Map<string, string>(
  Object.entries(contract.document.paths as Record<string, { post: { operationId: string } }>).map(
    ([path, { post }]) => [post.operationId, path],
  ),
);

/** Runs a workflow as the document says, with the examples as its inputs. */
async function walk({ inputs, steps }: Workflow, gateway = createMockGateway()) {
  const resolve = (value: unknown) => {
    const name = typeof value === 'string' && /^\$inputs\.(\w+)$/.exec(value)?.[1];
    return name ? inputs.properties[name]?.examples[0] : value;
  };
  const statuses: number[] = [];
  for (const { operationId, parameters, requestBody } of steps) {
    const headers = Object.fromEntries(parameters.map(({ name, value }) => [name, String(resolve(value))]));
    const body = Object.fromEntries(Object.entries(requestBody.payload).map(([name, value]) => [name, resolve(value)]));
    expect(contract.request(operationId as never, body)).toEqual([]);
    const answer = await gateway.fetch(`http://mock.localhost${paths.get(operationId)}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': requestBody.contentType },
      body: JSON.stringify(body),
    });
    statuses.push(answer.status);
  }
  return { statuses, gateway };
}

describe('the walk-through', () => {
  it('is Arazzo 1.0 in its shape', () => {
    expect(document).toMatchObject({
      arazzo: '1.0.1',
      info: { title: expect.any(String), version: expect.any(String) },
    });
    expect(document.sourceDescriptions).toEqual([{ name: 'gateway', url: './openapi.json', type: 'openapi' }]);
    const ids = document.workflows.map(({ workflowId }) => workflowId);
    expect(ids).toEqual(['fourSteps', 'verifyNin']);
    for (const { steps, inputs } of document.workflows) {
      expect(new Set(steps.map(({ stepId }) => stepId)).size).toBe(steps.length);
      expect(Object.keys(inputs.properties)).toEqual(inputs.required);
      for (const { operationId, successCriteria } of steps) {
        expect(paths.has(operationId), operationId).toBe(true);
        expect(successCriteria).toEqual([{ condition: '$statusCode == 200' }]);
      }
    }
  });

  it('says "assumption" at each step that the specification does not define', () => {
    const [{ steps }] = document.workflows as [Workflow];
    for (const { stepId, description } of steps) expect(description, stepId).toMatch(/assumption/i);
  });

  it('names only its own inputs', () => {
    for (const workflow of document.workflows) {
      const named = [...JSON.stringify(workflow.steps).matchAll(/\$inputs\.(\w+)/g)].map(([, name]) => name);
      expect(new Set(named)).toEqual(new Set(workflow.inputs.required));
    }
  });

  it('works as written, in its order', async () => {
    const [steps, verification] = document.workflows as [Workflow, Workflow];
    const { statuses, gateway } = await walk(steps);
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(gateway.reports().map(({ operation }) => operation)).toEqual(
      steps.steps.map(({ operationId }) => operationId),
    );
    expect((await walk(verification)).statuses).toEqual([200]);
  });

  it('works in no other order', async () => {
    const [{ steps, ...rest }] = document.workflows as [Workflow];
    expect((await walk({ ...rest, steps: [...steps].reverse() })).statuses).toEqual([404, 200, 404, 200]);
  });
});
