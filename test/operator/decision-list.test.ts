import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/platform/time.js';
import type { DecisionFilter } from '../../src/operator/decision-log.js';
import { createOperator } from '../../src/operator/operator.js';
import { newRow } from '../outbox/contract/harness.js';
import { outboxWorld, storeWithConsole } from '../outbox/world.js';
import { BEGAN, byAda, enqueue, idOf, onlyGroup, quarantine, world } from './world.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const by = (who: string) => ({ ...byAda(), who });

describe('the list of decisions', () => {
  it('says what Ada dismissed yesterday', async () => {
    const { store, data, clock } = await world();
    await quarantine(store, ['B-1', 'B-2', 'B-3', 'B-4', 'B-5']);
    const dismiss = (who: string, reference: string) =>
      data.decide({ ...by(who), action: 'dismissed', selection: { ids: [idOf(reference)] } });
    await dismiss('Ada Obi', 'B-1');
    clock.advance(DAY_MS);
    await dismiss('Bola Ade', 'B-2');
    await data.decide({ ...by('Ada Obi'), action: 'retry', selection: { ids: [idOf('B-3')] } });
    const { decision } = await dismiss('Ada Obi', 'B-4');
    clock.advance(DAY_MS);
    await dismiss('Ada Obi', 'B-5');

    const yesterday = { from: BEGAN + DAY_MS - HOUR_MS, to: BEGAN + DAY_MS + HOUR_MS };
    const found = await data.decisions({ who: 'ada o', action: 'dismissed', ...yesterday });
    expect(found).toEqual({
      decisions: [expect.objectContaining({ id: decision.id, who: 'Ada Obi', about: { ids: [idOf('B-4')] } })],
      next: null,
      reached: null,
    });
    expect((await data.search({ decision: decision.id })).reports.map(({ reference }) => reference)).toEqual(['B-4']);
  });

  it('finds a person by a part of the name, with or without its capital letters and accents', async () => {
    const { data } = await world();
    for (const who of ['Adébáyọ̀ Ojo', 'ngozi@example.com', 'İpek'])
      await data.resume({ account: 'default', environment: 'staging' }, by(who));
    const found = async (who: string) => (await data.decisions({ who })).decisions.map((one) => one.who);
    expect(await found('adebayo')).toEqual(['Adébáyọ̀ Ojo']);
    expect(await found(' ADÉBÁYỌ̀')).toEqual(['Adébáyọ̀ Ojo']);
    expect(await found('EXAMPLE.com')).toEqual(['ngozi@example.com']);
    expect(await found('ipek')).toEqual(['İpek']);
    expect(await found('chidi')).toEqual([]);
    expect(await found('')).toHaveLength(3);
  });

  it('finds one by its id, if the other conditions hold too', async () => {
    const { data } = await world();
    const { decision } = await data.resume({ account: 'default', environment: 'staging' }, byAda());
    await data.resume({ account: 'default', environment: 'staging' }, byAda());
    const ids = async (filter: DecisionFilter) => (await data.decisions(filter)).decisions.map(({ id }) => id);
    expect(await ids({ id: decision.id })).toEqual([decision.id]);
    expect(await ids({ id: decision.id, who: 'bola' })).toEqual([]);
    expect(await ids({ id: 'decision-that-is-not' })).toEqual([]);
  });

  it('is read in pages, which say how far back they looked', async () => {
    const { data } = await longLog(6_000, (made) => (made === 0 || made === 5_999 ? 'ada' : 'bola'));
    const first = await data.decisions({ who: 'ada' });
    expect([first.decisions.map(({ id }) => id), first.next]).toEqual([[one(5_999).id], '1000']);
    expect(first.reached).toBe(minute(1_000));
    const rest = await data.decisions({ who: 'ada' }, first.next ?? '');
    expect([rest.decisions.map(({ id }) => id), rest.next, rest.reached]).toEqual([[one(0).id], null, null]);
    const bola = await data.decisions({ who: 'bola' });
    const more = await data.decisions({ who: 'bola' }, bola.next ?? '');
    expect([bola.decisions.length, more.decisions.length]).toEqual([50, 50]);
    expect(new Set([...bola.decisions, ...more.decisions].map(({ id }) => id)).size).toBe(100);
  });

  it('ends at the begin of the searched time', async () => {
    const { data } = await longLog(2_000, () => 'ada');
    const ids = async (filter: DecisionFilter) => (await data.decisions(filter)).decisions.map(({ id }) => id);
    expect(await ids({ from: minute(100), to: minute(103) })).toEqual([one(102).id, one(101).id, one(100).id]);
    expect(await ids({ to: minute(0) })).toEqual([]);
    expect(await ids({ to: minute(1) })).toEqual([one(0).id]);
    expect(await ids({ from: minute(1_999) })).toEqual([one(1_999).id]);
    expect(await ids({ from: minute(2_000) })).toEqual([]);
    expect((await data.decisions({ from: minute(100), to: minute(103) })).next).toBeNull();
  });

  it('finds a decision that a clock put out of the order of its time', async () => {
    const { store, data, clock } = await world();
    const times = [0, 300_000, 1_000, 302_000];
    for (const [made, time] of times.entries()) {
      clock.advance(BEGAN + time - clock.now());
      await store.operator?.begin({ ...one(made), who: 'ada' });
    }
    const ids = async (filter: DecisionFilter) => (await data.decisions(filter)).decisions.map(({ id }) => id);
    expect(await ids({ to: BEGAN + 2_000 })).toEqual([one(2).id, one(0).id]);
    expect(await ids({ from: BEGAN + 300_000 })).toEqual([one(3).id, one(1).id]);
  });

  it('shows the reports of a decision, one commit in each page, and of the accounts that are shown', async () => {
    const store = await storeWithConsole({ ...systemClock, now: () => BEGAN });
    const brand = { account: 'brand' };
    const everything = createOperator({ over: store });
    const references = Array.from({ length: 150 }, (_, index) => `B-${index}`);
    for (let from = 0; from < references.length; from += 50) await quarantine(store, references.slice(from, from + 50));
    const { group } = await onlyGroup(everything);
    const { decision } = await everything.decide({ ...byAda(), action: 'dismissed', selection: { group } });
    const page = await everything.search({ decision: decision.id });
    const rest = await everything.search({ decision: decision.id }, page.next ?? '');
    expect([page.reports.length, rest.reports.length, rest.next]).toEqual([100, 50, null]);
    expect([...page.reports, ...rest.reports].map(({ reference }) => reference)).toEqual(references);

    await enqueue(store, ['B-x'], brand);
    const { decision: theirs } = await everything.decide({
      ...byAda(),
      action: 'retry',
      selection: { ids: [newRow('B-x', brand).id] },
    });
    const data = createOperator({ over: outboxWorld({ store }).make() });
    expect((await everything.search({ decision: theirs.id })).reports).toHaveLength(1);
    expect(await data.search({ decision: theirs.id })).toMatchObject({ reports: [], next: null });
    expect((await data.search({ decision: decision.id })).reports).toHaveLength(100);
    expect(await everything.search({ decision: 'decision-that-is-not' })).toMatchObject({ reports: [], next: null });
  });
});

const minute = (made: number) => BEGAN + made * 60_000;

/** A store with many decisions, one in each minute. */
async function longLog(length: number, who: (made: number) => string) {
  const { store, data } = await world();
  const kept = (number: number) => ({
    ...one(number),
    ...{
      who: who(number),
      number,
      at: minute(number),
      asOf: 0,
      cursor: 0,
      touched: 0,
      skipped: 0,
      undoneBy: undefined,
    },
  });
  if (store.operator)
    store.operator.decisions = async (before = length, limit) =>
      Array.from({ length: Math.min(limit, before) }, (_, index) => kept(before - 1 - index));
  return { data };
}

const one = (made: number) => ({
  id: `decision-${String(made).padStart(8, '0')}`,
  action: 'resume',
  reason: 'mended',
  about: JSON.stringify({ account: 'default', environment: 'staging' }),
  done: true,
});
