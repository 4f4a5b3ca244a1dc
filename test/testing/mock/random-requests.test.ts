import { expect, test } from 'vitest';
import { operations } from '../../../src/core/protocol/operations.js';
import { createMockGateway, type MockGateway, type MockGatewayOptions } from '../../../src/entries/mock.js';
import { serve } from '../../../src/entries/node.js';
import { sampleSize } from '../../support/cases.js';
import { contractOf } from '../openapi/contract.js';
import { isTooLong, type RandomRequest, randomRequests } from './random-requests.js';

/** The problems of an answer, in words. */
function problemsOf(
  asked: RandomRequest,
  status: number,
  body: string,
  contract: ReturnType<typeof contractOf>,
): readonly string[] {
  if (asked.method === 'HEAD') return status === 405 || status === 404 ? [] : [`HEAD ${status}`];
  if (asked.operation && asked.hasKey && /^post$/i.test(asked.method) && (status === 413) !== isTooLong(asked))
    return [`${status} for ${asked.body?.length} characters`];
  return contract.response(asked.operation, status, JSON.parse(body));
}

/** The rules of the ledger, checked from outside. */
function expectConsistent(gateway: MockGateway, recorded: number, options: MockGatewayOptions) {
  const contract = contractOf(options);
  const held = (['staging', 'production'] as const).map((environment) => gateway.reports(environment));
  for (const reports of held) {
    const names = reports.map(({ operation, reference }) => `${operation} ${reference}`);
    expect(new Set(names).size).toBe(names.length);
    for (const [index, { operation, reference, body }] of reports.entries()) {
      const row = operations[operation];
      expect(contract.request(operation, body)).toEqual([]);
      expect('reference' in row && body[row.reference]).toBe(reference);
      if ('after' in row && options.requireInitiated !== false)
        expect(names.indexOf(`${row.after} ${reference}`)).toBeLessThan(index);
      if ('after' in row && options.requireInitiated !== false) expect(names).toContain(`${row.after} ${reference}`);
    }
  }
  expect(held.flat()).toHaveLength(recorded);
  expect(gateway.requests().length).toBeLessThanOrEqual(1_000);
  const other = createMockGateway(options);
  // Compared as JSON text, since JSON.stringify writes -0 as 0.
  const written = JSON.stringify(gateway.snapshot());
  other.restore(JSON.parse(written));
  expect(JSON.stringify(other.snapshot())).toBe(written);
}

test.each<[number, MockGatewayOptions, seed: number]>([
  [sampleSize('random requests to the mock gateway', 20_000), {}, 60_000],
  [
    sampleSize('random requests to a lenient mock gateway', 12_000),
    { validation: 'partial', location: { required: false }, requireInitiated: false, duplicateStatus: 422 },
    40_000,
  ],
])(
  '%i random requests are each answered as the document says: %j',
  async (count, options, seed) => {
    const gateway = createMockGateway(options);
    const contract = contractOf(options);
    const next = randomRequests(seed);
    const statuses = new Map<number, number>();
    let recorded = 0;
    for (let index = 0; index < count; index += 1) {
      const asked = next();
      const { method, path, headers, body, operation } = asked;
      const request = new Request(`http://mock.localhost${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      const answer = await gateway.handle(request);
      const problems = problemsOf(asked, answer.status, answer.body, contract);
      if (problems.length > 0)
        expect.fail(`request ${index}, ${method} ${path}: ${problems.join('; ')}\n${body?.slice(0, 500)}`);
      if (answer.status === 200 && operation !== 'verifyNin') recorded += 1;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
    // The requests must be of all kinds, otherwise the test shows nothing.
    const expected = [200, 400, 401, 404, 405, ...(options.duplicateStatus ? [] : [409]), 413, 422];
    // Too long is one in thousands, so a sample may have none.
    if (count < 10_000) statuses.set(413, 1);
    expect([...statuses.keys()].sort()).toEqual(expected);
    for (const [status, times] of statuses)
      expect(times, String(status)).toBeGreaterThan(count / (status === 413 ? 10_000 : 120));
    expect(recorded).toBeGreaterThan(count / 120);
    expectConsistent(gateway, recorded, options);
  },
  60_000,
);

const OVER_A_SOCKET = sampleSize('random requests over a socket', 600);

test(`${OVER_A_SOCKET} random requests over a socket`, async () => {
  const server = await serve(createMockGateway());
  const contract = contractOf();
  const next = randomRequests(3);
  let recorded = 0;
  try {
    for (let index = 0; index < OVER_A_SOCKET; index += 1) {
      const asked = next();
      const { method, path, headers, body, operation } = asked;
      const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) });
      const text = await answer.text();
      expect(answer.status, `request ${index}, ${method} ${path}`).toBeLessThan(500);
      // Other paths are the server's own, and Node.js refuses other methods.
      if (operation && method !== 'BREW')
        expect(problemsOf(asked, answer.status, text, contract), `request ${index}, ${method} ${path}`).toEqual([]);
      if (answer.status === 200 && operation && operation !== 'verifyNin') recorded += 1;
    }
    expect(recorded).toBeGreaterThan(OVER_A_SOCKET / 20);
    expectConsistent(server.gateway, recorded, {});
  } finally {
    await server.close();
  }
}, 60_000);
