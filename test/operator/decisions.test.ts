import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/entries/outbox.js';
import { createOperator } from '../../src/operator/operator.js';
import { claim, equal, LEASE_MS, newRow, QUARANTINED, read, settledRow, write } from '../outbox/contract/harness.js';
import { outboxWorld } from '../outbox/world.js';
import { byAda, enqueue, idOf, onlyGroup, quarantine, quarantineInDoubt, world } from './world.js';

const many = (count: number) => Array.from({ length: count }, (_, index) => `B-${String(index).padStart(4, '0')}`);

describe('a decision about a group', () => {
  it('shows its effect first, and has that effect', async () => {
    const { store, data, clock } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    const { group, shown, asOf } = await onlyGroup(data);
    expect(shown).toMatchObject({
      count: 2,
      status: 422,
      code: 'unprocessable',
      example: { reference: 'B-1', state: 'quarantined' },
    });
    expect(shown.words).toBe(
      'the gateway refused the report (HTTP 422). The gateway said: "amount must be an integer".',
    );
    expect(await data.preview({ group }, 'retry')).toMatchObject({
      count: 2,
      operations: { reportBetEvent: 2 },
      inDoubt: 0,
      settlements: 0,
    });
    clock.advance(1_000);
    // Quarantined after the person's preview.
    await quarantine(store, ['B-3']);
    const { decision, more, refused } = await data.decide({ ...byAda(), action: 'retry', selection: { group }, asOf });
    expect({ touched: decision.touched, skipped: decision.skipped, done: decision.done, more, refused }).toEqual({
      touched: 2,
      skipped: 0,
      done: true,
      more: false,
      refused: [],
    });
    expect((await data.groups()).groups.map(({ count }) => count)).toEqual([1]);
    expect((await claim(store)).map(({ reference }) => reference)).toEqual(['B-1', 'B-2']);
  });

  it('continues after its time limit, and changes each report once', async () => {
    const { store, data } = await world();
    const references = many(2_300);
    for (let from = 0; from < references.length; from += 100)
      await quarantine(store, references.slice(from, from + 100));
    const { group } = await onlyGroup(data);
    const request = { ...byAda(), action: 'retry', selection: { group }, forMs: 0 } as const;
    const steps = [
      await data.decide(request),
      await data.decide(request),
      await data.decide(request),
      await data.decide(request),
    ];
    expect(steps.map(({ decision, more }) => [decision.touched, more])).toEqual([
      [1_000, true],
      [2_000, true],
      [2_300, false],
      [2_300, false],
    ]);
  });

  it('is carried out once if two callers send it at the same time', async () => {
    const { store, data } = await world();
    await quarantine(store, many(40));
    const { group } = await onlyGroup(data);
    const request = { ...byAda(), action: 'retry', selection: { group } } as const;
    const [first, second] = await Promise.all([data.decide(request), data.decide(request)]);
    expect([first.decision.touched, second.decision.touched, first.decision.skipped, second.decision.skipped]).toEqual([
      40, 40, 0, 0,
    ]);
    expect((await data.decisions()).decisions).toHaveLength(1);
    const rows = await store.list({ limit: 100 });
    expect(rows.every(({ decisions }) => decisions.length === 1)).toBe(true);
  });

  it('does not change a report again that was quarantined again', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const request = { ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } } as const;
    await data.decide(request);
    const [row] = await claim(store);
    if (row)
      await write(store, row, {
        ...QUARANTINED,
        problem: { code: 'unprocessable', message: 'again' },
        decisions: row.decisions,
      });
    expect((await data.decide(request)).decision.touched).toBe(1);
    expect((await read(store, idOf('B-1'))).state).toBe('quarantined');
  });

  it('says that there is no more to do where it was undone before its end', async () => {
    const { store, data } = await world();
    const references = many(1_100);
    for (let from = 0; from < references.length; from += 100)
      await quarantine(store, references.slice(from, from + 100));
    const { group } = await onlyGroup(data);
    const request = { ...byAda(), action: 'retry', selection: { group }, forMs: 0 } as const;
    expect((await data.decide(request)).more).toBe(true);
    await data.undo({ ...byAda(), of: request.decision });
    expect(await data.decide(request)).toMatchObject({ more: false, decision: { touched: 1_000, done: false } });
    expect((await data.groups()).groups.map(({ count }) => count)).toEqual([1_100]);
  });

  it('says of a report that others have changed meanwhile that it was left, and tells no listener of it', async () => {
    const { store } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    const other = (await world(store)).data;
    const console = store.operator;
    if (!console) throw new Error('The store offers the console nothing.');
    const step: typeof console.step = async (one) => {
      await other.decide({ ...byAda(), action: 'dismissed', selection: { ids: [idOf('B-1')] } });
      return console.step(one);
    };
    const { outbox } = outboxWorld({ store: { ...store, operator: { ...console, step } } });
    const heard: string[] = [];
    outbox.on('decided', ({ id, action }) => heard.push(`${action} ${id}`));
    const data = createOperator({ over: outbox });
    const { decision, refused } = await data.decide({
      ...byAda(),
      action: 'retry',
      selection: { ids: [idOf('B-1'), idOf('B-2')] },
    });
    expect([decision.touched, decision.skipped, refused]).toEqual([
      1,
      1,
      [{ id: idOf('B-1'), why: 'it was changed in the meantime' }],
    ]);
    expect(heard).toEqual([`retry ${idOf('B-2')}`]);
    expect((await read(store, idOf('B-1'))).state).toBe('dismissed');
  });

  it('refuses the id of another decision', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    const by = byAda();
    await data.decide({ ...by, action: 'retry', selection: { ids: [idOf('B-1')] } });
    await expect(data.decide({ ...by, action: 'retry', selection: { ids: [idOf('B-2')] } })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(
      data.decide({ ...by, who: 'bola', action: 'retry', selection: { ids: [idOf('B-1')] } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(data.decide({ ...by, action: 'dismissed', selection: { ids: [idOf('B-1')] } })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(
      data.decide({ ...by, reason: 'other', action: 'retry', selection: { ids: [idOf('B-1')] } }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect((await read(store, idOf('B-2'))).state).toBe('quarantined');
  });
});

describe('a decision about single reports', () => {
  it('names the reports that it leaves, with reasons', async () => {
    const { store, data } = await world();
    await enqueue(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    await claim(store, 1);
    const ids = [idOf('B-1'), settledRow('B-1').id, 'default:staging:reportBetEvent:unknown'];
    const { decision, refused } = await data.decide({ ...byAda(), action: 'retry', selection: { ids } });
    expect([decision.touched, decision.skipped]).toEqual([0, 3]);
    expect(refused.map(({ why }) => why)).toEqual([
      'the outbox does not have this report',
      'it is in-flight; only a quarantined or waiting report can be tried again',
      `it is blocked: it is sent once ${idOf('B-1')} is recorded or dismissed; decide on that one`,
    ]);
    expect((await data.preview({ ids }, 'retry')).refused).toHaveLength(3);
  });

  it('names a few only of very many that it leaves, and of those that it would touch', async () => {
    const { store, data } = await world();
    const unknown = many(30).map((reference) => idOf(`never-${reference}`));
    const { decision, refused } = await data.decide({ ...byAda(), action: 'retry', selection: { ids: unknown } });
    expect([decision.skipped, refused.length]).toEqual([30, 20]);
    await quarantine(store, many(10));
    const preview = await data.preview({ ids: [...unknown, ...many(10).map(idOf)] }, 'retry');
    expect([preview.count, preview.refused.length, preview.unchanged, preview.examples.length]).toEqual([
      10, 20, 30, 5,
    ]);
  });

  it('counts its reports, those in doubt and the settlements that would be sent then', async () => {
    const { store, data } = await world();
    const ids = [idOf('B-1'), idOf('B-2')];
    await enqueue(store, ['B-1', 'B-2']);
    const [first, second] = await claim(store, 2);
    if (!first || !second) throw new Error('two rows to claim: expected two');
    await write(store, first, { ...QUARANTINED, inDoubt: true });
    await write(store, second, QUARANTINED);
    await store.enqueue([settledRow('B-1')]);
    expect(await data.preview({ ids }, 'dismissed')).toMatchObject({ count: 2, inDoubt: 1, settlements: 1 });
    expect(await data.preview({ ids }, 'retry')).toMatchObject({ count: 2, inDoubt: 1, settlements: 0 });
  });

  it('ends a report with its receipt, and names the settlement that is then sent', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    const selection = { ids: [idOf('B-1')] };
    expect(await data.preview(selection, 'dismissed')).toMatchObject({ count: 1, settlements: 1 });
    const { decision } = await data.decide({ ...byAda(), action: 'dismissed', selection });
    expect(await read(store, idOf('B-1'))).toMatchObject({
      state: 'dismissed',
      decisions: [{ action: 'dismissed', by: 'ada', id: decision.id }],
    });
    expect((await data.overview()).receipts).toMatchObject({ count: 1 });
    const [line] = await store.receipts.read(0, 1);
    expect(JSON.parse(line?.line ?? '')).toMatchObject({
      outcome: 'dismissed',
      decisions: [{ action: 'dismissed', by: 'ada', reason: 'the deploy was mended' }],
    });
  });

  it('recorded is final: it cannot be undone', async () => {
    const { store, data } = await world();
    await quarantineInDoubt(store, ['B-1']);
    const { decision } = await data.decide({ ...byAda(), action: 'recorded', selection: { ids: [idOf('B-1')] } });
    await expect(data.undo({ ...byAda(), of: decision.id })).rejects.toMatchObject({ code: 'conflict' });
    expect(await data.decide({ ...byAda(), action: 'reopened', selection: { ids: [idOf('B-1')] } })).toMatchObject({
      refused: [{ why: 'it is recorded; only a dismissed report can be reopened' }],
    });
  });
});

describe('a verdict that is wrong for some reports of a group', () => {
  it('touches only those in doubt, and its preview counts them', async () => {
    const { store, data } = await world();
    await quarantine(store, many(7));
    const none = { count: 0, inDoubt: 0, operations: {}, examples: [], refused: [] };
    const { group } = await onlyGroup(data);
    expect(await data.preview({ group }, 'recorded')).toMatchObject(none);
    await quarantineInDoubt(store, ['C-1', 'C-2']);
    const { asOf } = await onlyGroup(data);
    expect(await data.preview({ group }, 'recorded')).toMatchObject({
      count: 2,
      inDoubt: 2,
      operations: { reportBetEvent: 2 },
      refused: [],
    });
    expect(await data.preview({ group }, 'dismissed')).toMatchObject({ count: 9, inDoubt: 2 });
    expect(await data.preview({ ids: [idOf('B-0000'), idOf('C-1')] }, 'recorded')).toMatchObject({
      count: 1,
      refused: [{ id: idOf('B-0000'), why: 'the gateway has refused it, and no attempt is in doubt' }],
    });
    const { decision } = await data.decide({ ...byAda(), action: 'recorded', selection: { group }, asOf });
    expect(decision).toMatchObject({ touched: 2, skipped: 7 });
  });
});

describe('a decision by its id', () => {
  const isUndoable = async (data: Awaited<ReturnType<typeof world>>['data'], id: string) =>
    (await data.decisions({ id })).isUndoable;

  it('says of a retry whether a report of it can be taken back', async () => {
    const { store, data } = await world();
    await quarantine(store, many(3));
    const { group } = await onlyGroup(data);
    const { decision } = await data.decide({ ...byAda(), action: 'retry', selection: { group } });
    await claim(store, 2);
    expect(await isUndoable(data, decision.id)).toBe(true);
    await claim(store, 1);
    expect(await isUndoable(data, decision.id)).toBe(false);
  });

  it('says of a dismissal whether a report of it can be reopened', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1', 'B-2']);
    const ids = [idOf('B-1'), idOf('B-2')];
    const { decision } = await data.decide({ ...byAda(), action: 'dismissed', selection: { ids } });
    const { decision: reopened } = await data.decide({
      ...byAda(),
      action: 'reopened',
      selection: { ids: [idOf('B-1')] },
    });
    expect(await isUndoable(data, decision.id)).toBe(true);
    expect(await isUndoable(data, reopened.id)).toBe(false);
    await data.undo({ ...byAda(), of: decision.id });
    expect(await isUndoable(data, decision.id)).toBe(false);
  });

  it('says no where other accounts are hidden, since an undo is for a whole decision', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    await enqueue(store, ['B-1'], { account: 'other' });
    for (const row of await claim(store)) await write(store, row, QUARANTINED);
    const { decision } = await data.decide({ ...byAda(), action: 'dismissed', selection: { all: {} } });
    expect(await isUndoable(data, decision.id)).toBe(true);
    const { client } = outboxWorld();
    const narrow = createOperator({ over: createOutbox({ client, store }) });
    expect((await narrow.decisions({ id: decision.id })).isUndoable).toBe(false);
  });
});

describe('a verdict about all quarantined reports', () => {
  it.each(['dismissed', 'recorded'] as const)('%s leaves one that was quarantined after its begin', async (action) => {
    const { store, data, clock } = await world();
    await quarantineInDoubt(store, many(101));
    const request = { ...byAda(), action, selection: { all: { code: 'unprocessable' } }, forMs: 0 };
    expect(await data.decide(request)).toMatchObject({ more: true, decision: { touched: 100 } });
    clock.advance(1_000);
    await quarantine(store, ['B-later']);
    expect(await data.decide(request)).toMatchObject({ more: false, refused: [], decision: { touched: 101 } });
    expect((await read(store, idOf('B-later'))).state).toBe('quarantined');
  });
});

describe('a settlement that left before its bet came', () => {
  it('is not announced as sent then', async () => {
    const { store, data } = await world();
    await store.enqueue([settledRow('B-1')]);
    await claim(store);
    await quarantine(store, ['B-1']);
    expect(await data.preview({ ids: [idOf('B-1')] }, 'dismissed')).toMatchObject({ count: 1, settlements: 0 });
    expect((await data.report(idOf('B-1')))?.actions).toContainEqual(
      expect.objectContaining({ action: 'dismissed', warning: null }),
    );
  });
});

describe('groups', () => {
  it('come with the largest first, 200 at most, and the others are counted', async () => {
    const { store, data } = await world();
    for (const index of Array(202).keys()) await quarantine(store, [`B-${index}`], `mistake ${index}`);
    await quarantine(store, ['B-a', 'B-b'], 'mistake 201');
    const { groups, others } = await data.groups();
    expect([groups.length, groups[0]?.count, groups[0]?.example.reference, groups[1]?.example.reference]).toEqual([
      200,
      3,
      'B-201',
      'B-0',
    ]);
    expect(others).toEqual({ groups: 2, reports: 2 });
  });
});

describe('undoing a retry', () => {
  it('quarantines the unclaimed reports with their problems, and counts the others', async () => {
    const { store, data } = await world();
    const before = await quarantine(store, ['B-1', 'B-2', 'B-3']);
    const { group } = await onlyGroup(data);
    const { decision } = await data.decide({ ...byAda(), action: 'retry', selection: { group } });
    await claim(store, 1);
    const back = byAda();
    const undone = await data.undo({ ...back, of: decision.id });
    expect(undone).toMatchObject({
      more: false,
      kept: 1,
      decision: { touched: 2, skipped: 1, done: true },
    });
    for (const row of before.slice(1)) {
      const now = await read(store, row.id);
      equal(
        [now.state, now.problem, now.attempts, now.inDoubt],
        ['quarantined', row.problem, row.attempts, row.inDoubt],
        row.id,
      );
    }
    expect((await read(store, idOf('B-1'))).state).toBe('in-flight');
    expect((await data.decisions()).decisions.find(({ id }) => id === decision.id)?.undoneBy).toBe(back.decision);
    await expect(data.undo({ ...byAda(), of: decision.id })).rejects.toMatchObject({ code: 'conflict' });
    // The same request once more has no further effect.
    expect((await data.undo({ ...back, of: decision.id })).decision.touched).toBe(2);
    const life = await data.report(idOf('B-2'));
    expect(life?.timeline.filter(({ kind }) => kind === 'decided')).toMatchObject([
      { action: 'retry', who: 'ada', undone: { who: 'ada' } },
    ]);
  });

  it('is continued by a colleague if it was interrupted', async () => {
    const { store, data } = await world();
    const references = many(250);
    for (let from = 0; from < references.length; from += 50) await quarantine(store, references.slice(from, from + 50));
    const { group } = await onlyGroup(data);
    const { decision } = await data.decide({ ...byAda(), action: 'dismissed', selection: { group } });
    const interrupted = await data.undo({ ...byAda(), of: decision.id, forMs: 0 });
    expect(interrupted).toMatchObject({ more: true, decision: { touched: 100, done: false } });
    const rest = { ...byAda(), who: 'bola', of: decision.id };
    expect(await data.undo(rest)).toMatchObject({ more: false, kept: 100, decision: { touched: 150, done: true } });
    expect((await store.counts()).states).toMatchObject({ dismissed: 0, quarantined: 250 });
    expect((await data.decisions({ id: decision.id })).decisions[0]?.undoneBy).toBe(interrupted.decision.id);
    const row = await read(store, idOf(references[0] ?? ''));
    expect(row.decisions.map(({ action }) => action)).toEqual(['dismissed', 'reopened']);
  });

  it('leaves what a worker claims at the same moment', async () => {
    const { store } = await world();
    await quarantine(store, ['B-1']);
    const console = store.operator;
    if (!console) throw new Error('The store offers the console nothing.');
    const { decision } = await (await world(store)).data.decide({
      ...byAda(),
      action: 'retry',
      selection: { ids: [idOf('B-1')] },
    });
    const step: typeof console.step = async (one) => {
      await claim(store);
      return console.step(one);
    };
    const { data } = await world({ ...store, operator: { ...console, step } });
    expect(await data.undo({ ...byAda(), of: decision.id })).toMatchObject({
      kept: 1,
      decision: { touched: 0, skipped: 1 },
    });
    expect((await read(store, idOf('B-1'))).state).toBe('in-flight');
  });

  it('leaves a report that was attempted and waits again', async () => {
    const { store, data } = await world();
    await quarantine(store, ['B-1']);
    const { decision } = await data.decide({ ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } });
    const [row] = await claim(store);
    if (row)
      await write(store, row, {
        state: 'waiting',
        outcome: undefined,
        keepBody: true,
        delayMs: LEASE_MS,
        decisions: row.decisions,
      });
    expect(await data.undo({ ...byAda(), of: decision.id })).toMatchObject({
      kept: 1,
      decision: { touched: 0 },
    });
    expect((await read(store, idOf('B-1'))).state).toBe('waiting');
  });

  it('leaves a report that was waiting before, and refuses an unknown decision', async () => {
    const { store, data } = await world();
    await store.enqueue([newRow('B-1')]);
    const { decision } = await data.decide({ ...byAda(), action: 'retry', selection: { ids: [idOf('B-1')] } });
    expect(decision.touched).toBe(1);
    expect(await data.undo({ ...byAda(), of: decision.id })).toMatchObject({
      kept: 1,
      decision: { touched: 0 },
    });
    await expect(data.undo({ ...byAda(), of: 'decision-that-never-was' })).rejects.toMatchObject({ code: 'not-found' });
  });
});
