import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, DuplicateReportError, ValidationError } from '../../../src/entries/index.js';
import { instrumentOutbox } from '../../../src/entries/opentelemetry.js';
import { type BatchedReport, memoryStore, type OutboxStore } from '../../../src/entries/outbox.js';
import type { NewRow } from '../../../src/outbox/store/store.js';
import { betEvent, settledBet } from '../../support/factories.js';
import { leaksIn, personalBet } from '../personal.js';
import { outboxWorld } from '../world.js';

const BET = 'default:staging:reportBetEvent:BET-1';

describe('a prepared report', () => {
  it('is validated and located, and not stored before it is enqueued', async () => {
    let lookups = 0;
    const lookup = async () => {
      lookups += 1;
      return { latitude: 6.45, longitude: 3.39 };
    };
    const { outbox, run, gateway, names } = outboxWorld({
      client: { location: { ip: { providers: [{ name: 'table', lookup }] } } },
    });
    const report = await run(outbox.prepare('reportBetEvent', betEvent(), { clientIP: '102.89.23.1' }));
    expect([report.id, lookups, await outbox.list(), names()]).toEqual([BET, 1, [], []]);
    const enqueued = await report.enqueue();
    expect(enqueued).toEqual({ id: BET, state: 'waiting' });
    expect([lookups, names()]).toEqual([1, ['enqueued']]);
    const { done } = enqueued;
    expect(await run(outbox.drain())).toMatchObject({ drained: true });
    expect(await done).toMatchObject({ outcome: 'recorded', location: { latitude: 6.45 } });
    expect(gateway.reports()).toHaveLength(1);
  });

  it('is sent as soon as it is enqueued', async () => {
    const { outbox, run, clock } = outboxWorld({ outbox: { pollMs: 3_600_000 } });
    outbox.start();
    await run(new Promise<void>((resolve) => void clock.setTimeout(resolve, 1_000)));
    const report = await outbox.prepare('reportBetEvent', betEvent());
    const before = clock.now();
    const { done } = await report.enqueue();
    expect(await run(done)).toMatchObject({ outcome: 'recorded' });
    expect(clock.now() - before).toBeLessThan(60_000);
    await outbox.stop();
  });

  it('is one report if it is enqueued several times, and other data under its reference is refused', async () => {
    const { outbox, run, gateway } = outboxWorld();
    await outbox.reportBetEvent(betEvent());
    const [one, other] = [
      await outbox.prepare('reportSettledBet', settledBet()),
      await outbox.prepare('reportSettledBet', settledBet({ payout_amount: 1 })),
    ];
    await Promise.all([one.enqueue(), one.enqueue()]);
    await expect(other.enqueue()).rejects.toThrow(DuplicateReportError);
    await run(outbox.drain());
    expect(await one.enqueue()).toMatchObject({ state: 'recorded' });
    expect(gateway.reports().map(({ operation }) => operation)).toEqual(['reportBetEvent', 'reportSettledBet']);
  });

  it('is enqueued within the transaction that is passed', async () => {
    const transactions: unknown[] = [];
    const kept = memoryStore();
    const store: OutboxStore = {
      ...kept,
      transactional: true,
      enqueue: (rows, transaction) => {
        transactions.push(transaction);
        return kept.enqueue(rows);
      },
    };
    const { outbox, names } = outboxWorld({ store });
    const transaction = {};
    await (await outbox.prepare('reportBetEvent', betEvent())).enqueue(transaction);
    expect(transactions).toEqual([transaction]);
    expect(names()).toEqual([]);
  });

  it('is refused if the store has no transactions, and stays usable', async () => {
    const { outbox } = outboxWorld();
    const report = await outbox.prepare('reportBetEvent', betEvent());
    await expect(report.enqueue({})).rejects.toThrow(/cannot write within your transaction/);
    expect(await outbox.list()).toEqual([]);
    expect(await report.enqueue()).toMatchObject({ state: 'waiting' });
  });

  it('rejects as the methods do, with all problems at once', async () => {
    const { outbox } = outboxWorld();
    const refusal = outbox.prepare('reportBetEvent', { bet_id: '' } as never, { clientIP: '10.0.0.1' });
    const error = await refusal.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(ValidationError);
    expect((error as ValidationError).issues.length).toBeGreaterThan(2);
  });

  it('shows nothing of the report to loggers', async () => {
    const asValue = (row: NewRow) => row.body;
    const { outbox } = outboxWorld({ store: { ...memoryStore(), asValue } });
    const report = await outbox.prepare('reportBetEvent', personalBet('BET-1'));
    expect(leaksIn(report.value).length).toBeGreaterThan(5);
    expect(
      leaksIn(
        inspect(report, { depth: 9, showHidden: false }) + JSON.stringify(report) + JSON.stringify({ ...report }),
      ),
    ).toEqual([]);
    expect(Object.keys(report)).toEqual(['id', 'enqueue']);
  });

  it('has a value only if the store has a function for it', async () => {
    const { outbox } = outboxWorld();
    const report = await outbox.prepare('reportBetEvent', betEvent());
    expect(() => report.value).toThrow(ConfigurationError);
    expect(() => report.value).toThrow(/call enqueue\(transaction\)/);
  });

  it.each([undefined, null])('is not enqueued outside of a transaction that is %s', async (transaction) => {
    const { outbox } = outboxWorld({ store: { ...memoryStore(), transactional: true } });
    for (const one of [outbox, instrumentOutbox(outbox)]) {
      const report = await one.prepare('reportBetEvent', betEvent());
      await expect(report.enqueue(transaction)).rejects.toThrow(
        /expected your transaction; call it without an argument/,
      );
    }
    expect(await outbox.list()).toEqual([]);
  });
});

describe('the receipt of a prepared report', () => {
  it('arrives although the store fails in between, and does not use a closed store', async () => {
    const kept = memoryStore();
    let fails = false;
    const get: OutboxStore['get'] = (ids) =>
      fails ? Promise.reject(new Error('connection to 10.0.0.1 lost')) : kept.get(ids);
    const { outbox, run, gateway } = outboxWorld({ store: { ...kept, get } });
    const report = await outbox.prepare('reportBetEvent', betEvent());
    const { done } = await report.enqueue();
    await kept.get([]);
    fails = true;
    await run(outbox.drain());
    expect(await done).toMatchObject({ outcome: 'recorded' });

    gateway.faults.add({ kind: 'status', status: 503, times: null });
    const late = await outbox.prepare('reportBetEvent', betEvent({ bet_id: 'BET-2' }));
    fails = false;
    const { done: waits } = await late.enqueue();
    outbox.start();
    await run(new Promise<void>((resolve) => void setImmediate(resolve)));
    fails = true;
    await run(outbox.stop());
    await expect(waits).rejects.toMatchObject({ code: 'aborted', outcome: 'unknown' });
  });
});

describe('the name of a report', () => {
  it.each([
    ['reportBetevent', 'operation: expected reportBetEvent, '],
    ['verifyNin', 'expected reportBetEvent, reportSettledBet, reportWithdrawalEvent or reportSettledWithdrawal'],
    ['__proto__', 'expected reportBetEvent'],
    [undefined, 'expected reportBetEvent'],
    [betEvent(), 'expected reportBetEvent'],
  ])('%s is refused, with the known names', async (operation, message) => {
    const { outbox } = outboxWorld();
    const expected = { code: 'validation', outcome: 'not-sent', message: expect.stringContaining(message) };
    await expect(outbox.prepare(operation as 'reportBetEvent', betEvent())).rejects.toMatchObject(expected);
    const [refused, accepted] = await outbox.reportAll([
      { operation: operation as 'reportBetEvent', payload: betEvent() },
      { operation: 'reportBetEvent', payload: betEvent() },
    ]);
    expect([refused, accepted?.status]).toMatchObject([{ reason: expected }, 'fulfilled']);
  });

  it('is not shown if it is not a name', async () => {
    const { outbox } = outboxWorld();
    const [refused] = await outbox.reportAll([{ operation: '99000000001' as 'reportBetEvent', payload: {} as never }]);
    expect(JSON.stringify(refused) + inspect(refused)).not.toContain('99000000001');
  });

  it('is checked for each report of a list, and an invalid one does not refuse the others', async () => {
    const { outbox } = outboxWorld();
    class Job {
      readonly payload;
      constructor(bet_id: string) {
        this.payload = betEvent({ bet_id });
      }
      get operation() {
        return 'reportBetEvent' as const;
      }
    }
    const hostile = {
      get operation(): never {
        throw new Error('secret 90817263544');
      },
    };
    const given: unknown[] = [null, { operation: 'reportBetEvent', payload: betEvent() }, 'report', hostile];
    // The list has a hole before it.
    given[5] = new Job('BET-2');
    const results = await outbox.reportAll(given as BatchedReport[]);
    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(results[3]).toMatchObject({
      reason: { code: 'validation', message: expect.stringContaining('a getter or proxy threw') },
    });
    expect(results[0]).toMatchObject({
      reason: {
        code: 'validation',
        message: expect.stringContaining('report: expected an object with operation and payload'),
      },
    });
  });

  it('must come in a list, and any other value is refused', async () => {
    const { outbox } = outboxWorld();
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    for (const reports of [
      null,
      undefined,
      'reports',
      new Set([{ operation: 'reportBetEvent', payload: betEvent() }]),
      proxy,
    ]) {
      const refusal = outbox.reportAll(reports as never);
      await expect(refusal).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringContaining('reports: expected an array'),
      });
    }
  });
});
