// @module-tag slow: starts the example.
import { randomUUID } from 'node:crypto';
import { test as base, beforeAll, expect } from 'vitest';
import { expectFreshBuild } from '../support/built.js';
import { hostExampleSite } from '../support/example-site.js';

beforeAll(expectFreshBuild);

/** The example site with a logged-in player, without a browser, started again for each test. */
const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
  .extend('host', { scope: 'file' }, async ({}, { onCleanup }) => {
    const host = hostExampleSite();
    onCleanup(() => host.end());
    return host;
  })
  .extend('site', async ({ host }) => {
    const { site: origin, gateway } = await host.start();
    let cookie = '';
    const ask = async (path: string, body?: object) => {
      const headers = { origin, cookie, 'content-type': 'application/json', 'x-location-sdk': '1' };
      const response = await fetch(
        `${origin}${path}`,
        body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
      );
      cookie ||= response.headers.get('set-cookie')?.split(';')[0] ?? '';
      return { status: response.status, body: await response.json() };
    };
    await ask('/login', { nickname: 'lion27', password: 'demo' });
    return {
      ask,
      /** Asks with the player's cookie, as a page of another site does where the browser sends it along. */
      askFrom: async (from: string | undefined, path: string) =>
        (
          await fetch(`${origin}${path}`, {
            method: 'POST',
            headers: { cookie, ...(from && { origin: from }) },
            body: '{"stake":1000}',
          })
        ).status,
      place: async (stake: number) => (await ask('/bets', { stake, key: randomUUID() })).body.bet_id as string,
      report: async (bet_id: string) => (await ask('/relay/report-bet-event', { bet_id })).status,
      choose: (condition: string) => ask('/demonstration', { condition }),
      /** Delays the gateway's next answers, so that requests meanwhile run at the same time. */
      slow: () =>
        fetch(`${gateway}/__admin/faults`, {
          method: 'POST',
          body: JSON.stringify({ kind: 'latency', delay: 500, times: null }),
        }),
      balance: async () => (await ask('/state')).body.balance as number,
      reports: async () => (await (await fetch(`${gateway}/__admin/reports`)).json()).reports,
    };
  });

test('of two settlements at once the first one counts, and the second is refused', { tags: 'slice' }, async ({
  site,
}) => {
  const id = await site.place(1000);
  expect(await site.report(id)).toBe(200);
  await site.slow();
  const answers = await Promise.all([true, false].map((won) => site.ask(`/back-office/${id}`, { won })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const settlements = (await site.reports()).filter(
    ({ operation }: { operation: string }) => operation === 'reportSettledBet',
  );
  expect(settlements).toHaveLength(1);
  const [entry] = (await site.ask('/state')).body.entries;
  expect(entry).toMatchObject({ state: 'settled', payout: settlements[0].body.payout_amount });
});

test('two bets reported at once do not spend the same money', async ({ site }) => {
  const ids = [await site.place(30_000), await site.place(30_000)];
  await site.slow();
  const statuses = await Promise.all(ids.map(site.report));
  expect(statuses.sort()).toEqual([200, 403]);
  expect(await site.balance()).toBe(20_000);
  expect(await site.reports()).toHaveLength(1);
});

test('the money of a report that certainly failed is free again', async ({ site }) => {
  const ids = [await site.place(30_000), await site.place(30_000)] as const;
  await site.choose('nowhere');
  expect(await site.report(ids[0])).toBe(503);
  await site.choose('fine');
  expect(await site.report(ids[1])).toBe(200);
});

test('the money of a report in doubt stays set aside', async ({ site }) => {
  const ids = [await site.place(30_000), await site.place(30_000)] as const;
  await site.choose('down');
  expect(await site.report(ids[0])).toBe(502);
  await site.choose('fine');
  expect(await site.report(ids[1])).toBe(403);
  expect((await site.ask('/bets', { stake: 30_000, key: randomUUID() })).status).toBe(422);
  expect(await site.report(ids[0])).toBe(200);
  expect(await site.balance()).toBe(20_000);
});

test('the same key is the same bet', async ({ site }) => {
  const key = randomUUID();
  const answers = await Promise.all([1, 2].map(() => site.ask('/bets', { stake: 500, key })));
  expect(answers[0]).toEqual(answers[1]);
  expect((await site.ask('/bets', { stake: 500 })).status).toBe(400);
  expect((await site.ask('/state')).body.entries).toHaveLength(1);
});

test('a verification that failed puts no withdrawal in doubt', async ({ site }) => {
  await site.choose('down');
  const { status, body } = await site.ask('/withdrawals', { amount: 1000, key: randomUUID() });
  expect(status).toBe(503);
  expect(body).toEqual({ message: expect.stringContaining('No withdrawal was made') });
  expect((await site.ask('/state')).body.entries).toEqual([]);
});

test('the routes of the site refuse a page of another origin, and a request without one', async ({ site }) => {
  for (const origin of ['https://evil.example', 'null', undefined])
    for (const path of ['/bets', '/login', '/withdrawals', '/back-office/BET-1'])
      expect([origin, path, await site.askFrom(origin, path)]).toEqual([origin, path, 403]);
  expect((await site.ask('/state')).body.entries).toEqual([]);
});
