// @module-tag slow: starts the example for each test.
import { createMockGateway } from 'location-sdk/mock';
import { test as base, beforeAll, expect } from 'vitest';
import { addBet, availableTo, createReports, entries, type Player } from '../../examples/web/reports.js';
import { expectFreshBuild } from '../support/built.js';

beforeAll(expectFreshBuild);

const HERE = { latitude: 6.4474, longitude: 7.5139, source: 'gps' };
const THERE = { latitude: 6.5244, longitude: 3.3792, source: 'gps' };
const PICK = { about: 'Stars win', odds: 2 };

/** A promise that the test resolves. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Long enough for the started work to reach its wait. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

/** The example's reports, without its site. The test delays lookups, requests and answers. */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the empty pattern as "needs no fixture".
const test = base.extend('site', ({}) => {
  const player: Player = {
    ...{
      id: 'U-1',
      nickname: 'ada',
      first: 'Ada',
      last: 'Obi',
      address: '4 Ogui Road',
      lga: 'Enugu North',
      state: 'ENUGU',
    },
    ...{ nin: '99012345678', tax_id: 'TX-1', bank: 'Example Bank', account: '3310920042', balance: 50_000 },
  };
  const gateway = createMockGateway();
  const held: { lookup?: Promise<void>; answers: Promise<void>[] } = { answers: [] };
  const begun = { lookups: 0, requests: 0, calls: 0 };
  const { location: _fixed, ...toGateway } = gateway.clientOptions();
  const lookup = {
    name: 'nowhere',
    lookup: async () => {
      begun.lookups++;
      await held.lookup;
      return undefined;
    },
  };
  const options = {
    ...toGateway,
    retry: { limit: 0 },
    location: { ip: { providers: [lookup], cacheMs: 0, restMs: 1 } },
    logger: {},
    fetch: async (...request: Parameters<typeof toGateway.fetch>) => {
      begun.requests++;
      const waits = held.answers.shift();
      try {
        return await gateway.fetch(...request);
      } finally {
        await waits;
      }
    },
  };
  const { relay } = createReports(options, () => {
    begun.calls++;
    return player;
  });
  const headers = { origin: 'https://shop.example', 'content-type': 'application/json', 'x-location-sdk': '1' };
  return {
    ...{ player, gateway, held, begun },
    place: (amount: number) => addBet(player, amount, PICK),
    /** The request of a player's tab. */
    report: async (bet_id: string, location?: object) => {
      const init = { method: 'POST', headers, body: JSON.stringify({ bet_id, ...(location && { location }) }) };
      return (
        await relay(new Request('https://shop.example/relay/report-bet-event', init), { remoteAddress: '102.89.23.47' })
      ).status;
    },
    stateOf: (id: string) => entries.get(id)?.state,
  };
});

test('two tabs that report one bet from two places report it once, and both get the receipt', {
  tags: 'slice',
}, async ({ site }) => {
  const { id } = site.place(1_000);
  const [first, second] = [createGate(), createGate()];
  site.held.answers = [first.opened, second.opened];
  const answers = [site.report(id, HERE), site.report(id, THERE)];
  await settled();
  second.open(); // a refusal that comes before the receipt must not decide
  await settled();
  first.open();
  expect(await Promise.all(answers)).toEqual([200, 200]);
  expect(site.stateOf(id)).toBe('reported');
  expect(site.player.balance).toBe(49_000);
  expect(site.gateway.reports()).toHaveLength(1);
});

test("the certain failure of one tab does not free money that another tab's report reserves", async ({ site }) => {
  const [bet, other] = [site.place(30_000), site.place(30_000)];
  const [lookup, answer] = [createGate(), createGate()];
  site.held.lookup = lookup.opened;
  site.held.answers = [answer.opened];
  const failing = site.report(bet.id);
  await expect.poll(() => site.begun.lookups).toBe(1);
  const reporting = site.report(bet.id, HERE);
  await expect.poll(() => site.begun.calls).toBe(2);
  await settled();
  lookup.open();
  expect(await failing).toBe(503);
  await expect.poll(() => site.begun.requests).toBe(1);
  expect(availableTo(site.player)).toBe(20_000);
  expect(await site.report(other.id, HERE)).toBe(403);
  answer.open();
  expect(await reporting).toBe(200);
  expect(site.stateOf(bet.id)).toBe('reported');
  expect(site.player.balance).toBe(20_000);
});

test('a tab that waits for a report that certainly fails sends its own', async ({ site }) => {
  const { id } = site.place(1_000);
  const lookup = createGate();
  site.held.lookup = lookup.opened;
  const answers = [site.report(id)];
  await expect.poll(() => site.begun.lookups).toBe(1);
  answers.push(site.report(id, THERE));
  await settled();
  lookup.open();
  expect(await Promise.all(answers)).toEqual([503, 200]);
  expect(site.gateway.reports()).toMatchObject([{ body: { location: THERE } }]);
});

test('a tab that waits for a report that ends in doubt is in doubt too, and sends the same again', async ({ site }) => {
  const { id } = site.place(1_000);
  const answer = createGate();
  site.held.answers = [answer.opened];
  site.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  const answers = [site.report(id, HERE)];
  await expect.poll(() => site.begun.requests).toBe(1);
  answers.push(site.report(id, THERE));
  await expect.poll(() => site.begun.calls).toBe(2);
  await settled();
  answer.open();
  expect(await Promise.all(answers)).toEqual([502, 502]);
  expect(site.stateOf(id)).toBe('in-doubt');
  expect(await site.report(id, THERE)).toBe(200);
  expect(site.stateOf(id)).toBe('reported');
  expect(site.player.balance).toBe(49_000);
  expect(site.gateway.reports()).toMatchObject([{ body: { location: HERE } }]);
});

test('a tab that repeats a report in doubt from another place sends the same bytes', async ({ site }) => {
  const { id } = site.place(1_000);
  site.gateway.faults.add({ kind: 'connection-reset', when: 'after' });
  expect(await site.report(id, HERE)).toBe(502);
  expect(await site.report(id, THERE)).toBe(200);
  expect(site.stateOf(id)).toBe('reported');
  expect(site.player.balance).toBe(49_000);
});
