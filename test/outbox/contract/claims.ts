import {
  CLAIMANT,
  type ContractCase,
  claim,
  claimOne,
  contractCase,
  DAY_MS,
  equal,
  idsOf,
  LEASE_MS,
  newRow,
  QUARANTINED,
  read,
  settledRow,
  WAITS,
  write,
} from './harness.js';

export const claimCases: readonly ContractCase[] = [
  contractCase('a claimed row is in flight, in doubt, fenced and leased, in the store too', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    const { state, fence, attempts, inDoubt, doubtBefore } = row;
    equal(
      { state, fence, attempts, inDoubt, doubtBefore },
      { state: 'in-flight', fence: 1, attempts: 1, inDoubt: true, doubtBefore: false },
      'the claimed row',
    );
    equal(row.dueAt - row.changedAt, LEASE_MS, 'its lease');
    equal(await read(store, row.id), row, 'the row in the store');
  }),
  contractCase('a row is claimed by one worker only', async ({ store, another }) => {
    const other = (await another?.()) ?? store;
    await store.enqueue(Array.from({ length: 40 }, (_, index) => newRow(`B-${index}`)));
    const turns = await Promise.all(Array.from({ length: 8 }, (_, index) => claim(index % 2 ? store : other, 5)));
    equal(new Set(idsOf(turns.flat())).size, 40, 'different rows');
    equal(turns.flat().length, 40, 'all rows');
  }),
  contractCase('at most the given number of rows is claimed, the earliest due first', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    await advance(10);
    await store.enqueue([newRow('B-3')]);
    equal(
      (await claim(store, 2)).map(({ reference }) => reference),
      ['B-1', 'B-2'],
      'the first two',
    );
    equal(
      (await claim(store, 2)).map(({ reference }) => reference),
      ['B-3'],
      'the rest',
    );
    equal(await claim(store, 2), [], 'nothing left');
  }),
  contractCase('a row is claimed again after its lease, with its earlier doubt', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1')]);
    await claimOne(store);
    await advance(LEASE_MS - 1_000);
    equal(await claim(store), [], 'within the lease');
    await advance(1_001);
    const { fence, attempts, inDoubt, doubtBefore } = await claimOne(store);
    equal(
      { fence, attempts, inDoubt, doubtBefore },
      { fence: 2, attempts: 2, inDoubt: true, doubtBefore: true },
      'the second claim',
    );
  }),
  contractCase('a write is made for the holder of the claim', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    equal((await write(store, row, { message: 'ok' })).written, [true], 'written');
    const { state, inDoubt, outcome, message, body, fingerprint } = await read(store, row.id);
    equal(
      { state, inDoubt, outcome, message, fingerprint },
      { state: 'recorded', inDoubt: false, outcome: 'recorded', message: 'ok', fingerprint: 'print-B-1' },
      'the row',
    );
    equal(body, undefined, 'the body is gone');
  }),
  contractCase('a body is kept if the change says so', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    await write(store, await claimOne(store), { keepBody: true });
    equal((await read(store, newRow('B-1').id)).body, newRow('B-1').body, 'the body');
  }),
  contractCase('a late write changes nothing', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1')]);
    const late = await claimOne(store);
    await advance(LEASE_MS + 1);
    const current = await claimOne(store);
    equal((await write(store, late, WAITS)).written, [false], 'while another has it');
    equal(await read(store, late.id), current, 'the row of the other');
    await write(store, current);
    const recorded = await read(store, late.id);
    equal((await write(store, late, QUARANTINED)).written, [false], 'after it is recorded');
    equal((await write(store, current, WAITS)).written, [false], 'the same claim twice');
    equal(await read(store, late.id), recorded, 'recorded is final');
  }),
  contractCase('a write to a missing row is not made', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    equal((await write(store, { ...row, id: 'unknown' })).written, [false], 'an unknown row');
  }),
  contractCase('a row waits for the delay of the change, and has all its values', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    const details = { message: 'Down', list: [1, null, 'two'], deep: { truth: false } };
    const problem = { code: 'gateway', message: 'HTTP 500', status: 500, requestId: 'req-1', details } as const;
    const decisions = [{ action: 'retry', reason: 'why "not"', at: 5 }] as const;
    await write(store, row, {
      ...WAITS,
      attempts: 7,
      inDoubt: true,
      doubtBefore: false,
      delayMs: 5_000,
      problem,
      decisions,
    });
    const waiting = await read(store, row.id);
    equal(
      [waiting.problem, waiting.decisions, waiting.attempts, waiting.inDoubt],
      [problem, decisions, 7, true],
      'the written row',
    );
    equal(waiting.dueAt - waiting.changedAt, 5_000, 'the delay');
    equal(await claim(store), [], 'before its time');
    await advance(5_000);
    const again = await claimOne(store);
    equal([again.fence, again.attempts, again.doubtBefore, again.problem], [2, 8, true, problem], 'claimed again');
  }),
  contractCase("a recorded row keeps the gateway's message and the id of the request", async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const row = await claimOne(store);
    equal(row.requestId, undefined, 'before it is recorded');
    await write(store, row, { message: 'Bet reported', requestId: 'req-1' });
    const { message, requestId, problem } = await read(store, row.id);
    equal([message, requestId, problem], ['Bet reported', 'req-1', undefined], 'the written row');
  }),
  contractCase('writes come before the claim of the same turn', async ({ store }) => {
    await store.enqueue([newRow('B-1'), settledRow('B-1')]);
    const row = await claimOne(store);
    const expected = { state: row.state, fence: row.fence };
    const { written, claimed } = await store.turn({
      writes: [
        {
          id: row.id,
          expected,
          change: { ...row, state: 'recorded', inDoubt: false, delayMs: 0, outcome: 'recorded', keepBody: false },
        },
      ],
      claim: { accounts: [CLAIMANT], limit: 10, leaseMs: LEASE_MS },
    });
    equal([written, idsOf(claimed)], [[true], [settledRow('B-1').id]], 'the turn');
  }),
  contractCase(
    'a row that was never claimed is due at once, even if the clock was ahead when it was enqueued',
    async ({ store, advance }) => {
      await advance(DAY_MS / 2);
      await store.enqueue([newRow('B-1'), newRow('B-2')]);
      await advance(-DAY_MS / 2);
      await store.enqueue([newRow('B-3')]);
      equal(
        (await store.outlook()).map(({ nextInMs }) => (nextInMs ?? 1) <= 0),
        [true],
        'a row is due',
      );
      equal((await claim(store)).map(({ reference }) => reference).sort(), ['B-1', 'B-2', 'B-3'], 'the claimed rows');
    },
  ),
  contractCase(
    'a row that was never claimed stays due at once after a decision, even if the clock was ahead then',
    async ({ store, advance }) => {
      await store.enqueue([newRow('B-1')]);
      await advance(DAY_MS / 2);
      await write(store, await read(store, newRow('B-1').id), WAITS);
      await advance(-DAY_MS / 2);
      equal(
        (await store.outlook()).map(({ nextInMs }) => (nextInMs ?? 1) <= 0),
        [true],
        'the row is due',
      );
      equal(idsOf(await claim(store)), [newRow('B-1').id], 'the claimed row');
    },
  ),
  contractCase(
    'new rows and rows that are tried again take turns: the one that is due for longer comes first',
    async ({ store, advance }) => {
      await store.enqueue([newRow('B-1')]);
      const row = await claimOne(store);
      await store.enqueue([newRow('B-2')]);
      await advance(10);
      await write(store, row, WAITS);
      await advance(10);
      await store.enqueue([newRow('B-3')]);
      const seen: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) seen.push(...(await claim(store, 1)).map(({ reference }) => reference));
      equal(seen, ['B-2', 'B-1', 'B-3'], 'the order of the claims');
    },
  ),
  contractCase(
    'a time too far in the future means that a clock has jumped, and counts as past',
    async ({ store, advance }) => {
      await advance(10 * DAY_MS);
      await store.enqueue([newRow('B-1'), newRow('B-2')]);
      await claim(store, 1);
      await advance(-10 * DAY_MS);
      equal((await claim(store)).length, 2, 'rows to claim');
    },
  ),
  contractCase('a row whose time is too far in the future does not always come last', async ({ store, advance }) => {
    await advance(10 * DAY_MS);
    await store.enqueue([newRow('B-1')]);
    await advance(-10 * DAY_MS);
    await store.enqueue([newRow('B-2'), newRow('B-3')]);
    const seen: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      for (const row of await claim(store, 1)) {
        seen.push(row.reference);
        await write(store, row, WAITS);
      }
      await advance(10);
    }
    equal([...new Set(seen)].sort(), ['B-1', 'B-2', 'B-3'], 'the rows that had a turn');
  }),
];
