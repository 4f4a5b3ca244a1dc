import { describe, expect, it } from 'vitest';
import type { Refused } from '../../../src/core/platform/refused.js';
import {
  DISMISSED_WITH_REPORT,
  decided,
  dismissedWithReport,
  isChange,
  reopenedWithReport,
  replaced,
  undone,
  wasDismissedWith,
} from '../../../src/outbox/rules/decisions.js';
import { postponed } from '../../../src/outbox/rules/pause.js';
import {
  bytesAfter,
  type Change,
  changedRow,
  claimed,
  type Decision,
  type Ending,
  type EndingContext,
  ended,
  type Failed,
  isAsExpected,
  isBlocked,
  isClaimable,
  isFinal,
  LONGEST_WAIT_MS,
  mustStay,
  type Row,
  type RowState,
  takenFromWorker,
} from '../../../src/outbox/rules/state-machine.js';
import { NOT_SENT, withoutKey } from '../../../src/outbox/sending/plan.js';
import { outboxRow } from '../../support/factories.js';

const quarantined = outboxRow({
  operation: 'reportSettledBet',
  reference: 'BET-1',
  waitsFor: 'default:staging:reportBetEvent:BET-1',
  problem: { code: 'not-found', message: 'no such record', status: 404 },
  state: 'quarantined',
  fence: 1,
  attempts: 1,
});
const earlier: Decision = { action: 'retry', reason: 'the gateway was mended', at: 5 };
/** In flight for the third time. */
const inFlight: Row = {
  ...quarantined,
  state: 'in-flight',
  problem: undefined,
  decisions: [earlier],
  fence: 4,
  attempts: 3,
  inDoubt: true,
};

const notFound: Ending = {
  kind: 'not-found',
  outcome: 'rejected',
  problem: { code: 'not-found', message: 'no such record', status: 404 },
};
const context = {
  retry: { baseMs: 1_000, capMs: 300_000 },
  random: () => 0.5,
  keepBodies: false,
  dependency: 'none',
} as const;
const problem = { code: 'gateway', message: 'what the gateway said' } as const;
const failed = (more: Partial<Failed> = {}): Failed => ({ kind: 'failed', outcome: 'unknown', problem, ...more });

const STATES: readonly RowState[] = ['waiting', 'in-flight', 'recorded', 'quarantined', 'dismissed'];
const DOUBTS = [true, false];

describe('a report', () => {
  it('is final once it is recorded or dismissed', () => {
    expect(STATES.filter(isFinal)).toEqual(['recorded', 'dismissed']);
  });

  it('is blocked while it waits, and its earlier report is in the store and not final', () => {
    const blocks = (state: RowState) => STATES.filter((before) => isBlocked({ state }, { state: before }));
    expect(blocks('waiting')).toEqual(['waiting', 'in-flight', 'quarantined']);
    for (const state of STATES.filter((one) => one !== 'waiting')) expect(blocks(state)).toEqual([]);
    expect(isBlocked({ state: 'waiting' }, undefined)).toBe(false);
  });

  it('stays final while the report after it is in flight', () => {
    const stays = (expected: RowState) => STATES.filter((state) => mustStay({ state: expected }, { state }));
    for (const state of ['recorded', 'dismissed'] as const) expect(stays(state)).toEqual(['in-flight']);
    for (const state of ['waiting', 'in-flight', 'quarantined'] as const) expect(stays(state)).toEqual([]);
    expect(mustStay({ state: 'dismissed' }, undefined)).toBe(false);
  });

  it('that a worker left in flight waits in doubt, with a new fence, if its earlier report is open', () => {
    const { id, expected, change } = takenFromWorker(inFlight);
    expect([id, expected]).toEqual([inFlight.id, inFlight]);
    const { fence, attempts, problem: last } = inFlight;
    expect(change).toMatchObject({
      state: 'waiting',
      inDoubt: true,
      fence: fence + 1,
      attempts,
      problem: last,
      delayMs: 0,
    });
  });

  it('is as expected only in the same state and with the same fence', () => {
    expect(isAsExpected({ state: 'in-flight', fence: 4 }, inFlight)).toBe(true);
    expect(isAsExpected({ state: 'waiting', fence: 4 }, inFlight)).toBe(false);
    expect(isAsExpected({ state: 'in-flight', fence: 5 }, inFlight)).toBe(false);
  });
});

describe('a report may be claimed', () => {
  const NOW = 1_000_000;

  it.each([
    ['when it is due', NOW, true],
    ['later than that', NOW - 1, true],
    ['not before', NOW + 1, false],
    ['not a day before, the longest wait', NOW + LONGEST_WAIT_MS, false],
    ['if more than a day is left, since a clock has jumped', NOW + LONGEST_WAIT_MS + 1, true],
  ])('%s', (_, dueAt, may) => {
    expect(isClaimable({ state: 'waiting', blocked: false, dueAt, fence: 1 }, NOW)).toBe(may);
    expect(isClaimable({ state: 'in-flight', blocked: false, dueAt, fence: 1 }, NOW)).toBe(may);
  });

  it('only while it waits or is in flight, and a waiting one only if it is not blocked', () => {
    const claimable = (blocked: boolean) =>
      STATES.filter((state) => isClaimable({ state, blocked, dueAt: NOW, fence: 1 }, NOW));
    expect(claimable(false)).toEqual(['waiting', 'in-flight']);
    expect(claimable(true)).toEqual(['in-flight']);
  });
});

describe('a claim', () => {
  it.each(DOUBTS)(
    'puts the report in doubt before the first byte is sent, and keeps the earlier doubt: %s',
    (inDoubt) => {
      expect(claimed({ ...quarantined, inDoubt })).toEqual({
        state: 'in-flight',
        fence: 2,
        attempts: 2,
        inDoubt: true,
        doubtBefore: inDoubt,
      });
    },
  );
});

/** The values that the end of an attempt does not change. */
const unchanged = {
  fence: 4,
  decisions: [earlier],
  outcome: undefined,
  message: undefined,
  requestId: undefined,
  keepBody: true,
};

describe('the end of an attempt', () => {
  it.each([true, false])(
    "that is recorded is final, with the gateway's message and the id of the request; the body is kept: %s",
    (keepBodies) => {
      expect(
        ended(
          { ...inFlight, doubtBefore: true },
          { kind: 'recorded', outcome: 'recorded', message: 'Bet reported', requestId: 'req-1' },
          { ...context, keepBodies },
        ),
      ).toStrictEqual({
        state: 'recorded',
        fence: 4,
        attempts: 3,
        inDoubt: false,
        doubtBefore: true,
        delayMs: 0,
        outcome: 'recorded',
        message: 'Bet reported',
        requestId: 'req-1',
        problem: undefined,
        decisions: [earlier],
        keepBody: keepBodies,
      });
    },
  );

  it('that a relay accepted is recorded as accepted', () => {
    expect(ended(inFlight, { kind: 'recorded', message: undefined, outcome: 'accepted' }, context)).toMatchObject({
      state: 'recorded',
      outcome: 'accepted',
    });
  });

  it('that is a duplicate of the same data means recorded, if an earlier attempt may have been recorded', () => {
    const duplicate = failed({ kind: 'same', outcome: 'rejected', problem: { ...problem, requestId: 'req-2' } });
    expect(ended({ ...inFlight, doubtBefore: true }, duplicate, { ...context, keepBodies: true })).toMatchObject({
      state: 'recorded',
      outcome: 'already-recorded',
      inDoubt: false,
      problem: undefined,
      message: undefined,
      requestId: 'req-2',
      keepBody: true,
    });
    expect(ended(inFlight, duplicate, context)).toMatchObject({
      state: 'quarantined',
      outcome: undefined,
      problem: { ...problem, requestId: 'req-2' },
    });
  });

  describe.each<[Failed['kind'], RowState]>([
    ['refused', 'quarantined'],
    ['not-found', 'quarantined'],
    ['failed', 'waiting'],
  ])('that is of the kind %s', (kind, state) => {
    it.each([
      ['unknown', false, true],
      ['unknown', true, true],
      ['rejected', false, false],
      ['rejected', true, true],
      ['not-sent', false, false],
      ['not-sent', true, true],
    ] as const)('and proves %s, with doubt before: %s, leaves doubt: %s', (outcome, doubtBefore, inDoubt) => {
      const change = ended({ ...inFlight, doubtBefore }, failed({ kind, outcome }), context);
      const delayMs = state === 'waiting' ? 2_000 : 0;
      expect(change).toStrictEqual({ ...unchanged, state, attempts: 3, inDoubt, doubtBefore, delayMs, problem });
    });
  });

  it.each(['same', 'refused'] as const)(
    'that is of the kind %s quarantines the report, even while its initiated report is open',
    (kind) => {
      expect(ended(inFlight, failed({ kind, outcome: 'rejected' }), { ...context, dependency: 'open' })).toMatchObject({
        state: 'quarantined',
        delayMs: 0,
      });
    },
  );

  it('is not counted if it paused the destination, or if nothing was sent', () => {
    const attempts = (ending: Ending) => ended(inFlight, ending, context).attempts;
    expect(attempts(failed())).toBe(3);
    expect(attempts(failed({ pause: 'rate-limited' }))).toBe(2);
    expect(attempts(NOT_SENT)).toBe(2);
    expect(attempts(withoutKey('the key "a" is missing', 'a'))).toBe(2);
  });
});

describe('the wait after a failure', () => {
  const waitMs = (row: Partial<Row>, ending: Partial<Failed> = {}, more: Partial<EndingContext> = {}) =>
    ended({ ...inFlight, ...row }, failed(ending), { ...context, random: () => 1, ...more }).delayMs;

  it.each([
    [1, 1_000],
    [2, 2_000],
    [9, 256_000],
    [10, 300_000],
    [5_000, 300_000],
  ])('doubles with each attempt up to its cap, with full jitter: attempt %i', (attempts, most) => {
    expect(waitMs({ attempts })).toBe(most);
    expect(waitMs({ attempts }, {}, { random: () => 0.25 })).toBe(most / 4);
    expect(waitMs({ attempts }, {}, { random: () => 0 })).toBe(0);
  });

  it.each([
    [1, 1_000],
    [6, 32_000],
    [7, 60_000],
    [5_000, 60_000],
  ])('of a report whose attempts end in a pause doubles with each claim up to a minute: claim %i', (fence, most) => {
    expect(waitMs({ fence, attempts: 1 }, { pause: 'rate-limited' })).toBe(most);
  });

  it('of a report whose attempts end in a pause keeps to a shorter cap', () => {
    expect(waitMs({ fence: 20 }, { pause: 'rate-limited' }, { retry: { baseMs: 1_000, capMs: 5_000 } })).toBe(5_000);
  });

  it('of a report whose attempts end in a pause is not longer if the gateway asks for more: the pause is', () => {
    expect(waitMs({ fence: 1, attempts: 2 }, { pause: 'rate-limited', retryAfterMs: 3_600_000 })).toBe(1_000);
  });

  it('is the time that the gateway asks for, at least the backoff and at most a day', () => {
    expect(waitMs({ attempts: 1 }, { retryAfterMs: 999 })).toBe(1_000);
    expect(waitMs({ attempts: 1 }, { retryAfterMs: 1_001 })).toBe(1_001);
    expect(waitMs({ attempts: 1 }, { retryAfterMs: LONGEST_WAIT_MS + 1 })).toBe(LONGEST_WAIT_MS);
  });
});

describe('a 404 to a settled report', () => {
  it.each([
    ['waits for its initiated report while that is open', 'open', undefined, 'waiting'],
    ['waits again while that is still open', 'open', notFound.problem, 'waiting'],
    ['may have come too early, if the initiated report was recorded in the meantime', 'final', undefined, 'waiting'],
    ['may have come too early after another failure', 'final', problem, 'waiting'],
    ['quarantines it, if it is the second in a row', 'final', notFound.problem, 'quarantined'],
    ['quarantines it, if its initiated report is not in the outbox', 'none', undefined, 'quarantined'],
  ] as const)('%s', (_, dependency, before, state) => {
    const change = ended({ ...inFlight, problem: before }, notFound, { ...context, dependency });
    expect(change).toMatchObject({
      state,
      problem: { code: 'not-found' },
      attempts: 3,
      delayMs: state === 'waiting' ? 2_000 : 0,
    });
  });
});

describe('a settled report that was not found, and that a person retries', () => {
  const early = { ...context, dependency: 'final' } as const;
  const claim = (row: Row): Row => ({ ...row, ...claimed(row) });
  const retried = (): Row => {
    const change = decided(quarantined, { action: 'retry', reason: '', at: 0 }, false);
    if (!isChange(change)) throw new Error(change.why);
    return claim({ ...quarantined, ...change });
  };
  /** Claimed again after the first 404. */
  const again = (): Row => claim({ ...retried(), ...ended(retried(), notFound, early) });

  it('may come too early once more, if its initiated report was recorded in the meantime', () => {
    expect(ended(retried(), notFound, early)).toMatchObject({ state: 'waiting', problem: { code: 'not-found' } });
  });

  it('is quarantined by the second 404 after that', () => {
    expect(ended(again(), notFound, early)).toMatchObject({ state: 'quarantined' });
  });

  it('is quarantined by the second 404, even if it was given back unsent in between', () => {
    const unsent = { ...again(), ...ended(again(), NOT_SENT, early) };
    expect(unsent.problem).toEqual(notFound.problem);
    expect(ended(claim(unsent), notFound, early)).toMatchObject({ state: 'quarantined' });
  });

  it.each([
    ['a missing key', withoutKey('the key "a" is missing', 'a'), 'configuration'],
    ['an attempt that was cut off', failed({ problem: { code: 'aborted', message: 'cut off' } }), 'aborted'],
  ])('shows %s instead of the earlier 404', (_, ending, code) => {
    expect(ended(again(), ending, early)).toMatchObject({ problem: { code } });
  });

  it('is quarantined by the second 404, even if it was turned away in between', () => {
    const turnedAway = { ...again(), ...ended(again(), failed({ outcome: 'rejected', pause: 'rate-limited' }), early) };
    expect(turnedAway.problem).toEqual(notFound.problem);
    expect(ended(claim(turnedAway), notFound, early)).toMatchObject({ state: 'quarantined' });
  });

  it('shows that it was given back, after another failure than a 404', () => {
    expect(ended({ ...again(), problem }, NOT_SENT, early)).toMatchObject({ problem: { code: 'aborted' } });
  });
});

describe('a refused report that waits behind a breaker', () => {
  const refusal = { code: 'unprocessable', message: 'x: HTTP 422: no', status: 422, postponed: true } as const;
  const later = { code: 'authentication', message: 'the next problem' } as const;
  const next = (ending: Partial<Failed>) =>
    ended({ ...inFlight, problem: refusal }, failed({ outcome: 'rejected', problem: later, ...ending }), context)
      .problem;

  it.each<[string, Partial<Failed>]>([
    ['is turned away by a refused key', { pause: 'authentication' }],
    ['is turned away by a rate limit', { pause: 'rate-limited' }],
    ['cannot be connected', { pause: 'unreachable', outcome: 'not-sent' }],
    ['is cut off before it is sent', { outcome: 'not-sent' }],
    ['is given back unsent', { counts: false, outcome: 'not-sent' }],
  ])('stays refused if it %s', (_, ending) => expect(next(ending)).toEqual(refusal));

  it.each<[string, Partial<Failed>]>([
    ['refused again', { pause: 'refusals', problem: { ...later, postponed: true } }],
    ['in doubt after a pause', { pause: 'unavailable', outcome: 'unknown' }],
    ['in doubt although the attempt is not counted', { counts: false, outcome: 'unknown' }],
    ['refused, also with a pause', { kind: 'refused', pause: 'rate-limited' }],
  ])('has its next problem if it is %s', (_, ending) => expect(next(ending)).toMatchObject(later));

  it('shows a missing key, which stands nowhere else', () => {
    const missing = { code: 'configuration', message: 'the key is missing', keyId: 'a' } as const;
    expect(next({ counts: false, outcome: 'not-sent', problem: missing })).toEqual(missing);
  });
});

describe('a decision of a person', () => {
  const decide = (row: Row, action: Decision['action'], keepBodies = false): Change | Refused =>
    decided(row, { action, reason: 'why', at: 9 }, keepBodies);
  const locked: Row = {
    ...quarantined,
    state: 'waiting',
    problem: { code: 'configuration', message: 'the key is missing' },
  };
  const delayed: Row = { ...quarantined, state: 'waiting', problem };
  const asIn = (state: RowState): Row => ({ ...quarantined, state, inDoubt: true });

  it.each([
    ['retry', ['waiting', 'quarantined'], 'only a quarantined or waiting report can be tried again'],
    ['recorded', ['quarantined'], 'only a quarantined report, or one whose key is missing, can be resolved'],
    ['dismissed', ['quarantined'], 'only a quarantined report, or one whose key is missing, can be resolved'],
  ] as const)('%s is possible for %j, or its refusal names the reason', (action, possible, why) => {
    expect(STATES.filter((state) => isChange(decide(asIn(state), action)))).toEqual(possible);
    expect(decide(asIn('in-flight'), action)).toEqual({ why: `it is in-flight; ${why}` });
  });

  it.each(['recorded', 'dismissed'] as const)(
    '%s is possible for a waiting report whose key is missing, and for no other waiting report',
    (action) => {
      expect(decide(locked, action)).toMatchObject({ state: action });
      expect(decide(delayed, action)).toEqual({ why: expect.stringMatching(/^it is waiting; /) });
      expect(decide({ ...delayed, problem: undefined }, action)).toEqual({
        why: expect.stringMatching(/^it is waiting; /),
      });
      expect(decide({ ...locked, state: 'in-flight' }, action)).toEqual({
        why: expect.stringMatching(/^it is in-flight; /),
      });
    },
  );

  it.each([
    ['retry', true, { state: 'waiting', problem: undefined, keepBody: true }],
    ['retry', false, { state: 'waiting', problem: undefined, keepBody: true }],
    ['dismissed', true, { state: 'dismissed', problem: quarantined.problem, keepBody: true }],
    ['dismissed', false, { state: 'dismissed', problem: quarantined.problem, keepBody: true }],
    [
      'recorded',
      true,
      { state: 'recorded', problem: undefined, keepBody: true, inDoubt: false, outcome: 'already-recorded' },
    ],
    [
      'recorded',
      false,
      { state: 'recorded', problem: undefined, keepBody: false, inDoubt: false, outcome: 'already-recorded' },
    ],
  ] as const)('%s, with keepBodies: %s, is stored after the earlier decisions', (action, keepBodies, becomes) => {
    const row: Row = { ...quarantined, inDoubt: true, doubtBefore: true, decisions: [earlier] };
    expect(decide(row, action, keepBodies)).toStrictEqual({
      fence: 1,
      attempts: 1,
      inDoubt: true,
      doubtBefore: true,
      delayMs: 0,
      outcome: undefined,
      message: undefined,
      requestId: undefined,
      // A retry keeps the state to which it may be undone.
      decisions: [
        earlier,
        {
          action,
          reason: 'why',
          at: 9,
          ...(action === 'retry' && { before: { fence: 1, problem: quarantined.problem } }),
        },
      ],
      ...becomes,
    });
  });

  it('does not change the doubt: a retry of a report without doubt is without doubt', () => {
    expect(decide(quarantined, 'retry')).toMatchObject({ inDoubt: false, doubtBefore: false });
  });
});

describe('undoing a retry', () => {
  const by = { reason: 'a mistake', at: 10, by: 'ada' };
  const retried = (overrides: Partial<Row> = {}, id = 'decision-1'): Row => {
    const change = decided(quarantined, { action: 'retry', reason: 'why', at: 9, id }, false);
    if (!isChange(change)) throw new Error(change.why);
    const { delayMs: _, keepBody: __, ...progress } = change;
    return { ...quarantined, ...progress, ...overrides };
  };

  it('quarantines the row with its problem, with a higher fence than any before', () => {
    expect(undone(retried(), 'decision-1', by)).toMatchObject({
      state: 'quarantined',
      fence: quarantined.fence + 1,
      attempts: quarantined.attempts,
      inDoubt: quarantined.inDoubt,
      problem: quarantined.problem,
      decisions: [{ action: 'retry', id: 'decision-1', undone: by }],
      keepBody: true,
    });
  });

  it.each([
    [
      'a row that was claimed',
      retried({ state: 'in-flight', fence: quarantined.fence + 1 }),
      'a worker has claimed it since: it may have been sent',
    ],
    [
      'a row that waits after an attempt',
      retried({ fence: quarantined.fence + 1 }),
      'a worker has claimed it since: it may have been sent',
    ],
    ['a row of another decision', retried({}, 'decision-2'), 'another decision was made about it since'],
    ['a row without a decision', quarantined, 'another decision was made about it since'],
    [
      'a row that was waiting',
      retried({ decisions: [{ action: 'retry', reason: 'why', at: 9, id: 'decision-1' }] }),
      'it was not quarantined before',
    ],
  ])('refuses %s', (_, row, why) => {
    expect(undone(row, 'decision-1', by)).toEqual({ why: why });
  });
});

const refused: Row = {
  ...quarantined,
  problem: { code: 'unprocessable', message: 'reportBetEvent B-1: refused', status: 422 },
  body: 'the bytes',
  fingerprint: 'print',
};
const said = { reason: 'why', at: 9, by: 'ada', id: 'decision-2' };

/** A row that a person has dismissed. */
const dismissed = (from: Row, more: Partial<Decision> = {}): Row => {
  const change = decided(from, { action: 'dismissed', reason: 'x', at: 8, id: 'decision-1', ...more }, false);
  if (!isChange(change)) throw new Error(change.why);
  return changedRow(from, change);
};

describe('reopening', () => {
  const reopen = (row: Row) => decided(row, { action: 'reopened', ...said }, false);

  it('restores a dismissed row with its problem and doubt, and a higher fence', () => {
    const doubtful: Row = { ...refused, inDoubt: true, doubtBefore: true };
    expect(reopen(dismissed(doubtful))).toStrictEqual({
      state: 'quarantined',
      fence: refused.fence + 1,
      attempts: refused.attempts,
      inDoubt: true,
      doubtBefore: true,
      delayMs: 0,
      outcome: undefined,
      message: undefined,
      requestId: undefined,
      problem: refused.problem,
      decisions: [
        { action: 'dismissed', reason: 'x', at: 8, id: 'decision-1' },
        { action: 'reopened', ...said },
      ],
      keepBody: true,
    });
  });

  it('lets a row wait again that waited for its key, or for its initiated report', () => {
    const locked: Row = { ...refused, state: 'waiting', problem: { code: 'configuration', message: 'no key' } };
    expect(reopen(dismissed(locked))).toMatchObject({ state: 'waiting', problem: locked.problem });
    const early: Row = { ...refused, state: 'waiting', problem: { code: 'not-found', message: 'no bet' } };
    const along = dismissedWithReport(early, { action: 'dismissed', ...said });
    if (!isChange(along)) throw new Error(along.why);
    expect(along).toMatchObject({ state: 'dismissed', decisions: [{ action: 'dismissed', ...said }] });
    // Its initiated report is dismissed still, so nothing would block it.
    expect(reopen(changedRow(early, along))).toMatchObject({ state: 'quarantined', problem: DISMISSED_WITH_REPORT });
    expect(reopenedWithReport(changedRow(early, along), { action: 'dismissed', ...said })).toMatchObject({
      state: 'waiting',
      problem: undefined,
      decisions: [{ action: 'dismissed' }, { action: 'reopened' }],
    });
    expect(reopen(dismissed({ ...refused, problem: undefined }))).toMatchObject({ state: 'quarantined' });
  });

  it.each(STATES.filter((state) => state !== 'dismissed'))('is refused for a row that is %s', (state) => {
    expect(reopen({ ...refused, state })).toEqual({ why: `it is ${state}; only a dismissed report can be reopened` });
  });

  it('is refused for a row without its data, and for a damaged one', () => {
    const gone = { ...dismissed(refused), body: undefined };
    expect(reopen(gone)).toEqual({ why: 'its data was deleted, so it cannot be sent; replace it with the data' });
    expect(reopen({ ...gone, inDoubt: true })).toEqual({ why: 'its data was deleted, so it cannot be sent' });
    expect(reopen({ ...gone, damage: 'attempts' })).toEqual({ why: 'its stored row is damaged (attempts)' });
  });

  it('undoes a dismissal by the same decision only', () => {
    const by = { reason: 'a mistake', at: 10, by: 'ada' };
    const row = dismissed(refused);
    expect(undone(row, 'decision-1', by, 'decision-2')).toStrictEqual(
      decided(row, { action: 'reopened', ...by, id: 'decision-2' }, false),
    );
    expect(undone(row, 'decision-1', by)).toMatchObject({ decisions: [{}, { action: 'reopened', ...by }] });
    expect(undone(row, 'decision-1', by)).not.toMatchObject({ decisions: [{}, { id: expect.anything() }] });
    expect(undone(row, 'decision-3', by)).toEqual({ why: 'another decision was made about it since' });
    const since: Row = { ...row, decisions: [...row.decisions, { action: 'reopened', ...said }] };
    expect(undone(since, 'decision-1', by)).toEqual({ why: 'another decision was made about it since' });
  });
});

describe('replacing', () => {
  const bytes = { body: 'other bytes', fingerprint: 'other print' };
  const replace = (row: Row) => replaced(row, { action: 'replaced', ...said }, bytes);

  it('sends other bytes as a new report, with a higher fence, and keeps the fingerprint before', () => {
    expect(replace({ ...refused, doubtBefore: true })).toStrictEqual({
      state: 'waiting',
      fence: refused.fence + 1,
      attempts: refused.attempts,
      inDoubt: false,
      doubtBefore: false,
      delayMs: 0,
      outcome: undefined,
      message: undefined,
      requestId: undefined,
      problem: undefined,
      decisions: [
        {
          action: 'replaced',
          ...said,
          fingerprint: 'print',
          before: { fence: refused.fence, problem: refused.problem },
        },
      ],
      keepBody: true,
      replacement: bytes,
    });
  });

  it('is possible for a refused report that waits, since an open breaker holds it back', () => {
    expect(replace({ ...refused, state: 'waiting' })).toMatchObject({ replacement: bytes, fence: refused.fence + 1 });
    expect(replace({ ...refused, state: 'waiting', inDoubt: true })).toEqual({
      why: expect.stringMatching('it is in doubt'),
    });
    // Nothing shows what the gateway said to its counted attempt.
    expect(replace({ ...refused, state: 'waiting', problem: { code: 'network', message: 'x' } })).toEqual({
      why: expect.stringMatching('only a report that was never processed'),
    });
  });

  it.each([
    ['in doubt', { inDoubt: true }, 'it is in doubt: the gateway may hold the earlier data'],
    [
      'waiting after an attempt',
      { state: 'waiting', problem: undefined, attempts: 1 },
      'only a report that was never processed, or refused with 400 or 422, can be replaced',
    ],
    ['in flight', { state: 'in-flight', inDoubt: true }, 'it is in flight: a worker may be sending it now'],
    ['waiting in doubt', { state: 'waiting', inDoubt: true }, 'it is in doubt: the gateway may hold the earlier data'],
    ['recorded', { state: 'recorded' }, 'it is recorded with the data that was sent, and recorded is final'],
    [
      'a duplicate',
      { problem: { code: 'conflict', message: 'x' } },
      'the gateway may hold a report under its reference',
    ],
    ['damaged', { damage: 'fence' }, 'its stored row is damaged (fence)'],
    [
      'without a problem',
      { problem: undefined, attempts: 1 },
      'only a report that was never processed, or refused with 400 or 422, can be replaced',
    ],
    [
      'without a key',
      { problem: { code: 'configuration', message: 'x' } },
      'only a report that was never processed, or refused with 400 or 422, can be replaced',
    ],
  ] as const)('is refused for a row that is %s', (_, overrides, why) => {
    expect(replace({ ...refused, ...overrides })).toEqual({ why: why });
  });

  describe.each([
    ['a bet that waits', undefined],
    ['a settlement that waits', 'bet'],
  ])('%s', (_, waitsFor) => {
    const waits: Row = { ...refused, state: 'waiting', waitsFor, attempts: 0, problem: undefined };
    const never = 'only a report that was never processed, or refused with 400 or 422, can be replaced';

    it('may be replaced if it was never sent', () => {
      expect(replace(waits)).toMatchObject({ state: 'waiting', replacement: bytes, fence: waits.fence + 1 });
    });

    it.each([
      ['was attempted', { attempts: 1 }, never],
      ['is in flight', { state: 'in-flight' }, 'it is in flight: a worker may be sending it now'],
      ['is recorded', { state: 'recorded' }, 'it is recorded with the data that was sent, and recorded is final'],
      ['is in doubt', { inDoubt: true }, 'it is in doubt: the gateway may hold the earlier data'],
      ['is damaged', { damage: 'body' }, 'its stored row is damaged (body)'],
      [
        'was a duplicate',
        { problem: { code: 'duplicate', message: 'x' } },
        'the gateway may hold a report under its reference',
      ],
    ] as const)('stays as it is if it %s', (_, overrides, why) => {
      expect(replace({ ...waits, ...overrides })).toEqual({ why: why });
    });
  });

  describe('again, before a worker has sent the new data', () => {
    const changed = (row: Row, change: Change | Refused): Row =>
      isChange(change) ? changedRow(row, change) : expect.fail(change.why);
    const retried = (row: Row) => changed(row, decided(row, { action: 'retry', ...said }, true));
    const replacedRow = (row: Row) => changed(row, replace(row));
    const attempted = (row: Row, ending: Ending): Row => {
      const inFlight = { ...row, ...claimed(row) };
      return changed(inFlight, ended(inFlight, ending, context));
    };
    const wrongKey = failed({ outcome: 'rejected', pause: 'authentication' });
    const answered = (status: number): Ending =>
      failed({
        kind: 'refused',
        outcome: 'rejected',
        problem: { code: status === 422 ? 'unprocessable' : 'bad-request', message: 'x: no', status },
      });
    const never: Row = { ...refused, state: 'waiting', problem: undefined, attempts: 0, decisions: [] };
    const once = attempted(never, answered(422));

    it.each<[string, Row, boolean]>([
      ['replaced', replacedRow(once), true],
      ['replaced twice', replacedRow(replacedRow(once)), true],
      ['replaced, and turned away', attempted(replacedRow(once), wrongKey), true],
      ['replaced, and given back unsent', attempted(replacedRow(once), NOT_SENT), true],
      ['replaced, and refused again', attempted(replacedRow(once), answered(422)), true],
      ['replaced, and lost', attempted(replacedRow(once), failed({ outcome: 'unknown' })), false],
      ['replaced, and lost, then turned away', attempted(attempted(replacedRow(once), failed()), wrongKey), false],
      ['replaced, and too large', attempted(replacedRow(once), answered(413)), false],
      ['replaced, and too large behind a breaker', attempted(replacedRow(once), postponed(answered(413))), false],
      [
        'replaced, too large behind a breaker, then turned away',
        attempted(attempted(replacedRow(once), postponed(answered(413))), wrongKey),
        false,
      ],
      ['replaced, and claimed', { ...replacedRow(once), ...claimed(replacedRow(once)) }, false],
      ['retried', retried(once), true],
      ['retried, and replaced', replacedRow(retried(once)), true],
      ['retried, and turned away', attempted(retried(once), wrongKey), true],
      ['retried, and claimed', { ...retried(once), ...claimed(retried(once)) }, false],
      ['retried twice: nothing shows what the gateway said', retried(retried(once)), false],
      ['retried after it was too large', retried(attempted(never, answered(413))), false],
      [
        'retried after it was too large, and turned away',
        attempted(retried(attempted(never, answered(413))), wrongKey),
        false,
      ],
      ['retried after a repeat', retried(attempted(never, answered(409))), false],
      ['turned away at its first attempt', attempted(never, wrongKey), true],
      ['turned away, and in doubt from before', attempted({ ...never, inDoubt: true }, wrongKey), false],
    ])('%s', (_, row, may) => expect(isChange(replace(row))).toBe(may));
  });

  it('needs its data', () => {
    expect(decided(refused, { action: 'replaced', ...said }, true)).toEqual({ why: 'its new data is missing' });
  });
});

describe('the bytes of a row after a change', () => {
  it('are kept, deleted or replaced', () => {
    const before = { body: 'a', fingerprint: 'b', excerpt: 'e' };
    const row = { ...before, enqueuedAt: 3 };
    expect(bytesAfter(row, { keepBody: true })).toEqual(before);
    expect(bytesAfter(row, { keepBody: false })).toEqual({ ...before, body: undefined });
    const replacement = { body: 'c', fingerprint: 'd' };
    const after = { ...replacement, excerpt: undefined, dueAt: 3 };
    expect(bytesAfter(row, { keepBody: true, replacement })).toStrictEqual(after);
  });

  it('are part of the changed row', () => {
    const change = replaced(refused, { action: 'replaced', ...said }, { body: 'c', fingerprint: 'd' });
    if (!isChange(change)) throw new Error(change.why);
    const row = changedRow(refused, change);
    expect(row).toMatchObject({ state: 'waiting', body: 'c', fingerprint: 'd', dueAt: refused.enqueuedAt });
    for (const name of ['delayMs', 'keepBody', 'replacement']) expect(row).not.toHaveProperty(name);
  });
});

describe('a settlement that was dismissed with its initiated report', () => {
  const bet = dismissed({ ...refused, id: 'bet' });
  const settlement = dismissed({ ...refused, id: 'settlement', waitsFor: 'bet' });

  it('is known by their common decision', () => {
    expect(wasDismissedWith(settlement, bet)).toBe(true);
  });

  it('is not dismissed while a worker has it, and keeps its problem if it is quarantined', () => {
    const decision = { action: 'dismissed', ...said } as const;
    expect(dismissedWithReport({ ...refused, state: 'in-flight' }, decision)).toEqual({
      why: expect.stringContaining('it is in-flight'),
    });
    expect(dismissedWithReport(refused, decision)).toMatchObject({ state: 'dismissed', problem: refused.problem });
  });

  it.each([
    ['another decision', { ...settlement, decisions: [{ ...said, action: 'dismissed' }] }, bet],
    ['another report', { ...settlement, waitsFor: 'other' }, bet],
    ['a settlement that is open', { ...settlement, state: 'quarantined' }, bet],
    ['a report that is open', settlement, { ...bet, state: 'quarantined' }],
    ['two decisions of a program', { ...settlement, decisions: [] }, { ...bet, decisions: [] }],
    [
      'decisions without an id',
      { ...settlement, decisions: [{ action: 'dismissed', reason: 'x', at: 1 }] },
      { ...bet, decisions: [{ action: 'dismissed', reason: 'x', at: 1 }] },
    ],
  ] as const)('is not: %s', (_, one, other) => {
    expect(wasDismissedWith(one, other)).toBe(false);
  });
});
