import { createClaimants } from '../../../src/outbox/claimants.js';
import { boundTo, type Gateways } from '../../../src/outbox/destination.js';
import { GATHER_MS, HELD_BACK, NOT_SENT } from '../../../src/outbox/plan.js';
import type { Row } from '../../../src/outbox/record.js';
import type { Outlook, TurnResult } from '../../../src/outbox/store.js';
import type { Known } from './answers.js';
import type { Network, Seen } from './network.js';
import { createPlaces } from './places.js';
import type { Claimer, Rules } from './rules.js';
import { type Attempt, gatewaysOf, type Report } from './scenario.js';
import { createStay, type Stay } from './stay.js';
import type { Store } from './store.js';
import { breaks, subject, type World } from './world.js';

const SCHEDULE = { baseMs: 1_000, capMs: 60_000 };
const PAUSE_TRIES = 5;

const GIVEN_UP: Known = { name: 'not begun', truth: 'not-begun', ending: NOT_SENT, retryAfterMs: undefined };
const NOT_NOW: Known = { name: 'held back', truth: 'not-begun', ending: HELD_BACK, retryAfterMs: undefined };

/** An account that a worker serves, and where it sends. */
export interface AccountGateways {
  readonly account: string;
  readonly gateways: Gateways;
}

/** What workers share. */
export interface Surroundings {
  readonly store: Store;
  readonly network: Network;
  readonly rules: Rules;
  readonly claimer: Claimer;
  readonly reportOf: (id: string) => Report;
}

interface Probe {
  readonly outlook: Outlook;
  readonly takenAt: number;
  /** The same in true time. */
  readonly since: number;
}

/**
 * The shell of a worker, in virtual time: what `src/outbox/worker.ts` awaits, this one passes through `stay.point`, where it
 * may die, freeze or be overtaken. All that it decides, it asks `decisions`.
 */
export function createWorker(world: World, { store, network, rules, claimer, reportOf }: Surroundings, id: number, accounts: readonly AccountGateways[]) {
  const { decisions, scenario, options, random, coverage, schedule, catalogue } = world;
  const { concurrency, ahead, pollMs } = scenario;
  const { leaseMs } = options;
  /** Attempts under way, and how to end them. */
  const open = new Map<Attempt, (seen: Seen) => void>();
  const claimants = createClaimants(accounts);
  /** As an outbox with one client would: by its own address, whosever the row is. */
  const addressFor = ({ account, environment }: Report) => (accounts.find((one) => one.account === account) ?? accounts[0])?.gateways[environment] ?? '';
  const places = createPlaces(concurrency, coverage);
  let finished: { row: Row; change: ReturnType<typeof decisions.ended> }[] = [];
  let busy = 0;
  let stopping = false;
  let cutOff = false;
  let failures = 0;
  let clockOffset = 0;
  const stay: Stay = createStay(world, id, () => {
    if (open.size > 0) coverage['worker dies with an attempt under way'] += 1;
    if (places.claimedAhead() > 0) coverage['worker dies with a row claimed ahead'] += 1;
    for (const attempt of open.keys()) attempt.over = true;
  });
  const { point } = stay;
  const standing = () => ({ accounts: claimants.all(), busy, concurrency, places: concurrency + ahead, leaseMs, pollMs, stopping });
  const clock = () => schedule.now() + clockOffset;
  const storeFails = () => schedule.now() < scenario.wellAt && random.chance(scenario.store);

  function turn(probe: Probe | undefined, then: (worked: boolean) => void): void {
    const number = places.turn();
    const batch = finished;
    finished = [];
    const askedAt = probe?.takenAt ?? clock();
    const fails = storeFails();
    let result: TurnResult = { written: [], claimed: [] };
    if (!fails || random.chance(0.5)) {
      claimer.worker = id;
      result = store.turn(decisions.planTurn(batch, standing(), probe?.outlook));
      if (fails) for (const row of result.claimed) attemptOf(row).over = true;
    }
    if (fails) {
      coverage[result.written.length + result.claimed.length > 0 ? 'store fails after a commit' : 'store fails before a commit'] += 1;
      finished = [...batch, ...finished];
      failures += 1;
      sleep(decisions.failureWaitMs(failures, pollMs));
      return;
    }
    point(() => {
      failures = 0;
      busy += result.claimed.length - batch.length;
      for (const row of result.claimed) claimants.took(row);
      for (const { row } of batch) claimants.gave(row);
      if (probe) for (const row of result.claimed) attemptOf(row).since = probe.since;
      for (const row of result.claimed) places.take(() => begin(row, askedAt, probe && probe.outlook.pause.version + 1, number));
      then(batch.length + result.claimed.length > 0);
    });
  }

  const attemptOf = (row: Row): Attempt => {
    const attempt = reportOf(row.id).attempts[row.fence - 1];
    if (!attempt) throw new Error(`no attempt ${row.fence} of ${row.id}`);
    return attempt;
  };

  function begin(row: Row, askedAt: number, probe: number | undefined, number: number): void {
    const attempt = attemptOf(row);
    point(() => {
      const end = (seen: Seen) => stay.resume(0, () => ended(attempt, row, seen, probe));
      if (places.isHeldBack(attempt.report, number)) return end({ reply: NOT_NOW, lie: false });
      if (cutOff || !decisions.isInTime(askedAt, clock(), options)) return end({ reply: GIVEN_UP, lie: false });
      rules.leaves(attempt);
      attempt.sentAt = schedule.now();
      open.set(attempt, end);
      network(attempt, addressFor(attempt.report), attempt.claimedAt + leaseMs, end);
    });
  }

  function ended(attempt: Attempt, row: Row, { reply, lie }: Seen, probe: number | undefined): void {
    if (attempt.over) return;
    attempt.over = true;
    open.delete(attempt);
    attempt.reply = reply;
    attempt.endedAt = schedule.now();
    attempt.lie = lie;
    attempt.pauseVersion = store.pauseOf(row).version;
    if (reply.ending.kind !== 'recorded' && reply.ending.pause) places.holdBack(attempt.report);
    updatePause(attempt, reply, probe, PAUSE_TRIES, () => {
      if (storeFails()) return dropped(attempt);
      const dependency = decisions.dependencyOf(store.get(decisions.asksFor(row, reply.ending)));
      point(() => {
        finished.push({ row, change: decisions.ended(row, reply.ending, { schedule: SCHEDULE, random: random.next, keepBodies: false, dependency }) });
        places.leave();
        stay.wake(loop);
      });
    });
  }

  /** Its row stays in flight, and in doubt, until its lease is over. */
  function dropped(attempt: Attempt): void {
    world.trace?.(`worker ${id}: the store failed; the end of ${subject(attempt)} is forgotten`);
    busy -= 1;
    claimants.gave(attempt.report);
    places.leave();
    stay.wake(loop);
  }

  function updatePause(attempt: Attempt, reply: Known, probe: number | undefined, tries: number, then: () => void): void {
    const { environment } = attempt.report;
    const concerned = tries > 0 && decisions.concernsPause(reply.ending, probe);
    if (concerned && storeFails()) {
      dropped(attempt);
      return;
    }
    const seen = concerned ? decisions.outlookOf(store.outlook(), attempt.report)?.pause : undefined;
    const change = seen && decisions.pausedBy(seen, reply.ending, probe, random.next);
    if (!change) {
      then();
      return;
    }
    point(() => {
      if (!store.pause(change)) {
        coverage['two workers change a pause at once'] += 1;
        return updatePause(attempt, reply, probe, tries - 1, then);
      }
      world.trace?.(`worker ${id}: ${environment} ${change.reason === undefined ? 'goes on' : `pauses for ${Math.round(change.forMs)} ms (${change.reason})`}`);
      if (change.reason !== undefined) rules.askedToWait(attempt.report, reply);
      else if (probe === undefined) breaks(world, 'only a probe lifts a pause', subject(attempt));
      if (probe !== undefined) coverage[change.reason === undefined ? 'pause lifted by a probe' : 'probe fails'] += 1;
      point(then);
    });
  }

  function probeAll(probes: readonly Outlook[], then: () => void): void {
    const [next, ...rest] = probes;
    if (!next) {
      then();
      return;
    }
    const takenAt = clock();
    const since = schedule.now();
    const taken = store.pause(decisions.probeTaken(next.pause, leaseMs));
    if (!taken) coverage['two workers change a pause at once'] += 1;
    point(() => (taken ? turn({ outlook: next, takenAt, since }, () => probeAll(rest, then)) : probeAll(rest, then)));
  }

  const sleep = (milliseconds: number) => {
    if (stopping && busy === 0) stay.leave();
    else stay.sleep(milliseconds, loop);
  };

  function gather(then: () => void): void {
    const seen = finished.length;
    if (decisions.isGathering(seen, standing())) stay.resume(GATHER_MS, () => (finished.length > seen ? gather(then) : then()));
    else then();
  }

  function loop(): void {
    if (stopping && busy === 0) {
      stay.leave();
      return;
    }
    gather(turnOrSleep);
  }

  function turnOrSleep(): void {
    // With all under way there is nothing to write and no hurry to claim.
    if (finished.length > 0 || busy < concurrency) turn(undefined, (worked) => (worked ? loop() : lookAheadOrSleep()));
    else sleep(pollMs);
  }

  function lookAheadOrSleep(): void {
    if (stopping) {
      sleep(pollMs);
      return;
    }
    const outlooks = store.outlook();
    point(() => {
      const { probes, waitMs } = decisions.lookAhead(outlooks, standing());
      probeAll(probes, () => sleep(waitMs));
    });
  }

  for (const { account, gateways } of accounts) store.bind(boundTo(account, gateways));
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
    /** Lets attempts end within the time, then cuts them off, and is gone a second later. */
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
