import { describe, expect, test } from 'vitest';
import { type CallOptions, createClient, type ValidationError } from '../../../src/entries/index.js';
import { createMockGateway } from '../../../src/entries/mock.js';
import { betEvent, betUser, settledBet, settledWithdrawal, withdrawalEvent } from '../../support/factories.js';
import { failureOf, issuesOf } from '../../support/failure-of.js';
import { FakeClock } from '../../support/fake-clock.js';
import { json, recordingFetch } from '../../support/recording-fetch.js';

const gps = { latitude: 6.45, longitude: 3.39, accuracy: 12, source: 'gps' };

function recordingClient(more: Parameters<typeof createClient>[0] = {}) {
  const { fetch, requests } = recordingFetch(({ url }) =>
    url.includes('geo.example.com') ? json({ latitude: 9, longitude: 7 }) : json({ message: 'ok' }),
  );
  const provider = {
    name: 'ours',
    async lookup({ ip, fetch: ask, signal }: { ip: string | undefined; fetch: typeof fetch; signal: AbortSignal }) {
      return JSON.parse(
        await (await ask(`https://geo.example.com/${ip}`, { method: 'GET', headers: {}, signal })).text(),
      );
    },
  };
  const client = createClient({
    gateways: { staging: { baseUrl: 'https://gateway.example.com', apiKey: 'key' } },
    location: { ip: { providers: [provider] } },
    fetch,
    ...more,
  });
  return { client, requests, sent: () => requests.at(-1)?.body };
}

describe('parameters in the payload', () => {
  test('clientIP in the payload is used and not sent', async () => {
    const { client, requests, sent } = recordingClient();
    await client.reportBetEvent({ ...betEvent(), clientIP: '102.89.23.1' });
    expect(requests[0]?.url).toBe('https://geo.example.com/102.89.23.1');
    expect(sent()).toMatchObject({ location: { latitude: 9, longitude: 7, source: 'client_ip' } });
    expect(sent()).not.toHaveProperty('clientIP');
  });

  test('location in the payload is moved to the report, and without a source it is sent as provided', async () => {
    const { client, sent } = recordingClient();
    await client.reportBetEvent({ ...betEvent(), location: { latitude: 6.45, longitude: 3.39 } });
    expect(sent()).toMatchObject({ location: { latitude: 6.45, longitude: 3.39, source: 'provided' } });
  });

  test.each([
    ['clientIP', { clientIP: '102.89.23.1' }],
    ['location', { location: gps }],
  ])('%s may be given in both places if it is the same', async (_name, parameter) => {
    const { client, requests } = recordingClient();
    await client.reportBetEvent({ ...betEvent(), ...parameter }, { ...parameter });
    expect(requests.length).toBeGreaterThan(0);
  });

  test('the same location with its members in another order is the same', async () => {
    const { client, sent } = recordingClient();
    await client.reportBetEvent(
      { ...betEvent(), location: gps },
      { location: { source: 'gps', accuracy: 12, longitude: 3.39, latitude: 6.45 } },
    );
    expect(sent()).toMatchObject({ location: gps });
  });

  test('all three may differ, and each is a problem', async () => {
    const { client, requests } = recordingClient();
    const call = () =>
      client.reportBetEvent(
        { ...betEvent(), environment: 'staging', clientIP: '102.89.23.1', location: gps },
        { environment: 'production', clientIP: '102.89.23.2', location: { ...gps, accuracy: 13 } },
      );
    expect(await issuesOf(call)).toEqual(['environment: conflict', 'clientIP: conflict', 'location: conflict']);
    expect(requests).toEqual([]);
  });

  test("a settled withdrawal's location in the payload is a field and must be complete", async () => {
    const { client } = recordingClient();
    const location = { latitude: 6.45, longitude: 3.39 } as never;
    expect(await issuesOf(client.reportSettledWithdrawal(settledWithdrawal({ location } as never)))).toEqual([
      'location.source: missing',
    ]);
    await expect(client.reportSettledWithdrawal(settledWithdrawal(), { location })).resolves.toMatchObject({
      location: { source: 'provided' },
    });
  });

  test('a settled bet and a verification accept no location', async () => {
    const { client } = recordingClient();
    expect(await issuesOf(client.reportSettledBet({ ...settledBet(), location: gps } as never))).toEqual([
      'location: unknown-field',
    ]);
    expect(await issuesOf(client.reportSettledBet(settledBet(), { location: gps }))).toEqual([
      'location: unknown-field',
    ]);
    expect(await issuesOf(client.verifyNin('99012345678', { location: gps }))).toEqual(['location: unknown-field']);
  });
});

describe('call options', () => {
  test.each<[string, unknown, string[]]>([
    ['a misspelt name', { clientIp: '102.89.23.1' }, ['clientIp: unknown-field']],
    ['a time limit that is not a number', { timeoutMs: '5' }, ['timeoutMs: wrong-type']],
    ['a negative time limit', { timeoutMs: -1 }, ['timeoutMs: invalid']],
    ['a time limit that no timer can hold', { timeoutMs: 2 ** 31 }, ['timeoutMs: invalid']],
    ['an invalid signal', { signal: true }, ['signal: invalid']],
    ['coordinates out of range', { location: { latitude: 91, longitude: 0 } }, ['location.latitude: invalid']],
    ['a text', 'staging', ['options: wrong-type']],
    ['null', null, ['options: wrong-type']],
    ['a list', [], ['options: wrong-type']],
    [
      'a getter that throws',
      Object.defineProperty({}, 'clientIP', { enumerable: true, get: () => expect.unreachable() }),
      ['options: not-json'],
    ],
  ])('%s is refused', async (_what, options, expected) => {
    const { client, requests } = recordingClient();
    expect(await issuesOf(client.reportBetEvent(betEvent(), options as CallOptions))).toEqual(expected);
    expect(requests).toEqual([]);
  });

  test('a misspelt name is reported with the nearest known one', async () => {
    const { message } = await failureOf(
      recordingClient().client.reportBetEvent(betEvent(), { clientIp: '102.89.23.1' } as never),
    );
    expect(message).toContain('did you mean clientIP?');
    expect(message).not.toContain('102.89');
  });

  test('problems of the payload and of the options are reported at once', async () => {
    const payload = { ...betEvent({ amount: '5' as never, user: betUser({ nin: '123' }) }), clientIP: 'nowhere' };
    const error = await failureOf<ValidationError>(recordingClient().client.reportBetEvent(payload, { timeoutMs: -1 }));
    expect(error.issues.map(({ path }) => path).sort()).toEqual(['amount', 'clientIP', 'timeoutMs', 'user.nin']);
    expect(error).toMatchObject({
      code: 'validation',
      outcome: 'not-sent',
      operation: 'reportBetEvent',
      reference: 'BET-1',
    });
    expect(error.message).toContain('4 problems');
  });

  test.each<[string, string[]]>([
    ['locate', ['location']],
    ['resend', ['environment', 'clientIP', 'location']],
  ])('%s refuses those that it does not take: %j', async (method, refused) => {
    const { client, requests } = recordingClient({
      retry: { limit: 0 },
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    const given = {
      environment: 'staging',
      clientIP: '102.89.23.1',
      location: gps,
      signal: new AbortController().signal,
      timeoutMs: 5_000,
    };
    const unknown = await failureOf(client.reportSettledBet(settledBet()));
    const issues = await issuesOf(
      method === 'locate' ? client.locate(given as never) : client.resend(unknown, given as never),
    );
    expect(issues).toEqual(refused.map((name) => `${name}: unknown-field`));
    expect(requests).toEqual([]);
  });

  test('undefined options mean the defaults', async () => {
    const { client } = recordingClient();
    const options = {
      environment: undefined,
      clientIP: undefined,
      signal: undefined,
      timeoutMs: undefined,
      location: undefined,
    };
    await expect(client.reportSettledBet(settledBet(), options)).resolves.toMatchObject({
      outcome: 'recorded',
      environment: 'staging',
    });
  });
});

describe('timestamps', () => {
  const clock = new FakeClock();
  const now = String(clock.now() / 1000);

  test.each(['reportBetEvent', 'reportWithdrawalEvent'] as const)(
    '%s gets the time of the call if none is given',
    async (method) => {
      const { client, sent } = recordingClient({ clock });
      await (method === 'reportBetEvent'
        ? client.reportBetEvent(betEvent(), { location: gps })
        : client.reportWithdrawalEvent(withdrawalEvent(), { location: gps }));
      expect(sent()?.timestamp).toBe(now);
    },
  );

  test('a settled withdrawal needs its own', async () => {
    const { timestamp: _left, ...rest } = settledWithdrawal();
    expect(await issuesOf(recordingClient().client.reportSettledWithdrawal(rest as never, { location: gps }))).toEqual([
      'timestamp: missing',
    ]);
  });

  test('a Date becomes Unix seconds', async () => {
    const { client, sent } = recordingClient();
    await client.reportBetEvent(betEvent({ timestamp: new Date('2026-11-20T10:00:00.999Z') }), { location: gps });
    expect(sent()?.timestamp).toBe('1795168800');
  });

  test('a given one is sent unchanged', async () => {
    const { client, sent } = recordingClient({ clock });
    await client.reportBetEvent(betEvent({ timestamp: '0000000001' }), { location: gps });
    expect(sent()?.timestamp).toBe('0000000001');
  });

  test('one of 10 digits is the longest, and 13 digits look like milliseconds', async () => {
    const { client, sent } = recordingClient();
    const messageOf = async (timestamp: string) =>
      (await failureOf(client.reportBetEvent(betEvent({ timestamp }), { location: gps }))).message;
    await client.reportBetEvent(betEvent({ timestamp: '9999999999' }), { location: gps });
    expect(sent()?.timestamp).toBe('9999999999');
    expect(await messageOf('10000000000')).toContain(
      'timestamp: expected Unix seconds as a string of at most 10 digits',
    );
    expect(await messageOf('1795161600000')).toContain('this looks like milliseconds, divide by 1000');
  });

  test('a settled bet gets none', async () => {
    const { client, sent } = recordingClient({ clock });
    await client.reportSettledBet(settledBet());
    expect(sent()).toEqual(settledBet());
  });

  test('an invalid Date is refused', async () => {
    const issues = await issuesOf(
      recordingClient().client.reportBetEvent(betEvent({ timestamp: new Date(Number.NaN) }), { location: gps }),
    );
    expect(issues).toEqual(['timestamp: invalid']);
  });
});

describe("the caller's objects", () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null)
      for (const member of Object.values(Object.freeze(value))) freeze(member);
    return value;
  };

  test('may be frozen: none is changed', async () => {
    const gateway = createMockGateway();
    const client = createClient(freeze({ ...gateway.clientOptions(), environment: 'staging' }));
    const options = freeze({ location: { ...gps }, timeoutMs: 5_000 });
    await client.reportBetEvent(freeze({ ...betEvent({ metadata: { odds: 2.45 } }), environment: 'staging' }), options);
    await client.reportSettledBet(freeze(settledBet()));
    await client.reportWithdrawalEvent(freeze({ ...withdrawalEvent(), location: { ...gps } }));
    await client.reportSettledWithdrawal(freeze({ ...settledWithdrawal(), location: { ...gps } }));
    await client.verifyNin(freeze({ nin: '99012345678', environment: 'staging' }));
    expect(gateway.reports()).toHaveLength(4);
  });

  test('arrive unchanged, untrimmed and unnormalised', async () => {
    const { client, sent } = recordingClient();
    const bet = betEvent({
      bet_id: ' b/1?x=1#y ',
      amount: 0.1 + 0.2,
      timestamp: '1795161600',
      metadata: { 'odd key': '', live: false, odds: -0.5 },
    });
    const user = betUser({ first_name: ' O\u0323la\u0301 ', last_name: "N'Golo \u{1F600}", nin: '00000000019' });
    await client.reportBetEvent({ ...bet, user }, { location: gps });
    expect(sent()).toEqual({ ...bet, user, location: gps });
  });

  test('change nothing when they are changed after the call', async () => {
    const { client, sent } = recordingClient();
    const bet = settledBet();
    const reported = client.reportSettledBet(bet);
    bet.win_amount = 1;
    bet.user.nin = '11111111111';
    await reported;
    expect(sent()).toEqual(settledBet());
  });

  test('are read once: the checked copy is sent', async () => {
    const { client, sent } = recordingClient();
    const reads: string[] = [];
    const reading = (target: object): object =>
      new Proxy(target, {
        get(from, name) {
          const value = Reflect.get(from, name);
          if (typeof name === 'string') reads.push(name);
          return typeof value === 'object' && value !== null ? reading(value) : value;
        },
      });
    const options = reading({ location: { ...gps }, timeoutMs: 5_000, environment: 'staging' }) as CallOptions;
    await client.reportBetEvent(reading(betEvent({ timestamp: '1795161600' })) as ReturnType<typeof betEvent>, options);
    const known = [
      ...Object.keys(betEvent()),
      ...Object.keys(betUser()),
      ...Object.keys(gps),
      'timestamp',
      'location',
      'timeoutMs',
      'environment',
    ];
    expect(reads.filter((name) => known.includes(name)).sort()).toEqual(known.sort());
    expect(sent()).toEqual({ ...betEvent({ timestamp: '1795161600' }), location: gps });
  });

  test('with a toJSON are sent by their own members', async () => {
    const { client, sent } = recordingClient();
    const user = Object.defineProperty(betUser(), 'toJSON', { value: () => ({ nin: 'another' }) });
    await client.reportSettledBet(settledBet({ user }));
    expect(sent()?.user).toEqual(betUser());
  });
});
