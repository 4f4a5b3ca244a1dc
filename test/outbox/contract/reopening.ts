import type { Refused } from '../../../src/core/platform/refused.js';
import { decided, isChange, replaced } from '../../../src/outbox/rules/decisions.js';
import type { Change, Row } from '../../../src/outbox/rules/state-machine.js';
import type { OutboxStore } from '../../../src/outbox/store/store.js';
import { consoleCase } from './console.js';
import {
  type ContractCase,
  claim,
  claimOne,
  contractCase,
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

const BET = newRow('B-1');
const SETTLEMENT = settledRow('B-1');
const OTHER = { body: '{"bet_id":"B-1","amount":2}', fingerprint: 'print-of-other-data' };
const PROBLEM = { code: 'unprocessable', message: 'reportBetEvent B-1: refused', status: 422 } as const;

function changeOf(change: Change | Refused): Change {
  if (!isChange(change)) throw new Error(change.why);
  return change;
}

/** Writes a person's decision about a row, as the outbox does. */
async function decide(store: OutboxStore, row: Row, action: 'retry' | 'dismissed' | 'reopened'): Promise<boolean> {
  const change = changeOf(decided(row, { action, reason: 'a test', at: 1 }, false));
  return (await store.turn({ writes: [{ id: row.id, expected: row, change }], claim: undefined })).written[0] === true;
}

async function replace(store: OutboxStore, row: Row, bytes = OTHER): Promise<boolean> {
  const change = changeOf(replaced(row, { action: 'replaced', reason: 'a test', at: 1 }, bytes));
  return (await store.turn({ writes: [{ id: row.id, expected: row, change }], claim: undefined })).written[0] === true;
}

/** A bet that the gateway has refused, with its blocked settlement. */
async function refused(store: OutboxStore, overrides: Partial<Change> = {}): Promise<Row> {
  await store.enqueue([BET, SETTLEMENT]);
  await write(store, await claimOne(store), { ...QUARANTINED, problem: PROBLEM, ...overrides });
  return read(store, BET.id);
}

async function dismissed(store: OutboxStore, overrides: Partial<Change> = {}): Promise<Row> {
  await decide(store, await refused(store, overrides), 'dismissed');
  return read(store, BET.id);
}

const log = async (store: OutboxStore): Promise<boolean> => {
  const { index = -1 } = (await store.receipts.last()) ?? {};
  return store.receipts.append([{ index: index + 1, id: BET.id, line: `line ${index + 1}` }]);
};

const bytesOf = ({ body, fingerprint }: Row) => ({ body, fingerprint });

export const reopeningCases: readonly ContractCase[] = [
  contractCase('a row with replaced data comes before the rows that were added after it', async ({ store }) => {
    const row = await refused(store);
    await store.enqueue([newRow('B-2')]);
    await replace(store, row);
    equal(idsOf(await claim(store, 2)), [BET.id, newRow('B-2').id], 'the claimed rows');
  }),
  contractCase('a dismissed row is as before once it is reopened, and blocks the rows after it', async (harness) => {
    const { store } = harness;
    const row = await dismissed(store, { inDoubt: true, doubtBefore: true });
    await log(store);
    equal(
      (await claim(store)).map(({ id }) => id),
      [SETTLEMENT.id],
      'rows to claim while it is dismissed',
    );
    await write(store, await read(store, SETTLEMENT.id), { state: 'waiting', outcome: undefined, keepBody: true });
    equal(await decide(store, row, 'reopened'), true, 'the write');
    const other = (await harness.another?.()) ?? store;
    const now = await read(other, BET.id);
    equal(
      [now.state, now.inDoubt, now.doubtBefore, now.problem, now.fence, now.attempts, bytesOf(now)],
      ['quarantined', true, true, PROBLEM, row.fence + 1, row.attempts, bytesOf({ ...row, ...BET })],
      'the row',
    );
    equal(
      now.decisions.map(({ action }) => action),
      ['dismissed', 'reopened'],
      'its decisions',
    );
    equal((await read(store, SETTLEMENT.id)).blocked, true, 'the row after it is blocked');
    equal(await claim(store), [], 'rows to claim');
    const { states, attempts } = await store.counts();
    equal(
      states,
      { waiting: 0, blocked: 1, 'in-flight': 0, recorded: 0, quarantined: 1, dismissed: 0 },
      'the number of rows in each state',
    );
    equal(attempts, 2, 'the number of attempts');
    equal(idsOf(await store.list({ state: 'quarantined', limit: 5 })), [BET.id], 'the list of quarantined rows');
    equal(await decide(store, row, 'reopened'), false, 'the same write again');
  }),
  contractCase(
    'a dismissed row is not reopened before it has its line, and gets another one later',
    async ({ store }) => {
      const row = await dismissed(store);
      equal(await decide(store, row, 'reopened'), false, 'without its line');
      equal((await read(store, BET.id)).state, 'dismissed', 'its state');
      equal(await log(store), true, 'its line');
      equal(await decide(store, row, 'reopened'), true, 'with its line');
      equal(await store.receipts.unlogged(5), [], 'rows without a line, while it is open');
      equal(await log(store), false, 'a line while it is open');
      await decide(store, await read(store, BET.id), 'retry');
      await write(store, await claimOne(store));
      equal(idsOf(await store.receipts.unlogged(5)), [BET.id], 'rows without a line, once it is recorded');
      equal(await log(store), true, 'its second line');
      equal(await log(store), false, 'a third line');
      equal((await store.counts()).states.recorded, 1, 'recorded rows');
    },
  ),
  contractCase('of two calls that reopen a row, one succeeds', async ({ store, another }) => {
    const other = (await another?.()) ?? store;
    const row = await dismissed(store);
    await log(store);
    const made = await Promise.all([store, other, store, other].map((one) => decide(one, row, 'reopened')));
    equal(made.filter(Boolean).length, 1, 'the number of successes');
    equal((await store.counts()).states.quarantined, 1, 'quarantined rows');
  }),
  contractCase('a dismissed row stays so while the row after it is in flight', async (harness) => {
    const { store, advance } = harness;
    const row = await dismissed(store);
    await log(store);
    const settlement = await claimOne(store);
    const other = (await harness.another?.()) ?? store;
    equal(await decide(other, row, 'reopened'), false, 'to reopen it while that is in flight');
    await advance(LEASE_MS + 1);
    equal(await replace(other, row), false, 'to replace it once the lease of that is over');
    equal((await read(store, BET.id)).state, 'dismissed', 'its state');
    equal(await claimOne(store).then(({ id }) => id), settlement.id, 'the row that another worker claims');
    await write(store, await read(store, SETTLEMENT.id), WAITS);
    equal(await replace(other, row), true, 'to replace it while that waits');
    equal(idsOf(await claim(store)), [BET.id], 'the rows to claim then');
  }),
  contractCase('of a claim and a call that reopens the row before, one succeeds', async (harness) => {
    const { store } = harness;
    const other = (await harness.another?.()) ?? store;
    const references = Array.from({ length: 20 }, (_, index) => `B-${index}`);
    for (const reference of references) {
      await store.enqueue([newRow(reference)]);
      const changes = { state: 'dismissed', problem: PROBLEM } as const;
      await write(store, await claimOne(store), { ...QUARANTINED, ...changes });
      const index = ((await store.receipts.last())?.index ?? -1) + 1;
      await store.receipts.append([{ index, id: newRow(reference).id, line: 'line' }]);
      const row = await read(store, newRow(reference).id);
      // The settlement may be committed between the steps of either call.
      const [claimed, isReopened] = await Promise.all([
        store.enqueue([settledRow(reference)]).then(() => claim(store)),
        decide(other, row, 'reopened'),
      ]);
      const [bet, settlement] = await Promise.all([row, settledRow(reference)].map(({ id }) => read(other, id)));
      const isOpen = bet?.state !== 'dismissed';
      equal([isOpen, isOpen && settlement?.state === 'in-flight'], [isReopened, false], `${reference} is reopened`);
      for (const one of claimed) await write(store, one);
    }
  }),
  contractCase('other data takes the place of that of a quarantined row', async (harness) => {
    const { store } = harness;
    const row = await refused(store);
    equal(await replace(store, row), true, 'the write');
    const now = await read((await harness.another?.()) ?? store, BET.id);
    equal([now.state, now.problem, now.inDoubt, bytesOf(now)], ['waiting', undefined, false, OTHER], 'the row');
    equal(
      now.decisions,
      [
        {
          action: 'replaced',
          reason: 'a test',
          at: 1,
          fingerprint: BET.fingerprint,
          before: { fence: row.fence, problem: PROBLEM },
        },
      ],
      'its decisions',
    );
    equal((await store.enqueue([{ ...BET, ...OTHER }]))[0]?.added, false, 'the same report again');
    const claimed = await claimOne(store);
    equal([claimed.id, bytesOf(claimed), claimed.doubtBefore], [BET.id, OTHER, false], 'the claimed row');
    await write(store, claimed, { decisions: claimed.decisions });
    equal(
      (await claim(store)).map(({ id }) => id),
      [SETTLEMENT.id],
      'the row that waited for it',
    );
    equal((await read(store, BET.id)).fingerprint, OTHER.fingerprint, 'its fingerprint, once it is recorded');
  }),
  contractCase('other data takes the place of that of a dismissed row, also if its body is gone', async ({ store }) => {
    const row = await refused(store);
    await write(store, row, { state: 'dismissed', outcome: undefined, problem: PROBLEM, keepBody: false });
    const gone = await read(store, BET.id);
    equal(await replace(store, gone), false, 'without its line');
    await log(store);
    equal(await replace(store, gone), true, 'with its line');
    const now = await read(store, BET.id);
    equal([now.state, bytesOf(now), now.outcome], ['waiting', OTHER, undefined], 'the row');
    equal((await claimOne(store)).body, OTHER.body, 'the claimed body');
  }),
  contractCase(
    'other data takes the place of that of a settlement that waits, until it is claimed',
    async (harness) => {
      const { store } = harness;
      const bet = await refused(store);
      const before = await read(store, SETTLEMENT.id);
      equal(await replace(store, before), true, 'the write');
      equal(await replace(store, before), false, 'the write of a person who saw the earlier data');
      equal(idsOf(await claim(store)), [], 'claimed rows, while its initiated report is quarantined');
      equal(bytesOf(await read((await harness.another?.()) ?? store, SETTLEMENT.id)), OTHER, 'its data');
      await replace(store, bet);
      await write(store, await claimOne(store));
      const waits = await read(store, SETTLEMENT.id);
      const claimed = await claimOne(store);
      equal(
        [claimed.id, bytesOf(claimed), claimed.doubtBefore],
        [SETTLEMENT.id, OTHER, false],
        'the claimed settlement',
      );
      equal(await replace(store, waits), false, 'the write, once it is claimed');
      equal((await write(store, claimed)).written, [true], 'its end');
    },
  ),
  contractCase('other data takes the place of other data until a worker claims it', async (harness) => {
    const { store } = harness;
    const row = await refused(store);
    equal(await replace(store, row, OTHER), true, 'the first write');
    const first = await read(store, BET.id);
    equal(first.attempts, 1, 'its attempts');
    const last = { body: '{"bet_id":"B-1","amount":3}', fingerprint: 'print-of-the-last-data' };
    equal(await replace(store, first, last), true, 'the second write');
    equal(await replace(store, first, OTHER), false, 'the write of a person who saw the first');
    const waits = await read((await harness.another?.()) ?? store, BET.id);
    equal([bytesOf(waits), waits.fence, waits.decisions.length], [last, row.fence + 2, 2], 'the row');
    const claimed = await claimOne(store);
    equal([claimed.body, claimed.doubtBefore], [last.body, false], 'the claimed row');
    equal(await replace(store, waits, OTHER), false, 'the write, once it is claimed');
    equal('why' in replaced(claimed, { action: 'replaced', reason: 'a test', at: 1 }, OTHER), true, 'a new plan');
    equal((await write(store, claimed)).written, [true], 'its end');
  }),
  contractCase('a row that was retried or turned away gets other data until a worker claims it', async ({ store }) => {
    await decide(store, await refused(store), 'retry');
    const retried = await read(store, BET.id);
    equal(await replace(store, retried), true, 'the write after the retry');
    const late = await claimOne(store);
    await write(store, late, {
      ...WAITS,
      attempts: 1,
      decisions: late.decisions,
      inDoubt: false,
      problem: { code: 'rate-limited', message: 'x' },
    });
    const waits = await read(store, BET.id);
    equal(await replace(store, waits), true, 'the write after it was turned away');
    equal((await write(store, late)).written, [false], 'a late answer');
    equal(await replace(store, waits), false, 'the write of a person who saw it before');
  }),
  contractCase('no late write changes a row that was replaced', async ({ store }) => {
    await store.enqueue([BET]);
    const late = await claimOne(store);
    await write(store, late, { ...QUARANTINED, problem: PROBLEM });
    await replace(store, await read(store, BET.id));
    equal((await write(store, late)).written, [false], 'an answer to the earlier data');
    const row = await claimOne(store);
    equal((await write(store, late)).written, [false], 'the same answer while the new data is in flight');
    equal([row.state, bytesOf(await read(store, BET.id))], ['in-flight', OTHER], 'the row');
  }),
  contractCase('prune leaves a row that was reopened', async ({ store, advance }) => {
    if (!store.prune) return;
    const row = await dismissed(store);
    await log(store);
    await decide(store, row, 'reopened');
    await advance(10 * 86_400_000);
    const request = { account: 'default', olderThanMs: 86_400_000, after: 0, limit: 10 };
    equal((await store.prune(request)).pruned, 0, 'pruned rows');
    await decide(store, await read(store, BET.id), 'dismissed');
    equal((await store.prune(request)).pruned, 0, 'pruned rows, once it is dismissed again');
  }),
  consoleCase('the settlement of a reopened report is counted with its group', async ({ store, console }) => {
    const row = await dismissed(store);
    await log(store);
    await decide(store, row, 'reopened');
    const [group] = await console.problemGroups();
    if (!group) throw new Error('a group: expected one');
    equal((await console.tally(group, await console.now(), true)).settlements, 1, 'settlements');
  }),
  consoleCase('a step reopens rows, and its group is counted again', async ({ store, console }) => {
    const row = await dismissed(store);
    await log(store);
    equal(await console.problemGroups(), [], 'groups');
    const begun = await console.begin({
      id: 'decision-0000-0001',
      action: 'reopened',
      who: 'ada',
      reason: 'a mistake',
      about: '{"ids":[]}',
      done: false,
    });
    const change = changeOf(decided(row, { action: 'reopened', reason: 'a mistake', at: 1, id: begun.id }, false));
    const writes = [{ id: row.id, sequence: row.sequence, expected: row, change }];
    equal(await console.step({ id: begun.id, from: 0, to: 1, done: true, skipped: 0, writes }), [true], 'the writes');
    equal(
      (await console.problemGroups()).map(({ code, count }) => [code, count]),
      [['unprocessable', 1]],
      'groups',
    );
    equal((await console.touched(begun.id, -1))?.sequences, [row.sequence], 'the changed rows');
    const { recorded, dismissed: ended } = await console.finals();
    equal([recorded, ended], [0, 0], 'final rows');
    equal((await read(store, BET.id)).body, BET.body, 'its body');
  }),
  consoleCase('a step does not reopen a row while the row after it is in flight', async ({ store, console }) => {
    const row = await dismissed(store);
    await log(store);
    const settlement = await claimOne(store);
    const { id } = await console.begin({
      id: 'decision-0000-0003',
      action: 'reopened',
      who: 'ada',
      reason: 'a mistake',
      about: '{"ids":[]}',
      done: false,
    });
    const change = changeOf(decided(row, { action: 'reopened', reason: 'a mistake', at: 1, id }, false));
    const writes = [{ id: row.id, sequence: row.sequence, expected: row, change }];
    equal(await console.step({ id, from: 0, to: 1, done: false, skipped: 0, writes }), [false], 'the writes');
    await write(store, settlement, WAITS);
    equal(await console.step({ id, from: 1, to: 2, done: true, skipped: 0, writes }), [true], 'the writes after that');
  }),
  consoleCase('a step replaces the data of a quarantined row', async ({ store, console }) => {
    const row = await refused(store);
    const { id } = await console.begin({
      id: 'decision-0000-0002',
      action: 'replaced',
      who: 'ada',
      reason: 'a mistake',
      about: '{"ids":[]}',
      done: false,
    });
    const change = changeOf(replaced(row, { action: 'replaced', reason: 'a mistake', at: 1, id }, OTHER));
    const writes = [{ id: row.id, sequence: row.sequence, expected: row, change }];
    equal(await console.step({ id, from: 0, to: 1, done: true, skipped: 0, writes }), [true], 'the writes');
    equal(bytesOf(await claimOne(store)), OTHER, 'the claimed bytes');
  }),
];
