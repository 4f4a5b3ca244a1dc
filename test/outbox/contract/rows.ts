import type { Change } from '../../../src/outbox/rules/state-machine.js';
import {
  CLAIMANT,
  type ContractCase,
  claim,
  claimOne,
  contractCase,
  equal,
  idsOf,
  newRow,
  QUARANTINED,
  read,
  settledRow,
  write,
} from './harness.js';

const NEW = {
  state: 'waiting',
  blocked: false,
  fence: 0,
  attempts: 0,
  inDoubt: false,
  doubtBefore: false,
  decisions: [],
};

/** Text that is difficult for databases. */
const ODD = [
  'quote\'s "double"',
  'back\\slash',
  'ünï☃😀',
  'a%b_c',
  '  spaces  ',
  'line\nbreak\ttab',
  '{"json":true}',
  ';DROP TABLE x;--',
];

/** References that become equal in a database that cuts text at NUL, or stores unpaired surrogates as U+FFFD. */
const ALIKE = ['n\0a', 'n\0b', 'n\ud800', 'n\udbff', 'n\udc00'];

const NEVER_MADE: Change = {
  state: 'dismissed',
  fence: 1,
  attempts: 0,
  inDoubt: false,
  doubtBefore: false,
  delayMs: 0,
  outcome: undefined,
  message: undefined,
  requestId: undefined,
  problem: undefined,
  decisions: [],
  keepBody: false,
};

export const rowCases: readonly ContractCase[] = [
  contractCase('a new row is stored unchanged, waiting and due', async ({ store }) => {
    const given = newRow('B-1');
    const [first] = await store.enqueue([given]);
    const row = await read(store, given.id);
    const { id, account, environment, operation, reference, waitsFor, body, fingerprint } = row;
    equal(
      { id, account, environment, operation, reference, waitsFor, body, fingerprint, gateway: given.gateway },
      given,
      'the given values',
    );
    const { state, blocked, fence, attempts, inDoubt, doubtBefore, decisions } = row;
    equal({ state, blocked, fence, attempts, inDoubt, doubtBefore, decisions }, NEW, 'a new row');
    equal([first?.added, first?.row], [true, row], 'the result of enqueue');
    equal([row.outcome, row.message, row.problem], [undefined, undefined, undefined], 'the absent values');
    equal([row.dueAt, row.changedAt], [row.enqueuedAt, row.enqueuedAt], 'its times');
  }),
  contractCase('an existing row is returned unchanged', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const claimed = await claimOne(store);
    const [again] = await store.enqueue([newRow('B-1', { body: 'other', fingerprint: 'other' })]);
    equal([again?.added, again?.row], [false, claimed], 'the row that was there');
    equal(await read(store, claimed.id), claimed, 'the row in the store');
  }),
  contractCase('the same row twice in one call is added once', async ({ store }) => {
    const enqueued = await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-1', { body: 'other' })]);
    equal(
      enqueued.map(({ added }) => added),
      [true, true, false],
      'the added rows',
    );
    equal(enqueued[2]?.row, enqueued[0]?.row, 'the third is the first');
  }),
  contractCase('the order of enqueueing is kept', async ({ store }) => {
    await store.enqueue(['c', 'a', 'b'].map((reference) => newRow(reference)));
    await store.enqueue([newRow('0')]);
    const rows = await store.list({ limit: 10 });
    equal(
      rows.map(({ reference }) => reference),
      ['c', 'a', 'b', '0'],
      'the order',
    );
    equal(
      rows.every(({ sequence }, index) => index === 0 || sequence > (rows[index - 1]?.sequence ?? 0)),
      true,
      'sequence rises',
    );
  }),
  contractCase('text of any content is returned unchanged', async ({ store }) => {
    await store.enqueue(ODD.map((text) => newRow(text, { body: text, fingerprint: text })));
    for (const text of ODD) {
      const { reference, body, fingerprint } = await read(store, newRow(text).id);
      equal([reference, body, fingerprint], [text, text, text], 'text');
    }
  }),
  contractCase('text that the store cannot hold is refused, and rows are not confused', async ({ store }) => {
    const others = ['n', 'n\ufffd'].map((reference) => newRow(reference));
    await store.enqueue(others);
    for (const reference of ALIKE) {
      const given = newRow(reference);
      const [enqueued] = await store.enqueue([given]).catch(() => []);
      if (!enqueued) continue;
      const { id, body } = await read(store, given.id);
      equal(
        [enqueued.added, enqueued.row.id, id, enqueued.row.reference, body],
        [true, given.id, given.id, reference, given.body],
        'a row of its own',
      );
    }
    equal(
      (await store.get(idsOf(others))).map((row) => row && [row.id, row.body]),
      others.map(({ id, body }) => [id, body]),
      'the rows of other references',
    );
  }),
  contractCase('names that the store cannot hold match no row', async ({ store }) => {
    const others = ['n', 'n\ufffd'].map((reference) => newRow(reference));
    await store.enqueue(others);
    for (const reference of ALIKE) {
      const { id } = newRow(reference);
      const name = JSON.stringify(reference);
      equal(
        (await store.get([id, newRow('n').id])).map((row) => row?.reference ?? 'none'),
        ['none', 'n'],
        `got by the id of ${name}`,
      );
      equal(await store.list({ reference, limit: 10 }), [], `listed by the reference ${name}`);
      const { written } = await store.turn({
        writes: [{ id, expected: { state: 'waiting', fence: 0 }, change: NEVER_MADE }],
        claim: undefined,
      });
      equal(written, [false], `a write to ${name}`);
    }
    equal(
      (await store.get(idsOf(others))).map((row) => row?.state),
      ['waiting', 'waiting'],
      'the rows of other references',
    );
  }),
  contractCase('a long body is stored completely', async ({ store }) => {
    const body = 'x'.repeat(300_000);
    await store.enqueue([newRow('B-1', { body })]);
    equal((await read(store, newRow('B-1').id)).body === body, true, 'the body is the same');
  }),
  contractCase('rows are read by their ids, in the same order, and unknown ones are undefined', async ({ store }) => {
    await store.enqueue([newRow('B-1'), newRow('B-2')]);
    const got = await store.get([newRow('B-2').id, 'unknown', newRow('B-1').id]);
    equal(
      got.map((row) => row?.reference ?? 'none'),
      ['B-2', 'none', 'B-1'],
      'rows by id',
    );
    equal(await store.get([]), [], 'no ids');
  }),
  contractCase(
    'rows are listed by state, environment, operation and reference, a page at a time',
    async ({ store }) => {
      await store.enqueue([
        newRow('B-1'),
        settledRow('B-1'),
        newRow('B-2', { environment: 'production' }),
        newRow('B-3'),
      ]);
      const list = async (query: object) => idsOf(await store.list({ limit: 10, ...query })).join();
      equal(
        await list({ environment: 'production' }),
        newRow('B-2', { environment: 'production' }).id,
        'by environment',
      );
      equal(await list({ operation: 'reportSettledBet' }), settledRow('B-1').id, 'by operation');
      equal(await list({ reference: 'B-1' }), idsOf([newRow('B-1'), settledRow('B-1')]).join(), 'by reference');
      equal(await list({ state: 'recorded' }), '', 'by state');
      const [first] = await store.list({ limit: 1 });
      equal(
        idsOf(await store.list({ limit: 2, after: first?.sequence })),
        idsOf([settledRow('B-1'), newRow('B-2', { environment: 'production' })]),
        'the next page',
      );
    },
  ),
  contractCase('rows are counted by state', async ({ store }) => {
    await store.enqueue(['B-1', 'B-2', 'B-3'].flatMap((reference) => [newRow(reference), settledRow(reference)]));
    const { claimed } = await store.turn({ writes: [], claim: { accounts: [CLAIMANT], limit: 2, leaseMs: 1_000 } });
    if (claimed[0]) await write(store, claimed[0]);
    if (claimed[1]) await write(store, claimed[1], QUARANTINED);
    const { states, refused, attempts, oldestOpenAt } = await store.counts();
    equal(states, { waiting: 2, blocked: 2, 'in-flight': 0, recorded: 1, quarantined: 1, dismissed: 0 }, 'counts');
    equal([attempts, refused], [2, 0], 'attempts, and refused rows that wait');
    equal(oldestOpenAt, (await read(store, settledRow('B-1').id)).enqueuedAt, 'the oldest that is open');
  }),
  contractCase('waiting rows whose last attempt was refused are counted', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3'), newRow('B-4')]);
    const problem = { code: 'unprocessable', message: 'B-1: HTTP 422', status: 422 } as const;
    const postponed = { state: 'waiting', delayMs: 1_000, problem: { ...problem, postponed: true } } as const;
    for (const [index, row] of (await claim(store, 3)).entries())
      await write(store, row, index < 2 ? postponed : { ...postponed, problem });
    const { states, refused } = await store.counts();
    equal([states.waiting, refused], [4, 2], 'all that wait, and those that were refused');
    if (store.operator) {
      const { places } = await store.operator.open();
      equal(places.find(({ environment }) => environment === 'staging')?.refused, 2, 'of the destination');
    }
    await advance(2_000);
    const [again] = await claim(store, 4).then((rows) => rows.filter((row) => row.problem?.postponed));
    if (!again) throw new Error('expected a refused row');
    await write(store, again, { ...postponed, problem });
    equal((await store.counts()).refused, 0, 'while one is in flight, and after another end of the other');
  }),
  contractCase('a setting keeps its first value', async ({ store }) => {
    equal(await store.getOrCreateSetting('salt', 'one'), 'one', 'the first time');
    equal(await store.getOrCreateSetting('salt', 'two'), 'one', 'the second time');
    equal(await store.getOrCreateSetting('other', 'three'), 'three', 'another name');
  }),
];
