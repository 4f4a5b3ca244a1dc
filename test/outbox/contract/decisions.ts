import type { DecisionFilter } from '../../../src/operator/decision-log.js';
import { createOperator } from '../../../src/operator/operator.js';
import { decided, isChange, undone } from '../../../src/outbox/rules/decisions.js';
import type { Row } from '../../../src/outbox/rules/state-machine.js';
import type { DecisionStep, KeptDecision, NewDecision } from '../../../src/outbox/store/operator-store.js';
import { consoleCase, quarantine } from './console.js';
import { ACCOUNT, type ContractCase, claim, equal, newRow, read, settledRow } from './harness.js';

const decision = (id: string, overrides: Partial<NewDecision> = {}): NewDecision => ({
  id,
  action: 'retry',
  who: 'ada',
  reason: 'mended',
  about: '{"group":{}}',
  done: false,
  ...overrides,
});

const retryOf = (row: Row, id: string) => {
  const change = decided(row, { action: 'retry', reason: 'mended', at: 1, by: 'ada', id }, false);
  if (!isChange(change)) throw new Error(change.why);
  return { id: row.id, sequence: row.sequence, expected: { state: row.state, fence: row.fence }, change };
};

const step = (id: string, rows: readonly Row[], overrides: Partial<DecisionStep> = {}): DecisionStep => ({
  id,
  from: 0,
  to: rows.at(-1)?.sequence ?? 0,
  done: true,
  skipped: 0,
  writes: rows.map((row) => retryOf(row, id)),
  ...overrides,
});

export const decisionCases: readonly ContractCase[] = [
  consoleCase(
    'a decision is stored once, with its cursor, and changes each row once',
    async ({ store, console, harness }) => {
      const rows = await quarantine(store, ['B-1', 'B-2']);
      const begun = await console.begin(decision('decision-0000-0001'));
      equal(await console.begin(decision('decision-0000-0001', { who: 'eve' })), begun, 'a second beginning');
      const other = (await harness.another?.())?.operator ?? console;
      equal(await other.step(step(begun.id, rows, { skipped: 3 })), [true, true], 'the writes');
      equal(await console.step(step(begun.id, rows)), undefined, 'the same step again');
      const now = await console.decision(begun.id);
      equal([now?.touched, now?.skipped, now?.done, now?.cursor], [2, 3, true, rows[1]?.sequence], 'its cursor');
      equal(
        await console.touched(begun.id, -1),
        { from: 0, sequences: rows.map(({ sequence }) => sequence) },
        'the changed rows',
      );
      equal(await console.touched(begun.id, 0), undefined, 'the changed rows after that');
      const row = await read(store, newRow('B-1').id);
      equal(
        [row.state, row.problem, row.fence, row.attempts],
        ['waiting', undefined, rows[0]?.fence, rows[0]?.attempts],
        'a row',
      );
      equal(
        row.decisions,
        [
          {
            action: 'retry',
            reason: 'mended',
            at: 1,
            by: 'ada',
            id: begun.id,
            before: { fence: row.fence, problem: rows[0]?.problem },
          },
        ],
        'its decisions',
      );
      equal(row.body, newRow('B-1').body, 'its body');
      equal((await claim(store)).length, 2, 'rows to claim');
      await console.begin(decision('decision-0000-0002', { action: 'body', done: true }));
      equal(
        (await console.decisions(undefined, 1)).map(({ id }) => id),
        ['decision-0000-0002'],
        'the newest decision',
      );
      const [last] = await console.decisions(undefined, 1);
      equal(
        (await console.decisions(last?.number, 5)).map(({ id }) => id),
        [begun.id],
        'those before it',
      );
    },
  ),
  consoleCase('a step leaves rows that were changed in the meantime, and counts them', async ({ store, console }) => {
    const rows = await quarantine(store, ['B-1', 'B-2']);
    const [first] = rows;
    if (!first) throw new Error('a row: expected one');
    await store.turn({ writes: [{ ...retryOf(first, 'decision-0000-0000') }], claim: undefined });
    const { id } = await console.begin(decision('decision-0000-0001'));
    equal(await console.step(step(id, rows)), [false, true], 'the writes');
    const now = await console.decision(id);
    equal([now?.touched, now?.skipped], [1, 1], 'the number');
  }),
  consoleCase('a step with final changes ends rows as a turn does', async ({ store, console }) => {
    const rows = await quarantine(store, ['B-1']);
    await store.enqueue([settledRow('B-1')]);
    const { id } = await console.begin(decision('decision-0000-0001', { action: 'dismissed' }));
    const writes = rows.map((row) => {
      const change = decided(row, { action: 'dismissed', reason: 'a test', at: 1, by: 'ada', id }, false);
      if (!isChange(change)) throw new Error(change.why);
      return { id: row.id, sequence: row.sequence, expected: row, change };
    });
    equal(await console.step(step(id, rows, { writes })), [true], 'the writes');
    equal(
      (await store.counts()).states,
      { waiting: 1, blocked: 0, 'in-flight': 0, recorded: 0, quarantined: 0, dismissed: 1 },
      'counts',
    );
    equal(
      (await store.receipts.unlogged(5)).map(({ reference }) => reference),
      ['B-1'],
      'rows without a receipt',
    );
    equal((await read(store, newRow('B-1').id)).body, newRow('B-1').body, 'its body');
    equal(
      (await claim(store)).map(({ operation }) => operation),
      ['reportSettledBet'],
      'the row that waited for it',
    );
  }),
  consoleCase(
    'an undone retry restores the rows, except those that a worker has claimed',
    async ({ store, console }) => {
      const rows = await quarantine(store, ['B-1', 'B-2']);
      const { id } = await console.begin(decision('decision-0000-0001'));
      await console.step(step(id, rows, { done: false }));
      const [claimed] = await claim(store, 1);
      const back = await console.begin(decision('decision-0000-0002', { action: 'undo', undoes: id }));
      equal((await console.decision(id))?.undoneBy, back.id, 'the decision that was undone');
      equal(
        await console.step(step(id, rows, { from: rows[1]?.sequence ?? 0, to: 99, writes: [] })),
        undefined,
        'a step of it afterwards',
      );
      const now = await console.rows(rows.map(({ sequence }) => sequence));
      const by = { reason: 'a mistake', at: 2, by: 'bob' };
      const changes = now.map((row) => ({ row, change: undone(row, id, by) }));
      const writes = changes.flatMap(({ row, change }) =>
        !isChange(change) ? [] : [{ id: row.id, sequence: row.sequence, expected: row, change }],
      );
      equal(writes.length, 1, 'rows to undo');
      await console.step(step(back.id, [], { writes }));
      const left = rows.find((row) => row.id !== claimed?.id);
      const row = await read(store, left?.id ?? '');
      equal(
        [row.state, row.problem, row.fence, row.decisions.length],
        ['quarantined', left?.problem, (left?.fence ?? 0) + 1, 1],
        'the row that is back',
      );
      equal(row.decisions[0]?.undone, by, 'who has undone it');
      equal((await read(store, claimed?.id ?? '')).state, 'in-flight', 'the row that was claimed');
      equal(
        (await console.problemGroups()).map(({ count }) => count),
        [1],
        'groups',
      );
    },
  ),
  consoleCase('decisions are found by name, kind, time and id, with their reports', async ({ store, console }) => {
    const operator = createOperator({ over: store });
    const rows = await quarantine(store, ['B-1', 'B-2', 'B-3']);
    const begun: KeptDecision[] = [];
    for (const [place, given] of [
      { who: 'Ada Obi' },
      { who: 'Ọlá Bello', action: 'dismissed' },
      { who: 'ada obi', action: 'dismissed' },
    ].entries())
      begun.push(await console.begin(decision(`decision-0000-000${place}`, { ...given, about: '{"account":"x"}' })));
    await console.step(step('decision-0000-0000', rows));
    const found = async (filter: DecisionFilter, before?: string) =>
      (await operator.decisions(filter, before)).decisions.map(({ id }) => id.slice(-1));
    equal(await found({}), ['2', '1', '0'], 'all');
    equal(await found({}, String(begun[2]?.number)), ['1', '0'], 'those before the newest');
    equal(await found({ who: 'ADA' }), ['2', '0'], 'those of Ada');
    equal(await found({ who: 'ola' }), ['1'], 'those of a name with accents');
    equal(await found({ who: 'ada', action: 'dismissed' }), ['2'], 'what Ada dismissed');
    const [first, last] = [begun[0]?.at ?? 0, begun[2]?.at ?? 0];
    equal(await found({ from: first, to: last + 1 }), ['2', '1', '0'], 'those of a time');
    equal([await found({ from: last + 1 }), await found({ to: first })], [[], []], 'those of other times');
    equal(await found({ id: 'decision-0000-0001' }), ['1'], 'one by its id');
    equal(
      (await operator.search({ decision: 'decision-0000-0000' })).reports.map(({ reference }) => reference),
      ['B-1', 'B-2', 'B-3'],
      'its reports',
    );
    equal((await operator.search({ decision: 'decision-0000-0001' })).reports, [], 'the reports of one without any');
  }),
  consoleCase('the throughput counts each line once, in order', async ({ console, harness }) => {
    const now = await console.now();
    const minute = Math.floor(now / 60_000) * 60_000;
    const count = {
      span: 'minute',
      start: minute,
      account: ACCOUNT,
      environment: 'staging',
      recorded: 2,
      dismissed: 1,
      classes: [1, 1, ...Array.from({ length: 11 }, () => 0)],
    } as const;
    const day = { ...count, span: 'day', start: Math.floor(now / 86_400_000) * 86_400_000 } as const;
    equal(
      [await console.throughputEnd(), await console.addThroughput(5, 6, [count])],
      [0, false],
      'lines that are not the next ones',
    );
    equal(await console.addThroughput(0, 3, [count, day]), true, 'the first lines');
    const other = (await harness.another?.())?.operator ?? console;
    equal(
      [await other.addThroughput(0, 3, [count]), await other.addThroughput(3, 6, [count, day])],
      [false, true],
      'lines from elsewhere',
    );
    equal(await console.throughputEnd(), 6, 'the end of the throughput');
    equal(
      await console.throughput('minute', minute),
      [{ ...count, recorded: 4, dismissed: 2, classes: count.classes.map((one) => one * 2) }],
      'counts',
    );
    equal(await console.throughput('minute', minute + 60_000), [], 'counts from a later time on');
    equal(
      await console.ended(),
      [{ account: ACCOUNT, environment: 'staging', recorded: 4, dismissed: 2 }],
      'all that ended',
    );
  }),
];
