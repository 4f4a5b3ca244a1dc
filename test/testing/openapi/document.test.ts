import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import manifest from '../../../package.json';
import { GATEWAY_PATH, type OperationName, operationNames, operations } from '../../../src/core/protocol/operations.js';
import { createMockGateway, openApiDocument } from '../../../src/entries/mock.js';
import { sampleSize } from '../../support/cases.js';
import { invalidVectors, validPayload, validVectors } from '../../vectors/read.js';
import { contractOf } from './contract.js';

const PAYLOADS = sampleSize('payloads checked with the OpenAPI document', 1_000);

const LOCATION = { latitude: 6.45, longitude: 3.39, source: 'gps' };

/** The body that the SDK would send: it adds the location. */
const sent = (operation: OperationName, payload: object): Record<string, unknown> =>
  operations[operation].location === 'none' ? { ...payload } : { location: LOCATION, ...payload };

const strict = contractOf();

describe('the document', () => {
  it.each([
    [{}],
    [{ validation: 'partial', location: { required: false } }],
    [{ duplicateStatus: 422 }],
    [{ duplicateStatus: 400 }],
    [{ duplicateStatus: 418, address: 'http://gateway.test:1' }],
  ] as const)('is OpenAPI 3.1 by the official schema: %j', async (options) => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(openApiDocument(options))));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  it('follows the specification: base addresses, paths, key', () => {
    const { document } = strict;
    expect(Object.keys(document.paths)).toEqual(operationNames.map((name) => GATEWAY_PATH + operations[name].path));
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(['{staging_base_url}', '{base_url}']);
    expect(document.components.securitySchemes.apiKey).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
    });
    expect(document.security).toEqual([{ apiKey: [] }]);
    expect(document.info.version).toBe(manifest.version);
  });

  it('describes every field, and marks personal fields and assumptions', () => {
    const { BetEventUser, BetEvent, Location } = strict.document.components.schemas;
    for (const schema of [BetEventUser, BetEvent, Location]) {
      for (const [name, field] of Object.entries(schema.properties)) expect(field, name).toHaveProperty('description');
    }
    expect(BetEventUser.properties.nin).toMatchObject({
      type: 'string',
      pattern: '^[0-9]{11}$',
      'x-personal-data': true,
    });
    expect(BetEvent.properties.bet_id).not.toHaveProperty('x-personal-data');
    expect(BetEvent).toMatchObject({ additionalProperties: false, required: ['bet_id', 'amount', 'user', 'location'] });
    expect(JSON.stringify(strict.document)).toContain('ssumption');
  });

  it('defines the same object once', () => {
    expect(Object.keys(strict.document.components.schemas)).toEqual([
      'Location',
      'BetEventUser',
      'BetEvent',
      'SettledBet',
      'WithdrawalEventUser',
      'WithdrawalEventMetadata',
      'WithdrawalEvent',
      'SettledWithdrawal',
      'NinVerificationRequest',
      'ReportAnswer',
      'NinVerification',
      'GenericError',
    ]);
  });

  it.each(operationNames)('contains a valid example of %s', (operation) => {
    const { example } =
      strict.document.paths[GATEWAY_PATH + operations[operation].path].post.requestBody.content['application/json'];
    expect(strict.request(operation, example)).toEqual([]);
  });

  it('follows the options of a gateway', () => {
    const partial = contractOf({ validation: 'partial', location: { required: false } });
    expect(partial.request('reportBetEvent', { bet_id: 'B', user: { user_id: 'U' }, more: 1 })).toEqual([]);
    expect(partial.request('reportBetEvent', { bet_id: 'B', user: { user_id: 'U', nin: '1' } })).not.toEqual([]);
    expect(strict.request('reportBetEvent', { bet_id: 'B', user: { user_id: 'U' } })).not.toEqual([]);
  });
});

describe('the request schemas', () => {
  it.each(validVectors)('accept a valid payload: $operation, $case', ({ operation, payload }) => {
    expect(strict.request(operation, sent(operation, payload))).toEqual([]);
  });

  it.each(invalidVectors)('refuse an invalid payload: $operation, $case', ({ operation, payload }) => {
    expect(strict.request(operation, sent(operation, payload))).not.toEqual([]);
  });

  it('refuse an event without its location', () => {
    expect(strict.request('reportBetEvent', validPayload('reportBetEvent'))).toEqual([
      expect.stringContaining('location'),
    ]);
  });
});

/** A value for a field: nearly valid, or of any kind. */
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\u00a0\ufeff',
    '0',
    '99012345678',
    '99012345678\n',
    '٩٩٠١٢٣٤٥٦٧٨',
    '1795161600',
    '1795161600000',
    '12 34.5',
    '1234-5',
  ),
  fc.constantFrom<unknown>(
    0,
    -0,
    90,
    -90,
    90.0000001,
    180,
    -180.5,
    1e308,
    5e-324,
    99012345678,
    true,
    false,
    [],
    {},
    [1],
    { legs: 1 },
    { a: { b: 1 } },
  ),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[0-9 .-]{1,14}$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
  fc.jsonValue({ maxDepth: 2 }),
);

/** All paths of a body, including inner ones. */
const placesOf = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name]))]
    : [path];

function changed(
  body: Record<string, unknown>,
  place: readonly string[],
  change: 'replace' | 'remove' | 'add',
  name: string,
  value: unknown,
) {
  const copy = structuredClone(body);
  const parent = place
    .slice(0, -1)
    .reduce<Record<string, unknown>>((inner, key) => inner[key] as Record<string, unknown>, copy);
  const last = place.at(-1);
  if (change === 'add' || last === undefined)
    Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
  else if (change === 'remove') delete parent[last];
  else parent[last] = value;
  return copy;
}

test.each([
  ['strict', true],
  ['partial', false],
] as const)('the document and the gateway accept the same bodies: %s', async (validation, required) => {
  const contract = contractOf({ validation, location: { required } });
  const gateway = createMockGateway({ validation, location: { required }, requireInitiated: false });
  const { baseUrl, apiKey } = gateway.clientOptions().gateways.staging;
  const body = fc.constantFrom(...operationNames).chain((operation) => {
    const valid = sent(operation, {
      ...validPayload(operation),
      ...(operation === 'reportBetEvent' && { metadata: { odds: 2 } }),
    });
    const name = fc.oneof(
      fc.constantFrom('more', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'location'),
      fc.string(),
    );
    return fc.record({
      operation: fc.constant(operation),
      body: fc
        .tuple(
          fc.constantFrom(...placesOf(valid)),
          fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
          name,
          anyValue,
        )
        .map((change) => changed(valid, ...change)),
    });
  });
  let taken = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(body, async ({ operation, body }) => {
      const text = JSON.stringify(body);
      const { status } = await gateway.fetch(`${baseUrl}${GATEWAY_PATH}${operations[operation].path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: text,
      });
      const isTaken = status === 200 || status === 409;
      if (isTaken) taken += 1;
      else refused += 1;
      const problems = contract.request(operation, JSON.parse(text));
      expect({ taken: problems.length === 0, problems }).toEqual({
        taken: isTaken,
        problems: isTaken ? [] : expect.anything(),
      });
    }),
    { numRuns: PAYLOADS, seed: 1 },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan(PAYLOADS / 20);
});
