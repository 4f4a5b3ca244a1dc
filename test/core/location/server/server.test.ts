import { describe, expect, test, vi } from 'vitest';
import {
  type ClientOptions,
  createClient,
  fixedLocation,
  type IpProvider,
  LocationError,
  type ValidationError,
} from '../../../../src/entries/index.js';
import { createMockGateway } from '../../../../src/entries/mock.js';
import { betEvent, betUser, settledBet, settledWithdrawal, withdrawalEvent } from '../../../support/factories.js';
import { failureOf, issuesOf } from '../../../support/failure-of.js';
import { placeOf } from '../place-of.js';

const PUBLIC = '102.89.23.45';

const provider = (
  name: string,
  lookup: IpProvider['lookup'],
): IpProvider & { lookup: ReturnType<typeof vi.fn<IpProvider['lookup']>> } => ({
  name,
  lookup: vi.fn(lookup),
});
const knowing = () =>
  provider('knowing', async () => ({ latitude: 9.07, longitude: 7.49, city: 'Abuja', country: 'NG' }));

function server(location: ClientOptions['location'] = {}, more: ClientOptions = {}) {
  const gateway = createMockGateway({ location: { required: location?.required ?? true } });
  const client = createClient({ ...gateway.clientOptions(), location, ...more });
  const sent = () => gateway.reports().at(-1)?.body.location;
  return { client, gateway, sent };
}

const withProviders = (...providers: IpProvider[]) => server({ ip: { providers } });

describe('with clientIP', () => {
  test('the address is looked up and the source is client_ip', async () => {
    const ours = knowing();
    const { client, sent } = withProviders(ours);
    const receipt = await client.reportBetEvent(betEvent(), { clientIP: PUBLIC });
    expect(ours.lookup.mock.calls[0]?.[0].ip).toBe(PUBLIC);
    expect(sent()).toEqual({ latitude: 9.07, longitude: 7.49, city: 'Abuja', country: 'NG', source: 'client_ip' });
    expect(receipt.location).toEqual(sent());
  });

  test('withdrawals, initiated and settled, are located the same way', async () => {
    const { client, gateway } = withProviders(knowing());
    await client.reportWithdrawalEvent(withdrawalEvent(), { clientIP: PUBLIC });
    await client.reportSettledWithdrawal(settledWithdrawal(), { clientIP: PUBLIC });
    expect(gateway.reports().map(({ body }) => body.location)).toMatchObject([
      { source: 'client_ip' },
      { source: 'client_ip' },
    ]);
  });

  test('settled bets and verifications are not located', async () => {
    const ours = knowing();
    const { client } = withProviders(ours);
    await client.verifyNin('99012345678', { clientIP: PUBLIC });
    await failureOf(client.reportSettledBet(settledBet(), { clientIP: PUBLIC }));
    expect(ours.lookup).not.toHaveBeenCalled();
  });

  test('locate finds the same without reporting', async () => {
    const { client, gateway } = withProviders(knowing());
    expect(await client.locate({ clientIP: PUBLIC })).toMatchObject({ latitude: 9.07, source: 'client_ip' });
    expect(gateway.reports()).toEqual([]);
  });

  test('the browser is never asked', async () => {
    const geolocation = { getCurrentPosition: vi.fn() };
    const { client } = server({ ip: { providers: [knowing()] } }, { geolocation });
    await client.reportBetEvent(betEvent(), { clientIP: PUBLIC });
    expect(geolocation.getCurrentPosition).not.toHaveBeenCalled();
  });

  test('with lookups disabled the error says to pass location', async () => {
    const { client } = server({ ip: { enabled: false } });
    const error = await failureOf<LocationError>(client.reportBetEvent(betEvent(), { clientIP: PUBLIC }));
    expect(error).toBeInstanceOf(LocationError);
    expect(error.message).toContain('pass location');
    expect(error.steps).toMatchObject([
      {
        reason: 'not-available',
        message: 'no location source is enabled: see location.browser.enabled and location.ip',
      },
    ]);
  });
});

describe('without clientIP', () => {
  test('nothing is looked up, since that would locate the data centre, and the error says what to pass', async () => {
    const ours = knowing();
    const fetch = vi.fn();
    const { client } = server({ ip: { providers: [ours] } }, { fetch });
    const error = await failureOf<LocationError>(client.reportBetEvent(betEvent()));
    expect(error).toBeInstanceOf(LocationError);
    expect(error).toMatchObject({
      code: 'location',
      outcome: 'not-sent',
      attempts: 0,
      steps: [{ step: 'client-ip', reason: 'no-address' }],
      reference: 'BET-1',
      environment: 'staging',
    });
    expect(error.message).toContain(
      "pass the player's address as clientIP (if clientIpFrom gives undefined, check its trustedProxies), or pass location",
    );
    expect(ours.lookup).not.toHaveBeenCalled();
    expect(fetch).not.toHaveBeenCalled();
  });

  test('locate gives the same error', async () => {
    const error = await failureOf(server().client.locate());
    expect(error).toBeInstanceOf(LocationError);
    expect(error.message).toContain('clientIP');
  });
});

describe('an address that is not public', () => {
  test.each([
    ['10.20.30.40', 'private', '10.0.0.0/8'],
    ['172.16.5.6', 'private', '172.16.0.0/12'],
    ['172.31.255.254', 'private', '172.16.0.0/12'],
    ['192.168.17.18', 'private', '192.168.0.0/16'],
    ['127.1.2.3', 'loopback', '127.0.0.0/8'],
    ['169.254.7.8', 'link-local', '169.254.0.0/16'],
    ['100.64.9.9', 'CGNAT', '100.64.0.0/10'],
    ['100.127.255.1', 'CGNAT', '100.64.0.0/10'],
    ['0.1.2.3', 'this network', '0.0.0.0/8'],
    ['203.0.113.77', 'documentation', '203.0.113.0/24'],
    ['239.1.2.3', 'multicast', '224.0.0.0/4'],
    ['255.255.255.255', 'reserved', '240.0.0.0/4'],
    ['::1', 'loopback', '::1/128'],
    ['::', 'unspecified', '::/128'],
    ['fd12:3456::7', 'private', 'fc00::/7'],
    ['fe80::1234', 'link-local', 'fe80::/10'],
    ['febf::1234', 'link-local', 'fe80::/10'],
    ['2001:db8:77::1', 'documentation', '2001:db8::/32'],
    ['ff02::5678', 'multicast', 'ff00::/8'],
    ['::ffff:10.20.30.40', 'private', '10.0.0.0/8'],
    ['::ffff:7f01:203', 'loopback', '127.0.0.0/8'],
    ['0:0:0:0:0:FFFF:192.168.17.18', 'private', '192.168.0.0/16'],
  ])('%s: the error names the range (%s, %s), never the address', async (clientIP, kind, range) => {
    const ours = knowing();
    const { client } = withProviders(ours);
    const error = await failureOf<LocationError>(client.reportBetEvent(betEvent(), { clientIP }));
    expect(error).toBeInstanceOf(LocationError);
    expect(error.steps).toMatchObject([{ step: 'client-ip', reason: 'not-public' }]);
    expect(error.message).toContain(kind);
    expect(error.message).toContain(`(${range})`);
    expect(error.message).toContain('X-Forwarded-For');
    expect(JSON.stringify(error).replaceAll(range, '')).not.toContain(clientIP);
    expect(ours.lookup).not.toHaveBeenCalled();
  });

  test.each([
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '192.167.1.1',
    '169.253.1.1',
    '223.255.255.255',
  ])('%s, just beside a range, is public', async (clientIP) => {
    await expect(withProviders(knowing()).client.locate({ clientIP })).resolves.toMatchObject({ source: 'client_ip' });
  });

  test.each([
    ['2C0F:F248:0:0:0:0:0:1', '2c0f:f248::1'],
    ['::ffff:102.89.23.45', PUBLIC],
    ['::ffff:6659:172d', PUBLIC],
  ])('%s is public and looked up as %s', async (clientIP, asked) => {
    const ours = knowing();
    await withProviders(ours).client.locate({ clientIP });
    expect(ours.lookup.mock.calls[0]?.[0].ip).toBe(asked);
  });
});

describe('clientIP that is not one address', () => {
  test.each([
    ['a list', '102.89.23.45, 10.0.0.1'],
    ['a port', '102.89.23.45:443'],
    ['a port after IPv6', '[2c0f:f248::1]:443'],
    ['brackets', '[2c0f:f248::1]'],
    ['a zone', 'fe80::1%eth0'],
    ['an octal part', '0102.89.23.45'],
    ['a part beyond 255', '102.89.23.256'],
    ['a shortened form', '102.89.23'],
    ['a whole number', '1717114669'],
    ['a hexadecimal form', '0x66.0x59.0x17.0x2d'],
    ['a name', 'localhost'],
    ['a name that looks like one', 'deadbeef'],
    ['an address with a path', '102.89.23.45/24'],
    ['spaces around it', ' 102.89.23.45'],
    ['two double colons', '2c0f::f248::1'],
    ['nothing', ''],
    ['a number', 42],
    ['null', null],
  ])('%s is a validation error at clientIP that does not repeat it', async (_what, clientIP) => {
    const ours = knowing();
    const { client, gateway } = withProviders(ours);
    const error = await failureOf<ValidationError>(client.reportBetEvent(betEvent(), { clientIP: clientIP as string }));
    expect(error.code).toBe('validation');
    expect(error.issues.map(({ path }) => path)).toEqual(['clientIP']);
    if (typeof clientIP === 'string' && clientIP !== '') expect(JSON.stringify(error)).not.toContain(clientIP);
    expect(ours.lookup).not.toHaveBeenCalled();
    expect(gateway.reports()).toEqual([]);
  });
});

describe('a location that the caller passes', () => {
  test('takes precedence over any lookup', async () => {
    const ours = knowing();
    const { client, sent } = withProviders(ours);
    await client.reportBetEvent(betEvent(), { clientIP: PUBLIC, location: { latitude: 1, longitude: 2 } });
    expect(sent()).toEqual({ latitude: 1, longitude: 2, source: 'provided' });
    expect(ours.lookup).not.toHaveBeenCalled();
  });

  test('keeps its own source', async () => {
    const { client, sent } = server();
    await client.reportBetEvent(betEvent(), { location: { latitude: 1, longitude: 2, source: 'kiosk' } });
    expect(sent()).toMatchObject({ source: 'kiosk' });
  });

  test('may be 0, 0', async () => {
    const { client, sent } = server();
    await client.reportBetEvent(betEvent(), { location: { latitude: 0, longitude: 0, accuracy: 0 } });
    expect(sent()).toMatchObject({ latitude: 0, longitude: 0, accuracy: 0 });
  });

  test.each([
    [{ latitude: 91, longitude: 0 }, ['location.latitude: invalid']],
    [{ latitude: '6.45', longitude: 0 }, ['location.latitude: wrong-type']],
    [{ longitude: 181 }, ['location.latitude: missing', 'location.longitude: invalid']],
    [{ latitude: 1, longitude: 2, lat: 1 }, ['location.lat: unknown-field']],
    [{ latitude: Number.NaN, longitude: 2 }, ['location.latitude: not-json']],
  ])('%j is checked before anything else happens', async (location, expected) => {
    const { client, gateway } = withProviders(knowing());
    const issues = await issuesOf(client.reportBetEvent(betEvent(), { location: location as never, clientIP: PUBLIC }));
    expect(issues).toEqual(expect.arrayContaining(expected));
    expect(gateway.reports()).toEqual([]);
  });

  test('fixedLocation replaces the chain for every call', async () => {
    const { client, sent } = server(fixedLocation({ latitude: 6.45, longitude: 3.39, source: 'terminal' }));
    await client.reportBetEvent(betEvent());
    expect(sent()).toEqual({ latitude: 6.45, longitude: 3.39, source: 'terminal' });
    expect(await placeOf(client.locate())).toEqual(sent());
  });

  test('a location per call takes precedence over fixedLocation', async () => {
    const { client, sent } = server(fixedLocation({ latitude: 6.45, longitude: 3.39 }));
    await client.reportBetEvent(betEvent(), { location: { latitude: 1, longitude: 2 } });
    expect(sent()).toMatchObject({ latitude: 1 });
  });
});

describe('required: false', () => {
  test.each([
    ['without clientIP', undefined],
    ['with an address that is not public', '10.0.0.1'],
    ['with an address that cannot be located', PUBLIC],
  ])('%s the event is sent without a location', async (_when, clientIP) => {
    const failing = provider('failing', async () => undefined);
    const { client, gateway } = server({ required: false, ip: { providers: [failing] } });
    const receipt = await client.reportBetEvent(betEvent(), { clientIP });
    expect(receipt).not.toHaveProperty('location');
    expect(gateway.reports()[0]?.body).not.toHaveProperty('location');
  });

  test('a location that is found is sent', async () => {
    const { client, sent } = server({ required: false, ip: { providers: [knowing()] } });
    await client.reportBetEvent(betEvent(), { clientIP: PUBLIC });
    expect(sent()).toMatchObject({ latitude: 9.07 });
  });

  test('locate still rejects', async () => {
    expect(await failureOf(server({ required: false }).client.locate())).toBeInstanceOf(LocationError);
  });
});

test('sourceNames are sent as source', async () => {
  const { client, gateway } = server({
    sourceNames: { client_ip: 'IP_LOOKUP', provided: 'OPERATOR' },
    ip: { providers: [knowing()] },
  });
  await client.reportBetEvent(betEvent(), { clientIP: PUBLIC });
  await client.reportBetEvent(betEvent({ bet_id: 'BET-2' }), { location: { latitude: 1, longitude: 2 } });
  expect(gateway.reports().map(({ body }) => body.location)).toMatchObject([
    { source: 'IP_LOOKUP' },
    { source: 'OPERATOR' },
  ]);
});

test('a payload that does not validate causes no lookup', async () => {
  const ours = knowing();
  const { client } = withProviders(ours);
  await issuesOf(client.reportBetEvent(betEvent({ user: betUser({ nin: '1' }) }), { clientIP: PUBLIC }));
  expect(ours.lookup).not.toHaveBeenCalled();
});
