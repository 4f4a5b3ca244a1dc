import { describe, expect, it } from 'vitest';
import { notPaused, type Pause } from '../../../src/outbox/rules/pause.js';
import { ended } from '../../../src/outbox/rules/state-machine.js';
import {
  asksFor,
  damaged,
  dependencyOf,
  failureWaitMs,
  idleWaitMs,
  isGathering,
  isInTime,
  NOT_SENT,
  outlookOf,
  planIdle,
  planTurn,
  rowsToPrefetch,
  untilNextRead,
  type WorkerState,
  withoutKey,
} from '../../../src/outbox/sending/plan.js';
import type { DestinationState } from '../../../src/outbox/store/store.js';
import { outboxRow } from '../../support/factories.js';

const claimant = { account: 'default', gateways: { staging: 'https://staging.example.com' }, busy: 0 };
const destination = { account: 'default', environment: 'staging' } as const;
const standing: WorkerState = {
  accounts: [claimant],
  busy: 0,
  concurrency: 4,
  places: 4,
  openBreakers: [],
  leaseMs: 30_000,
  pollMs: 1_000,
  stopping: false,
};
const outlook = (nextInMs: number | undefined, pause: Partial<Pause> = {}): DestinationState => ({
  ...destination,
  gateway: 'https://staging.example.com',
  rebound: [],
  pause: { ...notPaused(destination), ...pause },
  breakers: [],
  nextInMs,
});
const paused = (remainingMs: number): Partial<Pause> => ({ reason: 'rate-limited', version: 1, remainingMs });
const pausedNow: Pause = { ...notPaused(destination), ...paused(0) };

describe('a turn', () => {
  it('claims rows for all free places, none when stopping, and one as a probe', () => {
    expect(planTurn([], { ...standing, busy: 1 })).toEqual({
      writes: [],
      claim: { accounts: [claimant], limit: 3, leaseMs: 30_000 },
    });
    expect(planTurn([], { ...standing, busy: 4 }).claim).toBeUndefined();
    expect(planTurn([], { ...standing, stopping: true }).claim).toBeUndefined();
    const probe = { accounts: [claimant], limit: 1, leaseMs: 30_000, probe: destination };
    expect(planTurn([], standing, pausedNow).claim).toEqual({ ...probe, untriedFirst: false });
    expect(planTurn([], { ...standing, busy: 4 }, pausedNow).claim).toMatchObject({
      limit: 1,
      probe: destination,
    });
    expect(planTurn([], { ...standing, stopping: true }, pausedNow).claim).toBeUndefined();
    expect(planTurn([], standing, { ...pausedNow, reason: 'refusals', strikes: 5 }).claim).toEqual({
      ...probe,
      untriedFirst: false,
    });
    expect(planTurn([], standing, { ...pausedNow, reason: 'refusals', strikes: 6 }).claim).toEqual({
      ...probe,
      untriedFirst: true,
    });
  });
});

describe('a turn with results', () => {
  const row = outboxRow({ operation: 'reportBetEvent', reference: 'BET-1', state: 'in-flight', fence: 3, attempts: 1 });
  const context = {
    retry: { baseMs: 1_000, capMs: 300_000 },
    random: () => 0.5,
    keepBodies: false,
    dependency: 'none',
  } as const;
  const change = ended(
    row,
    { kind: 'failed', outcome: 'not-sent', problem: { code: 'network', message: 'no connection' } },
    context,
  );
  const other = { ...claimant, account: 'brandB' };

  it('writes them under the fence of their claim, and counts their places and those of their account as free', () => {
    const turn = planTurn([{ row, change }], {
      ...standing,
      accounts: [
        { ...claimant, busy: 3 },
        { ...other, busy: 1 },
      ],
      busy: 4,
    });
    expect(turn.writes).toEqual([{ id: row.id, expected: { state: 'in-flight', fence: 3 }, change }]);
    expect(turn.claim).toEqual({
      accounts: [
        { ...claimant, busy: 2 },
        { ...other, busy: 1 },
      ],
      limit: 1,
      leaseMs: 30_000,
    });
  });

  it('writes them when stopping, too', () => {
    expect(planTurn([{ row, change }], { ...standing, busy: 1, stopping: true })).toMatchObject({
      writes: [{ id: row.id }],
      claim: undefined,
    });
  });
});

describe('behind the open breaker of an operation', () => {
  const held = { ...destination, operation: 'reportSettledBet' } as const;
  const breaker = (remainingMs: number, strikes = 5, reason: Pause['reason'] | 'closed' = 'refusals'): Pause => ({
    ...notPaused(held),
    version: 2,
    reason: reason === 'closed' ? undefined : reason,
    strikes,
    remainingMs,
  });
  const behind = (one: DestinationState, ...breakers: Pause[]): DestinationState => ({ ...one, breakers });

  it('a turn claims none of its reports, and a probe claims nothing else', () => {
    expect(planTurn([], { ...standing, openBreakers: [held] }).claim).toMatchObject({ limit: 4, without: [held] });
    const { claim } = planTurn([], { ...standing, openBreakers: [held] }, breaker(0));
    expect(claim).toMatchObject({ limit: 1, probe: destination, untriedFirst: false });
    expect(
      claim?.without?.map(({ account, environment, operation }) => `${account} ${environment} ${operation}`),
    ).toEqual(
      ['reportBetEvent', 'reportWithdrawalEvent', 'reportSettledWithdrawal', 'verifyNin'].map(
        (other) => `default staging ${other}`,
      ),
    );
    expect(planTurn([], standing, breaker(0, 6)).claim).toMatchObject({ untriedFirst: true });
  });

  it('the destination itself is probed with any report', () => {
    expect(planTurn([], { ...standing, openBreakers: [held] }, pausedNow).claim).not.toHaveProperty('without');
  });

  it('one report is tried when it is due, and the worker sleeps until then', () => {
    expect(planIdle([behind(outlook(-5), breaker(0))], standing).probes).toEqual([breaker(0)]);
    expect(planIdle([behind(outlook(-5), breaker(700))], standing)).toEqual({ probes: [], waitMs: 700 });
    expect(planIdle([behind(outlook(0), breaker(700))], standing).waitMs).toBe(700);
    expect(planIdle([behind(outlook(40), breaker(700))], standing).waitMs).toBe(40);
  });

  it.each<[string, DestinationState]>([
    ['the destination is paused', behind(outlook(-5, paused(400)), breaker(0))],
    ['there is no report', behind(outlook(undefined), breaker(0))],
    ['no report is due', behind(outlook(400), breaker(0))],
    ['the breaker is closed', behind(outlook(400), breaker(0, 4, 'closed'))],
  ])('nothing is tried if %s', (_, one) => {
    expect(planIdle([one], standing).probes).toEqual([]);
  });

  it('the paused destination is probed all the same, with a report of another operation', () => {
    const due = outlook(-5, paused(-1));
    expect(planIdle([behind(due, breaker(700))], standing).probes).toEqual([due.pause]);
  });

  it('the worker sleeps until the probe, also beside the closed breaker of another operation', () => {
    const closed: Pause = { ...breaker(0, 4, 'closed'), operation: 'reportBetEvent' };
    expect(planIdle([behind(outlook(-5), breaker(700), closed)], standing)).toEqual({ probes: [], waitMs: 700 });
  });

  it('a breaker of another destination, or a closed one, delays no due report', () => {
    const other = { ...behind(outlook(-5), { ...breaker(700), account: 'brandB' }), account: 'brandB' };
    expect(planIdle([outlook(-5), other], standing).waitMs).toBe(1);
    expect(planIdle([behind(outlook(-5), breaker(700, 4, 'closed'))], standing).waitMs).toBe(1);
  });
});

describe('a result', () => {
  const at = (places: number, busy: number) => ({ places, busy });

  it('waits a moment for others that are under way', () => {
    expect(isGathering(1, at(8, 8))).toBe(true);
    expect(isGathering(5, at(8, 8))).toBe(true);
    expect(isGathering(1, at(8, 2))).toBe(true);
  });

  it('does not wait if it is alone, the last, or if most places are free', () => {
    expect(isGathering(0, at(8, 8))).toBe(false);
    expect(isGathering(1, at(8, 1))).toBe(false);
    expect(isGathering(3, at(8, 3))).toBe(false);
    expect(isGathering(6, at(8, 8))).toBe(false);
    expect(isGathering(1, at(1, 1))).toBe(false);
  });

  it('waits for a limited number of others', () => {
    expect(isGathering(128, at(1_000, 1_000))).toBe(false);
  });
});

describe('claiming ahead', () => {
  it('takes the rows that are sent in a moment, and none if the gateway is slow or its speed is unknown', () => {
    expect(rowsToPrefetch(8, 20)).toBe(30);
    expect(rowsToPrefetch(8, 300)).toBe(2);
    expect(rowsToPrefetch(8, 5_000)).toBe(0);
    expect(rowsToPrefetch(8, undefined)).toBe(0);
  });

  it('takes a limited number, even if the clock stands still', () => {
    expect(rowsToPrefetch(1_000, 1)).toBe(128);
    expect(rowsToPrefetch(8, 0)).toBe(0);
  });
});

describe('looking ahead', () => {
  it('finds the outlook of a destination by its account and its environment', () => {
    const all = [
      { ...outlook(1), account: 'brandB' },
      { ...outlook(2), environment: 'production' } as const,
      outlook(3),
    ];
    expect(outlookOf(all, destination)).toBe(all[2]);
    expect(outlookOf(all.slice(0, 2), destination)).toBeUndefined();
  });

  it.each([
    ['nothing to do', outlook(undefined), 1_000],
    ['a row that is due soon', outlook(40), 40],
    ['a row that is due soon, after a pause that was resumed early', outlook(40, { remainingMs: 700 }), 40],
    ['a row that is due now', outlook(-5), 1],
    ['a pause', outlook(-5, paused(300)), 300],
    ['a row due after the pause', outlook(500, paused(300)), 500],
    ['a pause that is over, and a row due later', outlook(200, paused(-1)), 200],
  ])('sleeps for %s', (_, given, waitMs) => {
    expect(planIdle([given], standing)).toEqual({ probes: [], waitMs });
  });

  it('probes if a pause may be over and a row is due', () => {
    const due = outlook(-5, paused(-1));
    expect(planIdle([due], standing)).toEqual({ probes: [due.pause], waitMs: 1_000 });
    expect(planIdle([outlook(-5, paused(10 ** 12))], standing).probes).toHaveLength(1);
    expect(planIdle([outlook(0, paused(-1))], standing).probes).toHaveLength(1);
  });

  it('does not look again without a free place: an attempt that ends wakes it', () => {
    expect(planIdle([outlook(-5)], { ...standing, busy: 4 })).toEqual({ probes: [], waitMs: 1_000 });
    expect(planIdle([outlook(-5, paused(1))], { ...standing, busy: 4 })).toEqual({ probes: [], waitMs: 1_000 });
  });

  it('sleeps through pollMs for the rows of another account or gateway, which it does not send', () => {
    for (const stranger of [{ account: 'brandB' }, { gateway: 'https://elsewhere.example.com' }]) {
      expect(planIdle([{ ...outlook(40), ...stranger }], standing)).toEqual({ probes: [], waitMs: 1_000 });
      expect(planIdle([{ ...outlook(-5, paused(-1)), ...stranger }], standing).probes).toEqual([]);
    }
  });

  it('sleeps until the first of several rows is due, and never longer than pollMs', () => {
    const production = { ...outlook(200), environment: 'production' } as const;
    const gateways = { ...claimant.gateways, production: production.gateway };
    expect(planIdle([outlook(700), production], { ...standing, accounts: [{ ...claimant, gateways }] }).waitMs).toBe(
      200,
    );
    expect(planIdle([outlook(5_000)], standing).waitMs).toBe(1_000);
  });

  it('probes even without a free place', () => {
    const due = outlook(-5, paused(-1));
    expect(planIdle([due], { ...standing, busy: 4 })).toEqual({ probes: [due.pause], waitMs: 1_000 });
  });
});

describe('a worker whose looks announce work that no turn finds', () => {
  it('waits longer after each, up to the interval of its polls', () => {
    expect([1, 2, 3, 9, 10, 11, 400].map((empty) => idleWaitMs(1, empty, 1_000))).toEqual([
      2, 4, 8, 512, 1_000, 1_000, 1_000,
    ]);
  });

  it('keeps a longer wait, and does not spin if a damaged time is not a number', () => {
    expect([idleWaitMs(400, 2, 1_000), idleWaitMs(Number.NaN, 3, 1_000)]).toEqual([400, 8]);
  });
});

describe('a worker looks for due probes', () => {
  it('after a millisecond at least, since a shorter wait may not move its clock', () => {
    expect(untilNextRead({ worked: false, readAt: 0, now: 1_000 - 1e-9 }, { ...standing, busy: 4 })).toBe(1);
  });

  const at = (worked: boolean, since: number) => ({ worked, readAt: 50_000, now: 50_000 + since });
  const full = { ...standing, busy: 4 };

  it('at once if it has a free place and found nothing to do', () => {
    expect(untilNextRead(at(false, 0), standing)).toBe(0);
  });

  it.each<[string, boolean, WorkerState]>([
    ['is kept busy', true, standing],
    ['is full', false, full],
    ['is both', true, full],
  ])('once per pollMs while it %s', (_, worked, given) => {
    expect(untilNextRead(at(worked, 400), given)).toBe(600);
    expect(untilNextRead(at(worked, 0), given)).toBe(1_000);
    expect(untilNextRead(at(worked, 1_000), given)).toBe(0);
    expect(untilNextRead(at(worked, 1_500), given)).toBe(0);
    expect(untilNextRead({ worked, readAt: Number.NaN, now: 50_000 }, given)).toBe(0);
  });

  it('at once after the clock has jumped back, and never while it stops', () => {
    expect(untilNextRead(at(true, -1), full)).toBe(0);
    expect(untilNextRead(at(false, 0), { ...standing, stopping: true })).toBe(1_000);
  });
});

describe('an attempt', () => {
  const limits = { leaseMs: 30_000, attemptTimeoutMs: 10_000 };

  it('begins only if it ends within the lease', () => {
    expect(isInTime(5_000, 5_000, limits)).toBe(true);
    expect(isInTime(5_000, 25_000, limits)).toBe(true);
    expect(isInTime(5_000, 25_001, limits)).toBe(false);
  });

  it('does not begin if the clock has jumped back, since the rest of the lease is unknown', () => {
    expect(isInTime(5_000, 4_999, limits)).toBe(false);
  });
});

describe('the earlier row', () => {
  it.each([
    [undefined, 'none'],
    ['waiting', 'open'],
    ['quarantined', 'open'],
    ['recorded', 'final'],
    ['dismissed', 'final'],
  ] as const)('%s is %s', (state, dependency) => {
    expect(dependencyOf(state && { state })).toBe(dependency);
  });
});

describe('a store that fails again and again', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [6, 30_000],
    [1_000, 30_000],
  ])('after %i failures in a row it is tried again in %i ms', (failures, waitMs) => {
    expect(failureWaitMs(failures, 1_000)).toBe(waitMs);
  });

  it('waits at most 1,024 times as long as a short pollMs', () => {
    expect(failureWaitMs(1_000, 10)).toBe(10_240);
  });
});

describe('the end of an attempt', () => {
  it('asks for the earlier row only if the gateway does not know the report', () => {
    const problem = { code: 'not-found', message: 'no such record' } as const;
    expect(asksFor({ waitsFor: 'earlier' }, { kind: 'not-found', outcome: 'rejected', problem })).toBe('earlier');
    expect(asksFor({ waitsFor: 'earlier' }, { kind: 'refused', outcome: 'rejected', problem })).toBeUndefined();
  });

  it('that was not made proves that nothing was sent, and does not count against the report', () => {
    const aborted = { code: 'aborted', message: expect.stringMatching(/^Not sent: /) };
    const missing = { code: 'configuration', message: 'the key is missing', keyId: 'k1' };
    for (const [end, problem] of [
      [NOT_SENT, aborted],
      [withoutKey('the key is missing', 'k1'), missing],
    ] as const)
      expect(end).toMatchObject({ kind: 'failed', outcome: 'not-sent', counts: false, problem });
  });

  it('of a damaged row is a refusal, and nothing was sent', () => {
    expect(damaged('BET-1')).toMatchObject({
      kind: 'refused',
      outcome: 'not-sent',
      problem: { message: expect.stringContaining('its bytes cannot be opened') },
    });
  });
});
