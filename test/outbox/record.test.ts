import { describe, expect, it } from 'vitest';
import { HELD_BACK, withoutKey } from '../../src/outbox/plan.js';
import { claimed, decided, type Ending, ended, type Row } from '../../src/outbox/record.js';

const quarantined: Row = {
  id: 'default:staging:reportSettledBet:BET-1',
  sequence: 1,
  account: 'default',
  environment: 'staging',
  operation: 'reportSettledBet',
  reference: 'BET-1',
  waitsFor: 'default:staging:reportBetEvent:BET-1',
  blocked: false,
  body: '{}',
  fingerprint: 'print',
  enqueuedAt: 0,
  dueAt: 0,
  changedAt: 0,
  outcome: undefined,
  message: undefined,
  problem: { code: 'not-found', message: 'no such record', status: 404 },
  decisions: [],
  state: 'quarantined',
  fence: 1,
  attempts: 1,
  inDoubt: false,
  doubtBefore: false,
};

const notFound: Ending = { kind: 'not-found', outcome: 'rejected', problem: { code: 'not-found', message: 'no such record', status: 404 } };
const context = { schedule: { baseMs: 1_000, capMs: 60_000 }, random: () => 0.5, keepBodies: false } as const;

describe('a settled report that was not found, and that a person sends again', () => {
  const retried = decided(quarantined, { action: 'retry', reason: '', at: 0 }, false);
  if (typeof retried === 'string') throw new Error(retried);
  const inFlight: Row = { ...quarantined, ...retried, ...claimed({ ...quarantined, ...retried }) };

  it('may come too early once more, where its initiated one was recorded meanwhile', () => {
    expect(ended(inFlight, notFound, { ...context, dependency: 'final' })).toMatchObject({ state: 'waiting', problem: { code: 'not-found' } });
  });

  it('is quarantined by the second 404 after that', () => {
    const again: Row = { ...inFlight, ...ended(inFlight, notFound, { ...context, dependency: 'final' }) };
    expect(ended({ ...again, ...claimed(again) }, notFound, { ...context, dependency: 'final' })).toMatchObject({ state: 'quarantined' });
  });

  it('is quarantined by the second 404, also where it was given back unsent in between', () => {
    const early = { ...context, dependency: 'final' } as const;
    const again: Row = { ...inFlight, ...ended(inFlight, notFound, early) };
    const unsent: Row = { ...again, ...ended({ ...again, ...claimed(again) }, HELD_BACK, early) };
    expect(ended({ ...unsent, ...claimed(unsent) }, notFound, early)).toMatchObject({ state: 'quarantined' });
  });

  it('tells of a missing key rather than of the 404 before', () => {
    const early = { ...context, dependency: 'final' } as const;
    const again: Row = { ...inFlight, ...ended(inFlight, notFound, early) };
    expect(ended({ ...again, ...claimed(again) }, withoutKey('the key "a" is missing'), early)).toMatchObject({ problem: { code: 'configuration' } });
  });

  it('stays in doubt if it was', () => {
    expect(decided({ ...quarantined, inDoubt: true }, { action: 'retry', reason: '', at: 0 }, false)).toMatchObject({ state: 'waiting', inDoubt: true });
  });
});
