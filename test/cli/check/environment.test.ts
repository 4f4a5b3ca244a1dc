import { describe, expect, test, vi } from 'vitest';
import { type Answered, type Asked, checkStaging, gatewayThat } from './in-process.js';

const baseUrl = 'https://gateway.example.com';
const apiKey = 'sk-canary-5f2e91c7';
const gateways = { staging: { baseUrl, apiKey } };

/** Answers the verification of a well-formed number. */
const verifying = (answer: (nin: string) => Answered) => (asked: Asked) => {
  const { nin = '' } = asked.body;
  return /^\d{11}$/.test(nin) ? answer(nin) : undefined;
};

describe('a gateway that does not answer as staging gets no made-up report', () => {
  test.each<[string, (nin: string) => Answered, numbers: number]>([
    ['verifies no number', () => [200, { success: false }], 1],
    ['verifies every number', () => [200, { success: true }], 2],
    ['verifies the wrong one', (nin) => [200, { success: !nin.startsWith('99') }], 1],
    [
      'refuses the other number',
      (nin) => (nin.startsWith('99') ? [200, { success: true }] : [404, { message: 'no such person' }]),
      2,
    ],
    [
      'does not say whether the other number is verified',
      (nin) => [200, nin.startsWith('99') ? { success: true } : {}],
      2,
    ],
  ])('a gateway that %s', async (_, answer, numbers) => {
    const { fetch, asked, reports } = gatewayThat(verifying(answer));
    const { lines, references } = await checkStaging({ gateways, fetch });
    expect(reports()).toEqual([]);
    expect(references).toEqual([]);
    // Any further number could belong to a person.
    expect(asked.filter(({ key, body }) => key === apiKey && /^\d{11}$/.test(body.nin ?? ''))).toHaveLength(numbers);
    expect(lines.filter(({ status }) => status === 'fail')).toMatchObject([
      { advice: expect.stringContaining('--trust-environment') },
    ]);
  });

  test('a gateway that verifies every number gets them with --trust-environment', async () => {
    const { fetch, reports } = gatewayThat(verifying(() => [200, { success: true }]));
    const { lines } = await checkStaging({ gateways, fetch }, { trustEnvironment: true });
    expect(reports().length).toBeGreaterThan(0);
    expect(lines).toContainEqual(expect.objectContaining({ name: 'another number', status: 'fail' }));
  });

  test('a gateway that answers as staging gets them', async () => {
    const { fetch, reports } = gatewayThat(() => undefined);
    await checkStaging({ gateways, fetch });
    expect(reports().length).toBeGreaterThan(0);
  });
});

test('staging is checked unless the command names production, for any LOCATION_SDK_ENVIRONMENT', async () => {
  vi.stubEnv('LOCATION_SDK_ENVIRONMENT', 'production');
  const { fetch, asked } = gatewayThat(() => undefined);
  const checked = checkStaging({ gateways: { production: { baseUrl, apiKey } }, fetch });
  await expect(checked).rejects.toThrow(
    /the staging gateway is not set up.* The production gateway is set up: test it with --environment production\.$/,
  );
  vi.unstubAllEnvs();
  expect(asked).toEqual([]);
});

describe('one address for both environments is noticed', () => {
  test.each([
    ['https://gateway.example.com', 'https://GATEWAY.example.com:443/'],
    ['https://gateway.example.com', 'https://gateway.example.com.'],
    ['http://localhost:4010', 'http://127.0.0.1:4010'],
    ['http://[::1]:4010/a', 'http://localhost:4010/a/'],
  ])('%s and %s', async (first, second) => {
    const { fetch, reports } = gatewayThat(() => undefined);
    const both = { staging: { baseUrl: first, apiKey }, production: { baseUrl: second, apiKey } };
    const { lines } = await checkStaging({ gateways: both, fetch });
    expect(reports()).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ status: 'fail', text: expect.stringContaining('the same address') }),
    );
  });

  test.each([
    ['https://staging.example.com', 'https://gateway.example.com'],
    ['https://gateway.example.com/staging', 'https://gateway.example.com'],
    ['http://localhost:4010', 'http://127.0.0.1:4011'],
    ['http://staging.localhost:4010', 'http://production.localhost:4010'],
  ])('but two addresses are allowed: %s and %s', async (first, second) => {
    const { fetch, reports } = gatewayThat(() => undefined);
    await checkStaging({
      gateways: { staging: { baseUrl: first, apiKey }, production: { baseUrl: second, apiKey } },
      fetch,
    });
    expect(reports().length).toBeGreaterThan(0);
  });
});
