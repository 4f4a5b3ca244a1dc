import type { Claimant, OutboxStore } from '../../../src/outbox/store/store.js';
import {
  ACCOUNT,
  CLAIMANT,
  type ContractCase,
  claim,
  contractCase,
  equal,
  GATEWAYS,
  idsOf,
  newRow,
  QUARANTINED,
  STAGING,
  settledRow,
  write,
} from './harness.js';

const BRAND_B: Claimant = { account: 'brandB', gateways: { staging: 'https://brand-b.example.com' }, busy: 0 };
const rowOfB = (reference: string) => newRow(reference, { account: 'brandB', gateway: 'https://brand-b.example.com' });
const NEXT = 'https://next.example.com';

const boundTo = async (store: OutboxStore, account: string) =>
  (await store.outlook([account])).map(({ environment, gateway }) => [environment, gateway]);

export const accountCases: readonly ContractCase[] = [
  contractCase('rows of another account are never claimed, listed or counted', async ({ store }) => {
    await store.enqueue([newRow('B-1'), settledRow('B-1'), rowOfB('B-1'), rowOfB('B-2')]);
    equal(
      (await store.get([newRow('B-1').id, rowOfB('B-1').id])).map((row) => row?.account),
      [ACCOUNT, 'brandB'],
      'equal references of two accounts',
    );
    equal(idsOf(await claim(store)), [newRow('B-1').id], 'claimed of one account');
    equal(idsOf(await claim(store, 10, [BRAND_B])), idsOf([rowOfB('B-1'), rowOfB('B-2')]), 'claimed of the other');
    equal(idsOf(await store.list({ account: 'brandB', limit: 10 })), idsOf([rowOfB('B-1'), rowOfB('B-2')]), 'listed');
    equal(
      idsOf(await store.list({ account: 'brandB', reference: 'B-1', limit: 10 })),
      [rowOfB('B-1').id],
      'listed by reference',
    );
    equal(
      idsOf(await store.list({ reference: 'B-1', limit: 10 })),
      idsOf([newRow('B-1'), settledRow('B-1'), rowOfB('B-1')]),
      'listed of all',
    );
    const { states, attempts } = await store.counts(['brandB']);
    equal([states['in-flight'], states.blocked, attempts], [2, 0, 2], 'counted of one account');
    const all = await store.counts();
    equal([all.states['in-flight'], all.states.blocked, all.attempts], [3, 1, 3], 'counted of all');
  }),
  contractCase('missing keys are listed for each account, until the rows are tried with them', async ({ store }) => {
    equal(await store.missingKeys(), [], 'of an empty store');
    await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3'), newRow('B-4'), rowOfB('B-1')]);
    equal(await store.missingKeys(), [], 'of rows that were never tried');
    const waiting = { state: 'waiting', outcome: undefined, keepBody: true } as const;
    const lacking = (keyId: string) =>
      ({ ...waiting, problem: { code: 'configuration', message: `The key "${keyId}" is missing.`, keyId } }) as const;
    const [first, second, third, fourth] = await claim(store);
    const [ofB] = await claim(store, 1, [BRAND_B]);
    if (!first || !second || !third || !fourth || !ofB) throw new Error('the rows: expected to be claimed');
    await write(store, first, lacking('b'));
    await write(store, second, lacking('a"key"'));
    await write(store, third, lacking('b'));
    await write(store, fourth, { ...waiting, problem: { code: 'network', message: 'told: "keyId": "no"' } });
    await write(store, ofB, lacking('of B'));
    equal(await store.missingKeys(), ['a"key"', 'b', 'of B'], 'of all');
    equal(await store.missingKeys([ACCOUNT]), ['a"key"', 'b'], 'of one account');
    equal(await store.missingKeys(['brandB', 'brandC']), ['of B'], 'of others');
    const again = await claim(store);
    equal(await store.missingKeys([ACCOUNT]), ['a"key"', 'b'], 'while they are tried again');
    for (const row of again)
      await write(store, row, row.reference === 'B-2' ? { ...lacking('b'), ...QUARANTINED } : {});
    equal(await store.missingKeys(), ['of B'], 'once they ended');
  }),
  contractCase('two accounts of one gateway are kept apart', async ({ store }) => {
    const other: Claimant = { account: 'brandC', gateways: { staging: GATEWAYS.staging }, busy: 0 };
    const rowOfC = newRow('B-1', { account: 'brandC' });
    await store.enqueue([rowOfC, newRow('B-1')]);
    equal(idsOf(await claim(store)), [newRow('B-1').id], 'claimed of one account');
    equal(idsOf(await claim(store, 10, [other])), [rowOfC.id], 'claimed of the other');
  }),
  contractCase(
    'a destination keeps its first gateway, and refuses rows for another one',
    async ({ store, another }) => {
      const other = (await another?.()) ?? store;
      await store.enqueue([newRow('B-1')]);
      const wanted = [
        { ...STAGING, gateway: NEXT },
        { account: ACCOUNT, environment: 'production', gateway: NEXT },
      ] as const;
      equal(await other.bind(wanted), [GATEWAYS.staging, NEXT], 'bound');
      const refused = await other.enqueue([newRow('B-2', { gateway: NEXT })]).catch((error: unknown) => error);
      const said = refused instanceof Error ? refused.message : '';
      equal(
        [said.includes(GATEWAYS.staging), said.includes(NEXT), said.includes('rebind')],
        [true, true, true],
        'the refusal names both',
      );
      equal((await store.get([newRow('B-2').id]))[0], undefined, 'the refused row');
      equal(await boundTo(store, 'brandB'), [], 'of an account without reports');
    },
  ),
  contractCase(
    'a worker with another gateway claims nothing, not even a probe, until the destination is rebound',
    async ({ store, another }) => {
      const other = (await another?.()) ?? store;
      await store.enqueue([newRow('B-1')]);
      const elsewhere = [{ ...CLAIMANT, gateways: { staging: NEXT } }];
      equal(await claim(other, 10, elsewhere), [], 'before');
      equal(
        (await other.turn({ writes: [], claim: { accounts: elsewhere, limit: 1, leaseMs: 1_000, probe: STAGING } }))
          .claimed,
        [],
        'a probe',
      );
      const change = { ...STAGING, gateway: NEXT, from: GATEWAYS.staging, reason: 'the gateway "moved"' };
      equal(await store.rebind({ ...change, from: 'https://wrong.example.com' }), false, 'from another address');
      equal(await store.rebind(change), true, 'from its own');
      equal(await store.rebind(change), false, 'twice');
      const [known] = await other.outlook([ACCOUNT]);
      equal(
        [known?.gateway, known?.rebound.map(({ from, reason }) => [from, reason])],
        [NEXT, [[GATEWAYS.staging, change.reason]]],
        'the stored change',
      );
      equal(await claim(store), [], 'for the gateway of before');
      equal(idsOf(await claim(other, 10, elsewhere)), [newRow('B-1').id], 'for the new one');
    },
  ),
  contractCase('of several calls that bind a destination at once, one decides for all', async ({ store, another }) => {
    const other = (await another?.()) ?? store;
    const bind = (index: number) =>
      (index % 2 ? store : other).bind([{ ...STAGING, gateway: `https://g${index}.example.com` }]);
    equal(
      new Set((await Promise.all(Array.from({ length: 6 }, (_, index) => bind(index)))).flat()).size,
      1,
      'gateways',
    );
  }),
  contractCase('accounts take turns, even if one has a backlog', async ({ store }) => {
    await store.enqueue(Array.from({ length: 20 }, (_, index) => newRow(`A-${index}`)));
    await store.enqueue([rowOfB('B-1'), rowOfB('B-2'), rowOfB('B-3')]);
    const accountsOf = async (limit: number, accounts: readonly Claimant[]) =>
      (await claim(store, limit, accounts)).map(({ account }) => account).sort();
    equal(
      await accountsOf(1, [{ ...CLAIMANT, busy: 7 }, BRAND_B]),
      ['brandB'],
      'the account with fewer rows comes first',
    );
    equal(await accountsOf(2, [CLAIMANT, BRAND_B]), ['brandB', ACCOUNT], 'one of each');
    equal(
      await accountsOf(4, [CLAIMANT, BRAND_B]),
      ['brandB', ACCOUNT, ACCOUNT, ACCOUNT],
      'the share of one that the other gets',
    );
  }),
  contractCase('a pause of one account does not pause the others', async ({ store }) => {
    await store.enqueue([newRow('B-1'), rowOfB('B-1')]);
    await store.pause({
      ...STAGING,
      version: 0,
      reason: 'authentication',
      message: 'HTTP 401',
      strikes: 1,
      forMs: 60_000,
      continues: false,
      repeats: false,
    });
    const rows = await claim(store, 10, [CLAIMANT, BRAND_B]);
    equal(idsOf(rows), [rowOfB('B-1').id], 'claimed');
    for (const row of rows) await write(store, row);
    equal(
      [(await store.counts(['brandB'])).states.recorded, (await store.counts([ACCOUNT])).states.recorded],
      [1, 0],
      'recorded',
    );
  }),
];
