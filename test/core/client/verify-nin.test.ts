import { expect, test } from 'vitest';
import { createClient, GatewayError } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';
import { json, recordingFetch } from '../../support/recording-fetch.js';
import { byTransport } from '../delivery/wire.js';

function answering(body: unknown, status = 200) {
  const { requests, ...by } = recordingFetch(() => json(body, status));
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } },
    ...by,
    retry: { limit: 0 },
  });
  return { client, requests };
}

test('a number may be passed as a string or in an object', async () => {
  const { client, requests } = answering({ success: true });
  await client.verifyNin('00012345678');
  await client.verifyNin({ nin: '00012345678' });
  expect(requests.map(({ body }) => body)).toEqual([{ nin: '00012345678' }, { nin: '00012345678' }]);
});

test('a number that is not verified resolves, and success says so', async () => {
  const { client } = answering({ success: false, status: 200, message: 'not found' });
  expect(await client.verifyNin('12345678901')).toEqual({ success: false, status: 200, message: 'not found' });
});

test('fields that are added to the answer, left out or of other types are not errors, and are kept', async () => {
  const answer = {
    success: true,
    status: '200',
    newField: { nested: [1] },
    data: {
      requestID: 7,
      biographicData: { firstName: null, nickname: 'Ada' },
      biometricData: [],
      somethingElse: true,
    },
  };
  expect(await answering(answer).client.verifyNin('99012345678')).toEqual(answer);
});

test('the complete answer of a verified number arrives', async () => {
  const gateway = createMockGateway();
  const { fetch, ...options } = gateway.clientOptions();
  const client = createClient({ ...options, ...byTransport(fetch) });
  const { success, data } = await client.verifyNin('99012345678');
  expect(success).toBe(true);
  expect(data?.biographicData?.dateOfBirth).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(data?.biometricData?.[0]?.image).toMatch(/^[A-Za-z0-9+/]+=*$/);
});

test.each([[{ message: 'ok' }], [{ success: 'true' }], [[]], ['<html>'], ['']])(
  'an answer %j without a verdict is a gateway error',
  async (body) => {
    expect(await failureOf(answering(body).client.verifyNin('99012345678'))).toBeInstanceOf(GatewayError);
  },
);

test.each(['9901234567', '990123456789', '9901234567a', ' 99012345678', '٩٩٠١٢٣٤٥٦٧٨', ''])(
  '%j is not a number to verify',
  async (nin) => {
    const { client, requests } = answering({ success: true });
    expect(await issuesOf(client.verifyNin(nin))).toEqual(['nin: invalid']);
    expect(requests).toEqual([]);
  },
);

test.each([[99012345678], [{ nin: 99012345678 }]])('a JavaScript number is refused with the reason', async (nin) => {
  const { message } = await failureOf(answering({ success: true }).client.verifyNin(nin as never));
  expect(message).toContain('a number would lose leading zeros');
  expect(message).not.toContain('99012345678');
});

test.each<[nin: string, problem: string]>([
  ['990 1234 5678', 'without a space or another character, got a string of length 13'],
  ['9901234567x', 'without a space or another character, got a string of length 11'],
  ['9901234567', '(a number would lose leading zeros), got a string of length 10'],
])('%j is refused with the reason', async (nin, problem) => {
  const { message } = await failureOf(answering({ success: true }).client.verifyNin(nin));
  expect(message).toContain(`nin: expected a string of exactly 11 digits ${problem}`);
  expect(message).not.toContain(nin);
});

test.each([[undefined], [null], [99012345678], [['99012345678']]])('%j instead of a number is refused', async (nin) => {
  const { client, requests } = answering({ success: true });
  expect((await issuesOf(client.verifyNin(nin as never))).length).toBeGreaterThan(0);
  expect(requests).toEqual([]);
});

test.each([400, 401, 403, 404, 422])(
  'HTTP %i would give the same answer again, and the message does not advise another call',
  async (status) => {
    const error = await failureOf(answering({ message: 'no' }, status).client.verifyNin('99012345678'));
    expect(error.retryable).toBe(false);
    expect(error.message).not.toContain('Call it again.');
  },
);

test.each([408, 429, 500, 503])('HTTP %i may be transient: the message advises another call', async (status) => {
  const error = await failureOf(answering({ message: 'no' }, status).client.verifyNin('99012345678'));
  expect(error.retryable).toBe(true);
  expect(error.message).toContain('Call it again.');
});
