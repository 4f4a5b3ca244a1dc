import { describe, expect, it, type TestContext } from 'vitest';
import { createClient } from '../../../src/entries/index.js';
import { createOutbox, memoryStore, type Outbox, type OutboxEvents } from '../../../src/entries/outbox.js';
import { betReports, LOCATION, settlementReports } from '../../support/factories.js';
import { http, type RawAnswer, rawGateway } from '../../support/raw-gateway.js';
import { virtualTime } from '../virtual-time.js';

const SETTLED = '/report-settled-bet-event';
const recorded = () => http('200 OK', '{"message":"reported"}');
const refused = () =>
  http('422 Unprocessable Entity', '{"message":"cannot be processed","error":"Unprocessable","statusCode":422}');
const PAGE = '<html><body><h1>Sorry</h1></body></html>';
const page = (status: string) => http(status, PAGE, ['content-type: text/html']);
const pageInChunks = (status: string) =>
  [
    `HTTP/1.1 ${status}`,
    'content-type: text/html',
    'transfer-encoding: chunked',
    '',
    PAGE.length.toString(16),
    PAGE,
    '0',
    '',
    '',
  ].join('\r\n');

async function outboxFor({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, answer: RawAnswer) {
  const gateway = await rawGateway(answer);
  onTestFinished(gateway.close);
  const { clock, client: inVirtualTime, seconds } = virtualTime();
  const client = createClient({
    ...inVirtualTime,
    gateways: { staging: { baseUrl: gateway.baseUrl, apiKey: 'key' } },
    environment: 'staging',
    logger: { warn: () => {}, info: () => {} },
  });
  const outbox = createOutbox({ client, store: memoryStore({ now: clock.now }) });
  onTestFinished(() => clock.run(outbox.stop({ timeoutMs: 500 })));
  const bets = (name: string, count: number) => betReports(count, name, { location: LOCATION });
  /** Settlements of bets that are not in the outbox: they wait for no other report. */
  const settlements = (count: number) => settlementReports(count, 'OLD');
  const report = async (reports: Parameters<Outbox['reportAll']>[0]) => {
    for (const one of await clock.run(outbox.reportAll(reports))) if (one.status === 'rejected') throw one.reason;
  };
  const until = async (isSo: (stats: Awaited<ReturnType<Outbox['stats']>>) => boolean) => {
    for (let tries = 0; tries < 60; tries += 1) {
      if (isSo(await outbox.stats())) return;
      await seconds(1);
    }
    throw new Error(`it did not come to pass: ${JSON.stringify(await outbox.stats())}`);
  };
  return { gateway, outbox, bets, settlements, report, seconds, until };
}

describe('one route of a gateway is broken', () => {
  it('at most breakerAfter settlements are quarantined while bets are recorded, the bets continue, and all are sent once the route works', async (test) => {
    let mended = false;
    const { gateway, outbox, bets, settlements, report, seconds, until } = await outboxFor(test, ({ path }) =>
      path.endsWith(SETTLED) && !mended ? refused() : recorded(),
    );
    const paused: OutboxEvents['paused'][] = [];
    outbox.on('paused', (event) => paused.push(event));
    outbox.start();
    const waiting = settlements(90);
    for (let second = 0; second < 10; second += 1) {
      for (const bet of bets(`S${second}`, 10)) await report([bet, ...waiting.splice(0, 1)]);
      await seconds(1);
    }
    await until(({ states: { recorded } }) => recorded === 100);
    const { states, paused: seen } = await outbox.stats();
    // One of them may be under way as a probe.
    expect({ quarantined: states.quarantined, open: states.waiting + states['in-flight'] }).toEqual({
      quarantined: 5,
      open: 85,
    });
    const sent = gateway.requests.filter(({ path }) => path.endsWith(SETTLED)).length;
    expect(sent).toBeLessThan(40);
    expect(seen).toMatchObject([
      { account: 'default', environment: 'staging', operation: 'reportSettledBet', reason: 'refusals' },
    ]);
    expect(paused[0]).toMatchObject({ environment: 'staging', operation: 'reportSettledBet', reason: 'refusals' });

    mended = true;
    await until(({ states: { recorded } }) => recorded === 185);
    expect((await outbox.stats()).states).toMatchObject({ quarantined: 5, recorded: 185, waiting: 0 });
  });

  it.for<readonly [string, RawAnswer]>([
    ['400 in HTML', () => page('400 Bad Request')],
    ['402 in HTML', () => page('402 Payment Required')],
    ['406 in HTML', () => page('406 Not Acceptable')],
    ['422 in HTML', () => page('422 Unprocessable Entity')],
    ['422 in HTML, in chunks', () => pageInChunks('422 Unprocessable Entity')],
    ['400 in HTML, in chunks', () => pageInChunks('400 Bad Request')],
    ['500 in HTML', () => page('500 Internal Server Error')],
    ['502 in HTML', () => page('502 Bad Gateway')],
    ['502 in HTML, in chunks', () => pageInChunks('502 Bad Gateway')],
    ['502 without a word', () => http('502 Bad Gateway', '', [])],
  ])(
    'several answers of another server (%s) pause, quarantine nothing, and the backlog is not tried row by row',
    async ([, answer], test) => {
      let mended = false;
      const { gateway, outbox, bets, report, seconds, until } = await outboxFor(test, (...given) =>
        mended ? recorded() : answer(...given),
      );
      await report(bets('B', 60));
      outbox.start();
      await seconds(5);
      expect(gateway.requests.length).toBeLessThan(30);
      const { states, paused } = await outbox.stats();
      expect(states).toMatchObject({ quarantined: 0, recorded: 0 });
      expect(paused).toMatchObject([{ environment: 'staging', operation: 'reportBetEvent', reason: 'refusals' }]);
      mended = true;
      await until(({ states: { recorded } }) => recorded === 60);
    },
  );
});
