import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Refused } from '../../../src/core/platform/refused.js';
import { adviceFor } from '../../../src/outbox/rules/advice.js';
import {
  decided,
  decisionsFor,
  dismissedWithReport,
  isChange,
  reopenedWithReport,
  replaced,
  undone,
} from '../../../src/outbox/rules/decisions.js';
import {
  type Change,
  changedRow,
  claimed,
  type Decision,
  ended,
  type Problem,
  ROW_STATES,
  type Row,
} from '../../../src/outbox/rules/state-machine.js';
import { outboxRow } from '../../support/factories.js';

const bet: Row = outboxRow({ state: 'quarantined', attempts: 1, fence: 1, body: 'the bytes' });
const settlement: Row = {
  ...bet,
  id: 'default:staging:reportSettledBet:BET-1',
  operation: 'reportSettledBet',
  waitsFor: bet.id,
};
const problem = (code: Problem['code'], status?: number, said = 'no', more: Partial<Problem> = {}): Problem => ({
  code,
  message: `reportBetEvent BET-1 (staging): HTTP ${status}: it ended so. The gateway said: "${said}".`,
  ...(status !== undefined && { status }),
  ...more,
});
const offered = (row: Row): string[] =>
  Object.entries(decisionsFor(row)).flatMap(([action, why]) => (why === undefined ? [action] : []));

const REFUSED = ['retry', 'dismissed', 'replaced'];
const MAY_BE_HELD = ['retry', 'recorded', 'dismissed'];
const PROVES_NOTHING = ['retry', 'dismissed'];

describe('a quarantined report', () => {
  it.each<[string, Problem | undefined, string[]]>([
    ['422', problem('unprocessable', 422), REFUSED],
    ['400', problem('bad-request', 400), REFUSED],
    ['a refusal by the relay', problem('validation', 400), REFUSED],
    ['402', problem('bad-request', 402), PROVES_NOTHING],
    ['410', problem('bad-request', 410), PROVES_NOTHING],
    ['413', problem('bad-request', 413), PROVES_NOTHING],
    ['404', problem('not-found', 404), PROVES_NOTHING],
    ['409', problem('bad-request', 409), MAY_BE_HELD],
    ['409 "Conflict"', problem('bad-request', 409, 'Conflict'), MAY_BE_HELD],
    ['409 "nin is wrong"', problem('bad-request', 409, 'nin is wrong'), MAY_BE_HELD],
    ['a duplicate', problem('duplicate', 409, 'x'), MAY_BE_HELD],
    ['a duplicate at 400', problem('duplicate', 400, 'x'), MAY_BE_HELD],
    ['a conflict', problem('conflict', 409, 'x'), MAY_BE_HELD],
    ['no problem that is known', undefined, MAY_BE_HELD],
    ['an older refusal without its status', problem('bad-request'), PROVES_NOTHING],
  ])('after %s', (_, latest, expected) => {
    expect(offered({ ...bet, problem: latest })).toEqual(expected);
    // An earlier attempt may have arrived, with any answer to this one.
    expect(offered({ ...bet, problem: latest, inDoubt: true })).toEqual(MAY_BE_HELD);
  });

  it.each([
    'bet_id has already been [masked]',
    'DUPLICATE_KEY',
    'A bet with this id exists',
    'must be unique',
    'bet reported twice',
    'replayed request',
    'This bet was settled',
    'It is recorded',
    'has been submitted',
    'Conflict',
    'repeated request',
    'previously seen',
  ])('after a refusal that may mean a repeat: "%s"', (said) => {
    for (const [code, status] of [
      ['bad-request', 400],
      ['unprocessable', 422],
    ] as const) {
      expect(offered({ ...bet, problem: problem(code, status, said) })).toEqual(MAY_BE_HELD);
      expect(offered({ ...bet, problem: problem(code, status, 'no', { details: { error: said } }) })).toEqual(
        MAY_BE_HELD,
      );
    }
  });

  it.each([
    'property [masked] should not exist',
    'nin must be 11 digits',
    'user does not exist',
    'amount is settled_amount',
  ])('after a refusal of its data: "%s"', (said) =>
    expect(offered({ ...bet, problem: problem('unprocessable', 422, said) })).toEqual(REFUSED),
  );

  it('may have a reference that sounds like a repeat', () => {
    const message = 'reportBetEvent already-unique-1 (staging): HTTP 422: the gateway cannot accept the data.';
    expect(offered({ ...bet, problem: { code: 'unprocessable', status: 422, message } })).toEqual(REFUSED);
  });

  it.each([
    problem('bad-request', 409, 'Conflict'),
    problem('duplicate', 409),
    problem('unprocessable', 422, 'already reported'),
  ])('was retried after $code $status, and is refused with 422 now', (earlier) => {
    const retry: Decision = { action: 'retry', reason: 'x', at: 1, before: { fence: 0, problem: earlier } };
    expect(offered({ ...bet, problem: problem('unprocessable', 422), decisions: [retry] })).toEqual(MAY_BE_HELD);
  });

  it('was retried after a refusal of its data', () => {
    const retry: Decision = {
      action: 'retry',
      reason: 'x',
      at: 1,
      before: { fence: 0, problem: problem('unprocessable', 422) },
    };
    expect(offered({ ...bet, problem: problem('bad-request', 400), decisions: [retry] })).toEqual(REFUSED);
  });

  it('that is a settlement, after a 404: the gateway does not even hold its initiated report', () => {
    expect(offered({ ...settlement, problem: problem('not-found', 404) })).toEqual(REFUSED);
    expect(offered({ ...settlement, problem: problem('not-found', 404, 'already settled') })).toEqual(MAY_BE_HELD);
  });

  it('with a damaged row is neither sent nor replaced', () => {
    const damaged: Row = { ...bet, damage: 'body', inDoubt: false, problem: problem('damaged') };
    expect(offered(damaged)).toEqual(['recorded', 'dismissed']);
    expect(offered({ ...damaged, problem: problem('unprocessable', 422) })).toEqual(['recorded', 'dismissed']);
    expect(decisionsFor(damaged)).toMatchObject({ retry: 'its stored row is damaged (body)' });
    expect(offered({ ...damaged, state: 'dismissed' })).toEqual([]);
  });
});

describe('a report that waits', () => {
  const waits: Row = { ...bet, state: 'waiting', problem: undefined };

  it.each<[string, Partial<Row>, string[]]>([
    ['for its first attempt', { attempts: 0 }, ['retry', 'replaced']],
    ['for its first attempt, in doubt', { attempts: 0, inDoubt: true }, ['retry']],
    ['after a transient failure', { problem: problem('gateway', 500), inDoubt: true }, ['retry']],
    ['after a rate limit', { problem: problem('rate-limited', 429), attempts: 0 }, ['retry', 'replaced']],
    ['after a refused key', { problem: problem('bad-request', 403), attempts: 0 }, ['retry', 'replaced']],
    ['after a rate limit, in doubt', { problem: problem('rate-limited', 429), attempts: 0, inDoubt: true }, ['retry']],
    ['behind an open breaker, refused with 422', { problem: problem('unprocessable', 422) }, ['retry', 'replaced']],
    ['behind an open breaker, refused with 409', { problem: problem('bad-request', 409), attempts: 0 }, ['retry']],
    [
      'behind an open breaker, refused with 413',
      { problem: problem('bad-request', 413, 'no', { postponed: true }), attempts: 0 },
      ['retry'],
    ],
    ['in doubt behind an open breaker', { problem: problem('unprocessable', 422), inDoubt: true }, ['retry']],
    ['for a key that is lost', { problem: problem('configuration') }, MAY_BE_HELD],
    [
      'for a key that is lost, never sent',
      { problem: problem('configuration'), attempts: 0 },
      [...MAY_BE_HELD, 'replaced'],
    ],
  ])('%s', (_, more, expected) => expect(offered({ ...waits, ...more })).toEqual(expected));

  it.each<[string, Partial<Row>, string[]]>([
    ['blocked', { blocked: true, attempts: 0 }, ['replaced']],
    ['never sent', { attempts: 0 }, ['retry', 'replaced']],
    ['sent', { attempts: 1 }, ['retry']],
    ['refused with 409 behind an open breaker', { attempts: 0, problem: problem('bad-request', 409) }, ['retry']],
    ['answered with 404 once', { problem: problem('not-found', 404) }, ['retry', 'replaced']],
    ['in doubt', { attempts: 0, inDoubt: true }, ['retry']],
  ])('and is a settlement: %s', (_, more, expected) =>
    expect(
      offered({
        ...settlement,
        ...waits,
        id: settlement.id,
        operation: settlement.operation,
        waitsFor: bet.id,
        ...more,
      }),
    ).toEqual(expected),
  );
});

describe('a report that is', () => {
  const since: Decision = { action: 'dismissed', reason: 'x', at: 1, id: 'decision-1' };

  it.each<[string, Partial<Row>, string[]]>([
    ['in flight', { state: 'in-flight', inDoubt: true }, []],
    ['recorded', { state: 'recorded' }, []],
    ['dismissed by a program', { state: 'dismissed' }, ['reopened', 'replaced']],
    ['dismissed by a person', { state: 'dismissed', decisions: [since] }, ['reopened', 'replaced', 'undo']],
    ['dismissed, and in doubt', { state: 'dismissed', inDoubt: true, decisions: [since] }, ['reopened', 'undo']],
    ['dismissed, without its data', { state: 'dismissed', body: undefined, decisions: [since] }, ['replaced']],
    ['dismissed after 409', { state: 'dismissed', problem: problem('bad-request', 409) }, ['reopened']],
  ])('%s', (_, more, expected) => {
    const latest = more.decisions ?? [{ ...since, action: 'reopened' }];
    const row: Row = { ...bet, problem: problem('unprocessable', 422), ...more, decisions: latest };
    expect(offered(row)).toEqual(expected);
  });

  const retry: Decision = { action: 'retry', reason: 'x', at: 1, before: { fence: 1 } };

  it.each<[string, Partial<Row>, Decision, string | undefined]>([
    ['waiting', {}, retry, undefined],
    [
      'waiting, and undone before',
      {},
      { ...retry, undone: { reason: 'x', at: 2, by: 'ada' } },
      'another decision was made about it since',
    ],
    ['waiting, as before', {}, { action: 'retry', reason: 'x', at: 1 }, 'it was not quarantined before'],
    ['claimed since', { fence: 2 }, retry, 'a worker has claimed it since: it may have been sent'],
    ['in flight', { state: 'in-flight' }, retry, 'a worker has claimed it since: it may have been sent'],
  ])('%s after a retry', (_, more, latest, why) =>
    expect(decisionsFor({ ...bet, state: 'waiting', ...more, decisions: [latest] }).undo).toBe(why),
  );
});

it('is what the decisions themselves allow, for any row', () => {
  const problems = [
    undefined,
    ...(['unprocessable', 'bad-request', 'not-found', 'duplicate', 'configuration', 'gateway'] as const).flatMap(
      (code) => [undefined, 400, 404, 409, 413, 422].map((status) => problem(code, status)),
    ),
  ];
  const decisions: Decision[][] = [
    [],
    [{ action: 'retry', reason: 'x', at: 1, id: 'd', before: { fence: 1 } }],
    [{ action: 'dismissed', reason: 'x', at: 1, id: 'd' }],
  ];
  let count = 0;
  for (const state of ROW_STATES)
    for (const one of problems)
      for (const inDoubt of [false, true])
        for (const attempts of [0, 1])
          for (const given of [bet, settlement])
            for (const made of decisions) {
              const row: Row = { ...given, state, problem: one, inDoubt, attempts, decisions: made };
              const why = decisionsFor(row);
              const said = { reason: 'x', at: 2 };
              for (const action of ['retry', 'recorded', 'dismissed', 'reopened'] as const)
                expect(isChange(decided(row, { action, ...said }, true))).toBe(why[action] === undefined);
              const bytes = { body: 'b', fingerprint: 'f' };
              expect(isChange(replaced(row, { action: 'replaced', ...said }, bytes))).toBe(why.replaced === undefined);
              const back = undone(row, 'd', { ...said, by: 'ada' });
              expect(isChange(back)).toBe(why.undo === undefined);
              // A report that is certainly held is not replaced, and one that certainly is not is not declared recorded.
              if (why.recorded === undefined && one && one.code !== 'configuration') expect(why.replaced).toBeDefined();
              if (inDoubt) expect(why.replaced).toBeDefined();
              expect(adviceFor(row).includes('sends the corrected data')).toBe(
                why.replaced === undefined && state !== 'in-flight' && state !== 'recorded',
              );
              count += 1;
            }
  expect(count).toBeGreaterThan(4_000);
});

describe('a sign of a repeat', () => {
  const context = { dependency: 'final', keepBodies: true, retry: { baseMs: 1, capMs: 1 }, random: () => 0 } as const;
  const answer = (status: number, isBehindBreaker: boolean) => (row: Row) => {
    const found = problem(status === 422 ? 'unprocessable' : 'bad-request', status);
    const ending = { outcome: 'rejected', problem: found } as const;
    return ended(
      row,
      isBehindBreaker ? { ...ending, kind: 'failed', counts: false } : { ...ending, kind: 'refused' },
      context,
    );
  };
  const decision: Decision = { action: 'retry', reason: 'x', at: 1, id: 'd' };
  /** Everything that happens to a report, except its replacement and its success. */
  const steps: readonly ((row: Row) => Change | Refused)[] = [
    answer(422, false),
    answer(422, true),
    (row) => decided(row, decision, true),
    (row) => decided(row, { ...decision, action: 'dismissed' }, true),
    (row) => decided(row, { ...decision, action: 'reopened' }, true),
    (row) => dismissedWithReport(row, { ...decision, action: 'dismissed' }),
    (row) => reopenedWithReport(row, decision),
    (row) => undone(row, 'd', { reason: 'x', at: 2, by: 'ada' }),
  ];
  const isAnswer = (step: number) => step < 2;

  it('is kept by every later refusal and decision: the report is never replaced', () => {
    let waited = 0;
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.nat(steps.length - 1), { maxLength: 8 }),
        (isSettlement, isPaused, chosen) => {
          const fresh: Row = { ...(isSettlement ? settlement : bet), state: 'waiting', attempts: 0, fence: 0 };
          const send = (row: Row, step: (row: Row) => Change | Refused): Row => {
            const inFlight: Row = { ...row, ...claimed(row) };
            const change = step(inFlight);
            return isChange(change) ? changedRow(inFlight, change) : expect.fail(change.why);
          };
          let row = send(fresh, answer(409, isPaused));
          for (const index of chosen) {
            const step = steps[index] ?? expect.fail();
            if (isAnswer(index)) {
              if (row.state === 'waiting') row = send(row, step);
            } else {
              const change = step(row);
              if (isChange(change)) row = changedRow(row, change);
            }
            expect(decisionsFor(row).replaced).toBeDefined();
            if (row.state === 'waiting' && row.problem === undefined) waited += 1;
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(waited).toBeGreaterThan(10);
  });
});

describe('a file that proves that the gateway holds a report', () => {
  const refused = { ...bet, problem: problem('unprocessable', 422) };
  const file: Decision = { action: 'recorded', reason: 'failover', at: 9, id: 'decision-1', file: 'its SHA-256' };

  it.each<[string, Partial<Row>]>([
    ['quarantined', {}],
    ['waiting', { state: 'waiting' }],
    ['waiting for its report', { state: 'waiting', blocked: true }],
  ])('resolves it as recorded while it is %s, although it was refused', (_, more) => {
    expect(decided({ ...refused, ...more }, file, false)).toMatchObject({
      state: 'recorded',
      outcome: 'already-recorded',
      decisions: [file],
    });
  });

  it.each<[Row['state'], string]>([
    ['in-flight', 'it is in flight: run the command again'],
    ['dismissed', 'it is dismissed: reopen it, and run the command again'],
    ['recorded', 'it is recorded already'],
  ])('does not change one that is %s', (state, why) => {
    expect(decided({ ...refused, state }, file, false)).toEqual({ why });
  });

  it('is needed for that, and proves nothing for another decision', () => {
    const { file: _, ...without } = file;
    expect(decided(refused, without, false)).toEqual({ why: decisionsFor(refused).recorded });
    const dismissal = { ...file, action: 'dismissed' } as const;
    expect(decided({ ...refused, state: 'waiting' }, dismissal, false)).toEqual({
      why: decisionsFor({ ...refused, state: 'waiting' }).dismissed,
    });
  });
});
