import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { createClient } from '../../src/core/client/create-client.js';
import { createMockGateway } from '../../src/entries/mock.js';
import { createOutbox, type OutboxOptions, type OutboxStore } from '../../src/entries/outbox.js';
import { contextOf } from '../../src/operator/context.js';
import { createOperator } from '../../src/operator/operator.js';
import { readPlayer } from '../../src/operator/player.js';
import { appendReceipts } from '../../src/outbox/receipts/log.js';
import { decided, isChange } from '../../src/outbox/rules/decisions.js';
import { standardSeal } from '../../src/outbox/seal/standard-seal.js';
import { scanRows } from '../../src/outbox/store/store.js';
import { change, claim, newRow } from '../outbox/contract/harness.js';
import { CANARIES, leaksIn, personalBet, personalSettlement, personalWithdrawal } from '../outbox/personal.js';
import { buildCli } from '../support/built-cli.js';
import { type Ended, runCli } from '../support/cli-in-process.js';
import { betEvent, settledWithdrawal } from '../support/factories.js';

/** The id that the personal reports have. */
export const PLAYER = CANARIES[0] ?? '';
const KEY = btoa('k'.repeat(32));
export const REASON = 'request of 1 November';

/** A place with an outbox, as the command line names it. */
export interface Place {
  readonly words: readonly string[];
  open(): Promise<OutboxStore>;
  /** The bytes of the database. */
  bytes(): Promise<string>;
}

export const runAt =
  ({ words: [place = '', ...more] }: Place) =>
  (...words: string[]): Promise<Ended> =>
    runCli(['outbox', place, ...words, ...more]);

const firstBet = { ...personalBet('B-1'), timestamp: '1795160000' };

const settledOf = (request_id: string) => ({
  ...settledWithdrawal(),
  ...personalWithdrawal(request_id),
  status: 'SUCCESS',
  timestamp: '1795162000',
});

/** An outbox with reports of the player in all states, and one of another player. Only the final ones have canaries. */
export async function fill(store: OutboxStore, encryption?: OutboxOptions['encryption']) {
  const gateway = createMockGateway();
  gateway.faults.add({ kind: 'status', status: 422, reference: 'B-refused', times: null });
  const make = (keepBodies: boolean) =>
    createOutbox({
      client: createClient(gateway.clientOptions()),
      store,
      keepBodies,
      retry: { baseMs: 1, capMs: 1 },
      ...(encryption && { encryption }),
    });
  const [keeps, deletes] = [make(true), make(false)];
  const { user } = betEvent();
  await keeps.reportBetEvent(firstBet);
  await keeps.reportSettledBet(personalSettlement('B-1'));
  await keeps.reportWithdrawalEvent(personalWithdrawal('W-1'));
  await keeps.reportSettledWithdrawal(settledOf('W-1'));
  await keeps.reportBetEvent(betEvent({ bet_id: 'B-other' }));
  await keeps.reportBetEvent(betEvent({ bet_id: 'B-refused', user: { ...user, user_id: PLAYER } }));
  await keeps.drain();
  await deletes.reportBetEvent(personalBet('B-2'));
  await deletes.reportWithdrawalEvent(personalWithdrawal('W-2'));
  await deletes.drain();
  await keeps.reportBetEvent(betEvent({ bet_id: 'B-waits', user: { ...user, user_id: PLAYER } }));
  return { gateway, outbox: keeps };
}

let files = 0;

/** The words for a file with the options of an outbox. */
export function optionsWith(encryption: OutboxOptions['encryption']): string[] {
  files += 1;
  const file = join(inject('runFolder'), `player-${process.pid}-${files}.mjs`);
  writeFileSync(file, `export const outbox = ${JSON.stringify({ encryption })};`);
  return ['--options', file];
}

const MANY = 4_000;

/** Enqueues and records many bets of two players in turns, and keeps their bodies. */
async function recordMany(store: OutboxStore): Promise<void> {
  const seal = standardSeal(store, undefined);
  const rows = Array.from({ length: MANY }, async (_, index) => {
    const row = newRow(`B-${index}`);
    const body = JSON.stringify({ bet_id: row.reference, user: { user_id: index % 2 === 0 ? PLAYER : 'U-other' } });
    return { ...row, ...(await seal.seal(body, row)) };
  });
  await store.enqueue(await Promise.all(rows));
  const claimed = await claim(store, MANY);
  const writes = claimed.map((row) => ({ id: row.id, expected: row, change: change(row, { keepBody: true }) }));
  await store.turn({ writes, claim: undefined });
  await appendReceipts(store);
}

const reportsOf = (operation: string, state: string, reports: number, bodies = reports, locations = 0) =>
  expect.objectContaining({ account: 'default', environment: 'staging', operation, state, reports, bodies, locations });

/** The behaviour over each store, with encryption and without. */
export function testPlayer(make: () => Promise<Place>): void {
  it.each([undefined, { keys: { '2026-10': KEY }, current: '2026-10' }])(
    'counts and erases the data of one player, and keeps receipts and all other reports: %o',
    { tags: 'slow', timeout: 60_000 },
    async (encryption) => {
      const place = await make();
      const run = runAt(place);
      const options = optionsWith(encryption ?? { keys: { other: KEY }, current: 'other' });
      const store = await place.open();
      const { gateway, outbox } = await fill(store, encryption);
      expect((await run('verify')).code).toBe(0);
      const before: string[] = [];
      // An excerpt without a location is a keyed fingerprint, which stays like that of the body.
      for await (const { body, excerpt } of scanRows(store, { state: 'recorded' }))
        before.push(...[body ?? [], excerpt ?? []].flat().filter((text) => !text.startsWith('[null,')));

      const shown = await run('player', PLAYER, ...options);
      expect(shown).toMatchObject({ code: 0, err: expect.stringContaining('To erase what is kept of 5 reports: ') });
      expect(shown.err).toContain('2 reports must still be sent, or need a person');
      const counted = await run('player', PLAYER, '--json', ...options);
      const places = [
        reportsOf('reportBetEvent', 'recorded', 1),
        reportsOf('reportBetEvent', 'quarantined', 1),
        reportsOf('reportBetEvent', 'waiting', 1),
        reportsOf('reportSettledBet', 'recorded', 1),
        reportsOf('reportWithdrawalEvent', 'recorded', 2, 1, 1),
        reportsOf('reportSettledWithdrawal', 'recorded', 1),
      ];
      const found = JSON.parse(counted.out);
      expect(found).toMatchObject({ erasable: 5, erased: 0, open: 2, looked: 9, empty: 1, locked: {}, unreadable: 0 });
      expect(found.places).toHaveLength(places.length);
      expect(found.places).toEqual(expect.arrayContaining(places));

      const erased = await run('player', PLAYER, '--erase', '--reason', REASON, ...options);
      expect(erased).toMatchObject({ code: 0, err: expect.stringContaining('Erased: 5 reports. Their receipts') });
      for (const { out, err } of [shown, counted, erased]) expect(leaksIn(out + err)).toEqual([]);

      // No byte of the erased reports is left, and the other player's report is as it was.
      let [rest, kept] = ['', before];
      const look = async () => {
        rest = await place.bytes();
        kept = before.filter((text) => rest.includes(text));
        return kept.length;
      };
      // An older transaction of another test keeps PostgreSQL from removing what it may still read.
      await expect.poll(look, { interval: 500, timeout: 40_000 }).toBe(1);
      expect(leaksIn(rest)).toEqual(encryption ? [] : [PLAYER]);
      expect((await store.get(['default:staging:reportBetEvent:B-other']))[0]?.body).toBe(kept[0]);

      const operator = createOperator({ over: outbox });
      const { decisions } = await operator.decisions();
      expect(decisions).toMatchObject([{ action: 'erase', reason: REASON, about: {}, touched: 5, done: true }]);
      const who = { decision: crypto.randomUUID(), who: 'ada', reason: 'a look' };
      const id = 'default:staging:reportBetEvent:B-1';
      await expect(operator.body(id, who)).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringMatching(/^The body of this report was erased by .*: request of 1 November$/),
      });
      expect((await run('show', id)).out).toMatch(/body +erased, .*request\s+of 1 November;\s+its hash/s);

      // The same bytes are the same report, and everything that proves it still works.
      expect(await outbox.reportBetEvent(firstBet)).toEqual({ id, state: 'recorded' });
      expect(await outbox.reportSettledWithdrawal(settledOf('W-1'))).toMatchObject({ state: 'recorded' });
      expect(await outbox.receipt({ operation: 'reportWithdrawalEvent', reference: 'W-2' })).toEqual(
        expect.not.objectContaining({ location: expect.anything() }),
      );
      const reconciled = outbox.reconcile(['B-1'], { operation: 'reportBetEvent', environment: 'staging' });
      for await (const { state } of reconciled) expect(state).toBe('recorded');
      expect(await run('verify')).toMatchObject({ code: 0, out: expect.stringContaining('Sound: 7 receipts') });
      expect((await run('export')).out.split('\n')).toHaveLength(8);

      const again = JSON.parse((await run('player', PLAYER, '--erase', '--reason', REASON, '--json', ...options)).out);
      expect(again).toMatchObject({ erasable: 0, erased: 0, open: 2, empty: 6 });
      expect((await operator.decisions()).decisions).toHaveLength(1);

      await store.close?.();
      const reopened = await place.open();
      const later = createOutbox({
        client: createClient(gateway.clientOptions()),
        store: reopened,
        ...(encryption && { encryption }),
      });
      await later.drain();
      expect(gateway.reports('staging', { reference: 'B-waits' })).toHaveLength(1);
      await reopened.close?.();
    },
  );
}

/** An erasure whose process is killed after its first commit, and is run again. */
export function testKilledErasure(make: () => Promise<Place>): void {
  it('an erasure goes on after its process was killed', { tags: 'slow', timeout: 60_000 }, async () => {
    const place = await make();
    const store = await place.open();
    await recordMany(store);
    const [outbox = '', ...more] = place.words;
    const words = ['outbox', outbox, 'player', PLAYER, '--erase', '--reason', REASON, ...more];
    const cli = await buildCli();
    const child = cli.start(...words);
    const ended = once(child, 'exit');
    const touched = async () =>
      ((await store.operator?.decisions(undefined, 9)) ?? []).map((decision) => decision.touched);
    await expect.poll(touched, { interval: 5, timeout: 30_000 }).toEqual([expect.toSatisfy((count) => count > 0)]);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const [before = 0] = await touched();
    expect(before).toBeLessThan(MANY / 2);

    expect(await cli.run(...words)).toMatchObject({ code: 0, err: expect.stringContaining('Erased: ') });
    expect(await touched()).toEqual([MANY / 2 - before, before]);
    const kept: number[] = [];
    for await (const { body, reference } of scanRows(store, {}))
      if (body !== undefined) kept.push(Number(reference.slice(2)));
    expect(kept).toHaveLength(MANY / 2);
    expect(kept.every((index) => index % 2 === 1)).toBe(true);
    expect((await runAt(place)('verify')).code).toBe(0);
    await cli.remove();
    await store.close?.();
  });
}

/** A report that gets another player's data after the erasure has read it keeps them. */
export function testErasureBesideReplacement(make: () => Promise<Place>): void {
  it('a report that gets the data of another player during an erasure keeps it', { timeout: 60_000 }, async () => {
    const place = await make();
    const store = await place.open();
    const { outbox, gateway } = await fill(store);
    const [refused] = await outbox.list({ reference: 'B-refused' });
    const id = refused?.id ?? '';
    await outbox.resolve(id, { as: 'dismissed', reason: 'a test' });
    gateway.faults.clear();
    const forOperators = store.operator;
    if (!forOperators?.erase) throw new Error('the store cannot erase');
    const { erase } = forOperators;
    const late: OutboxStore = {
      ...store,
      operator: {
        ...forOperators,
        async erase(...given) {
          const right = betEvent({ bet_id: 'B-refused', timestamp: '1795160000' });
          await outbox.replace(id, right, { reason: 'another player' });
          await outbox.drain();
          return erase(...given);
        },
      },
    };
    const context = { ...contextOf(late, 'outbox', undefined), seal: standardSeal(store, undefined) };
    const who = { decision: crypto.randomUUID(), who: 'ada', reason: REASON };
    expect(await readPlayer(context, { player: PLAYER, erase: who })).toMatchObject({ erasable: 6, erased: 5 });
    const [row] = await store.get([id]);
    expect(row).toMatchObject({ state: 'recorded', body: expect.stringContaining('U-88412') });
    expect((await forOperators.decisions(undefined, 1))[0]).toMatchObject({ action: 'erase', touched: 5 });
    await store.close?.();
  });
}

/** A person who has read a dismissed report before its erasure cannot reopen it after. */
export function testErasureBesideReopening(make: () => Promise<Place>): void {
  it('a report that is erased while a person reopens it stays dismissed', { timeout: 60_000 }, async () => {
    const place = await make();
    const store = await place.open();
    const { outbox } = await fill(store);
    const [refused] = await outbox.list({ reference: 'B-refused' });
    const id = refused?.id ?? '';
    await outbox.resolve(id, { as: 'dismissed', reason: 'a test' });
    await appendReceipts(store);
    const [row] = await store.get([id]);
    if (!row) throw new Error('the report is gone');
    const change = decided(row, { action: 'reopened', reason: 'a test', at: 1 }, false);
    if (!isChange(change)) throw new Error(change.why);
    expect(await runAt(place)('player', PLAYER, '--erase', '--reason', REASON)).toMatchObject({ code: 0 });
    const { written } = await store.turn({ writes: [{ id, expected: row, change }], claim: undefined });
    expect(written).toEqual([false]);
    expect((await store.get([id]))[0]).toMatchObject({ state: 'dismissed', body: undefined });
    await expect(outbox.reopen(id, { reason: 'a test' })).rejects.toThrow('its data was deleted');
  });
}
