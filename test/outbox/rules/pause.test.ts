import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AttemptEnd,
  changePause,
  concernsPause,
  countEnds,
  endPause,
  hasStrikes,
  heldBy,
  isForUntried,
  isProbeDue,
  isRarelyProbed,
  isRefusal,
  mayQuarantine,
  notPaused,
  type Pause,
  pausedBy,
  postponed,
  probeReturned,
  probeTaken,
  readPause,
  seenWith,
} from '../../../src/outbox/rules/pause.js';
import { type Failed, LONGEST_WAIT_MS } from '../../../src/outbox/rules/state-machine.js';

const destination = { account: 'licence-a', environment: 'production' } as const;
const breaker = { ...destination, operation: 'reportBetEvent' } as const;
const VERSION = 3;
const OLDER = VERSION - 1;
/** A closed breaker with this number of strikes in a row. */
const closed = (strikes = 0): Pause => ({ ...notPaused(breaker), version: VERSION, strikes });
/** An open breaker. */
const behind = (strikes: number): Pause => paused({ ...breaker, reason: 'refusals', strikes });
const open = (strikes = 0): Pause => ({ ...notPaused(destination), version: VERSION, strikes });
const paused = (changes: Partial<Pause> = {}): Pause => ({
  ...destination,
  version: VERSION,
  reason: 'unavailable',
  message: 'the gateway failed',
  triedAt: 1_500,
  since: 1_000,
  strikes: 2,
  until: 9_000,
  remainingMs: 8_000,
  ...changes,
});
const rules = { random: () => 1, breakerAfter: 5 };

const end = (state: AttemptEnd['change']['state'], ending: Partial<Failed>, probe?: number): AttemptEnd => ({
  ending: {
    kind: 'failed',
    outcome: 'rejected',
    problem: { code: 'gateway', message: 'what the gateway said', status: 400 },
    ...ending,
  },
  change: { state },
  probe,
});
const recorded = (probe?: number): AttemptEnd => ({
  ending: { kind: 'recorded', outcome: 'recorded', message: undefined },
  change: { state: 'recorded' },
  probe,
});
const alreadyRecorded = (probe?: number) => end('recorded', { kind: 'same' }, probe);
const refused = (probe?: number) => end('quarantined', { kind: 'refused' }, probe);
const damaged = (probe?: number) =>
  end('quarantined', { kind: 'refused', outcome: 'not-sent', problem: { code: 'damaged', message: 'damaged' } }, probe);
/** A page of another server. */
const foreign = (probe?: number) => end('waiting', { outcome: 'unknown', foreign: true }, probe);
const failed = (probe?: number, problem?: Failed['problem']) =>
  end('waiting', { outcome: 'unknown', ...(problem && { problem }) }, probe);
const turnedAway = (retryAfterMs?: number, probe?: number) =>
  end('waiting', { pause: 'rate-limited', ...(retryAfterMs !== undefined && { retryAfterMs }) }, probe);

describe('an attempt ends with a refusal of its report', () => {
  it.each([
    ['an answer that quarantines it', refused(), true],
    ['an answer after which it waits', turnedAway(), false],
    ['no answer, since the report was found damaged before it was sent', damaged(), false],
    ['a success', recorded(), false],
    ['a duplicate that means recorded', alreadyRecorded(), false],
  ])('%s: %s', (_, given, is) => {
    expect(isRefusal(given)).toBe(is);
  });
});

describe('a refusal may quarantine its report', () => {
  it.each([
    ['the first', closed(), undefined, true],
    ['the last before the breaker opens', closed(4), undefined, true],
    ['the one after the breaker has opened', closed(5), undefined, false],
    ['one at a destination that is not paused, with any count', open(5), undefined, true],
    ['a probe of a pause for another reason', paused(), VERSION, true],
    ['an attempt that was sent before the pause', paused(), undefined, false],
    ['a probe of an earlier pause', paused(), OLDER, false],
    ['a probe of the breaker', behind(5), VERSION, false],
  ])('%s', (_, seen, probe, may) => {
    expect(mayQuarantine(seen, probe, rules)).toBe(may);
  });
});

describe('a refusal that does not quarantine', () => {
  it('lets the report wait like one behind the breaker, and keeps its doubt', () => {
    const ending: Failed = {
      kind: 'refused',
      outcome: 'unknown',
      problem: { code: 'bad-request', message: 'no', status: 400 },
    };
    expect(postponed(ending)).toEqual({
      ...ending,
      kind: 'failed',
      pause: 'refusals',
      problem: { ...ending.problem, postponed: true },
    });
  });

  it('is never a success', () => {
    expect(postponed(recorded().ending)).toEqual({ kind: 'recorded', outcome: 'recorded', message: undefined });
  });
});

describe('the pause is read after an attempt', () => {
  it.each([
    ['a success without strikes before it', recorded(), false, false],
    ['a success after strikes', recorded(), true, true],
    ['a duplicate that means recorded, after strikes', alreadyRecorded(), true, true],
    ['a success of a probe', recorded(VERSION), false, true],
    ['a refusal', refused(), false, true],
    ['an answer that pauses', turnedAway(), false, true],
    ['a failure that does not concern the destination', failed(), true, false],
    ['an answer of another server', foreign(), false, true],
    ['the same failure of a probe', failed(VERSION), false, true],
    ['a damaged report', damaged(), true, false],
  ])('of %s', (_, given, struck, concerns) => {
    expect(concernsPause(given, struck)).toBe(concerns);
  });
});

describe('a recorded report', () => {
  const ended = {
    ...destination,
    version: VERSION,
    reason: undefined,
    message: undefined,
    strikes: 0,
    forMs: 0,
    continues: false,
    repeats: false,
  };

  it.each([
    ['ends the pause that it probed', paused(), VERSION, ended],
    ['does not end a later pause than the probed one', paused(), OLDER, undefined],
    ['does not end a pause that began after it was sent', paused(), undefined, undefined],
    ['resets the strikes', closed(4), undefined, { ...ended, ...breaker }],
    ['does not close a breaker that it does not probe', behind(5), undefined, undefined],
    ['changes nothing without a pause or strikes', open(), undefined, undefined],
  ])('%s', (_, seen, probe, change) => {
    expect(pausedBy(seen, recorded(probe), rules)).toEqual(change);
    expect(pausedBy(seen, alreadyRecorded(probe), rules)).toEqual(change);
  });
});

describe('an answer about the destination', () => {
  it('pauses it, with the message of the gateway', () => {
    expect(pausedBy(open(), turnedAway(7_000), rules)).toEqual({
      ...destination,
      version: VERSION,
      reason: 'rate-limited',
      message: 'what the gateway said',
      strikes: 1,
      forMs: 7_000,
      continues: false,
      repeats: false,
    });
  });

  it('continues the count of earlier refusals', () => {
    expect(pausedBy(open(2), turnedAway(), rules)).toMatchObject({ reason: 'rate-limited', strikes: 3, forMs: 4_000 });
  });

  it.each([
    ['asks for no time', 0, undefined],
    ['asks for no more time than is left', 8_000, undefined],
    ['asks for more time', 8_001, { reason: 'rate-limited', strikes: 2, forMs: 8_001, continues: true }],
  ])('that was sent before the pause and %s', (_, retryAfterMs, change) => {
    const next = pausedBy(paused(), turnedAway(retryAfterMs), rules);
    if (change) expect(next).toMatchObject(change);
    else expect(next).toBeUndefined();
  });

  it('counts if a probe brings it, even if it asks for a short wait', () => {
    expect(pausedBy(paused(), turnedAway(0, VERSION), rules)).toMatchObject({
      reason: 'rate-limited',
      strikes: 3,
      forMs: 4_000,
      continues: true,
    });
  });
});

describe('an answer that does not concern the destination', () => {
  it.each([
    ['a failure', open(), failed()],
    ['a failure after refusals', open(4), failed()],
    ['a failure during a pause', paused(), failed()],
    ['a refusal during a pause', paused({ remainingMs: -1 }), refused()],
    ['a failed probe of an earlier pause', paused(), failed(OLDER)],
    ['a damaged report', closed(4), damaged()],
    ['a refusal, which the breaker of its operation counts', open(4), refused()],
    ['a page of another server, which the breaker also counts', open(4), foreign()],
    ['an answer about the destination, for the breaker', closed(4), turnedAway()],
    ['a refusal of an attempt that was sent before the breaker opened', behind(5), refused()],
  ])('%s changes nothing', (_, seen, given) => {
    expect(pausedBy(seen, given, rules)).toBeUndefined();
  });

  it.each([
    ['fails', failed(VERSION, { code: 'gateway', message: 'HTTP 500', status: 500 }), 'unavailable', 4_000],
    ['is refused', refused(VERSION), 'rate-limited', 4_000],
    ['times out', failed(VERSION, { code: 'timeout', message: 'no answer' }), 'unreachable', 1_000],
  ] as const)('prolongs the pause if the probe %s, with the message of the probe', (_, given, reason, forMs) => {
    expect(pausedBy(paused({ reason: 'rate-limited' }), given, rules)).toEqual({
      ...destination,
      version: VERSION,
      reason,
      message: given.ending.kind === 'recorded' ? '' : given.ending.problem.message,
      strikes: 3,
      forMs,
      continues: true,
      repeats: false,
    });
  });
});

it.each(['unavailable', 'unreachable'] as const)(
  'ends the pause %s if the gateway refuses the report of the probe',
  (reason) => {
    const given = refused(VERSION);
    expect(pausedBy(paused({ reason }), given, rules)).toEqual(endPause(paused()));
    expect(mayQuarantine(paused({ reason }), VERSION, rules)).toBe(true);
  },
);

it('keeps its reason and its message after a probe that was given back unsent', () => {
  const problem = { code: 'aborted', message: 'It was not sent.' } as const;
  const given = end('waiting', { outcome: 'not-sent', counts: false, problem }, VERSION);
  expect(pausedBy(paused(), given, rules)).toMatchObject({
    reason: 'unavailable',
    message: 'the gateway failed',
    repeats: true,
  });
});

it('has the time of the last attempt that found its reason', () => {
  const unsent = end('waiting', { counts: false, problem: { code: 'aborted', message: 'It was not sent.' } }, VERSION);
  const timedOut = failed(VERSION, { code: 'timeout', message: 'no answer' });
  const after = (...ends: AttemptEnd[]) => {
    const { change } = countEnds(paused(), ends, rules);
    return change && changePause(paused(), change, 20_000).triedAt;
  };
  expect(after(timedOut)).toBe(20_000);
  expect(after(unsent)).toBe(1_500);
  // The first one has ended the version that the second one was a probe of.
  expect(after(timedOut, unsent)).toBe(20_000);
  expect(changePause(paused(), probeTaken(paused(), 500), 20_000).triedAt).toBe(1_500);
  expect(changePause(paused(), probeReturned(paused(), 500), 20_000).triedAt).toBe(1_500);
});

describe('the breaker', () => {
  const STRIKES = [
    ['a refusal', refused],
    ['an answer of another server', foreign],
  ] as const;

  it.each(STRIKES)('counts %s and pauses nothing before the fifth', (_, strike) => {
    for (const strikes of [1, 2, 3, 4])
      expect(pausedBy(closed(strikes - 1), strike(), rules)).toEqual({ ...endPause(closed()), strikes });
  });

  it.each(STRIKES)('pauses its operation at the fifth strike in a row: %s', (_, strike) => {
    expect(pausedBy(closed(4), strike(), rules)).toEqual({
      ...breaker,
      version: VERSION,
      reason: 'refusals',
      message: 'what the gateway said',
      strikes: 5,
      forMs: 1_000,
      continues: false,
      repeats: false,
    });
  });

  it('waits twice as long after each refused probe', () => {
    const waits = [5, 6, 7].map((strikes) => pausedBy(behind(strikes), refused(VERSION), rules)?.forMs);
    expect(waits).toEqual([2_000, 4_000, 8_000]);
  });

  it('stays open with its own reason if its probe ends in a pause of the destination', () => {
    expect(pausedBy(behind(5), turnedAway(undefined, VERSION), rules)).toMatchObject({
      ...breaker,
      reason: 'refusals',
      message: 'the gateway failed',
      strikes: 6,
      continues: true,
    });
  });

  it('has the message of a probe that failed in another way', () => {
    const given = failed(VERSION, { code: 'gateway', message: 'HTTP 500', status: 500 });
    expect(pausedBy(behind(5), given, rules)).toMatchObject({ reason: 'refusals', message: 'HTTP 500', strikes: 6 });
  });

  it('waits the shortest time if the outbox starts again with a greater breakerAfter', () => {
    expect(pausedBy(behind(5), refused(VERSION), { ...rules, breakerAfter: 20 })).toMatchObject({
      strikes: 6,
      forMs: 1_000,
    });
  });
});

describe('the time until the next probe', () => {
  const forMs = (strikes: number, random: number, retryAfterMs = 0) =>
    pausedBy(paused({ strikes }), turnedAway(retryAfterMs, VERSION), { ...rules, random: () => random })?.forMs;

  it.each([
    [0, 1_000],
    [1, 2_000],
    [5, 32_000],
    [6, 60_000],
    [5_000, 60_000],
  ])('doubles with each failed probe up to a minute, and half of it is jitter: %i before', (strikes, most) => {
    expect(forMs(strikes, 0)).toBe(most / 2);
    expect(forMs(strikes, 0.5)).toBe((most * 3) / 4);
    expect(forMs(strikes, 1)).toBe(most);
  });

  it.each([
    ['production', 'unavailable', 8_000],
    ['production', 'unreachable', 8_000],
    ['production', 'authentication', 60_000],
    ['relay', 'unavailable', 60_000],
  ] as const)('for %s is at most so long in a pause of %s: %i ms', (environment, pause, most) => {
    const seen = paused({ environment, strikes: 20 });
    const end = failed(VERSION);
    const ending = { ...end.ending, pause } as Failed;
    expect(pausedBy(seen, { ...end, ending }, { ...rules, random: () => 1 })?.forMs).toBe(most);
  });

  it('is a second after a probe that waited in vain for an answer, except for a relay of many pages', () => {
    const unanswered = failed(VERSION, { code: 'timeout', message: 'no answer within 10 s' });
    const afterMs = (changes: Partial<Pause>) =>
      pausedBy(paused({ reason: 'unreachable', strikes: 20, ...changes }), unanswered, rules)?.forMs;
    expect(afterMs({})).toBe(1_000);
    expect(afterMs({ environment: 'relay' })).toBe(60_000);
  });

  it('is the time that the gateway asks for, and at least the backoff', () => {
    expect(forMs(2, 1, 3_999)).toBe(4_000);
    expect(forMs(2, 1, 4_001)).toBe(4_001);
  });

  it('is at most a day', () => {
    expect(forMs(0, 1, LONGEST_WAIT_MS + 1)).toBe(LONGEST_WAIT_MS);
  });
});

describe('a probe is due', () => {
  it.each([
    ['when the time of the pause is over', paused({ remainingMs: 0 }), true],
    ['later than that', paused({ remainingMs: -1 }), true],
    ['not while time is left', paused({ remainingMs: 1 }), false],
    ['not while a day is left, the longest pause', paused({ remainingMs: LONGEST_WAIT_MS }), false],
    ['if more than a day is left, since a clock has jumped', paused({ remainingMs: LONGEST_WAIT_MS + 1 }), true],
    ['not without a pause', open(), false],
  ])('%s', (_, seen, due) => {
    expect(isProbeDue(seen)).toBe(due);
  });
});

describe('behind the breaker', () => {
  it('every second probe takes a report that was never tried', () => {
    expect([4, 5, 6, 7].map((strikes) => isForUntried(behind(strikes)))).toEqual([true, false, true, false]);
  });

  it('probes are rare once the next one is a minute away', () => {
    expect([5, 10, 11, 12].map((strikes) => isRarelyProbed(behind(strikes), 5))).toEqual([false, false, true, true]);
    expect(isRarelyProbed(behind(11), 6)).toBe(false);
  });

  it('neither is true for another pause, or without a pause', () => {
    for (const seen of [paused({ strikes: 20 }), open(20)])
      expect([isForUntried(seen), isRarelyProbed(seen, 5)]).toEqual([false, false]);
  });
});

describe('a pause in a store', () => {
  it('begins without reason, strikes and time', () => {
    const bound = { ...destination, gateway: 'https://gateway.example.com' };
    expect(notPaused(bound)).toEqual({
      ...destination,
      version: 0,
      reason: undefined,
      message: undefined,
      triedAt: 0,
      since: 0,
      strikes: 0,
      until: 0,
      remainingMs: 0,
    });
  });

  it('continues unchanged for the lease of the worker that takes the probe', () => {
    expect(probeTaken(paused(), 30_000)).toEqual({
      ...destination,
      version: VERSION,
      reason: 'unavailable',
      message: 'the gateway failed',
      strikes: 2,
      forMs: 30_000,
      continues: true,
      repeats: true,
    });
  });

  it.each([
    ['keeps its begin if it continues', true, 1_000],
    ['begins now if there was none', false, 20_000],
  ])('%s', (_, continues, since) => {
    expect(changePause(paused(), { ...probeTaken(paused(), 500), continues }, 20_000)).toEqual({
      ...paused(),
      version: VERSION + 1,
      since,
      until: 20_500,
      remainingMs: 500,
    });
  });

  it('is given back by a worker whose probe found no report, with the version that it made', () => {
    const taken = changePause(paused(), probeTaken(paused(), 30_000), 20_000);
    expect(probeReturned(paused(), 100)).toEqual({ ...probeTaken(taken, 30_000), forMs: 100 });
  });
});

describe('a pause that a store has read', () => {
  const { remainingMs: _, triedAt, ...kept } = paused();
  const stored = { ...kept, tried_at: triedAt };
  const REASONS = [
    'authentication',
    'address',
    'rate-limited',
    'unavailable',
    'unreachable',
    'configuration',
    'refusals',
  ];

  it.each(REASONS)('is the written pause: %s', (reason) => {
    expect(readPause({ ...stored, reason }, 2_000)).toStrictEqual({
      ...kept,
      triedAt,
      reason,
      remainingMs: 7_000,
    });
  });

  it('is that of its operation, if it is a breaker', () => {
    expect(readPause({ ...stored, operation: 'reportBetEvent' }, 0).operation).toBe('reportBetEvent');
    expect(changePause(closed(1), { ...endPause(closed(1)), strikes: 2 }, 0).operation).toBe('reportBetEvent');
  });

  it('is not a pause without a reason', () => {
    expect(readPause({ ...stored, reason: null, message: null }, 0)).toMatchObject({
      reason: undefined,
      message: undefined,
    });
  });

  it.each(['', 'holiday'])('continues until a report is recorded if its reason is unknown: %j', (reason) => {
    expect(readPause({ ...stored, reason }, 0).reason).toBe('unavailable');
  });
});

describe('the pauses that a worker has seen', () => {
  const other = { ...breaker, operation: 'reportSettledBet' } as const;
  const held = { account: 'licence-a', environment: 'production', operation: 'reportBetEvent' };

  it('keep all others when one is read or changed', () => {
    const before = [behind(5), { ...closed(1), ...other }];
    expect(seenWith(before, behind(6)).map(({ strikes }) => strikes)).toEqual([1, 6]);
    expect(seenWith([], closed(1))).toEqual([closed(1)]);
  });

  it('hold the reports of their operation while its breaker is open', () => {
    expect(heldBy([behind(5), { ...closed(1), ...other }])).toEqual([held]);
    expect(heldBy([paused({})])).toEqual([]);
    expect(heldBy([])).toEqual([]);
  });

  it('have strikes to reset while the breaker is closed', () => {
    expect(hasStrikes([closed(1)], breaker)).toBe(true);
    expect(hasStrikes([closed(0)], breaker)).toBe(false);
    expect(hasStrikes([behind(5)], breaker)).toBe(false);
    expect(hasStrikes([closed(1)], other)).toBe(false);
    expect(hasStrikes([], breaker)).toBe(false);
  });
});

describe('the ends of several attempts', () => {
  const ends: readonly AttemptEnd[] = [
    {
      ending: { kind: 'recorded', outcome: 'recorded', message: undefined },
      change: { state: 'recorded' },
      probe: undefined,
    },
    ...(['refused', 'failed'] as const).flatMap((kind) =>
      ([undefined, 'unavailable'] as const).map(
        (pause): AttemptEnd => ({
          ending: {
            kind,
            outcome: 'rejected',
            problem: { code: 'unprocessable', message: `${kind} ${pause}`, status: 422 },
            ...(pause && { pause, retryAfterMs: 2_500 }),
          },
          change: { state: kind === 'refused' ? 'quarantined' : 'waiting' },
          probe: undefined,
        }),
      ),
    ),
  ];
  const probes = ends.map((end) => ({ ...end, probe: VERSION }));

  it('change a pause together as they do one after the other', () => {
    const rules = { random: () => 1, breakerAfter: 3 };
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...ends, ...probes), { maxLength: 12 }),
        fc.constantFrom(closed(), closed(2), behind(4), open(), paused()),
        (given, seen) => {
          let pause = seen;
          const allowed = given.map((end) => {
            const before = pause;
            const change = pausedBy(before, end, rules);
            if (change) pause = changePause(before, change, 7_000);
            return mayQuarantine(before, end.probe, rules);
          });
          const counted = countEnds(seen, given, rules);
          expect(counted.allowed).toEqual(allowed);
          const { version, ...after } = counted.change ? changePause(seen, counted.change, 7_000) : seen;
          expect(after).toEqual({ ...pause, version: undefined });
          expect(version).toBe(pause === seen ? VERSION : VERSION + 1);
        },
      ),
    );
  });
});
