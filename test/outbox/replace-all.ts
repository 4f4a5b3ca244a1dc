import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/core/client/create-client.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, type OutboxStore } from '../../src/entries/outbox.js';
import { verifyReceipts } from '../../src/outbox/receipts/verify.js';
import { probeTaken } from '../../src/outbox/rules/pause.js';
import { settledBet } from '../support/factories.js';
import { failureOf } from '../support/failure-of.js';
import { leaksIn, personalBet } from './personal.js';

export const because = { reason: 'the amount was in kobo' };
export const bet = (index: number) => ({ ...personalBet(`B-${index}`), timestamp: '1795161600' });
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The corrected bet, without a location: it keeps the stored one. */
export function corrected(index: number, more: object = {}) {
  const { location: _, ...rest } = bet(index) as ReturnType<typeof bet> & { location: unknown };
  return { operation: 'reportBetEvent' as const, payload: { ...rest, amount: 7, ...more } };
}

/** The gateway has refused some of B-0 to B-5, and the breaker holds the others back. B-6 and B-7 came later. */
export async function refusedWorld(store: OutboxStore, status = 422) {
  const gateway = createMockGateway();
  const sent: string[] = [];
  const client = createClient({
    ...gateway.clientOptions(),
    fetch: (url, init) => {
      sent.push(String(init.body ?? ''));
      return gateway.fetch(url, init as object);
    },
  });
  const outbox = createOutbox({ client, store, breakerAfter: 2, concurrency: 1 });
  const names: string[] = [];
  for (const type of ['quarantined', 'resumed', 'decided'] as const) outbox.on(type, () => names.push(type));
  gateway.faults.add({ kind: 'status', status, times: 1_000 });
  for (const index of numbers(6)) await outbox.reportBetEvent(bet(index));
  await outbox.reportSettledBet(settledBet({ bet_id: 'B-0' }));
  outbox.start();
  const isHeld = async () =>
    (await outbox.list({ state: 'waiting' })).some(({ problem }) => problem?.status === status);
  await vi.waitUntil(isHeld, { timeout: 30_000 });
  await outbox.stop();
  for (const index of [6, 7]) await outbox.reportBetEvent(bet(index));
  gateway.faults.clear();
  sent.length = 0;
  names.length = 0;
  const betsOf = async (state: 'quarantined' | 'waiting') =>
    (await outbox.list({ state, operation: 'reportBetEvent' })).map(({ reference }) => reference);
  return { outbox, gateway, sent, names, betsOf };
}

/** The behaviour over each store. */
export function testReplaceAll(open: () => Promise<OutboxStore>): void {
  describe('corrections of many', { timeout: 60_000 }, () => {
    it('are sent once, in the order of enqueueing, in their new bytes, before what came later', async () => {
      const { outbox, sent, names } = await refusedWorld(await open());
      expect((await outbox.stats()).paused).toMatchObject([{ reason: 'refusals', operation: 'reportBetEvent' }]);
      const list = numbers(7)
        .reverse()
        .map((index) => corrected(index));
      expect(await outbox.replaceAll(list, because)).toEqual({ replaced: 7, same: 0, refused: [] });
      expect((await outbox.stats()).paused).toEqual([]);
      expect(names.filter((name) => name === 'decided')).toHaveLength(7);
      expect(await outbox.replaceAll(list, because)).toEqual({ replaced: 0, same: 7, refused: [] });
      expect((await outbox.drain()).drained).toBe(true);
      const bets = sent.map((body) => JSON.parse(body)).filter(({ amount }) => amount !== undefined);
      expect(bets.map(({ bet_id }) => bet_id)).toEqual(numbers(8).map((index) => `B-${index}`));
      expect(bets.map(({ amount }) => amount === 7)).toEqual(numbers(8).map((index) => index < 7));
      expect(bets.every(({ location }) => location.city === 'Wobblington')).toBe(true);
      expect((await outbox.stats()).states).toMatchObject({ recorded: 9, quarantined: 0 });
      const lines = [];
      for await (const line of outbox.exportReceipts()) lines.push(line);
      expect(await verifyReceipts(lines)).toMatchObject({ valid: true, count: 9 });
      expect(await outbox.replaceAll([corrected(0)], because)).toMatchObject({ replaced: 0, same: 0 });
    });

    it.each([
      ['replaceAll', 422],
      ['resume', 422],
      ['resume', 413],
    ] as const)('after %s no report is sent again that was refused (%i) and not corrected', async (how, status) => {
      const { outbox, sent, names, betsOf } = await refusedWorld(await open(), status);
      const refused = (await outbox.list({ operation: 'reportBetEvent' })).filter(({ problem }) => problem?.status);
      expect(refused.some(({ state }) => state === 'waiting')).toBe(true);
      if (how === 'resume') expect(await outbox.resume('staging')).toBe(true);
      else expect(await outbox.replaceAll([corrected(6)], because)).toMatchObject({ replaced: 1 });
      expect(names).toContain('quarantined');
      expect(names).toContain('resumed');
      await outbox.drain();
      expect(await betsOf('quarantined')).toEqual(refused.map(({ reference }) => reference));
      const references = sent.map((body) => JSON.parse(body).bet_id);
      expect(references).toContain('B-6');
      for (const { reference } of refused) expect(references).not.toContain(reference);
    });

    it('are corrected, also after a retry, while no worker has sent them', async () => {
      const { outbox, sent } = await refusedWorld(await open());
      const [first] = await outbox.list({ state: 'quarantined' });
      await outbox.retry(first?.id ?? '');
      expect(
        await outbox.replaceAll(
          numbers(7).map((index) => corrected(index, { amount: 6 })),
          because,
        ),
      ).toMatchObject({
        replaced: 7,
      });
      expect(
        await outbox.replaceAll(
          numbers(7).map((index) => corrected(index)),
          because,
        ),
      ).toEqual({
        replaced: 7,
        same: 0,
        refused: [],
      });
      expect((await outbox.drain()).drained).toBe(true);
      const amounts = sent
        .map((body) => JSON.parse(body))
        .flatMap(({ amount, bet_id }) => (amount === undefined || bet_id === 'B-7' ? [] : amount));
      expect(amounts).toEqual(numbers(7).map(() => 7));
    });

    it('of one report count in their order, also in one commit: the last one is sent', async () => {
      const { outbox, sent } = await refusedWorld(await open());
      const [six, eight, same] = [6, 8, 8].map((amount) => corrected(7, { amount }));
      expect(await outbox.replaceAll([six, eight, same] as never, because)).toEqual({
        replaced: 2,
        same: 1,
        refused: [],
      });
      await outbox.drain();
      const bodies = sent.map((body) => JSON.parse(body)).filter(({ bet_id }) => bet_id === 'B-7');
      expect(bodies.map(({ amount }) => amount)).toEqual([8]);
    });

    it('end the breaker, also if a probe changes it meanwhile', async () => {
      const store = await open();
      let probes = 0;
      const { outbox, names } = await refusedWorld({
        ...store,
        async turn(turn) {
          const result = await store.turn(turn);
          const isEnding = turn.claim === undefined && turn.writes.some(({ change }) => change.state === 'quarantined');
          const [breaker] = (await store.outlook()).flatMap(({ breakers }) => breakers);
          if (isEnding && breaker?.reason !== undefined && (await store.pause(probeTaken(breaker, 30_000))))
            probes += 1;
          return result;
        },
      });
      expect(await outbox.replaceAll([corrected(6)], because)).toMatchObject({ replaced: 1 });
      expect(probes).toBe(1);
      expect((await outbox.stats()).paused).toEqual([]);
      expect(names).toContain('resumed');
    });

    it('that broke off end the breaker when they are made again', async () => {
      const { outbox } = await refusedWorld(await open());
      const list = numbers(7).map((index) => corrected(index));
      async function* broken() {
        for (let times = 0; times < 15; times += 1) yield* list;
        throw new Error('the file cannot be read');
      }
      await expect(outbox.replaceAll(broken(), because)).rejects.toThrow('the file cannot be read');
      expect((await outbox.stats()).paused).toMatchObject([{ reason: 'refusals', operation: 'reportBetEvent' }]);
      expect(await outbox.replaceAll(list, because)).toEqual({ replaced: 0, same: 7, refused: [] });
      expect((await outbox.stats()).paused).toEqual([]);
    });

    it('are refused one by one, and no error shows a value', async () => {
      const { outbox } = await refusedWorld(await open());
      const { replaced, refused } = await outbox.replaceAll(
        (async function* () {
          yield corrected(0);
          yield corrected(99);
          yield corrected(1, { amount: 'Brimstead' as unknown as number });
          yield { operation: 'reportSettledBet', payload: settledBet({ bet_id: 'B-0' }) } as never;
          yield { operation: 'reportBets', payload: {} } as never;
          yield corrected(2);
        })(),
        because,
      );
      expect(replaced).toBe(2);
      expect(refused.map(({ index }) => index)).toEqual([1, 2, 4]);
      for (const { error } of refused) {
        expect(error).toMatchObject({ code: 'validation' });
        expect(leaksIn(String(error) + JSON.stringify(error))).toEqual([]);
      }
      expect(await failureOf(outbox.replaceAll([corrected(3)], { reason: ' ' }))).toMatchObject({ code: 'validation' });
    });
  });
}
