import { describe, expect, it, test, vi } from 'vitest';
import type { RelayedOptions } from '../../../src/core/client/options.js';
import type { PageGlobal } from '../../../src/core/client/page-global.js';
import { type ConfigurationError, createClient } from '../../../src/entries/index.js';
import * as page from '../../../src/entries/page.js';
import { betEvent, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';
import { bet, lost, once, scripted as scriptedGateway } from '../delivery/scripted-gateway.js';
import { recorded, scripted } from '../delivery/scripted-relay.js';
import { byTransport } from '../delivery/wire.js';

const relayUrl = 'https://operator.example.com/location-sdk';

const refusal = async (options: object) => (await failureOf<ConfigurationError>(() => createClient(options))).message;

describe('relayUrl', () => {
  test.each([
    ['https://operator.example.com/location-sdk', 'https://operator.example.com/location-sdk'],
    ['https://operator.example.com/location-sdk///', 'https://operator.example.com/location-sdk'],
    ['https://operator.example.com', 'https://operator.example.com'],
    ['http://127.0.0.1:4020/relay', 'http://127.0.0.1:4020/relay'],
    ['http://localhost:4020', 'http://localhost:4020'],
    ['http://[::1]:4020', 'http://[::1]:4020'],
  ])('%s is the address of the events', async (relayUrl, address) => {
    const urls: string[] = [];
    const client = createClient({
      relayUrl,
      ...byTransport(async (url) => {
        urls.push(url);
        return recorded();
      }),
    });
    await client.reportBetEvent({ bet_id: 'B-1' });
    expect(urls).toEqual([`${address}/report-bet-event`]);
  });

  test.each([
    ['http://operator.example.com/location-sdk', 'must begin with https://'],
    ['ws://operator.example.com', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://user:secret@operator.example.com', 'contains a user name'],
    ['https://operator.example.com/?key=secret', 'contains a user name, a password, a query or a fragment'],
    ['https://operator.example.com/#secret', 'a fragment'],
    ['/location-sdk?key=secret', 'contains a user name, a password, a query or a fragment'],
    ['//user:secret@operator.example.com/relay', 'contains a user name'],
    ['http://192.168.1.20:3000/relay', 'adb reverse'],
    ['not an address', 'is not an address'],
    ['https://operator.example.com/a b', 'is not an address'],
    ['  ', 'not empty'],
  ])('%s is refused', async (relayUrl, problem) => {
    const message = await refusal({ relayUrl });
    expect(message).toContain('relayUrl');
    expect(message).toContain(problem);
    expect(message).not.toContain('secret');
  });

  test.each([
    ['a gateway', { gateways: { staging: { baseUrl: 'https://gateway.example.com' } } }, 'gateways'],
    ['a key', { gateways: { production: { apiKey: () => 'secret' } } }, 'gateways'],
    ['an environment', { environment: 'production' }, 'environment'],
  ])('beside %s is refused: the relay sets it', async (_, options, name) => {
    expect(await refusal({ relayUrl, ...options })).toMatch(new RegExp(`- ${name}: .*leave (?:it|them) out`));
  });

  test('beside allowInsecureHttp is refused, since that is for gateways', async () => {
    expect(await refusal({ relayUrl, allowInsecureHttp: true })).toContain(
      '- allowInsecureHttp: is for a staging gateway, never for a relay; leave it out',
    );
    expect(() => createClient({ relayUrl, allowInsecureHttp: false })).not.toThrow();
  });

  test('relayCredentials is one of the three', async () => {
    expect(await refusal({ relayUrl, relayCredentials: 'always' })).toContain("'same-origin' or 'include' or 'omit'");
  });

  test('nothing is read from the environment variables, including mock mode', async () => {
    process.env.LOCATION_SDK_MOCK = 'http://127.0.0.1:4010';
    process.env.LOCATION_SDK_STAGING_BASE_URL = 'not an address';
    try {
      const warnings: string[] = [];
      const { client, run, sent } = scripted([recorded()], { logger: { warn: (line) => warnings.push(line) } });
      await run(client.reportBetEvent({ bet_id: 'B-1' }));
      expect(new URL(sent[0]?.url ?? '').host).toBe('operator.example.com');
      expect(warnings).toEqual([]);
    } finally {
      delete process.env.LOCATION_SDK_MOCK;
      delete process.env.LOCATION_SDK_STAGING_BASE_URL;
    }
  });
});

describe.each([
  ['location-sdk', createClient],
  ['location-sdk/page', page.createClient],
] as const)('a path as the relayUrl of %s, on a server that renders a page,', (_, make) => {
  const words =
    'this ran on a server during rendering: call it in the browser (an effect, an event handler). Nothing was sent.';
  const fetch = () => Promise.reject(new Error('nothing may be sent'));

  test.each(['/relay', 'relay', './relay', '//relay.example.com'])('may be %s when the module is loaded', (path) => {
    expect(() => make({ relayUrl: path })).not.toThrow();
  });

  test('ends each call with this message, before any other problem', async () => {
    const client = make({ relayUrl: '/relay', fetch });
    for (const call of [
      client.reportBetEvent({ bet_id: 'B-1' }),
      client.reportBetEvent({} as never),
      client.reportWithdrawalEvent({ request_id: 'W-1' }),
    ])
      expect(await failureOf(call)).toMatchObject({
        code: 'configuration',
        outcome: 'not-sent',
        message: expect.stringContaining(words),
      });
    expect(await failureOf(client.locate())).toMatchObject({ code: 'configuration', message: `locate: ${words}` });
  });

  test('is resolved once there is a page', async () => {
    const urls: string[] = [];
    const client = make({
      relayUrl: '/relay',
      fetch: async (url) => {
        urls.push(url);
        return recorded();
      },
    });
    vi.stubGlobal('location', { href: 'https://play.example.com/slots/' });
    try {
      await client.reportBetEvent({ bet_id: 'B-1' });
    } finally {
      vi.unstubAllGlobals();
    }
    await client.reportBetEvent({ bet_id: 'B-1' });
    expect(urls).toEqual(Array(2).fill('https://play.example.com/relay/report-bet-event'));
  });
});

describe('the payload', () => {
  const sentFor = async (payload: object, options?: Omit<RelayedOptions, 'relayUrl'>) => {
    const { client, run, sent } = scripted([recorded()], options);
    await run(client.reportBetEvent(payload as never));
    return JSON.parse(String(sent[0]?.init.body));
  };

  it('needs only its identifier, and gets the time', async () => {
    expect(await sentFor({ bet_id: 'B-1' })).toEqual({ bet_id: 'B-1', timestamp: '1795161600' });
  });

  it.each<[string, object]>([
    ['the whole user', betEvent({ bet_id: 'B-1', amount: 3 })],
    ['a part of one', { bet_id: 'B-1', amount: 3, user: { nin: '99012345678' } }],
    ['a NIN that is a number', { bet_id: 'B-1', amount: 3, user: { nin: 99012345678 } }],
    ['null as the user', { bet_id: 'B-1', amount: 3, user: null }],
    ['a userId', { bet_id: 'B-1', amount: 3, userId: 'U-88412' }],
  ])('of code without types leaves the page without %s: the relay adds the player', async (_, payload) => {
    const { metadata: _metadata, ...sent } = await sentFor(payload);
    expect(sent).toEqual({ bet_id: 'B-1', amount: 3, timestamp: '1795161600' });
  });

  it('of a withdrawal leaves the page without its user and userId, in an attempt and in a resend', async () => {
    const answer = recorded({ operation: 'reportWithdrawalEvent', reference: 'WR-1' });
    const { client, run, sent } = scripted([lost(), answer], once);
    const withdrawal = withdrawalEvent();
    const before = structuredClone(withdrawal);
    const error = await run(failureOf(client.reportWithdrawalEvent(withdrawal as never)));
    await run(client.resend(error));
    expect(sent).toHaveLength(2);
    const { user: _, userId: __, ...rest } = before;
    for (const { init } of sent) expect(JSON.parse(String(init.body))).toEqual({ timestamp: '1795161600', ...rest });
    expect(withdrawal).toEqual(before);
  });

  it('has the location that the caller passes, in the payload or in the options', async () => {
    const location = { latitude: 1, longitude: 2, source: 'gps' };
    expect((await sentFor({ bet_id: 'B-1', location })).location).toEqual(location);
    const { client, run, sent } = scripted([recorded()]);
    const receipt = await run(client.reportBetEvent({ bet_id: 'B-1' }, { location: { ...location, accuracy: 4 } }));
    expect(JSON.parse(String(sent[0]?.init.body)).location).toEqual({ ...location, accuracy: 4 });
    expect(receipt.location).toMatchObject({ source: 'client_ip' });
  });

  test.each<[string, object, string[]]>([
    ['no identifier', {}, ['bet_id: missing']],
    ['a wrong amount', { bet_id: 'B-1', amount: '1500' }, ['amount: wrong-type']],
    ['an unknown field', { bet_id: 'B-1', stake: 3 }, ['stake: unknown-field']],
    ['a wrong location', { bet_id: 'B-1', location: { latitude: 91, longitude: 0 } }, ['location.latitude: invalid']],
    ['an environment', { bet_id: 'B-1', environment: 'staging' }, ['environment: invalid']],
    ["the player's address", { bet_id: 'B-1', clientIP: '102.89.23.1' }, ['clientIP: invalid']],
  ])('with %s is refused, and nothing is sent', async (_, payload, issues) => {
    const { client, sent } = scripted([]);
    expect(await issuesOf(client.reportBetEvent(payload as never))).toEqual(issues);
    expect(sent).toEqual([]);
  });

  it('may have unknown fields in partial mode, as at a gateway', async () => {
    expect(await sentFor({ bet_id: 'B-1', stake: 3 }, { validation: 'partial' })).toMatchObject({ stake: 3 });
    const { client } = scripted([], { validation: 'partial' });
    expect(await issuesOf(client.reportBetEvent({ amount: 3 } as never))).toEqual(['bet_id: missing']);
  });

  it('of a withdrawal may leave out what the backend knows', async () => {
    const { client, run, sent } = scripted([recorded({ operation: 'reportWithdrawalEvent', reference: 'WR-1' })]);
    const { request_id, amount, metadata } = withdrawalEvent();
    await run(client.reportWithdrawalEvent({ request_id, amount, metadata }));
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual({ request_id, amount, metadata, timestamp: '1795161600' });
    expect(
      await issuesOf(client.reportWithdrawalEvent({ request_id, metadata: { account_last4: '0123456789' } })),
    ).toEqual(['metadata.account_last4: invalid']);
  });
});

describe('the options of a call', () => {
  test.each([
    ['environment', { environment: 'staging' } as const],
    ['clientIP', { clientIP: '102.89.23.1' }],
  ])('%s is set by the relay', async (name, options) => {
    const { client, sent } = scripted([]);
    expect(await issuesOf(client.reportBetEvent({ bet_id: 'B-1' }, options))).toEqual([`${name}: invalid`]);
    expect(sent).toEqual([]);
  });
});

test.each<[string, (client: ReturnType<typeof createClient>) => Promise<unknown>]>([
  ['verifyNin', (client) => client.verifyNin('99012345678')],
  ['reportSettledBet', (client) => client.reportSettledBet(settledBet())],
  ['reportSettledWithdrawal', (client) => client.reportSettledWithdrawal(settledWithdrawal())],
])('%s is not for a relay, in any runtime', async (operation, call) => {
  const { client, sent } = scripted([]);
  const error = await failureOf(call(client as never));
  expect(error).toMatchObject({ code: 'configuration', operation, outcome: 'not-sent' });
  expect(error.message).toContain('Nothing was sent. Call it from your backend.');
  expect(sent).toEqual([]);
});

describe('resend', () => {
  it('of a relay refuses a report for a gateway, and does not change it', async () => {
    const gateway = scriptedGateway([lost(), lost()], once);
    const error = await gateway.failure();
    const { client, sent } = scripted([]);
    const refused = await failureOf(client.resend(error));
    expect(refused).toMatchObject({ code: 'configuration', outcome: 'unknown' });
    expect(sent).toEqual([]);
    expect(await gateway.failure(gateway.client.resend(refused))).toMatchObject({
      code: 'network',
      reference: bet.bet_id,
    });
  });

  it('of a gateway refuses a report for a relay, which may be incomplete', async () => {
    const error = await scripted([lost()], once).failure();
    const gateway = scriptedGateway([]);
    expect(await failureOf(gateway.client.resend(error))).toMatchObject({ code: 'configuration', outcome: 'unknown' });
    expect(gateway.sent).toEqual([]);
  });
});

test('the types require only the identifier, offer no settlement, and include the answer of an outbox', () => {
  const client = createClient({ relayUrl });
  const typed = () => {
    const reported = client.reportBetEvent({ bet_id: 'B-1', amount: 3 });
    // @ts-expect-error a bet has its identifier
    client.reportBetEvent({ amount: 3 });
    // @ts-expect-error there is no field of this name
    client.reportBetEvent({ bet_id: 'B-1', stake: 3 });
    // @ts-expect-error the relay adds the player
    client.reportBetEvent({ bet_id: 'B-1', user: { nin: '99012345678' } });
    // @ts-expect-error the relay adds the player
    client.reportWithdrawalEvent({ request_id: 'W-1', userId: 'U-1' });
    // @ts-expect-error the environment is the relay's
    client.reportBetEvent({ bet_id: 'B-1', environment: 'staging' });
    // @ts-expect-error a relay settles nothing
    client.reportSettledBet(settledBet());
    // @ts-expect-error without a relay every field is required
    createClient().reportBetEvent({ bet_id: 'B-1' });
    return reported.then(({ outcome }) => outcome satisfies 'recorded' | 'already-recorded' | 'accepted');
  };
  expect(typed).toBeTypeOf('function');
});

test.each<[string, typeof page | PageGlobal]>([
  ['location-sdk/page', page],
  ['the script tag', {} as PageGlobal],
])('the functions and configure of %s have the types of a page', (_, sdk) => {
  const typed = () => {
    sdk.configure({ relayUrl });
    // @ts-expect-error a page has a relay, and no gateway
    sdk.configure({ gateways: { staging: { baseUrl: 'https://gateway.example.com' } } });
    // @ts-expect-error a page has a relay
    sdk.configure();
    // @ts-expect-error the relay adds the player
    sdk.reportBetEvent({ bet_id: 'B-1', user: { nin: '99012345678' } });
    // @ts-expect-error the relay adds the player
    sdk.reportWithdrawalEvent({ request_id: 'W-1', user: { nin: '99012345678' } });
    // @ts-expect-error the relay adds the player
    sdk.reportWithdrawalEvent({ request_id: 'W-1', userId: 'U-1' });
    // @ts-expect-error the relay adds the player
    sdk.createClient({ relayUrl }).reportBetEvent({ bet_id: 'B-1', user: { nin: '99012345678' } });
    const reports = [sdk.reportBetEvent({ bet_id: 'B-1' }), sdk.reportWithdrawalEvent({ request_id: 'W-1' })];
    return reports.map((report) =>
      report.then(({ outcome }) => outcome satisfies 'recorded' | 'already-recorded' | 'accepted'),
    );
  };
  expect(typed).toBeTypeOf('function');
});
