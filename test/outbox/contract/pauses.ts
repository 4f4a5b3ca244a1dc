import type { PauseChange } from '../../../src/outbox/rules/pause.js';
import type { OutboxStore } from '../../../src/outbox/store/store.js';
import {
  CLAIMANT,
  type ContractCase,
  claim,
  contractCase,
  equal,
  GATEWAYS,
  idsOf,
  LEASE_MS,
  newRow,
  read,
  STAGING,
  settledRow,
  WAITS,
  write,
} from './harness.js';

const paused: PauseChange = {
  ...STAGING,
  version: 0,
  reason: 'rate-limited',
  message: 'HTTP 429',
  strikes: 1,
  forMs: 5_000,
  continues: false,
  repeats: false,
};

async function staging(store: OutboxStore) {
  const found = (await store.outlook()).find(({ environment }) => environment === 'staging');
  if (!found) throw new Error('outlook: expected staging');
  return found;
}

const bindStaging = (store: OutboxStore) => store.bind([{ ...STAGING, gateway: GATEWAYS.staging }]);

export const pauseCases: readonly ContractCase[] = [
  contractCase('a turn names the closed breakers that have strikes', async ({ store }) => {
    await store.enqueue([newRow('B-1'), newRow('B-2'), newRow('B-3')]);
    const struck = async () => {
      const turn = await store.turn({ writes: [], claim: { accounts: [CLAIMANT], limit: 1, leaseMs: LEASE_MS } });
      return (turn.struck ?? []).map(({ operation, reason, strikes }) => [operation, reason, strikes]);
    };
    equal(await struck(), [], 'before the first strike');
    const strike = {
      ...paused,
      operation: 'reportBetEvent',
      reason: undefined,
      message: undefined,
      strikes: 2,
    } as const;
    await store.pause(strike);
    equal(await struck(), [['reportBetEvent', undefined, 2]], 'after two');
    await store.pause({ ...strike, version: 1, reason: 'refusals', strikes: 5 });
    equal(await struck(), [], 'once it is open');
  }),
  contractCase('the outlook names the bound destinations, and when the next row is due', async ({ store, advance }) => {
    equal(await store.outlook(), [], 'before anything is bound');
    await bindStaging(store);
    equal(
      (await store.outlook()).map(({ account, environment, gateway, pause, nextInMs }) => [
        account,
        environment,
        gateway,
        pause.version,
        pause.reason,
        nextInMs,
      ]),
      [['default', 'staging', GATEWAYS.staging, 0, undefined, undefined]],
      'when there is nothing',
    );
    await store.enqueue([newRow('B-1')]);
    equal(((await staging(store)).nextInMs ?? 1) <= 0, true, 'a row is due');
    await claim(store);
    await advance(10_000);
    const { nextInMs = 0 } = await staging(store);
    equal(nextInMs > LEASE_MS - 15_000 && nextInMs <= LEASE_MS - 10_000, true, 'the end of the lease');
  }),
  contractCase(
    'rows of a paused environment are not claimed, and those of the other one are',
    async ({ store, advance }) => {
      await store.enqueue([newRow('B-1'), newRow('B-2', { environment: 'production' })]);
      equal(await store.pause(paused), true, 'paused');
      equal(idsOf(await claim(store)), [newRow('B-2', { environment: 'production' }).id], 'the claimed rows');
      await advance(6_000);
      equal(await claim(store), [], 'after its time, too');
      const { pause, nextInMs = 1 } = await staging(store);
      equal(
        [pause.reason, pause.message, pause.strikes, pause.version],
        ['rate-limited', 'HTTP 429', 1, 1],
        'the pause',
      );
      equal([pause.remainingMs <= 0, nextInMs <= 0], [true, true], 'it is time for a probe');
    },
  ),
  contractCase('a probe gets only rows of the paused environment', async ({ store }) => {
    await store.enqueue([newRow('B-1', { environment: 'production' }), newRow('B-2'), newRow('B-3')]);
    await store.pause(paused);
    const { claimed } = await store.turn({
      writes: [],
      claim: { accounts: [CLAIMANT], limit: 1, leaseMs: LEASE_MS, probe: STAGING },
    });
    equal(idsOf(claimed), [newRow('B-2').id], 'the probe');
  }),
  contractCase('the probe of an operation gets no row while the whole environment is paused', async ({ store }) => {
    await store.enqueue([newRow('B-1')]);
    const probe = { ...STAGING, operation: 'reportBetEvent' } as const;
    const claimed = async () =>
      idsOf(
        (await store.turn({ writes: [], claim: { accounts: [CLAIMANT], limit: 1, leaseMs: LEASE_MS, probe } })).claimed,
      );
    const [outlook] = await store.outlook();
    if (!outlook) throw new Error('no destination');
    const change = {
      ...STAGING,
      message: undefined,
      strikes: 1,
      forMs: 60_000,
      continues: false,
      repeats: false,
    } as const;
    await store.pause({ ...change, version: outlook.pause.version, reason: 'unavailable' });
    equal(await claimed(), [], 'the probe during the pause');
    await store.pause({ ...change, version: outlook.pause.version + 1, reason: undefined, forMs: 0, strikes: 0 });
    equal(await claimed(), [newRow('B-1').id], 'the probe after the pause');
  }),
  contractCase(
    'a probe gets the row that is due first, or on request a row that was never claimed',
    async ({ store, advance }) => {
      await store.enqueue([newRow('B-1'), newRow('B-2')]);
      for (const row of await claim(store)) await write(store, row, WAITS);
      await advance(10);
      await store.enqueue([newRow('B-3'), newRow('B-4'), settledRow('B-1')]);
      await store.pause(paused);
      const probe = async (untriedFirst: boolean) => {
        await advance(10);
        const { claimed } = await store.turn({
          writes: [],
          claim: { accounts: [CLAIMANT], limit: 1, leaseMs: LEASE_MS, probe: STAGING, untriedFirst },
        });
        for (const row of claimed) {
          equal(
            [row.state, row.dueAt - row.changedAt, await read(store, row.id)],
            ['in-flight', LEASE_MS, row],
            'the probe',
          );
          await write(store, row, WAITS);
        }
        return claimed.map(({ reference }) => reference);
      };
      equal(await probe(false), ['B-1'], 'the row that is due first');
      equal([await probe(true), await probe(true)], [['B-3'], ['B-4']], 'rows that were never claimed');
      equal([await probe(true), await probe(true)], [['B-2'], ['B-1']], 'the others, once there are no such rows');
    },
  ),
  contractCase(
    'operations that a claim leaves out are not claimed, in the given destination only',
    async ({ store }) => {
      const old = settledRow('OLD', { waitsFor: undefined });
      const elsewhere = settledRow('OLD', { environment: 'production', waitsFor: undefined });
      await store.enqueue([old, elsewhere, newRow('B-1'), newRow('B-2')]);
      const without = [{ ...STAGING, operation: 'reportSettledBet' as const }];
      const { claimed } = await store.turn({
        writes: [],
        claim: { accounts: [CLAIMANT], limit: 3, leaseMs: LEASE_MS, without },
      });
      equal(idsOf(claimed).sort(), [newRow('B-1').id, newRow('B-2').id, elsewhere.id].sort(), 'the others');
      equal(idsOf(await claim(store)), [old.id], 'the rows that were left out');
    },
  ),
  contractCase(
    'a probe gets no row of an operation that it leaves out, even if one was never claimed',
    async ({ store, advance }) => {
      await store.enqueue([newRow('B-1'), newRow('B-2')]);
      for (const row of await claim(store, 1)) await write(store, row, WAITS);
      await advance(10);
      await store.enqueue([settledRow('OLD-1', { waitsFor: undefined }), settledRow('OLD-2', { waitsFor: undefined })]);
      await store.pause(paused);
      const probe = async (operation: 'reportBetEvent' | 'reportSettledBet') => {
        const without = [{ ...STAGING, operation }];
        const request = {
          accounts: [CLAIMANT],
          limit: 1,
          leaseMs: LEASE_MS,
          probe: STAGING,
          untriedFirst: true,
          without,
        };
        return (await store.turn({ writes: [], claim: request })).claimed.map(
          ({ operation, reference }) => `${operation} ${reference}`,
        );
      };
      equal(await probe('reportSettledBet'), ['reportBetEvent B-2'], 'a bet that was never claimed');
      equal(
        await probe('reportSettledBet'),
        ['reportBetEvent B-1'],
        'the other bet, before settlements that were never claimed',
      );
      equal(
        [await probe('reportSettledBet'), await probe('reportBetEvent')],
        [[], ['reportSettledBet OLD-1']],
        'a settlement',
      );
    },
  ),
  contractCase(
    'the breaker of an operation is paused by itself, and its first change has the version 0',
    async ({ store, another }) => {
      const other = (await another?.()) ?? store;
      const opened = { ...paused, operation: 'reportSettledBet', reason: 'refusals', strikes: 5 } as const;
      equal(await store.pause(opened), false, 'of a destination that is not bound');
      await store.enqueue([newRow('B-1')]);
      equal((await staging(store)).breakers, [], 'no breakers');
      equal(await store.pause({ ...opened, version: 1 }), false, 'of a version that it does not have');
      equal(
        await store.pause({ ...opened, operation: 'reportBetEvent', reason: undefined, strikes: 1 }),
        true,
        'a strike',
      );
      equal(await store.pause(opened), true, 'paused');
      equal(await other.pause(opened), false, 'one that saw the version before');
      const { pause, breakers } = await staging(other);
      equal(
        breakers.map(({ operation, reason, strikes, version }) => [operation, reason, strikes, version]).sort(),
        [
          ['reportBetEvent', undefined, 1, 1],
          ['reportSettledBet', 'refusals', 5, 1],
        ],
        'its pause',
      );
      equal([pause.reason, pause.version], [undefined, 0], 'its destination goes on');
      equal(await other.pause({ ...opened, version: 1, forMs: 9_000, continues: true }), true, 'a second change');
      equal(idsOf(await claim(other)), [newRow('B-1').id], 'rows of the destination');
    },
  ),
  contractCase(
    'a change of a pause needs its current version, and other stores see it',
    async ({ store, advance, another }) => {
      const other = (await another?.()) ?? store;
      equal(await store.pause(paused), false, 'of a destination that is not bound');
      await bindStaging(store);
      equal(await store.pause(paused), true, 'the first');
      equal(await other.pause({ ...paused, reason: 'authentication' }), false, 'one that saw the version before');
      await advance(1_000);
      const { pause } = await staging(other);
      equal(
        [pause.reason, pause.version, pause.until - pause.since, pause.remainingMs <= 4_000],
        ['rate-limited', 1, 5_000, true],
        'the pause',
      );
      equal(
        await other.pause({ ...paused, version: 1, strikes: 2, forMs: 9_000, continues: true }),
        true,
        'the second',
      );
      const { pause: longer } = await staging(store);
      equal([longer.since, longer.strikes, longer.version], [pause.since, 2, 2], 'the same pause, longer');
      equal(
        [pause.triedAt === pause.since, longer.triedAt === longer.until - 9_000, longer.triedAt > pause.triedAt],
        [true, true, true],
        'the time of the last attempt',
      );
      await advance(1_000);
      const probing = { ...paused, version: 2, strikes: 2, continues: true, repeats: true };
      equal(await store.pause(probing), true, 'a probe that is taken');
      const { pause: probed } = await staging(other);
      // Between its times, since the clock of a store in tests may go on by moving what is stored.
      equal(
        probed.triedAt - probed.since,
        longer.triedAt - longer.since,
        'the time of the last attempt, during a probe',
      );
      equal(
        await store.pause({ ...paused, version: 3, reason: undefined, message: undefined, strikes: 0, forMs: 0 }),
        true,
        'the end',
      );
      const { pause: over } = await staging(other);
      equal([over.reason, over.message, over.version], [undefined, undefined, 4], 'no pause');
    },
  ),
  contractCase('of several changes of a pause at once, one succeeds', async ({ store, another }) => {
    const other = (await another?.()) ?? store;
    await bindStaging(store);
    const made = await Promise.all(Array.from({ length: 6 }, (_, index) => (index % 2 ? store : other).pause(paused)));
    equal(made.filter(Boolean).length, 1, 'the number of successes');
  }),
];
