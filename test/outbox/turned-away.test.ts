import { describe, expect, it, type TestContext } from 'vitest';
import { createClient } from '../../src/entries/index.js';
import { createOutbox, memoryStore, type Outbox } from '../../src/entries/outbox.js';
import { nodeTransport } from '../../src/http/node/transport/node-transport.js';
import { betReports, LOCATION, withdrawalEvent } from '../support/factories.js';
import { http, type RawAnswer, rawGateway } from '../support/raw-gateway.js';
import { virtualTime } from './virtual-time.js';
import { outboxWorld } from './world.js';

const HTML = ['content-type: text/html'];
/** A page without a length, as a proxy sends it. */
const inChunks = (status: string, body: string) =>
  [`HTTP/1.1 ${status}`, ...HTML, 'transfer-encoding: chunked', '', body.length.toString(16), body, '0', '', ''].join(
    '\r\n',
  );
const recorded = () => http('200 OK', '{"message":"Bet reported"}');
/** The attempts that may be under way when the first answer arrives, and the probes of a few seconds. */
const FEW = 14;

interface Given {
  readonly count: number;
  readonly answer: RawAnswer;
  readonly options?: { breakerAfter?: number; concurrency?: number };
  readonly by?: typeof nodeTransport | undefined;
}

async function backlogOf(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  { count, answer, options, by }: Given,
) {
  const gateway = await rawGateway(answer);
  onTestFinished(gateway.close);
  const transport = by?.();
  if (transport) onTestFinished(() => transport.close());
  const { clock, client: inVirtualTime, seconds } = virtualTime(transport);
  const client = createClient({
    ...inVirtualTime,
    gateways: { staging: { baseUrl: gateway.baseUrl, apiKey: 'key' } },
    environment: 'staging',
    logger: { warn: () => {} },
  });
  const outbox = createOutbox({ client, store: memoryStore({ now: clock.now }), ...options });
  onTestFinished(() => clock.run(outbox.stop({ timeoutMs: 500 })));
  const reports = betReports(count, 'BET', { location: LOCATION });
  for (const one of await clock.run(outbox.reportAll(reports))) if (one.status === 'rejected') throw one.reason;
  const until = async (isSo: (states: Awaited<ReturnType<Outbox['stats']>>['states']) => boolean) => {
    for (let tries = 0; tries < 400; tries += 1) {
      const { states } = await outbox.stats();
      if (isSo(states)) return;
      await seconds(0.1);
    }
    throw new Error(`it did not come to pass: ${JSON.stringify(await outbox.stats())}`);
  };
  return { gateway, outbox, seconds, until };
}

describe('a destination that turns everybody away', () => {
  it.for<readonly [string, RawAnswer, string?, typeof nodeTransport?]>([
    ['403 to a bad key, in JSON', () => http('403 Forbidden', '{"message":"Forbidden"}'), 'authentication'],
    ['403 of a firewall, in HTML', () => http('403 Forbidden', '<h1>Forbidden</h1>', HTML), 'authentication'],
    [
      '401',
      () => http('401 Unauthorized', '{"message":"API key is invalid","error":"Unauthorized","statusCode":401}'),
      'authentication',
    ],
    [
      "nginx's own 404",
      () => http('404 Not Found', '<html><body><center><h1>404 Not Found</h1></center></body></html>', HTML),
      'address',
    ],
    ['a 404 of a proxy in chunks', () => inChunks('404 Not Found', '<h1>404 Not Found</h1>'), 'address'],
    ['an empty 404', () => http('404 Not Found', '', []), 'address'],
    ['405', () => http('405 Method Not Allowed', '{"message":"Method Not Allowed"}'), 'address'],
    // The built-in fetch shows no 407 (its rule: a network error without details), and repeats a request itself after a
    // 421.
    [
      '407 over nodeTransport',
      () => http('407 Proxy Authentication Required', '', ['proxy-authenticate: Basic']),
      'address',
      nodeTransport,
    ],
    ['421 over nodeTransport', () => http('421 Misdirected Request'), 'address', nodeTransport],
    ['a redirect', () => http('302 Found', '', ['location: https://login.example.com/']), 'address'],
    ['a permanent redirect', () => http('308 Permanent Redirect', '', ['location: /elsewhere']), 'address'],
  ])('%s pauses, quarantines nothing, and is not counted as an attempt', async ([, answer, reason, by], test) => {
    const { gateway, outbox, seconds, until } = await backlogOf(test, { count: 60, answer, by });
    const paused: object[] = [];
    outbox.on('paused', (event) => paused.push(event));
    outbox.start();
    await seconds(2.5);
    const { states, attempts, paused: seen } = await outbox.stats();
    expect(states).toMatchObject({ quarantined: 0, recorded: 0 });
    expect(gateway.requests.length).toBeLessThanOrEqual(FEW);
    expect(gateway.requests.length).toBeGreaterThanOrEqual(2);
    expect(attempts - states['in-flight']).toBe(0);
    expect(seen).toMatchObject([{ environment: 'staging', reason }]);
    expect(seen[0]?.message).toMatch(/HTTP \d|PROXY_AUTHENTICATION_REQUIRED/);
    expect(paused[0]).toMatchObject({ reason });

    gateway.answerWith(recorded);
    await until(({ recorded }) => recorded === 60);
    expect((await outbox.stats()).paused).toEqual([]);
  });

  it.for<readonly [string, RawAnswer]>([
    [
      '422',
      () =>
        http(
          '422 Unprocessable Entity',
          '{"message":"nin is not known","error":"Unprocessable Entity","statusCode":422}',
        ),
    ],
    ['409 to everybody', () => http('409 Conflict', '{"message":"This bet has already been reported"}')],
    ['a 404 in JSON', () => http('404 Not Found', '{"message":"no Route matched with those values"}')],
  ])('%s, which the outbox does not expect, quarantines a few reports and then stops', async ([, answer], test) => {
    const { gateway, outbox, seconds, until } = await backlogOf(test, { count: 60, answer });
    outbox.start();
    await until(({ quarantined }) => quarantined >= 5);
    await seconds(2.5);
    const { states, paused } = await outbox.stats();
    expect(states.quarantined).toBe(5);
    expect(gateway.requests.length).toBeLessThanOrEqual(5 + FEW);
    expect(paused).toMatchObject([{ environment: 'staging', reason: 'refusals' }]);

    gateway.answerWith(recorded);
    await until(({ recorded }) => recorded === 55);
    expect((await outbox.stats()).states.quarantined).toBe(5);
  });

  it('stops after the number of refusals in breakerAfter', async (test) => {
    const { outbox, seconds, until } = await backlogOf(test, {
      count: 50,
      answer: () => http('422 Unprocessable Entity', '{"message":"no"}'),
      options: { breakerAfter: 2 },
    });
    outbox.start();
    await until(({ quarantined }) => quarantined >= 2);
    await seconds(1);
    expect((await outbox.stats()).states.quarantined).toBe(2);
  });

  it('does not stop if recorded reports stand between the refusals', async (test) => {
    const answer: RawAnswer = ({ body }) =>
      /BET-\d*[02468]"/.test(body) ? recorded() : http('422 Unprocessable Entity', '{"message":"no"}');
    const { outbox, until } = await backlogOf(test, { count: 60, answer, options: { concurrency: 1 } });
    outbox.start();
    await until(({ recorded, quarantined }) => recorded === 30 && quarantined === 30);
  });
});

describe('a gateway that asks to be left alone for no time at all', () => {
  it.for<readonly [string, RawAnswer]>([
    ['429 with Retry-After: 0', () => http('429 Too Many Requests', '{"message":"slow down"}', ['retry-after: 0'])],
    [
      '429 with a date in the past',
      () => http('429 Too Many Requests', '', ['retry-after: Wed, 21 Oct 2015 07:28:00 GMT']),
    ],
    [
      '429 in HTML and in chunks, which may have broken off',
      () => inChunks('429 Too Many Requests', '<h1>Too Many Requests</h1>'),
    ],
    ['an empty 429 in chunks', () => 'HTTP/1.1 429 Too Many Requests\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['503 with Retry-After: 0', () => http('503 Service Unavailable', '', ['retry-after: 0'])],
    [
      '503 with a date in the past',
      () => http('503 Service Unavailable', '', ['retry-after: Wed, 21 Oct 2015 07:28:00 GMT']),
    ],
  ])('%s does not get many requests from an outbox', async ([, answer], test) => {
    const { gateway, outbox, seconds } = await backlogOf(test, { count: 100, answer });
    outbox.start();
    await seconds(5);
    expect(gateway.requests.length).toBeLessThanOrEqual(FEW);
    expect((await outbox.stats()).states.quarantined).toBe(0);
  });
});

it.for(['60', '299.997'])('a 429 in HTML and in chunks is followed by the asked wait: %s', async (asked, test) => {
  const limited = [
    'HTTP/1.1 429 Too Many Requests',
    ...HTML,
    `retry-after: ${asked}`,
    'transfer-encoding: chunked',
    '',
    '4',
    '<h1>',
    '0',
    '',
    '',
  ].join('\r\n');
  const { outbox, seconds } = await backlogOf(test, { count: 5, answer: () => limited });
  outbox.start();
  await seconds(1);
  const [paused] = (await outbox.stats()).paused;
  expect(paused).toMatchObject({ reason: 'rate-limited' });
  expect((paused?.until ?? 0) - (paused?.since ?? 0)).toBeGreaterThan(Number(asked) * 900);
});

describe('a minute of refusals before a backlog of three hundred', () => {
  it.each([
    ['403', 403, '{"message":"Forbidden"}', 0],
    ["nginx's 404", 404, '<h1>Not Found</h1>', 0],
    ['422', 422, '{"message":"no"}', 5],
    ['422 and 403 by turns', 0, '', 5],
  ])('%s costs fewer than 30 requests', async (_, status, body, condemned) => {
    let requests = 0;
    let isOver = false;
    const { outbox, run, clock, events } = outboxWorld({
      client: {
        gateways: { staging: { baseUrl: 'http://localhost', apiKey: 'key' } },
        location: { fixed: LOCATION },
        logger: { warn: () => {} },
        fetch: async () => {
          requests += 1;
          if (isOver) return new Response('{"message":"Bet reported"}');
          return new Response(body || '{"message":"no"}', { status: status || (requests % 2 ? 422 : 403) });
        },
      },
    });
    await outbox.reportAll(betReports(300, 'BET'));
    const began = clock.now();
    const drained = outbox.drain({ timeoutMs: 3_600_000 });
    await run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 60_000)));
    expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
    expect(requests).toBeLessThan(30);
    isOver = true;
    const { states } = await run(drained);
    expect(states.quarantined).toBeLessThanOrEqual(condemned);
    expect(states.recorded + states.quarantined).toBe(300);
    expect(events.filter(([name]) => name === 'quarantined')).toHaveLength(states.quarantined);
  });
});

describe('an outage that ends before reports that the gateway refuses', () => {
  it('does not hold up the reports of other operations, whose breaker is closed', async () => {
    let isOutage = true;
    const sent: string[] = [];
    const { outbox, run, clock } = outboxWorld({
      client: {
        gateways: { staging: { baseUrl: 'http://localhost', apiKey: 'key' } },
        location: { fixed: LOCATION },
        logger: { warn: () => {} },
        fetch: async (url) => {
          if (isOutage) return new Response('{"message":"no"}', { status: 503 });
          sent.push(url);
          return url.includes('withdrawal')
            ? new Response('{"message":"Withdrawal reported"}')
            : new Response('{"message":"no"}', { status: 422 });
        },
      },
    });
    const seconds = (count: number) =>
      run(new Promise<void>((resolve) => void clock.setTimeout(resolve, count * 1_000)));
    await outbox.reportAll(betReports(300, 'BET'));
    outbox.start();
    await seconds(120);
    expect((await outbox.stats()).paused).toMatchObject([{ reason: 'unavailable' }]);
    const { id } = await outbox.reportWithdrawalEvent(withdrawalEvent());
    isOutage = false;
    await seconds(30);
    expect(await outbox.get(id)).toMatchObject({ state: 'recorded' });
    const { paused, states } = await outbox.stats();
    expect(paused).toMatchObject([{ operation: 'reportBetEvent', reason: 'refusals' }]);
    expect(states.quarantined).toBeLessThanOrEqual(5);
    expect(sent.length).toBeLessThan(40);
    await outbox.stop();
  });
});
