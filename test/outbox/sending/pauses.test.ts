import { describe, expect, it } from 'vitest';
import { createOutboxEvents } from '../../../src/outbox/events.js';
import { logEvents } from '../../../src/outbox/log-events.js';
import { keyOf, operationScope, type PauseScope, pauseKeyOf } from '../../../src/outbox/rules/destination.js';
import { changePause, notPaused, type Pause, type PauseChange } from '../../../src/outbox/rules/pause.js';
import type { Ending, Failed, Row } from '../../../src/outbox/rules/state-machine.js';
import { type Attempted, createPauses } from '../../../src/outbox/sending/pauses.js';
import type { DestinationState } from '../../../src/outbox/store/store.js';
import { outboxRow } from '../../support/factories.js';

const destination = { account: 'licence-a', environment: 'production' } as const;
const breaker = operationScope({ ...destination, operation: 'reportBetEvent' });
const VERSION = 3;
/** More than the tries of one worker. */
const ALWAYS = 100;

const row = outboxRow({ ...destination, state: 'in-flight', fence: 1, attempts: 1, inDoubt: true });

const failed = (more: Partial<Failed> = {}): Failed => ({
  kind: 'failed',
  outcome: 'unknown',
  problem: { code: 'gateway', message: 'it failed', status: 500 },
  ...more,
});
const recorded: Ending = { kind: 'recorded', outcome: 'recorded', message: undefined };
const refused = failed({
  kind: 'refused',
  outcome: 'rejected',
  problem: { code: 'unprocessable', message: 'it said no', status: 422 },
});
const turnedAway = failed({
  outcome: 'rejected',
  pause: 'rate-limited',
  problem: { code: 'rate-limited', message: 'slow down', status: 429 },
});

interface Given extends Partial<Pause> {
  /** The number of changes that another worker makes first. */
  readonly lost?: number;
  /** Whether the destination is in the store. */
  readonly isBound?: boolean;
  readonly of?: { readonly account: string; readonly environment: Row['environment'] };
  /** The strikes of its operation's breaker. */
  readonly struck?: number;
}

/** A worker's view of the pause of one destination and one breaker, beside those of another account. */
function world({ lost = 0, isBound = true, of = destination, struck, ...first }: Given = {}) {
  const ofBreaker = operationScope({ ...of, operation: 'reportBetEvent' });
  const isOpen = (strikes: number) => strikes >= 5 && { reason: 'refusals' as const };
  const pauses = new Map<string, Pause>();
  if (isBound) pauses.set(pauseKeyOf(of), { ...notPaused(of), version: VERSION, ...first });
  if (struck !== undefined)
    pauses.set(pauseKeyOf(ofBreaker), {
      ...notPaused(ofBreaker),
      version: VERSION,
      strikes: struck,
      ...isOpen(struck),
    });
  let left = lost;
  const reads: (readonly string[] | undefined)[] = [];
  const changes: PauseChange[] = [];
  const told: [string, unknown][] = [];
  const log = (level: string) => (message: string) => void told.push([level, message]);
  const outlookOf = (one: Pause, breakers: readonly Pause[] = []): DestinationState => ({
    account: one.account,
    environment: one.environment,
    gateway: 'https://gateway.example.com',
    rebound: [],
    pause: one,
    breakers,
    nextInMs: undefined,
  });
  const events = createOutboxEvents();
  events.on('paused', (event) => told.push(['paused', event]));
  events.on('probe-failed', (event) => told.push(['probe-failed', event]));
  events.on('resumed', (event) => told.push(['resumed', event]));
  const store = {
    outlook: async (accounts?: readonly string[]) => {
      reads.push(accounts);
      const whole = pauses.get(pauseKeyOf(of));
      const breakers = [...pauses.values()].filter((one) => one !== whole && keyOf(one) === keyOf(of));
      return [outlookOf(notPaused({ ...of, account: 'other' })), ...(whole ? [outlookOf(whole, breakers)] : [])];
    },
    pause: async (change: PauseChange) => {
      changes.push(change);
      left -= 1;
      const before = pauses.get(pauseKeyOf(change)) ?? notPaused(change);
      if (left < 0) pauses.set(pauseKeyOf(change), changePause(before, change, 0));
      return left < 0;
    },
  };
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  logEvents(events, logger);
  const worker = createPauses(
    { store, retry: { baseMs: 1_000, capMs: 300_000 }, random: () => 1, keepBodies: false, breakerAfter: 5 },
    events,
  );
  const endOf = (ending: Ending, version?: number, probed: PauseScope = of) =>
    worker.endOf({
      row: { ...row, ...of },
      ending,
      probe: version === undefined ? undefined : { key: pauseKeyOf(probed), version },
      dependency: 'none',
    });
  const isPaused = (scope: PauseScope) => worker.paused().some((one) => pauseKeyOf(one) === pauseKeyOf(scope));
  const settleAll = (ends: readonly Attempted[]) => worker.judge(ends, ofBreaker);
  /** Judges one attempt. Returns its change, and the scopes that are paused now. */
  const settle = async (ending: Ending, version?: number, probed: PauseScope = of) => {
    const [finished] = await settleAll([endOf(ending, version, probed)]);
    return { change: finished?.change, paused: [of, ofBreaker].filter(isPaused) };
  };
  return {
    worker,
    settle,
    endOf,
    settleAll,
    reads,
    changes,
    told,
    seen: (more: Partial<Pause>) => worker.seeAll([outlookOf(notPaused(of), [{ ...notPaused(ofBreaker), ...more }])]),
  };
}

describe('the end of an attempt', () => {
  it('is written without reading the pause, if it does not concern the destination', async () => {
    const { settle, reads, changes } = world();
    expect(await settle(recorded)).toMatchObject({ change: { state: 'recorded' }, paused: [] });
    expect(await settle(failed())).toMatchObject({ change: { state: 'waiting', attempts: 1 }, paused: [] });
    expect([reads, changes]).toEqual([[], []]);
  });

  it('pauses the destination before its row is written', async () => {
    const { settle, reads, changes, told } = world();
    expect(await settle(turnedAway)).toMatchObject({
      change: { state: 'waiting', attempts: 0 },
      paused: [destination],
    });
    expect(new Set(reads.flat())).toEqual(new Set(['licence-a']));
    expect(changes).toMatchObject([{ ...destination, version: VERSION, reason: 'rate-limited', forMs: 1_000 }]);
    expect(told).toEqual([
      ['paused', { ...destination, reason: 'rate-limited', message: 'slow down', forMs: 1_000 }],
      [
        'warn',
        'The outbox sends nothing to production of the account licence-a for now (rate-limited); the reports wait, and none is lost. It tries one report in 1 s. slow down',
      ],
    ]);
  });

  it('returns that the destination is paused, if another attempt has paused it', async () => {
    const { settle, changes, told } = world({ reason: 'rate-limited', strikes: 1, remainingMs: 8_000 });
    expect(await settle(turnedAway)).toMatchObject({ paused: [destination] });
    expect([changes, told]).toEqual([[], []]);
  });

  it('prolongs a pause as a failed probe, and announces only a new reason as a pause', async () => {
    const { settle, told } = world({ reason: 'rate-limited', message: 'slow down', strikes: 1 });
    await settle(turnedAway, VERSION);
    expect(told).toEqual([
      ['probe-failed', { ...destination, reason: 'rate-limited', message: 'slow down', forMs: 2_000 }],
      ['warn', expect.stringMatching(/ \(rate-limited\); .* in 2 s\. slow down$/)],
    ]);
    await settle(failed({ pause: 'unavailable' }), VERSION + 1);
    expect(told.map(([level]) => level)).toEqual(['probe-failed', 'warn', 'paused', 'warn']);
  });

  it('announces nothing if the probe was given back unsent', async () => {
    const { settle, changes, told } = world({ reason: 'rate-limited', message: 'slow down', strikes: 1 });
    await settle(failed({ counts: false, problem: { code: 'aborted', message: 'It was not sent.' } }), VERSION);
    expect(changes).toMatchObject([{ message: 'slow down', repeats: true }]);
    expect(told).toEqual([]);
  });

  it('announces nothing if an attempt that was sent before the pause prolongs it', async () => {
    const { settle, changes, told } = world({ reason: 'rate-limited', strikes: 1, remainingMs: 500 });
    await settle({ ...turnedAway, retryAfterMs: 9_000 });
    expect([changes.length, told]).toEqual([1, []]);
  });

  it('ends the pause if a probe is recorded', async () => {
    const { settle, changes, told } = world({ reason: 'rate-limited', strikes: 1 });
    expect(await settle(recorded, VERSION)).toMatchObject({ change: { state: 'recorded' }, paused: [] });
    expect(changes).toMatchObject([{ reason: undefined, strikes: 0 }]);
    expect(told).toEqual([
      ['resumed', destination],
      ['info', 'The outbox sends reports to production of the account licence-a again.'],
    ]);
  });

  it('does not name an account in the log, if the outbox has none', async () => {
    const { settle, told } = world({ of: { account: 'default', environment: 'staging' } });
    await settle(turnedAway);
    expect(told[1]?.[1]).toContain('sends nothing to staging for now (rate-limited)');
  });

  it('logs a pause without a message as a complete sentence', async () => {
    const { settle, told } = world({ reason: 'rate-limited', message: undefined, strikes: 1 });
    await settle(failed({ pause: 'unavailable', problem: { code: 'gateway', message: '' } }), VERSION);
    expect(told.at(-1)?.[1]).toMatch(/It tries one report in 2 s\.$/);
  });
});

describe('a refusal', () => {
  it('quarantines its report once it is counted in the store', async () => {
    const { settle, changes, told } = world({ struck: 3 });
    expect(await settle(refused)).toMatchObject({ change: { state: 'quarantined', attempts: 1 }, paused: [] });
    expect(changes).toMatchObject([{ ...breaker, reason: undefined, strikes: 4 }]);
    expect(told).toEqual([]);
  });

  it('quarantines its report and pauses only its operation, if it is the last before the breaker opens', async () => {
    const { settle, told, worker } = world({ struck: 4 });
    expect(worker.openBreakers()).toEqual([]);
    expect(await settle(refused)).toMatchObject({ change: { state: 'quarantined' }, paused: [breaker] });
    const about = { ...destination, operation: 'reportBetEvent' };
    expect(told[0]).toEqual(['paused', { ...about, reason: 'refusals', message: 'it said no', forMs: 1_000 }]);
    expect(told[1]?.[1]).toContain(
      'sends nothing of the operation reportBetEvent to production of the account licence-a for now (refusals)',
    );
    expect(worker.openBreakers()).toEqual([about]);
    await settle(recorded, VERSION + 1, breaker);
    expect(told[2]).toEqual(['resumed', about]);
    expect(worker.openBreakers()).toEqual([]);
  });

  it.each<[string, Given, number | undefined]>([
    ['of a probe of the breaker', { struck: 5 }, VERSION],
    [
      'of an attempt that was sent before the pause',
      { reason: 'unavailable', strikes: 1, remainingMs: 500 },
      undefined,
    ],
    ['of a destination that the store does not hold', { isBound: false }, undefined],
    ['that cannot be counted because of other workers', { lost: ALWAYS }, undefined],
  ])('%s quarantines nothing: the report waits, and the attempt is not counted', async (_, given, probe) => {
    const { change } = await world(given).settle(refused, probe, breaker);
    expect(change).toMatchObject({ state: 'waiting', attempts: 0, inDoubt: false, problem: refused.problem });
  });

  it('is counted again if another worker has changed the pause in the meantime', async () => {
    const { settle, changes, reads } = world({ lost: 4 });
    expect(await settle(refused)).toMatchObject({ change: { state: 'quarantined' } });
    // The first look is at the pause of the destination.
    expect([changes.length, reads.length]).toEqual([5, 6]);
  });

  it('is counted at most five times', async () => {
    const { settle, changes } = world({ lost: ALWAYS });
    await settle(refused);
    expect(changes).toHaveLength(5);
  });
});

describe('attempts that end at once', () => {
  it('change each pause once, in the order of the ends', async () => {
    const { endOf, settleAll, changes, reads } = world();
    const mixture = [refused, recorded, refused, refused, recorded, refused, refused];
    const finished = await settleAll(mixture.map((ending) => endOf(ending)));
    expect(finished.map(({ change }) => change.state)).toEqual(
      mixture.map((ending) => (ending === refused ? 'quarantined' : 'recorded')),
    );
    expect(changes).toMatchObject([{ ...breaker, version: 0, reason: undefined, strikes: 2 }]);
    expect(reads).toHaveLength(2);
  });

  it('quarantine as many reports as open the breaker; the others wait, and so do those of an earlier worker', async () => {
    const { endOf, settleAll, changes, worker, told } = world({ struck: 2 });
    const finished = await settleAll(Array.from({ length: 6 }, () => endOf(refused)));
    expect(finished.map(({ change }) => change.state)).toEqual([
      ...['quarantined', 'quarantined', 'quarantined'],
      ...['waiting', 'waiting', 'waiting'],
    ]);
    expect(changes).toMatchObject([{ ...breaker, reason: 'refusals', strikes: 5, continues: false }]);
    expect(worker.paused()).toMatchObject([breaker]);
    expect(told.map(([type]) => type)).toEqual(['paused', 'warn']);
  });

  it('are all decided again if another worker was faster', async () => {
    const { endOf, settleAll, changes } = world({ lost: 1 });
    const finished = await settleAll([endOf(refused), endOf(recorded)]);
    expect(finished.map(({ change }) => change.state)).toEqual(['quarantined', 'recorded']);
    expect(changes).toHaveLength(2);
    expect(changes[0]).toEqual(changes[1]);
  });
});

describe('strikes that a turn has found', () => {
  it('are ended by the next success, and forgotten once the store has none', async () => {
    const one = world({ struck: 3 });
    one.worker.seeStruck([{ ...breaker, reason: undefined, strikes: 3 }]);
    await one.settle(recorded);
    expect(one.changes).toMatchObject([{ ...breaker, strikes: 0 }]);
    one.worker.seeStruck([]);
    await one.settle(recorded);
    expect(one.changes).toHaveLength(1);
  });
});

describe('an answer about a destination whose pause the store does not write', () => {
  it.each<[string, Given]>([
    ['since it does not hold the destination', { isBound: false }],
    ['since other workers change the pause', { lost: ALWAYS }],
  ])('%s leaves its report waiting', async (_, given) => {
    const { settle, told } = world(given);
    expect(await settle(turnedAway)).toMatchObject({ change: { state: 'waiting', attempts: 0 }, paused: [] });
    expect(told).toEqual([]);
  });
});

describe('a look', () => {
  it('forgets the open breaker of a store that no longer has it', async () => {
    const { worker, settle } = world({ struck: 4 });
    await settle(refused);
    expect(worker.openBreakers()).toMatchObject([{ operation: 'reportBetEvent' }]);
    worker.seeAll([]);
    expect(worker.openBreakers()).toEqual([]);
  });

  it('forgets the strikes of a breaker that the store no longer has', async () => {
    const one = world();
    one.seen({ strikes: 1 });
    one.worker.seeAll([]);
    await one.settle(recorded);
    expect(one.reads).toEqual([]);
  });
});

describe('several refusals in a row', () => {
  it('end with the next success, after which a success no longer reads the pause', async () => {
    const { settle, changes } = world();
    await settle(refused);
    await settle(recorded);
    await settle(recorded);
    expect(changes.map(({ strikes }) => strikes)).toEqual([1, 0]);
  });

  it.each<[string, Partial<Pause>, number]>([
    ['that another worker has counted is also reset', { strikes: 2 }, 1],
    ['that has ended in the meantime is not searched for', { strikes: 0 }, 0],
    ['that has become a pause ends with its probe', { strikes: 5, reason: 'refusals' }, 0],
  ])('%s', async (_, pause, reads) => {
    const one = world();
    one.seen({ strikes: 1 });
    one.seen(pause);
    await one.settle(recorded);
    expect(one.reads).toHaveLength(reads);
  });
});
