import type { Row } from '../../../src/outbox/rules/state-machine.js';
import type { OperatorStore } from '../../../src/outbox/store/operator-store.js';
import type { OutboxStore } from '../../../src/outbox/store/store.js';
import {
  ACCOUNT,
  type Check,
  type ContractCase,
  claim,
  contractCase,
  equal,
  newRow,
  QUARANTINED,
  read,
  settledRow,
  write,
} from './harness.js';

type ConsoleCheck = (parts: {
  store: OutboxStore;
  console: OperatorStore;
  harness: Parameters<Check>[0];
}) => Promise<void>;

/** A case for the console methods. A store without them passes. */
export const consoleCase = (name: string, check: ConsoleCheck): ContractCase =>
  contractCase(`console: ${name}`, async (harness) =>
    harness.store.operator ? check({ store: harness.store, console: harness.store.operator, harness }) : undefined,
  );

const PROBLEM = { code: 'unprocessable', message: 'reportBetEvent B-1: the gateway refused it.', status: 422 } as const;
const WRONG = {
  account: ACCOUNT,
  environment: 'staging',
  code: 'unprocessable',
  words: 'the gateway refused it.',
} as const;

/** Quarantines new rows, each with a message that begins with the name of its report. */
export async function quarantine(store: OutboxStore, references: readonly string[]): Promise<Row[]> {
  await store.enqueue(references.map((reference) => newRow(reference)));
  for (const row of await claim(store, references.length))
    await write(store, row, {
      ...QUARANTINED,
      problem: { ...PROBLEM, message: `reportBetEvent ${row.reference}: the gateway refused it.` },
    });
  return Promise.all(references.map((reference) => read(store, newRow(reference).id)));
}

const numbersOf = (rows: readonly Pick<Row, 'reference'>[]) => rows.map(({ reference }) => reference);

export const consoleCases: readonly ContractCase[] = [
  consoleCase('open rows are counted by account and environment', async ({ store, console }) => {
    await store.enqueue([
      newRow('B-1'),
      settledRow('B-1'),
      newRow('B-2', { environment: 'production' }),
      newRow('B-3'),
      newRow('B-4'),
    ]);
    await store.enqueue([newRow('B-5', { account: 'brand' })]);
    const [first, second] = await claim(store, 2);
    if (!first || !second) throw new Error('two rows to claim: expected two');
    await write(store, second, QUARANTINED);
    const { places } = await console.open();
    const counts = Object.fromEntries(
      places.map(({ account, environment, waiting, blocked, inFlight, quarantined }) => [
        `${account} ${environment}`,
        [waiting, blocked, inFlight, quarantined],
      ]),
    );
    const sums = ['default staging', 'default production', 'brand staging'].map((name) => counts[name]);
    equal(
      sums.map((one) => one?.reduce((sum, number) => sum + number, 0)),
      [4, 1, 1],
      'rows of each place',
    );
    equal(counts['brand staging'], [1, 0, 0, 0], 'an account that only waits');
    const of = (index: number) => sums.reduce((sum, one) => sum + (one?.[index] ?? 0), 0);
    equal([of(0), of(1), of(2), of(3)], [3, 1, 1, 1], 'waiting, blocked, in flight, quarantined');
    const oldest = (await read(store, newRow('B-5', { account: 'brand' }).id)).enqueuedAt;
    equal(places.find(({ account }) => account === 'brand')?.oldestOpenAt, oldest, 'the oldest of an account');
  }),
  consoleCase('quarantined rows are grouped by problem, without the name of the report', async ({ store, console }) => {
    const rows = await quarantine(store, ['B-1', 'B-2', 'B-3']);
    await store.enqueue([newRow('B-4')]);
    const [other] = await claim(store);
    if (!other) throw new Error('a row to claim: expected one');
    await write(store, other, {
      ...QUARANTINED,
      problem: { code: 'conflict', message: `reportBetEvent B-4: it holds other data: "so it says"` },
    });
    const found = [...(await console.problemGroups())].sort((a, b) => b.count - a.count);
    const times = rows.map(({ changedAt }) => changedAt);
    equal(
      found,
      [
        { ...WRONG, count: 3, firstAt: Math.min(...times), lastAt: Math.max(...times), example: rows[0]?.sequence },
        {
          ...{ ...WRONG, code: 'conflict', words: 'it holds other data: "so it says"', count: 1 },
          ...{
            firstAt: (await read(store, other.id)).changedAt,
            lastAt: (await read(store, other.id)).changedAt,
            example: other.sequence,
          },
        },
      ],
      'groups',
    );
    const asOf = await console.now();
    equal(
      numbersOf(await console.quarantined({ of: WRONG, asOf, after: 0, limit: 2 })),
      ['B-1', 'B-2'],
      'a page of a group',
    );
    equal(
      numbersOf(await console.quarantined({ of: WRONG, asOf, after: 0, skip: 1, limit: 1 })),
      ['B-2'],
      'a page of a group that begins later',
    );
    const rest = await console.quarantined({ of: WRONG, asOf, after: rows[1]?.sequence ?? 0, limit: 2 });
    equal(
      rest.map(({ reference, state, body }) => [reference, state, body]),
      [['B-3', 'quarantined', undefined]],
      'the rest, without bodies',
    );
    equal(
      await console.quarantined({ of: WRONG, asOf: Math.min(...times) - 1, after: 0, limit: 9 }),
      [],
      'a group of a time before',
    );
    equal(
      await console.tally(WRONG, asOf, true),
      { count: 3, inDoubt: 0, operations: { reportBetEvent: 3 }, settlements: 0 },
      'the contents of a group',
    );
  }),
  consoleCase('settlements that wait for a group are counted', async ({ store, console }) => {
    await quarantine(store, ['B-1', 'B-2']);
    await store.enqueue([settledRow('B-1')]);
    equal((await console.tally(WRONG, await console.now(), true)).settlements, 1, 'settlements');
  }),
  consoleCase('the rows of a group that are in doubt are counted alone', async ({ store, console }) => {
    await quarantine(store, ['B-1', 'B-2']);
    await store.enqueue([newRow('B-3')]);
    const problem = { ...PROBLEM, message: 'reportBetEvent B-3: the gateway refused it.' };
    for (const row of await claim(store)) await write(store, row, { ...QUARANTINED, inDoubt: true, problem });
    const now = await console.now();
    const one = { count: 1, inDoubt: 1, operations: { reportBetEvent: 1 }, settlements: 0 };
    equal(await console.tally(WRONG, now, false, true), one, 'those in doubt');
    equal((await console.tally(WRONG, now, false)).count, 3, 'all of them');
  }),
  consoleCase('a row without a problem is in a group, too', async ({ store, console }) => {
    await store.enqueue([newRow('B-1')]);
    const [row] = await claim(store);
    if (!row) throw new Error('a row to claim: expected one');
    await write(store, row, QUARANTINED);
    equal(
      (await console.problemGroups()).map(({ code, words, count }) => [code, words, count]),
      [['unknown', '', 1]],
      'groups',
    );
    const of = { ...WRONG, code: 'unknown', words: '' };
    equal(
      numbersOf(await console.quarantined({ of, asOf: await console.now(), after: 0, limit: 9 })),
      ['B-1'],
      'its rows',
    );
  }),
  consoleCase(
    'rows are found by state, account, environment, operation and time, the newest first, a page at a time',
    async ({ store, console, harness }) => {
      await quarantine(store, ['B-1']);
      await store.enqueue([
        newRow('B-2'),
        newRow('B-3', { environment: 'production' }),
        newRow('B-4', { account: 'brand' }),
      ]);
      await harness.advance(7_200_000);
      await store.enqueue([newRow('B-5'), settledRow('B-5')]);
      const late = await read(store, newRow('B-5').id);
      const find = async (search: Partial<Parameters<OperatorStore['search']>[0]>) =>
        (await console.search({ before: Number.MAX_SAFE_INTEGER, limit: 10, look: 100, ...search })).rows.map(
          ({ operation, reference }) => `${operation === 'reportBetEvent' ? '' : 'settled '}${reference}`,
        );
      equal(await find({}), ['settled B-5', 'B-5', 'B-4', 'B-3', 'B-2', 'B-1'], 'all');
      equal(await find({ state: 'quarantined' }), ['B-1'], 'quarantined ones');
      equal(await find({ state: 'waiting', blocked: true }), ['settled B-5'], 'blocked ones');
      equal(
        await find({ state: 'waiting', blocked: false, account: ACCOUNT }),
        ['B-5', 'B-3', 'B-2'],
        'waiting ones of an account',
      );
      equal(await find({ environment: 'production' }), ['B-3'], 'those of an environment');
      equal(await find({ operation: 'reportSettledBet' }), ['settled B-5'], 'those of an operation');
      equal(await find({ accounts: ['brand'] }), ['B-4'], 'those of the accounts that are shown');
      equal(await find({ from: late.enqueuedAt }), ['settled B-5', 'B-5'], 'those from a time on');
      equal(await find({ to: late.enqueuedAt }), ['B-4', 'B-3', 'B-2', 'B-1'], 'those before a time');
      const page = await console.search({ before: Number.MAX_SAFE_INTEGER, limit: 2, look: 100 });
      equal(
        page.rows.map(({ body }) => body),
        [undefined, undefined],
        'bodies',
      );
      equal(page.reached, { sequence: late.sequence, enqueuedAt: late.enqueuedAt }, 'where a full page ends');
      equal(await find({ before: late.sequence, limit: 2 }), ['B-4', 'B-3'], 'the next page');
      const looked = await console.search({ before: Number.MAX_SAFE_INTEGER, limit: 10, look: 2, account: 'brand' });
      equal(
        [looked.rows, looked.reached?.sequence],
        [[], late.sequence],
        'a page that finds nothing among the rows that it looks at',
      );
      equal(
        (await console.search({ before: Number.MAX_SAFE_INTEGER, limit: 6, look: 100 })).reached,
        undefined,
        'the last page',
      );
      const [one] = await console.rows([late.sequence, 999_999]);
      equal([one?.reference, one?.body], ['B-5', undefined], 'a row by its number');
    },
  ),
];
