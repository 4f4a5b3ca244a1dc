import type { PruneRequest, PruneStep } from '../../../src/outbox/rules/retention.js';
import type { OutboxStore } from '../../../src/outbox/store/store.js';
import {
  ACCOUNT,
  type Check,
  type ContractCase,
  claim,
  contractCase,
  DAY_MS,
  DISMISSED,
  equal,
  idsOf,
  newRow,
  QUARANTINED,
  settledRow,
  write,
} from './harness.js';

/** A case for pruning. A store that cannot delete rows passes. */
const pruneCase = (name: string, check: Check): ContractCase =>
  contractCase(name, async (harness) => (harness.store.prune ? check(harness) : undefined));

const REQUEST: PruneRequest = { account: ACCOUNT, olderThanMs: 400 * DAY_MS, after: 0, limit: 100 };

async function prune({ prune }: OutboxStore, overrides: Partial<PruneRequest> = {}): Promise<PruneStep> {
  if (!prune) throw new Error('prune: expected a method');
  return prune({ ...REQUEST, ...overrides });
}

/** Prunes to the end. Returns the number of deleted rows of each step. */
async function pruneAll(store: OutboxStore, overrides: Partial<PruneRequest> = {}): Promise<number[]> {
  const steps: number[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const step: PruneStep = await prune(store, { ...overrides, after });
    steps.push(step.pruned);
    after = step.next;
  }
  return steps;
}

const listed = async (store: OutboxStore): Promise<string[]> =>
  (await store.list({ limit: 100 })).map(({ reference }) => reference);

/** Records reports, and adds their lines to the log. */
async function record(store: OutboxStore, references: readonly string[], account = ACCOUNT): Promise<void> {
  await store.enqueue(references.map((reference) => newRow(reference, { account })));
  const gateways = { staging: newRow('').gateway };
  for (const row of await claim(store, references.length, [{ account, gateways, busy: 0 }])) await write(store, row);
  await log(store);
}

async function log({ receipts }: OutboxStore): Promise<void> {
  const index = ((await receipts.last())?.index ?? -1) + 1;
  const rows = await receipts.unlogged(100);
  await receipts.append(rows.map(({ id }, offset) => ({ index: index + offset, id, line: `line ${index + offset}` })));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

export const pruneCases: readonly ContractCase[] = [
  pruneCase(
    'final rows that are old enough are deleted; their receipts and counts stay',
    async ({ store, advance, another }) => {
      await record(store, ['B-1', 'B-2']);
      const before = await store.counts();
      await advance(401 * DAY_MS);
      await record(store, ['B-3']);
      const other = (await another?.()) ?? store;
      equal(sum(await pruneAll(other)), 2, 'the number of deleted rows');
      equal(await listed(store), ['B-3'], 'the remaining rows');
      equal(await store.get([newRow('B-1').id]), [undefined], 'a deleted row');
      equal(
        (await store.receipts.read(0, 10)).map(({ index, line }) => [index, line]),
        [0, 1, 2].map((index) => [index, `line ${index}`]),
        'the log',
      );
      const { states, attempts } = await store.counts();
      equal([states.recorded, attempts], [3, before.attempts + 1], 'counts');
      equal(sum(await pruneAll(store)), 0, 'a second time');
    },
  ),
  pruneCase('rows that are not final, not old enough, or without a line stay', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3')]);
    const [quarantined, dismissed] = await claim(store, 2);
    if (!quarantined || !dismissed) throw new Error('two rows to claim: expected two');
    await write(store, quarantined, QUARANTINED);
    await write(store, dismissed, DISMISSED);
    await advance(398 * DAY_MS);
    await record(store, []);
    equal(await pruneAll(store), [0], 'a row of 398 days');
    await advance(3 * DAY_MS);
    await store.enqueue([newRow('B-4')]);
    equal(sum(await pruneAll(store)), 1, 'a dismissed row of 401 days that has its line');
    equal(await listed(store), ['B-1', 'B-3', 'B-4'], 'the remaining rows');
    const [waiting] = await claim(store, 1);
    if (!waiting) throw new Error('a row to claim: expected one');
    await write(store, waiting);
    await advance(500 * DAY_MS);
    equal(sum(await pruneAll(store)), 0, 'a recorded row without a line');
  }),
  pruneCase(
    'the newest row is deleted too, and the next row has a higher number',
    async ({ store, advance, reopen }) => {
      await record(store, ['B-1', 'B-2']);
      const before = (await store.list({ limit: 100 })).map(({ sequence }) => sequence);
      await advance(401 * DAY_MS);
      equal(sum(await pruneAll(store)), 2, 'the number of deleted rows');
      equal(await listed(store), [], 'the remaining rows');
      const found = (await reopen?.()) ?? store;
      const [next] = await found.enqueue([newRow('B-3')]);
      const last = Math.max(...before);
      equal(next !== undefined && next.row.sequence > last, true, `the number of the next row is higher than ${last}`);
    },
  ),
  pruneCase('a row that ends late stays until it is old', async ({ store, advance }) => {
    await store.enqueue([newRow('B-1')]);
    await advance(300 * DAY_MS);
    const [late] = await claim(store);
    if (!late) throw new Error('a row to claim: expected one');
    await write(store, late);
    await log(store);
    await advance(200 * DAY_MS);
    await store.enqueue([newRow('B-2')]);
    equal(sum(await pruneAll(store)), 0, 'a row that was enqueued 500 days ago and ended 200 days ago');
    equal(sum(await pruneAll(store, { olderThanMs: 199 * DAY_MS })), 1, 'the same, of 199 days');
  }),
  pruneCase(
    'a step reads at most the given number of rows, and returns where the next one begins',
    async ({ store, advance }) => {
      await record(store, ['B-1', 'B-2', 'B-3', 'B-4', 'B-5']);
      await advance(401 * DAY_MS);
      await store.enqueue([newRow('B-6')]);
      const steps = await pruneAll(store, { limit: 2 });
      equal([sum(steps), Math.max(...steps)], [5, 2], 'steps');
      equal(await listed(store), ['B-6'], 'the remaining rows');
    },
  ),
  pruneCase(
    'only rows of the account are deleted, and only its time limit is stored',
    async ({ store, advance, reopen }) => {
      await record(store, ['B-1']);
      await record(store, ['B-1'], 'other');
      await advance(401 * DAY_MS);
      await store.enqueue([newRow('B-2')]);
      equal(await store.prunedBefore?.('other'), undefined, 'the time before');
      equal(sum(await pruneAll(store, { account: 'other' })), 1, 'the number of deleted rows');
      equal(await listed(store), ['B-1', 'B-2'], 'the remaining rows');
      const found = (await reopen?.()) ?? store;
      const before = await found.prunedBefore?.('other');
      equal(before !== undefined && before % DAY_MS, 0, 'the time: a midnight in UTC');
      equal(await found.prunedBefore?.(ACCOUNT), undefined, 'the time of the other account');
      await pruneAll(found, { account: 'other', olderThanMs: 500 * DAY_MS });
      equal(await found.prunedBefore?.('other'), before, 'the time after a smaller one');
    },
  ),
  pruneCase(
    'a settled report whose initiated report was deleted is claimed; a deleted reference can be added again',
    async ({ store, advance }) => {
      await record(store, ['B-1']);
      await advance(401 * DAY_MS);
      await store.enqueue([settledRow('B-1')]);
      equal(sum(await pruneAll(store)), 1, 'the number of deleted rows');
      equal(idsOf(await claim(store)), [settledRow('B-1').id], 'the settled one');
      const [again] = await store.enqueue([newRow('B-1')]);
      equal([again?.added, again?.row.state], [true, 'waiting'], 'the same reference again');
      equal(await listed(store), ['B-1', 'B-1'], 'both');
      equal(idsOf(await claim(store)), [newRow('B-1').id], 'the new one');
    },
  ),
];
