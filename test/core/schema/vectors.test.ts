import { describe, expect, it } from 'vitest';
import { hasCode } from '../../../src/core/errors/errors.js';
import { type OperationName, operations } from '../../../src/core/protocol/operations.js';
import { type CallOptions, createClient } from '../../../src/entries/index.js';
import { createMockGateway, type MockGateway } from '../../../src/entries/mock.js';
import { issuesOf } from '../../support/failure-of.js';
import { invalidVectors, type ValidVector, validPayload, validVectors } from '../../vectors/read.js';

/** The fields that the SDK adds if the caller left them out. No other field may appear. */
const ADDED: Readonly<Record<OperationName, readonly string[]>> = {
  reportBetEvent: ['timestamp', 'location'],
  reportSettledBet: [],
  reportWithdrawalEvent: ['timestamp', 'location'],
  reportSettledWithdrawal: [],
  verifyNin: [],
};

/** A client with a mock gateway, and every body that it sends. */
function setUp(gateway = createMockGateway({ requireInitiated: false })) {
  const sent: unknown[] = [];
  const options = gateway.clientOptions();
  const client = createClient({
    ...options,
    fetch: (url, init) => {
      sent.push(JSON.parse(init.body ?? ''));
      return gateway.fetch(url, init);
    },
  });
  const call = (operation: OperationName, payload: unknown, callOptions?: CallOptions) =>
    (client[operation] as (payload: unknown, options?: CallOptions) => Promise<unknown>)(payload, callOptions);
  return { gateway, sent, call };
}

/** The body that the SDK would send, made without the SDK. */
function post(gateway: MockGateway, operation: OperationName, body: Record<string, unknown>) {
  const { gateways, location } = gateway.clientOptions();
  const { baseUrl, apiKey } = gateways.staging;
  return gateway.fetch(`${baseUrl}/integration-gateway/external/${operations[operation].path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ ...(ADDED[operation].includes('location') && { location: location.fixed }), ...body }),
  });
}

/** The body that must arrive for a payload. */
const arriving = ({ operation, payload }: ValidVector) => ({
  ...Object.fromEntries(ADDED[operation].map((name) => [name, expect.anything()])),
  ...payload,
});

describe('a valid payload', () => {
  it.each(validVectors)('reaches the gateway once, with every value unchanged: $operation, $case', async (vector) => {
    const { call, sent } = setUp();
    const given = structuredClone(vector.payload);
    await call(vector.operation, given);
    expect(sent).toStrictEqual([arriving(vector)]);
    expect(given).toStrictEqual(vector.payload);
  });

  const reports = validVectors.filter(({ operation }) => 'reference' in operations[operation]);
  it.each(reports)('is recorded: $operation, $case', async (vector) => {
    const { call, gateway } = setUp();
    const { operation } = vector;
    await expect(call(operation, vector.payload)).resolves.toMatchObject({ outcome: 'recorded', operation });
    expect(gateway.reports()).toMatchObject([{ operation, body: arriving(vector) }]);
  });
});

it('the four steps are recorded in their order, the settled ones because they were initiated', async () => {
  const { call, gateway } = setUp(createMockGateway());
  const steps = ['reportBetEvent', 'reportSettledBet', 'reportWithdrawalEvent', 'reportSettledWithdrawal'] as const;
  for (const operation of steps) await call(operation, validPayload(operation));
  expect(gateway.reports().map(({ operation }) => operation)).toEqual(steps);
});

describe.each(invalidVectors)('an invalid payload: $operation, $case', ({ operation, payload, paths, sensitive }) => {
  it('rejects with one error that names every wrong field, and sends nothing', async () => {
    const { call, sent } = setUp();
    const error = await call(operation, payload).catch((thrown: unknown) => thrown);
    if (!hasCode(error, 'validation')) expect.fail(`expected a ValidationError, got ${String(error)}`);
    expect(error.issues.map(({ path }) => path).sort()).toEqual([...paths].sort());
    expect(error).toMatchObject({ operation, outcome: 'not-sent', attempts: 0 });
    expect(sent).toEqual([]);
  });

  it('repeats no sensitive value', async () => {
    const { call } = setUp();
    const error = await call(operation, payload).catch((thrown: unknown) => thrown);
    if (!hasCode(error, 'validation')) expect.fail('expected a ValidationError');
    const said = [error.message, JSON.stringify(error), ...error.issues.map(({ message }) => message)].join('\n');
    expect(sensitive.filter((value) => said.includes(value))).toEqual([]);
  });

  it('is refused by the gateway itself, which names every wrong field and records nothing', async () => {
    const gateway = createMockGateway({ requireInitiated: false });
    const response = await post(gateway, operation, payload);
    const body = (await response.json()) as { message: string };
    expect(response.status).toBe(operation === 'verifyNin' ? 400 : 422);
    expect(paths.filter((path) => !body.message.includes(`${path}: `))).toEqual([]);
    expect(gateway.reports()).toEqual([]);
  });
});

describe('partial validation', () => {
  const partial = () => {
    const gateway = createMockGateway({
      validation: 'partial',
      requireInitiated: false,
      location: { required: false },
    });
    return { gateway, client: createClient({ ...gateway.clientOptions(), location: { required: false } }) };
  };

  it('requires only the identifiers, and sends unknown fields', async () => {
    const { gateway, client } = partial();
    const user = { user_id: 'U-1' };
    await client.reportBetEvent({ bet_id: 'B-1', user, stake: 3 });
    await client.reportSettledBet({ bet_id: 'B-1', user });
    await client.reportWithdrawalEvent({ request_id: 'WR-1', user, location: { city: 'Lagos' } });
    await client.reportSettledWithdrawal({ request_id: 'WR-1', user, more: { note: 'x' } } as never);
    expect(gateway.reports().map(({ body }) => body)).toMatchObject([
      { stake: 3 },
      { bet_id: 'B-1' },
      { location: { city: 'Lagos' } },
      { more: { note: 'x' } },
    ]);
    expect(await issuesOf(client.reportBetEvent({ user } as never))).toEqual(['bet_id: missing']);
    expect(await issuesOf(client.reportBetEvent({ bet_id: 'B-2', user: {} } as never))).toEqual([
      'user.user_id: missing',
    ]);
    expect(await issuesOf(client.reportWithdrawalEvent({ user } as never))).toEqual(['request_id: missing']);
  });

  it('keeps the rules on values, and refuses the names of prototypes', async () => {
    const { client } = partial();
    expect(
      await issuesOf(
        client.reportBetEvent({ bet_id: 'B-1', user: { user_id: 'U-1', nin: '1' }, amount: '5' } as never),
      ),
    ).toEqual(['amount: wrong-type', 'user.nin: invalid']);
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const payload: unknown = JSON.parse(`{"bet_id":"B-1","user":{"user_id":"U-1"},"${name}":{"x":1}}`);
      expect(await issuesOf(client.reportBetEvent(payload as never))).toEqual([`${name}: forbidden-field`]);
    }
  });
});

it('an unknown field is reported with the nearest known name, which is missing', async () => {
  const { payout_amount, ...rest } = validPayload('reportSettledBet');
  const error = await setUp()
    .call('reportSettledBet', { ...rest, payoutAmount: payout_amount })
    .catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('payoutAmount: unknown field payoutAmount; did you mean payout_amount?');
});

it('the invalid payloads contain a name, a NIN, a place and an account that a message could repeat', () => {
  const secrets = invalidVectors.flatMap(({ sensitive }) => sensitive);
  expect(secrets).toEqual(expect.arrayContaining(['Adaeze', '99012345678', '9900000000A', '90.5', '0123456789']));
});
