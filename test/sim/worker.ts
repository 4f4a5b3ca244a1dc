import {
  boundTo,
  destinationScope,
  type Gateways,
  operationScope,
  type PauseScope,
  pauseKeyOf,
} from '../../src/outbox/rules/destination.js';
import {
  type AttemptEnd,
  hasStrikes,
  heldBy,
  isBreaker,
  notPaused,
  type Pause,
  type PauseChange,
  type SeenPauses,
  seenWith,
  withStruck,
} from '../../src/outbox/rules/pause.js';
import type { Change, Row, Write } from '../../src/outbox/rules/state-machine.js';
import type { ProbeOf } from '../../src/outbox/sending/pauses.js';
import { type Finished, GATHER_MS, NOT_SENT } from '../../src/outbox/sending/plan.js';
import { createClaimants } from '../../src/outbox/store/claimants.js';
import { pausesOf, type TurnResult } from '../../src/outbox/store/store.js';
import type { Known } from './answers.js';
import type { Network, Seen } from './network.js';
import { createPlaces } from './places.js';
import type { Claimer, Rules } from './rules.js';
import { type Attempt, gatewaysOf, type Report } from './scenario.js';
import type { SharedBreaker } from './shared-breaker.js';
import { createStay, type Stay } from './stay.js';
import type { Store } from './store.js';
import { breaks, subject, type World } from './world.js';

const RETRY = { baseMs: 1_000, capMs: 60_000 };
const PAUSE_TRIES = 5;

const GIVEN_UP: Known = { name: 'not begun', truth: 'not-begun', ending: NOT_SENT, retryAfterMs: undefined };
const NOT_NOW: Known = { name: 'held back', truth: 'not-begun', ending: NOT_SENT, retryAfterMs: undefined };

/** An account that a worker serves, and the address to which it sends. */
export interface AccountGateways {
  readonly account: string;
  readonly gateways: Gateways;
}

const describePause = ({ reason, strikes, forMs }: PauseChange): string =>
  reason === undefined
    ? `is open, ${strikes} strikes`
    : `pauses for ${Math.round(forMs)} ms (${reason}, ${strikes} strikes)`;

/** The parts that workers share. */
export interface Surroundings {
  readonly store: Store;
  readonly network: Network;
  readonly rules: Rules;
  readonly breakers: SharedBreaker;
  readonly claimer: Claimer;
  readonly reportOf: (id: string) => Report;
}

/** An attempt that has ended, whose pauses are not written yet. */
interface Attempted extends Omit<AttemptEnd, 'probe'> {
  readonly attempt: Attempt;
  readonly row: Row;
  readonly reply: Known;
  readonly change: Change;
  readonly probe: ProbeOf | undefined;
  /** The change if its refusal quarantines nothing. */
  readonly later: () => Change;
}

const isRecorded = ({ ending, change }: Pick<AttemptEnd, 'ending' | 'change'>): boolean =>
  ending.kind === 'recorded' || change.state === 'recorded';

interface Probe {
  readonly pause: Pause;
  readonly takenAt: number;
  /** The same in true time. */
  readonly since: number;
}

/**
 * The shell of a worker in virtual time. At each `await` of `worker.ts` and `turns.ts` in `src/outbox/sending`, this
 * one calls `stay.point`, and may die, freeze or be overtaken there. All decisions come from `decisions`.
 */
export function createWorker(
  world: World,
  { store, network, rules, breakers, claimer, reportOf }: Surroundings,
  id: number,
  accounts: readonly AccountGateways[],
) {
  const { decisions, scenario, options, random, coverage, schedule, catalogue } = world;
  const { concurrency, ahead, pollMs } = scenario;
  const { leaseMs } = options;
  /** Attempts under way, with functions that end them. */
  const open = new Map<Attempt, (seen: Seen) => void>();
  const claimants = createClaimants(accounts);
  /** Like an outbox with one client: it sends every row to its own address. */
  const addressFor = ({ account, environment }: Report) =>
    (accounts.find((one) => one.account === account) ?? accounts[0])?.gateways[environment] ?? '';
  const places = createPlaces(concurrency, coverage);
  let attempted: Attempted[] = [];
  let finished: Finished[] = [];
  let seenPauses: SeenPauses = [];
  let isBound = true;
  let busy = 0;
  /** The number of probes under way, each in an extra place. */
  let probing = 0;
  let readAt = Number.NaN;
  let stopping = false;
  let cutOff = false;
  let failures = 0;
  /** The number of looks in a row that announced work, while no turn found any. */
  let empty = 0;
  let clockOffset = 0;
  const stay: Stay = createStay(world, id, () => {
    if (open.size > 0) coverage['worker dies with an attempt under way'] += 1;
    if (places.claimedAhead() > 0) coverage['worker dies with a row claimed ahead'] += 1;
    for (const attempt of open.keys()) attempt.over = true;
  });
  const { point } = stay;
  const standing = () => ({
    accounts: claimants.all(),
    busy,
    concurrency: concurrency + probing,
    places: concurrency + ahead + probing,
    openBreakers: heldBy(seenPauses),
    leaseMs,
    pollMs,
    stopping,
  });
  const clock = () => schedule.now() + clockOffset;
  const storeFails = () => schedule.now() < scenario.wellAt && random.chance(scenario.store);

  const turn = (probe: Probe | undefined, then: (worked: boolean) => void): void =>
    judge(
      () => turnJudged(probe, then),
      () => {
        failures += 1;
        sleep(decisions.failureWaitMs(failures, pollMs));
      },
    );

  function turnJudged(probe: Probe | undefined, then: (worked: boolean) => void): void {
    const number = places.turn();
    const batch = finished;
    finished = [];
    const askedAt = probe?.takenAt ?? clock();
    const fails = storeFails();
    let result: TurnResult = { written: [], claimed: [] };
    const strikes = breakers.now();
    if (!fails || random.chance(0.5)) {
      claimer.worker = id;
      result = store.turn(decisions.planTurn(batch, standing(), probe?.pause));
    }
    // Now: once the database has gone back, another worker may claim the row with the same fence.
    const claims = result.claimed.map((row) => ({ row, attempt: attemptOf(row) }));
    if (fails) for (const { attempt } of claims) attempt.over = true;
    if (fails) {
      coverage[
        result.written.length + result.claimed.length > 0 ? 'store fails after a commit' : 'store fails before a commit'
      ] += 1;
      finished = [...batch, ...finished];
      failures += 1;
      sleep(decisions.failureWaitMs(failures, pollMs));
      return;
    }
    point(() => {
      failures = 0;
      if (result.struck) {
        seenPauses = withStruck(seenPauses, result.struck);
        breakers.looked(id, strikes);
      }
      if (probe && result.claimed[0] && busy >= concurrency + probing)
        coverage['probe sent by a worker that is full'] += 1;
      busy += result.claimed.length - batch.length;
      if (probe) probing += result.claimed.length;
      for (const row of result.claimed) claimants.took(row);
      for (const { row } of batch) claimants.gave(row);
      if (probe) for (const { attempt } of claims) attempt.since = probe.since;
      for (const { row, attempt } of claims) {
        const start = () =>
          begin(
            attempt,
            row,
            askedAt,
            probe && { key: pauseKeyOf(probe.pause), version: probe.pause.version + 1 },
            number,
          );
        if (probe) start();
        else places.take(start);
      }
      const refused = batch.filter((_, index) => !result.written[index]);
      markInDoubtAfterRestore(refused, () => {
        if (probe && !result.claimed[0]) {
          coverage['probe finds no report'] += 1;
          store.pause(decisions.probeReturned(probe.pause, Math.min(pollMs, leaseMs)));
        }
        then(batch.length + result.claimed.length > 0);
      });
    });
  }

  /**
   * Like `markInDoubtAfterRestore` of `src/outbox/sending/restored-database.ts`: it keeps the results of refused writes after a restore of the database.
   */
  function markInDoubtAfterRestore(refused: readonly Finished[], then: () => void): void {
    const writes: Write[] = [];
    for (const one of refused) {
      const stored = store.get(one.row.id);
      if (!stored) continue;
      const change = decisions.keptInDoubt(stored, one, leaseMs);
      if (change) writes.push({ id: stored.id, expected: stored, change });
      // The truth, independent of the outbox's decision. A database that lost a correction has other data, and one that
      // lost a reopening has a dismissed report: a person compares them with the gateway.
      const isSameReport = stored.fingerprint === one.row.fingerprint && stored.state !== 'dismissed';
      if (world.wentBack && isSameReport && one.change.state === 'recorded' && stored.fence <= one.row.fence)
        reportOf(stored.id).known = true;
    }
    if (writes.length > 0) store.turn({ writes, claim: undefined });
    then();
  }

  const attemptOf = (row: Row): Attempt => {
    const { attempts } = reportOf(row.id);
    // A restored database gives the same fences again.
    const attempt = attempts.filter(({ fence }) => fence === row.fence).at(-1);
    if (!attempt) throw new Error(`no attempt ${row.fence} of ${row.id}`);
    return attempt;
  };

  function begin(attempt: Attempt, row: Row, askedAt: number, probe: ProbeOf | undefined, number: number): void {
    point(() => {
      const end = (seen: Seen) => stay.resume(0, () => ended(attempt, row, seen, probe));
      if (
        places.isHeldBack(destinationScope(attempt.report), number) ||
        places.isHeldBack(operationScope(attempt.report), number)
      )
        return end({ reply: NOT_NOW, lie: false });
      if (cutOff || !decisions.isInTime(askedAt, clock(), options)) return end({ reply: GIVEN_UP, lie: false });
      rules.leaves(attempt);
      attempt.sentAt = schedule.now();
      open.set(attempt, end);
      network(attempt, addressFor(attempt.report), attempt.claimedAt + leaseMs, end);
    });
  }

  function ended(attempt: Attempt, row: Row, { reply, lie }: Seen, probe: ProbeOf | undefined): void {
    if (attempt.over) return;
    attempt.over = true;
    open.delete(attempt);
    attempt.reply = reply;
    attempt.endedAt = schedule.now();
    attempt.lie = lie;
    attempt.pauseVersion = store.pauseOf(row).version;
    attempt.breakerVersion = store.breakerOf(row).version;
    if (reply.ending.kind !== 'recorded' && reply.ending.pause) places.holdBack(destinationScope(attempt.report));
    if (storeFails()) {
      dropped(attempt, probe);
      return;
    }
    const dependency = decisions.dependencyOf(store.get(decisions.asksFor(row, reply.ending)));
    const context = { retry: RETRY, random: random.next, keepBodies: false, dependency };
    point(() => {
      const { ending } = reply;
      const change = decisions.ended(row, ending, context);
      const later = () => decisions.ended(row, decisions.postponed(ending), context);
      attempted.push({ attempt, row, reply, ending, change, probe, later });
      left(probe);
    });
  }

  function left(probe: ProbeOf | undefined): void {
    if (probe) probing -= 1;
    else places.leave();
    stay.wake(loop);
  }

  /** The row stays in flight and in doubt until its lease is over. */
  function dropped(attempt: Attempt, probe: ProbeOf | undefined): void {
    world.trace?.(`worker ${id}: the store failed; the end of ${subject(attempt)} is forgotten`);
    busy -= 1;
    claimants.gave(attempt.report);
    left(probe);
  }

  /**
   * Like `judge` of `src/outbox/sending/turns.ts`: of one operation after the other, it writes the pauses of the
   * attempts that have ended, and then decides their changes. `failed`: the store did.
   */
  function judge(then: () => void, failed: () => void): void {
    const [first] = attempted;
    if (!first) {
      then();
      return;
    }
    const destination = destinationScope(first.row);
    const breaker = decisions.breakerOf(first.attempt.report);
    const isOfOne = ({ attempt }: Attempted) => pauseKeyOf(decisions.breakerOf(attempt.report)) === pauseKeyOf(breaker);
    const batch = attempted.filter(isOfOne);
    const paused = new Set<Attempted>();

    function done(allowed: readonly Attempted[]): void {
      for (const one of batch) {
        const { attempt, row, change, later } = one;
        world.settled += 1;
        attempt.settled = world.settled;
        attempt.settledPaused = paused.has(one);
        attempt.postponed = !allowed.includes(one);
        finished.push({ row, change: attempt.postponed ? later() : change });
      }
      attempted = attempted.filter((one) => !batch.includes(one));
      for (const one of seenPauses)
        if (one.reason !== undefined && [destination, breaker].some((other) => pauseKeyOf(other) === pauseKeyOf(one)))
          places.holdBack(one);
      point(() => judge(then, failed));
    }

    function count([scope, ...rest]: readonly PauseScope[], left: readonly Attempted[], tries = PAUSE_TRIES): void {
      if (!scope) {
        done(left);
        return;
      }
      const ends = left.map((one) => ({
        ...one,
        probe: one.probe?.key === pauseKeyOf(scope) ? one.probe.version : undefined,
      }));
      const isOfBreaker = scope.operation !== undefined;
      if (!ends.some((end) => decisions.concernsPause(end, hasStrikes(seenPauses, scope)))) {
        if (isOfBreaker) breakers.passed(scope, id, ends.some(isRecorded));
        count(rest, left);
        return;
      }
      if (storeFails()) {
        failed();
        return;
      }
      const known = tries > 0 ? decisions.outlookOf(store.outlook(), destination) : undefined;
      if (!known) {
        // Refusals that could not be counted quarantine nothing.
        for (const one of left) paused.add(one);
        count(
          rest,
          left.filter((one) => !decisions.isRefusal(one)),
        );
        return;
      }
      const ofScope = known.breakers.find(({ operation }) => operation === scope.operation);
      const seen = scope.operation === undefined ? known.pause : (ofScope ?? notPaused(scope));
      const { change, steps } = countEnds(seen, ends);
      const next = () => {
        if (isOfBreaker)
          breakers.counted(
            scope,
            id,
            steps.map((step, index) => {
              const end = ends[index] as (typeof ends)[number];
              return { ...step, ...end, isRecorded: isRecorded(end), isCondemned: end.change.state === 'quarantined' };
            }),
          );
        seenPauses = seenWith(seenPauses, change ?? seen);
        for (const [index, { before, next: made, allowed }] of steps.entries()) {
          const { attempt, reply, ending, probe } = ends[index] as (typeof ends)[number];
          if (before.reason !== undefined || made?.reason !== undefined || !allowed)
            paused.add(left[index] as Attempted);
          if (made) tellStep(attempt, reply, before, made, probe);
          if (made && isBreaker(seen))
            attempt.opened = ending.kind === 'recorded' || ends[index]?.change.state === 'recorded';
        }
        count(
          rest,
          left.filter((one, index) => steps[index]?.allowed || !decisions.isRefusal(one)),
        );
      };
      if (!change) {
        next();
        return;
      }
      point(() => {
        if (!store.pause(change)) {
          coverage['two workers change a pause at once'] += 1;
          count([scope, ...rest], left, tries - 1);
          return;
        }
        world.trace?.(`worker ${id}: ${pauseKeyOf(seen)} ${describePause(change)}`);
        if (steps.filter(({ next: made }) => made).length > 1) coverage['several ends change a pause at once'] += 1;
        next();
      });
    }

    /** Like `countEnds` of `src/outbox/rules/pause.ts`, with the decisions of a variant, and each step. */
    function countEnds(seen: Pause, ends: readonly AttemptEnd[]) {
      const settings = { random: random.next, breakerAfter: scenario.breakerAfter };
      let pause = seen;
      let change: PauseChange | undefined;
      const steps = ends.map((end) => {
        const before = pause;
        const next = decisions.pausedBy(before, end, settings);
        if (next) {
          pause = decisions.changePause(before, next, 0);
          change = {
            ...next,
            version: seen.version,
            continues: next.continues && (change?.continues ?? true),
            repeats: next.repeats && (change?.repeats ?? true),
          };
        }
        return { before, next, allowed: decisions.mayQuarantine(before, end.probe, settings) };
      });
      return { change, steps };
    }

    function tellStep(
      attempt: Attempt,
      reply: Known,
      before: Pause,
      made: PauseChange,
      probe: number | undefined,
    ): void {
      if (made.reason !== undefined && !isBreaker(before)) rules.askedToWait(destination, reply);
      if (made.reason === undefined && before.reason !== undefined && probe === undefined)
        breaks(world, 'only a probe ends a pause', subject(attempt));
      if (probe !== undefined) coverage[made.reason === undefined ? 'pause ended by a probe' : 'probe fails'] += 1;
      else if (before.reason === undefined && before.strikes > 0 && made.strikes === 0)
        coverage['a success ends the strikes'] += 1;
    }

    count([destination, breaker], batch);
  }

  /** `worked`: whether a probe has claimed a report. */
  function probeAll(probes: readonly Pause[], then: (worked: boolean) => void, worked = false): void {
    const [next, ...rest] = probes;
    if (!next) {
      then(worked);
      return;
    }
    const takenAt = clock();
    const since = schedule.now();
    const taken = store.pause(decisions.probeTaken(next, leaseMs));
    if (!taken) coverage['two workers change a pause at once'] += 1;
    point(() =>
      taken
        ? turn({ pause: next, takenAt, since }, (found) => probeAll(rest, then, worked || found))
        : probeAll(rest, then, worked),
    );
  }

  const sleep = (milliseconds: number) => {
    if (stopping && busy === 0) stay.leave();
    else stay.sleep(milliseconds, loop);
  };

  function gather(then: () => void): void {
    const ready = () => attempted.length + finished.length;
    const seen = ready();
    if (decisions.isGathering(seen, standing())) stay.resume(GATHER_MS, () => (ready() > seen ? gather(then) : then()));
    else then();
  }

  function loop(): void {
    if (stopping && busy === 0) {
      stay.leave();
      return;
    }
    if (!isBound) bind();
    if (Number.isNaN(readAt)) {
      see();
      point(() => gather(turnOrSleep));
    } else gather(turnOrSleep);
  }

  /** Reads the pauses and the bindings, as `readDestinations` of `src/outbox/sending/worker.ts` does. */
  function see() {
    readAt = clock();
    const outlooks = store.outlook();
    if (
      accounts.some(({ account, gateways }) =>
        boundTo(account, gateways).some((one) => decisions.isUnbound(one, outlooks)),
      )
    )
      isBound = false;
    seenPauses = decisions.seenAtLook(pausesOf(outlooks), seenPauses);
    breakers.looked(id, breakers.now());
    return outlooks;
  }

  function bind(): void {
    for (const { account, gateways } of accounts) store.bind(boundTo(account, gateways));
    isBound = true;
  }

  function turnOrSleep(): void {
    // If all places are busy and no attempt has ended, a turn would have nothing to do.
    if (attempted.length + finished.length > 0 || busy < concurrency + probing) turn(undefined, look);
    else look(false);
  }

  function look(worked: boolean): void {
    if (worked) empty = 0;
    const untilRead = decisions.untilNextRead({ worked, readAt, now: clock() }, standing());
    const then = (waitMs: number) => (worked ? loop() : sleep(waitMs));
    if (untilRead > 0) {
      then(untilRead);
      return;
    }
    const outlooks = see();
    point(() => {
      const { probes, waitMs } = decisions.planIdle(outlooks, standing());
      probeAll(probes, (found) => {
        empty = found || waitMs >= pollMs ? 0 : empty + 1;
        then(decisions.idleWaitMs(waitMs, empty, pollMs));
      });
    });
  }

  bind();
  stay.resume(0, loop);
  return {
    /** Whether its gateways are not those of the reports. */
    isLaptop: accounts.some(({ account, gateways }) => gateways.staging !== gatewaysOf(account).staging),
    serves: (account: string) => accounts.some((one) => one.account === account),
    id,
    stay,
    wake: () => stay.wake(loop),
    isStopping: () => stopping,
    jump(milliseconds: number): void {
      clockOffset += milliseconds;
    },
    /** Lets attempts end within the time limit, then cancels them, and ends a second later. */
    stop(timeoutMs: number): void {
      world.trace?.(`worker ${id} stops`);
      coverage['worker stops gracefully'] += 1;
      stopping = true;
      stay.wake(loop);
      stay.resume(timeoutMs, () => {
        cutOff = true;
        const [reply] = catalogue.aborted;
        for (const end of open.values()) {
          coverage['worker stops and cuts off an attempt'] += 1;
          if (reply) end({ reply, lie: false });
        }
        stay.resume(1_000, stay.leave);
      });
    },
  };
}

export type Worker = ReturnType<typeof createWorker>;
