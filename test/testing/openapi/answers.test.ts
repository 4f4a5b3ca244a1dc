import { describe, expect, test } from 'vitest';
import { GATEWAY_PATH, type OperationName, operationNames, operations } from '../../../src/core/protocol/operations.js';
import { createMockGateway, type MockGateway, type MockGatewayOptions } from '../../../src/entries/mock.js';
import { invalidVectors, validPayload } from '../../vectors/read.js';
import { contractOf } from './contract.js';

const LOCATION = { latitude: 6.45, longitude: 3.39, source: 'gps' };
const ENVIRONMENTS = { staging: '', production: '/production' };

/** The body of an operation as the SDK sends it. */
const bodyOf = (operation: OperationName, changes: object = {}) => ({
  ...(operations[operation].location !== 'none' && { location: LOCATION }),
  ...validPayload(operation),
  ...('after' in operations[operation] && initiated(operation)),
  ...changes,
});

/** The identifier of the initiated report. */
const initiated = (operation: OperationName) => {
  const row = operations[operation];
  if (!('after' in row)) return {};
  return { [row.reference]: validPayload(row.after)[row.reference] };
};

interface Asked {
  operation?: OperationName;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
  environment?: keyof typeof ENVIRONMENTS;
}

/** Sends a request and returns the document's problems with the answer. */
function asker(options: MockGatewayOptions = {}) {
  const gateway = createMockGateway(options);
  const contract = contractOf(options);
  return async ({
    operation,
    path,
    method = 'POST',
    headers = { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
    body,
    environment = 'staging',
  }: Asked) => {
    const address = `http://mock.localhost${ENVIRONMENTS[environment]}${path ?? GATEWAY_PATH + (operation && operations[operation].path)}`;
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? (operation && bodyOf(operation)));
    const answer = await gateway.fetch(address, {
      method,
      headers,
      ...(method !== 'GET' && method !== 'HEAD' && { body: text }),
    });
    const said: unknown = await answer.json();
    return {
      status: answer.status,
      headers: answer.headers,
      problems: contract.response(operation, answer.status, said),
    };
  };
}

const right = (status: number) => expect.objectContaining({ status, problems: [] });
const reports = operationNames.filter((name) => 'reference' in operations[name]);
const settled = reports.filter((name) => 'after' in operations[name]);
const environments = Object.keys(ENVIRONMENTS) as (keyof typeof ENVIRONMENTS)[];

describe.each(environments)('every answer is as the document says, in %s', (environment) => {
  test('an unknown path', async () => {
    for (const path of [
      '/',
      '/integration-gateway/external/',
      '/integration-gateway/external/report',
      '/production/production/',
      '/__proto__',
    ]) {
      expect(await asker()({ path, environment, body: {} })).toEqual(right(404));
    }
  });

  test.each(operationNames)('%s: methods, keys, rate, bodies', async (operation) => {
    const ask = asker();
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await ask({ operation, environment, method });
      expect(answer).toEqual(right(405));
      expect(answer.headers.get('allow')).toBe('POST');
    }
    expect(await ask({ operation, environment, headers: {} })).toEqual(right(401));
    expect(
      await ask({ operation, environment, headers: { 'content-type': 'application/json', 'x-api-key': 'wrong' } }),
    ).toEqual(right(401));
    expect(await ask({ operation, environment, body: 'x'.repeat(1024 * 1024 + 1) })).toEqual(right(413));
    for (const body of ['', 'nonsense', '[]', 'null', '{"a":'])
      expect(await ask({ operation, environment, body })).toEqual(right(400));

    const limited = asker({ rateLimit: { requests: 1, perMs: 60_000 } });
    await limited({ operation, environment });
    const answer = await limited({ operation, environment });
    expect(answer).toEqual(right(429));
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
  });

  // Both environments have the same rules, so each wrong field is sent to one of them.
  test.each(invalidVectors.filter((_, index) => index % 2 === environments.indexOf(environment)))(
    'a wrong field: $operation, $case',
    async ({ operation, payload }) => {
      const answer = await asker()({
        operation,
        environment,
        body: operations[operation].location === 'none' ? payload : { location: LOCATION, ...payload },
      });
      expect(answer).toEqual(right(operation === 'verifyNin' ? 400 : 422));
    },
  );

  test.each(settled)('%s without its initiated report', async (operation) => {
    expect(await asker()({ operation, environment })).toEqual(right(404));
  });

  test.each([409, 422, 400, 418])(
    'success, the same data and other data, with the duplicate status %i',
    async (duplicateStatus) => {
      const ask = asker({ duplicateStatus });
      for (const operation of reports) {
        expect(await ask({ operation, environment })).toEqual(right(200));
        expect(await ask({ operation, environment })).toEqual(right(duplicateStatus));
        const other = operation === 'reportSettledBet' ? { ggr: 1 } : { amount: 1 };
        expect(await ask({ operation, environment, body: bodyOf(operation, other) })).toEqual(right(duplicateStatus));
      }
    },
  );

  test('verified numbers and others', async () => {
    const ask = asker({ identities: { '12345678901': { requestID: 'R' } } });
    for (const nin of ['99000000000', '99012345678', '99999999999', '12345678901', '00000000000']) {
      expect(await ask({ operation: 'verifyNin', environment, body: { nin } })).toEqual(right(200));
    }
  });

  test('partial validation without a location', async () => {
    const ask = asker({ validation: 'partial', location: { required: false }, requireInitiated: false });
    for (const operation of reports) {
      const { reference } = operations[operation] as { reference: string };
      expect(
        await ask({ operation, environment, body: { [reference]: 'R', user: { user_id: 'U' }, more: 1 } }),
      ).toEqual(right(200));
      expect(await ask({ operation, environment, body: { [reference]: 'S' } })).toEqual(right(422));
    }
  });
});

test('the invented identity has every field of section 2.4', async () => {
  const { document } = contractOf();
  const { data } = document.components.schemas.NinVerification.properties;
  const answer = await gatewayAnswer(createMockGateway(), '99012345678');
  expect(Object.keys(answer.data)).toEqual(Object.keys(data.properties));
  expect(Object.keys(answer.data.biographicData)).toEqual(Object.keys(data.properties.biographicData.properties));
});

async function gatewayAnswer(gateway: MockGateway, nin: string) {
  const { path } = operations.verifyNin;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
    body: JSON.stringify({ nin }),
  };
  return (await gateway.fetch(`http://mock.localhost${GATEWAY_PATH}${path}`, init)).json();
}
