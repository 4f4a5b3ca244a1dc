import { describe, expect, it } from 'vitest';
import { isDuplicate, isRecorded } from '../../../src/core/delivery/answer.js';
import { type Delivery, deliver } from '../../../src/core/delivery/deliver.js';
import { BROWSER_PAGE, transportBy } from '../../../src/core/delivery/fetch-transport.js';
import { gatewayChannel } from '../../../src/core/delivery/gateway-channel.js';
import { readBroken } from '../../../src/core/delivery/network-failure.js';
import { relayChannel } from '../../../src/core/delivery/relay-channel.js';
import type { DeliverySettings, Gateway, IncompleteGateway } from '../../../src/core/delivery/settings.js';
import { isReportingError, type ReportingError } from '../../../src/core/errors/errors.js';
import type { FetchInit } from '../../../src/core/platform/web-types.js';
import { operations } from '../../../src/core/protocol/operations.js';
import { FakeClock } from '../../support/fake-clock.js';
import { answer, bet, conflicting, lost, recorded, repeated, unreachable } from './scripted-gateway.js';
import { receipt } from './scripted-relay.js';

const report = {
  operation: 'reportSettledBet',
  environment: 'staging',
  reference: 'B-1',
  body: JSON.stringify(bet),
  location: undefined,
} as const;
const pageReport = {
  operation: 'reportBetEvent',
  environment: undefined,
  reference: 'B-1',
  body: '{"bet_id":"B-1"}',
  location: undefined,
} as const;
const verification = {
  operation: 'verifyNin',
  environment: 'staging',
  reference: undefined,
  body: '{"nin":"99012345678"}',
  location: undefined,
} as const;

const paths: Gateway['paths'] = {
  reportBetEvent: operations.reportBetEvent.path,
  reportSettledBet: operations.reportSettledBet.path,
  reportWithdrawalEvent: operations.reportWithdrawalEvent.path,
  reportSettledWithdrawal: operations.reportSettledWithdrawal.path,
  verifyNin: operations.verifyNin.path,
};
const gateway: Gateway = { baseUrl: 'https://gateway.example.com', paths, apiKey: 'key-1' };
const relay = { relayUrl: 'https://operator.example.com/sdk', credentials: 'omit' } as const;

interface Given extends Partial<Omit<Delivery, 'deadline' | 'exchange'>>, Partial<Pick<DeliverySettings, 'random'>> {
  readonly to?: Gateway | IncompleteGateway | typeof relay;
  readonly inPage?: boolean;
  readonly timeoutMs?: number;
  readonly limit?: number;
  readonly of?: Parameters<typeof deliver>[0];
}

/** Delivers over a script of answers and a clock that does not really wait. Returns the result, success or error. */
function delivering(
  script: readonly (Response | Error)[],
  {
    to = gateway,
    timeoutMs = 60_000,
    limit = 2,
    inPage = false,
    random = () => 0.5,
    of = report,
    ...given
  }: Given = {},
) {
  const clock = new FakeClock();
  const began = clock.now();
  const sent: { url: string; init: FetchInit }[] = [];
  const lines: string[] = [];
  const logger = { debug: (line: string) => lines.push(line), info() {}, warn() {}, error() {} };
  const send = async (url: string, init: FetchInit): Promise<Response> => {
    const next = script[sent.length];
    sent.push({ url, init });
    if (next instanceof Response) return next;
    throw next ?? new Error('the script has no more attempts');
  };
  const settings: DeliverySettings = {
    transport: transportBy(send, inPage ? BROWSER_PAGE : { inPage: false, readBroken }),
    headers: undefined,
    debug: logger.debug,
    retry: { limit, baseMs: 500, capMs: 8_000 },
    maxRetryAfterMs: 30_000,
    attemptTimeoutMs: 10_000,
    logger,
    clock,
    random,
    onEvent: undefined,
  };
  const channel =
    'relayUrl' in to
      ? relayChannel(() => ({ baseUrl: to.relayUrl, problem: undefined }), to.credentials, { inPage, clock })
      : gatewayChannel(
          { staging: to, production: { why: 'gateways.production is missing' } },
          { isRecorded, isDuplicate, inPage, logger, clock },
        );
  const exchange = channel.open(of);
  const delivered = deliver(of, { exchange, deadline: began + timeoutMs, inDoubt: false, ...given }, settings);
  const end = clock.run(delivered.catch((error: unknown) => error));
  const failure = async (): Promise<ReportingError> => {
    const error = await end;
    if (isReportingError(error)) return error;
    throw new Error(`it should have failed, and ended with ${JSON.stringify(error)}`);
  };
  return { end, failure, sent, lines, clock, waited: () => clock.now() - began };
}

const aborting = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};

describe('an error says what to do', () => {
  it.each<[string, Response | Error, string]>([
    ['nothing was sent', unreachable(), 'Nothing was sent.'],
    ['nothing was recorded', answer(400, {}), 'Nothing was recorded by this call.'],
    ['the data is refused', answer(422, {}), 'Nothing was recorded by this call. Correct the data and call again.'],
    ['it may be recorded', lost(), 'It may be recorded: repeat it with client.resend(error), not with a new call.'],
  ])('where %s', async (_, first, advice) => {
    const { message } = await delivering([first], { limit: 0 }).failure();
    expect(message).toMatch(/^reportSettledBet B-1 \(staging\): \S.*\. /);
    expect(message.endsWith(`. ${advice}`)).toBe(true);
  });

  it("in the failure's own words, if it says more than the outcome", async () => {
    expect((await delivering([repeated()], { inPage: true }).failure()).message).toMatch(/ Compare your records\.$/);
  });

  it('of a verification: to call it again, if that may help', async () => {
    expect((await delivering([answer(503)], { of: verification, limit: 0 }).failure()).message).toBe(
      'verifyNin (staging): HTTP 503: the gateway failed. Call it again.',
    );
    expect((await delivering([answer(422)], { of: verification }).failure()).message).toBe(
      'verifyNin (staging): HTTP 422: the gateway cannot accept the data. Correct the data and call again.',
    );
  });
});

describe("the gateway's message in an error", () => {
  const words = async (message: string, given: Given = {}) =>
    /The gateway said: "(.*?)"\./.exec((await delivering([answer(422, { message })], given).failure()).message)?.[1];

  it('is shown with the reference of the report', async () => {
    expect(await words('bet B-1 is not known')).toBe('bet B-1 is not known');
  });

  it('is shown without a known word that was sent', async () => {
    const named = { ...report, body: JSON.stringify({ ...bet, user: { ...bet.user, first_name: 'Field' } }) };
    expect(await words('the field is missing')).toBe('the field is missing');
    expect(await words('the field is missing', { of: named })).toBe('the [masked] is missing');
  });

  it('is shown without the key, also one that was rotated meanwhile', async () => {
    const keys = ['number', 'field'];
    const apiKey = () => keys.shift() ?? 'none';
    const { failure } = delivering([answer(503), answer(422, { message: 'the field of the number is missing' })], {
      to: { ...gateway, apiKey },
    });
    expect((await failure()).message).toContain('The gateway said: "the [masked] of the [masked] is missing".');
  });

  it('about a number to verify is never shown, since it may name its holder', async () => {
    expect(await words('the number is missing', { of: verification })).toBeUndefined();
  });
});

describe('the key', () => {
  it('that does not come before the call is cancelled ends it, and nothing was sent', async () => {
    const { signal, abort } = aborting();
    const apiKey = () => {
      abort();
      return new Promise<string>(() => {});
    };
    const { failure, sent } = delivering([], { to: { ...gateway, apiKey }, signal });
    expect(await failure()).toMatchObject({ code: 'aborted', outcome: 'not-sent', attempts: 0 });
    expect(sent).toEqual([]);
  });

  it('that does not come in time is named', async () => {
    const { failure } = delivering([], { to: { ...gateway, apiKey: () => new Promise<string>(() => {}) } });
    expect((await failure()).message).toContain(
      'gateways.staging.apiKey did not answer within 10 s (attemptTimeoutMs)',
    );
  });

  it('is not read again once the call is cancelled between two attempts', async () => {
    const { signal, abort } = aborting();
    let asked = 0;
    const apiKey = () => {
      asked += 1;
      return 'key-1';
    };
    const { failure, sent, clock } = delivering([lost()], { to: { ...gateway, apiKey }, signal });
    const { setTimeout: wait } = clock;
    clock.setTimeout = (callback, milliseconds) => {
      if (milliseconds === 250) abort();
      return wait(callback, milliseconds);
    };
    expect(await failure()).toMatchObject({ code: 'aborted', outcome: 'unknown', attempts: 1 });
    expect([asked, sent.length]).toEqual([1, 1]);
  });
});

describe('a request', () => {
  it.each([
    ['report-settled-bet-event', 'report-settled-bet-event'],
    ['/v2/settled', 'v2/settled'],
    ['v2/settled', 'v2/settled'],
  ])('goes to the path %s below the base address', async (path, below) => {
    const { end, sent } = delivering([recorded()], { to: { ...gateway, paths: { ...paths, reportSettledBet: path } } });
    await end;
    expect(sent[0]?.url).toBe(`https://gateway.example.com/integration-gateway/external/${below}`);
  });

  it('without a gateway is not made, and the error says what is missing', async () => {
    const { failure, sent } = delivering([], { to: { why: 'gateways.staging is missing' } });
    const error = await failure();
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: 0 });
    expect(error.message).toContain('gateways.staging is missing');
    expect(sent).toEqual([]);
  });

  it('is not made once the time of the call is over', async () => {
    const { failure, sent } = delivering([recorded()], { timeoutMs: 0 });
    expect(await failure()).toMatchObject({ code: 'timeout', outcome: 'not-sent', attempts: 0 });
    expect(sent).toEqual([]);
  });

  it('of a page to a gateway does not outlive the page', async () => {
    const { end, sent } = delivering([recorded()], { inPage: true });
    await end;
    expect(sent[0]?.init).not.toHaveProperty('keepalive');
  });

  it.each<[string, (Response | Error)[], (boolean | undefined)[]]>([
    ['outlives it', [answer(200, receipt())], [true]],
    ['outlives it again after an answer', [answer(503, '{}'), answer(200, receipt())], [true, true]],
    // A browser refuses a request for which it has no space, and does not say why.
    [
      'does not after a connection that broke, for which there may have been no space',
      [lost(), answer(200, receipt())],
      [true, undefined],
    ],
  ])('of a page to a relay %s', async (_, script, keepalive) => {
    const { end, sent } = delivering(script, { inPage: true, to: relay, of: pageReport });
    expect(await end).toMatchObject({ outcome: 'recorded' });
    expect(sent.map(({ init }) => init.keepalive)).toEqual(keepalive);
  });

  it.each<[string, Record<string, string> | undefined, boolean]>([
    ['that a page has stored ends with it, since the next tab sends the report at once', { player: 'tag' }, false],
    ['of a client outlives it', undefined, true],
  ])('of a page to a relay %s', async (_, headers, keepalive) => {
    const resolve = () => ({ baseUrl: 'https://shop.example.com/relay', problem: undefined });
    const channel = relayChannel(resolve, 'omit', { inPage: true, clock: new FakeClock() });
    const exchange = channel.open({ operation: 'reportBetEvent', environment: undefined }, headers);
    if ('code' in exchange) throw new Error(exchange.text);
    expect(await exchange.request('{}', noLimit)).toMatchObject({ keepalive });
  });
});

const noLimit = () => {
  throw new Error('this request has no limit of its own');
};

describe('the wait for another attempt', () => {
  it('is as long as Retry-After asks, up to maxRetryAfterMs inclusive', async () => {
    const { end, waited } = delivering([answer(429, {}, { 'retry-after': '30' }), recorded()]);
    expect(await end).toMatchObject({ outcome: 'recorded', attempts: 2 });
    expect(waited()).toBe(30_000);
  });

  it("does not start if it would end after the call's time: the last error is thrown", async () => {
    const { failure, waited } = delivering([answer(429, {}, { 'retry-after': '4' })], { timeoutMs: 4_000 });
    expect(await failure()).toMatchObject({ code: 'rate-limited', attempts: 1 });
    expect(waited()).toBe(0);
  });

  it('is logged, with the failure', async () => {
    const { end, lines } = delivering([answer(503, {}), recorded()]);
    await end;
    expect(lines).toEqual([
      'reportSettledBet B-1 (staging): attempt 1 begins',
      'reportSettledBet B-1 (staging): attempt 1 ended after 0 s: HTTP 503: the gateway failed',
      'reportSettledBet B-1 (staging): attempt 2 begins in 0.25 s',
      'reportSettledBet B-1 (staging): attempt 2 begins',
      'reportSettledBet B-1 (staging): attempt 2 ended after 0 s: recorded',
    ]);
  });
});

describe('a clock, random or signal of the caller that throws', () => {
  const throwing = (): never => {
    throw new Error('a bug of the caller');
  };
  /** Throws when it is read. */
  const signal = {
    get aborted(): boolean {
      return throwing();
    },
    addEventListener() {},
    removeEventListener() {},
  };

  it.each<[string, Given & { script: Response[] }, string, number]>([
    ['before anything was sent: certainly not sent', { signal, script: [] }, 'not-sent', 0],
    [
      'after an answer that proves that nothing was recorded: certain',
      { random: throwing, script: [answer(429)] },
      'not-sent',
      1,
    ],
    ['after an answer that leaves doubt: unknown', { random: throwing, script: [answer(503)] }, 'unknown', 1],
    ['before anything of a report in doubt was sent: unknown', { signal, inDoubt: true, script: [] }, 'unknown', 0],
  ])('%s', async (_, { script, ...given }, outcome, attempts) => {
    const error = await delivering(script, given).failure();
    expect(error).toMatchObject({ code: 'configuration', outcome, attempts });
    expect(error.message).toContain(
      'the clock, random or signal that you passed, or a function that another script replaced, threw',
    );
  });

  it('after the gateway recorded it: recorded', async () => {
    const bytes = new TextEncoder().encode('{"message":"recorded"}');
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          clock.now = throwing;
          controller.enqueue(bytes);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const { end, clock } = delivering([new Response(body)]);
    expect(await end).toMatchObject({ outcome: 'recorded', attempts: 1 });
  });
});

describe('doubt from an earlier call', () => {
  it.each<[string, Response | Error, object]>([
    [
      'makes a duplicate of the same data a success',
      repeated(),
      { outcome: 'already-recorded', attempts: 1, message: 'This data has already been reported' },
    ],
    ['is ended by a conflict', conflicting(), { code: 'duplicate', conflict: true, outcome: 'rejected' }],
    ['is not ended by a refusal', answer(422), { code: 'unprocessable', outcome: 'unknown' }],
    ['is not ended by a rate limit', answer(429), { code: 'rate-limited', outcome: 'unknown' }],
    ['is not ended by a connection that was never made', unreachable(), { code: 'network', outcome: 'unknown' }],
  ])('%s', async (_, first, end) => {
    expect(await delivering([first], { inDoubt: true, limit: 0 }).end).toMatchObject(end);
  });
});
