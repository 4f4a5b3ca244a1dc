import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ClientOptions, createClient } from '../../../src/entries/index.js';
import { createMockGateway, type MockGateway, type MockGatewayOptions } from '../../../src/entries/mock.js';
import { type MockGatewayAddresses, mockGatewayHandlers } from '../../../src/testing/mock/msw.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf } from '../../support/failure-of.js';

const STAGING = 'https://staging.gateway.example/v(1)';
const PRODUCTION = 'https://gateway.example:8443';
const ADDRESSES = { staging: STAGING, production: PRODUCTION };

/** msw 3 needs Node.js 22.12. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canRun3 = major > 22 || (major === 22 && minor >= 12);

const VERSIONS = [
  { name: 'msw 2', run: true, load: async () => ({ ...(await import('msw')), ...(await import('msw/node')) }) },
  {
    name: canRun3 ? 'msw 3' : `msw 3 (not run: it needs Node.js 22.12, and this is ${process.versions.node})`,
    run: canRun3,
    load: async () => ({ ...(await import('msw-3')), ...(await import('msw-3/node')) }) as unknown as Msw2,
  },
];
type Msw2 = typeof import('msw') & typeof import('msw/node');

for (const { name, run, load } of VERSIONS) {
  describe.skipIf(!run)(name, () => {
    let close: () => void;
    let msw: Msw2;
    beforeEach(async () => {
      msw = await load();
    });
    afterEach(() => close?.());

    function listen(options?: MockGatewayOptions, addresses: MockGatewayAddresses = ADDRESSES): MockGateway {
      const gateway = createMockGateway(options);
      const server = msw.setupServer(...mockGatewayHandlers(msw.http, gateway, addresses));
      // The same option, under its names in msw 2 and msw 3.
      server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as object);
      close = () => server.close();
      return gateway;
    }

    /** A client without any link to the mock gateway: the platform's `fetch`, the real addresses. */
    const clientOf = (gateway: MockGateway, options: Partial<ClientOptions> = {}) => {
      const { location, gateways } = gateway.clientOptions();
      const { apiKey } = gateways.staging;
      return createClient({
        location,
        gateways: { staging: { baseUrl: STAGING, apiKey }, production: { baseUrl: PRODUCTION, apiKey } },
        retry: { baseMs: 0 },
        ...options,
      });
    };

    const post = (path: string, init: RequestInit = {}) =>
      fetch(`${STAGING}/integration-gateway/external/${path}`, { method: 'POST', ...init });

    test('the four steps and a verification', async () => {
      const gateway = listen();
      const client = clientOf(gateway);
      await client.reportBetEvent(betEvent());
      await client.reportSettledBet(settledBet());
      const { location } = await client.reportWithdrawalEvent(withdrawalEvent());
      await client.reportSettledWithdrawal(settledWithdrawal({ location } as never));
      expect(gateway.reports().map(({ operation }) => operation)).toEqual([
        'reportBetEvent',
        'reportSettledBet',
        'reportWithdrawalEvent',
        'reportSettledWithdrawal',
      ]);
      expect(await client.verifyNin('99012345678')).toMatchObject({ success: true });
    });

    test('each address has its environment', async () => {
      const gateway = listen();
      await clientOf(gateway).reportBetEvent(betEvent(), { environment: 'production' });
      expect([gateway.reports().length, gateway.reports('production').length]).toEqual([0, 1]);
    });

    test('without addresses, those of clientOptions', async () => {
      const gateway = listen({}, {});
      const { fetch: _unused, ...options } = gateway.clientOptions();
      await createClient(options).reportBetEvent(betEvent());
      await createClient(options).reportBetEvent(betEvent(), { environment: 'production' });
      expect([gateway.reports().length, gateway.reports('production').length]).toEqual([1, 1]);
    });

    test('an answer that is lost after recording is repaired by the next attempt', async () => {
      const gateway = listen();
      gateway.faults.add({ kind: 'connection-reset', when: 'after' });
      expect(await clientOf(gateway).reportBetEvent(betEvent())).toMatchObject({
        outcome: 'already-recorded',
        attempts: 2,
      });
      expect(gateway.reports()).toHaveLength(1);
    });

    test('a broken connection is a network error, not a 500', async () => {
      const gateway = listen();
      gateway.faults.add({ kind: 'connection-reset' });
      const headers = { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' };
      await expect(post('report-bet-event', { headers, body: '{}' })).rejects.toThrow(TypeError);
      gateway.faults.add({ kind: 'connection-reset' });
      expect(await failureOf(clientOf(gateway, { retry: { limit: 0 } }).reportBetEvent(betEvent()))).toMatchObject({
        code: 'network',
        outcome: 'unknown',
      });
    });

    test('half a body breaks while it is read', async () => {
      const gateway = listen();
      gateway.faults.add({ kind: 'half-body', when: 'after' });
      const answer = await post('nin/verify', {
        headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
        body: '{"nin":"99012345678"}',
      });
      expect(answer.status).toBe(200);
      // msw 2 breaks off, msw 3 ends early: in both the answer is never complete.
      await expect(answer.json()).rejects.toThrow();
    });

    test('a pending answer ends with the signal of the caller, or with reset', async () => {
      const gateway = listen();
      gateway.faults.add({ kind: 'hang', times: 2 });
      const controller = new AbortController();
      const [aborted, freed] = [controller.signal, undefined].map((signal) =>
        post('report-bet-event', {
          headers: { 'content-type': 'application/json', 'x-api-key': 'mock-api-key' },
          body: '{}',
          ...(signal && { signal }),
        }).then(
          () => 'answered',
          (error: Error) => error.name,
        ),
      );
      await expect.poll(() => gateway.requests({ fault: 'hang' })).toHaveLength(2);
      controller.abort();
      expect(await aborted).toBe('AbortError');
      gateway.reset();
      expect(await freed).toBe('TypeError');
    });

    test.each([
      ['GET', 'report-bet-event', 405],
      ['HEAD', 'report-bet-event', 405],
      ['PUT', 'report-bet-event', 405],
      ['OPTIONS', 'report-bet-event', 405],
      ['POST', 'report-bet-event', 401],
      ['POST', 'report-bet-event?x=1#y', 401],
      ['POST', 'no-such-path', 404],
      ['GET', '', 404],
    ])('%s %s is answered by the gateway with %i', async (method, path, status) => {
      listen();
      expect((await post(path, { method })).status).toBe(status);
    });

    test('a preflight is answered', async () => {
      listen();
      const answer = await post('report-bet-event', {
        method: 'OPTIONS',
        headers: { 'access-control-request-method': 'POST' },
      });
      expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
        204,
        expect.stringContaining('x-api-key'),
      ]);
    });

    test('other addresses stay unhandled, which is an error if msw is configured so', async () => {
      listen();
      const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      for (const url of [
        `${STAGING}/other`,
        `${STAGING}/integration-gatewayx/`,
        'https://staging.gateway.example/v1/integration-gateway/',
        'https://other.example/',
      ]) {
        await expect(fetch(url), url).rejects.toThrow();
      }
      expect(said).toHaveBeenCalledTimes(4);
      said.mockRestore();
    });
  });
}

test.each([
  ['staging', { staging: 'staging.example' }, /address of staging is not an address/],
  ['production', { production: 'https://a:b@gateway.example' }, /address of production contains a user name/],
])('a wrong address of %s is refused', (_environment, addresses, message) => {
  const http = { all: () => undefined };
  expect(() => mockGatewayHandlers(http, createMockGateway(), addresses)).toThrow(message);
  expect(() => mockGatewayHandlers(http, createMockGateway(), addresses)).toThrow(TypeError);
});
