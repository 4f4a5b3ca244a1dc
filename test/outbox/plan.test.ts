import { describe, expect, it } from 'vitest';
import { notPaused, type Pause } from '../../src/outbox/pause.js';
import { claimsAhead, dependencyOf, idleWaitMs, isGathering, isInTime, lookAhead, lookInMs, planTurn, type Standing } from '../../src/outbox/plan.js';
import type { Outlook } from '../../src/outbox/store.js';

const claimant = { account: 'default', gateways: { staging: 'https://staging.example.com' }, busy: 0 };
const destination = { account: 'default', environment: 'staging' } as const;
const standing: Standing = { accounts: [claimant], busy: 0, concurrency: 4, places: 4, held: [], leaseMs: 30_000, pollMs: 1_000, stopping: false };
const outlook = (nextInMs: number | undefined, pause: Partial<Pause> = {}): Outlook => ({
  ...destination,
  gateway: 'https://staging.example.com',
  rebound: [],
  pause: { ...notPaused(destination), ...pause },
  nextInMs,
});
const paused = (remainingMs: number): Partial<Pause> => ({ reason: 'rate-limited', version: 1, remainingMs });

describe('a turn', () => {
  it('claims rows for all free places, none when stopping, and one as a probe', () => {
    expect(planTurn([], { ...standing, busy: 1 })).toEqual({ writes: [], claim: { accounts: [claimant], limit: 3, leaseMs: 30_000 } });
    expect(planTurn([], { ...standing, busy: 4 }).claim).toBeUndefined();
    expect(planTurn([], { ...standing, stopping: true }).claim).toBeUndefined();
    const probe = { accounts: [claimant], limit: 1, leaseMs: 30_000, probe: destination };
    expect(planTurn([], standing, outlook(0, paused(0))).claim).toEqual({ ...probe, untriedFirst: false });
    expect(planTurn([], { ...standing, busy: 4 }, outlook(0, paused(0))).claim).toMatchObject({ limit: 1, probe: destination });
    expect(planTurn([], { ...standing, stopping: true }, outlook(0, paused(0))).claim).toBeUndefined();
    expect(planTurn([], standing, outlook(0, { ...paused(0), reason: 'refusals', strikes: 5 })).claim).toEqual({ ...probe, untriedFirst: false });
    expect(planTurn([], standing, outlook(0, { ...paused(0), reason: 'refusals', strikes: 6 })).claim).toEqual({ ...probe, untriedFirst: true });
  });
});

describe('behind the open breaker of an operation', () => {
  const name = { account: 'default', environment: 'staging/reportSettledBet' } as const;
  const held = { ...destination, operation: 'reportSettledBet' } as const;
  const breaker = (remainingMs: number, strikes = 5, reason: Pause['reason'] | 'closed' = 'refusals'): Outlook => ({
    ...outlook(undefined),
    ...name,
    pause: { ...notPaused(name), version: 2, reason: reason === 'closed' ? undefined : reason, strikes, remainingMs },
  });

  it('a turn claims none of its reports, and a probe claims nothing else', () => {
    expect(planTurn([], { ...standing, held: [held] }).claim).toMatchObject({ limit: 4, without: [held] });
    const { claim } = planTurn([], { ...standing, held: [held] }, breaker(0));
    expect(claim).toMatchObject({ limit: 1, probe: destination, untriedFirst: false });
    expect(claim?.without?.map(({ account, environment, operation }) => `${account} ${environment} ${operation}`)).toEqual(
      ['reportBetEvent', 'reportWithdrawalEvent', 'reportSettledWithdrawal', 'verifyNin'].map((other) => `default staging ${other}`),
    );
    expect(planTurn([], standing, breaker(0, 6)).claim).toMatchObject({ untriedFirst: true });
  });

  it('the destination itself is probed with any report', () => {
    expect(planTurn([], { ...standing, held: [held] }, outlook(0, paused(0))).claim).not.toHaveProperty('without');
  });

  it('one report is tried when it is due, and the worker sleeps until then', () => {
    expect(lookAhead([outlook(-5), breaker(0)], standing).probes).toEqual([breaker(0)]);
    expect(lookAhead([outlook(-5), breaker(700)], standing)).toEqual({ probes: [], waitMs: 700 });
  });

  it.each<[string, Outlook[]]>([
    ['the destination is paused', [outlook(-5, paused(400)), breaker(0)]],
    ['there is no report', [outlook(undefined), breaker(0)]],
    ['no report is due', [outlook(400), breaker(0)]],
    ['its destination is not in the outlook', [breaker(0)]],
    ['the breaker is closed', [outlook(400), breaker(0, 4, 'closed')]],
  ])('nothing is tried if %s', (_, outlooks) => {
    expect(lookAhead(outlooks, standing).probes).toEqual([]);
  });

  it('a breaker of another destination, or a closed one, delays no due report', () => {
    const other = { ...breaker(700), account: 'brandB', pause: { ...breaker(700).pause, account: 'brandB' } };
    expect(lookAhead([outlook(-5), other], standing).waitMs).toBe(1);
    expect(lookAhead([outlook(-5), breaker(700, 4, 'closed')], standing).waitMs).toBe(1);
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
    expect(claimsAhead(8, 20)).toBe(30);
    expect(claimsAhead(8, 300)).toBe(2);
    expect(claimsAhead(8, 5_000)).toBe(0);
    expect(claimsAhead(8, undefined)).toBe(0);
  });

  it('takes a limited number, even if the clock stands still', () => {
    expect(claimsAhead(1_000, 1)).toBe(128);
    expect(claimsAhead(8, 0)).toBe(0);
  });
});

describe('looking ahead', () => {
  it.each([
    ['nothing to do', outlook(undefined), 1_000],
    ['a row that is due soon', outlook(40), 40],
    ['a row that is due now', outlook(-5), 1],
    ['a pause', outlook(-5, paused(300)), 300],
    ['a row due after the pause', outlook(500, paused(300)), 500],
    ['a pause that is over, and a row due later', outlook(200, paused(-1)), 200],
  ])('sleeps for %s', (_, given, waitMs) => {
    expect(lookAhead([given], standing)).toEqual({ probes: [], waitMs });
  });

  it('probes if a pause may be over and a row is due', () => {
    const due = outlook(-5, paused(-1));
    expect(lookAhead([due], standing)).toEqual({ probes: [due], waitMs: 1_000 });
    expect(lookAhead([outlook(-5, paused(10 ** 12))], standing).probes).toHaveLength(1);
  });

  it('does not look again without a free place: an attempt that ends wakes it', () => {
    expect(lookAhead([outlook(-5)], { ...standing, busy: 4 })).toEqual({ probes: [], waitMs: 1_000 });
    expect(lookAhead([outlook(-5, paused(1))], { ...standing, busy: 4 })).toEqual({ probes: [], waitMs: 1_000 });
  });

  it('probes even without a free place', () => {
    const due = outlook(-5, paused(-1));
    expect(lookAhead([due], { ...standing, busy: 4 })).toEqual({ probes: [due], waitMs: 1_000 });
  });
});

describe('a worker whose looks announce work that no turn finds', () => {
  it('waits longer after each, up to the interval of its polls', () => {
    expect([1, 2, 3, 9, 10, 11, 400].map((empty) => idleWaitMs(1, empty, 1_000))).toEqual([2, 4, 8, 512, 1_000, 1_000, 1_000]);
  });

  it('keeps a longer wait, and does not spin if a damaged time is not a number', () => {
    expect([idleWaitMs(400, 2, 1_000), idleWaitMs(Number.NaN, 3, 1_000)]).toEqual([400, 8]);
  });
});

describe('a worker looks for due probes', () => {
  it('after a millisecond at least, since a shorter wait may not move its clock', () => {
    expect(lookInMs({ worked: false, lookedAt: 0, now: 1_000 - 1e-9 }, { ...standing, busy: 4 })).toBe(1);
  });

  const at = (worked: boolean, since: number) => ({ worked, lookedAt: 50_000, now: 50_000 + since });
  const full = { ...standing, busy: 4 };

  it('at once if it has a free place and found nothing to do', () => {
    expect(lookInMs(at(false, 0), standing)).toBe(0);
  });

  it.each<[string, boolean, Standing]>([
    ['is kept busy', true, standing],
    ['is full', false, full],
    ['is both', true, full],
  ])('once per pollMs while it %s', (_, worked, given) => {
    expect(lookInMs(at(worked, 400), given)).toBe(600);
    expect(lookInMs(at(worked, 1_000), given)).toBe(0);
    expect(lookInMs({ worked, lookedAt: Number.NaN, now: 50_000 }, given)).toBe(0);
  });

  it('at once after the clock has jumped back, and never while it stops', () => {
    expect(lookInMs(at(true, -1), full)).toBe(0);
    expect(lookInMs(at(false, 0), { ...standing, stopping: true })).toBe(1_000);
  });
});

describe('an attempt', () => {
  const limits = { leaseMs: 30_000, attemptTimeoutMs: 10_000 };

  it('begins only if it ends within the lease', () => {
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
