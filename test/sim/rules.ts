import {
  type Destination,
  type DestinationOperation,
  destinationScope,
  keyOf,
  operationScope,
  pauseKeyOf,
} from '../../src/outbox/rules/destination.js';
import type { Row, Write } from '../../src/outbox/rules/state-machine.js';
import type { Known } from './answers.js';
import { judgeEnd } from './judge-end.js';
import { ACCOUNTS, type Attempt, type Report } from './scenario.js';
import type { SharedBreaker } from './shared-breaker.js';
import type { Store, Watcher } from './store.js';
import { breaks, nameOf, subject, Violation, type World } from './world.js';

/** The longest wait, even if a gateway asks for a longer one. */
const LONGEST_BELIEVED_MS = 24 * 60 * 60 * 1000;

/** The shortest pause, even if a gateway asks for a shorter one. */
const LEAST_PAUSE_MS = 499;

/** The pause that an attempt probes. */
const probedBy = ({ report, probe }: Attempt): string =>
  pauseKeyOf(probe === 'operation' ? operationScope(report) : destinationScope(report));

/** Whether a report has got other data, and nothing has changed it since: no worker has claimed it. */
export const isCorrected = ({ state, fence, decisions: all }: Row, { replacedAt }: Report): boolean =>
  state === 'waiting' && all.at(-1)?.action === 'replaced' && replacedAt === fence;

/** Whether the gateway may have processed an attempt. */
export const isProcessed = ({ reply }: Attempt): boolean =>
  reply?.truth !== 'turned-away' && reply?.truth !== 'not-begun';

/** The worker that claims now. */
export interface Claimer {
  worker: number;
}

/** Watches every commit and every request of a history, and throws if a rule is broken. */
export function createRules(
  world: World,
  breakers: Pick<SharedBreaker, 'ended'>,
  storeOf: () => Store,
  claimer: Claimer,
  frozeSince: (worker: number, since: number) => boolean,
) {
  const { scenario, schedule, coverage, decisions, trace } = world;
  const reports = new Map(scenario.reports.map((report) => [report.id, report]));
  /** The period in which the gateway asked for no requests, in true time. */
  const closed = new Map<string, { since: number; until: number }>();
  /** The operations whose breaker a person has ended, and when. */
  const resumed = new Map<string, number[]>();

  const reportOf = (row: Pick<Row, 'id'>): Report => {
    const report = reports.get(row.id);
    if (!report) throw new Violation('one row per report', `a row that was never enqueued: ${row.id}`);
    return report;
  };
  const isOpen = ({ state }: Row): boolean => state !== 'recorded' && state !== 'dismissed';
  const rowBefore = ({ initiated }: Report): Row | undefined => initiated && storeOf().get(initiated.id);

  const isSameKind = (row: Row, other: DestinationOperation): boolean =>
    row.operation === other.operation && row.account === other.account && row.environment === other.environment;

  function claimed(before: Row, after: Row, probe: Attempt['probe']): void {
    const report = reportOf(after);
    const what = `${nameOf(report)} attempt ${after.fence}`;
    trace?.(
      `worker ${claimer.worker} claims ${what}${probe ? ' as a probe' : ''}${after.doubtBefore ? ', in doubt before' : ''}`,
    );
    if (before.state === 'recorded' || before.state === 'dismissed')
      breaks(world, 'recorded is final', `${what} was claimed after it was ${before.state}`);
    if (before.state === 'quarantined') breaks(world, 'quarantine is for a person', `${what} was claimed`);
    if (after.fence !== before.fence + 1 || after.state !== 'in-flight')
      breaks(world, 'each claim has its own fence', what);
    if (!after.inDoubt) breaks(world, 'in doubt before the first byte leaves', what);
    if (after.doubtBefore !== report.unproven > 0)
      breaks(
        world,
        'doubt is kept',
        `${what} is claimed with doubt ${after.doubtBefore}; attempts that may have landed: ${report.unproven}`,
      );
    const first = rowBefore(report);
    if (first && isOpen(first))
      breaks(world, 'order is kept', `${what} is claimed while ${nameOf(reportOf(first))} is ${first.state}`);
    const { account, environment } = report;
    if (!probe && storeOf().pauseOf(report).reason !== undefined)
      breaks(world, 'a pause stops everything but probes', what);
    if (before.fence === 0 && !probe && !world.jumped) keepPlace(after);
    if (isCorrected(before, report) && storeOf().rows.some((row) => row.fence === 0 && isSameKind(row, after)))
      coverage['a corrected report is claimed before a new one'] += 1;
    if (probe) coverage['probe sent'] += 1;
    if (before.state === 'in-flight') coverage['claimed again after a lease'] += 1;
    if (after.attempts === 9) coverage['more than eight attempts'] += 1;
    for (const other of ['staging', 'production'] as const)
      if (other !== environment && storeOf().pauseOf({ account, environment: other }).reason !== undefined)
        coverage['other environment goes on during a pause'] += 1;
    for (const other of ACCOUNTS)
      if (other !== account && storeOf().pauseOf({ account: other, environment }).reason !== undefined)
        coverage['other account goes on during a pause'] += 1;
    for (const other of storeOf().rows) {
      if (other.state === 'quarantined' && other.reference !== after.reference)
        coverage['another reference passes a quarantined one'] += 1;
    }
    report.attempts.push({
      report,
      fence: after.fence,
      body: after.body ?? '',
      worker: claimer.worker,
      claimedAt: schedule.now(),
      since: schedule.now(),
      sentAt: undefined,
      over: false,
      reply: undefined,
      endedAt: -1,
      lie: false,
      pauseVersion: -1,
      breakerVersion: -1,
      probe,
      settled: undefined,
      settledPaused: false,
      opened: false,
      postponed: false,
      became: undefined,
    });
    report.unproven += 1;
    report.counted += 1;
  }

  /** A corrected report comes before those that were enqueued after it. */
  function keepPlace(row: Row): void {
    for (const other of scenario.many) {
      const corrected = storeOf().get(other.id);
      if (!corrected || corrected.operation !== row.operation || corrected.environment !== row.environment) continue;
      if (corrected.account !== row.account || corrected.blocked || !isCorrected(corrected, other)) continue;
      if (corrected.sequence < row.sequence && corrected.enqueuedAt < row.enqueuedAt)
        breaks(world, 'a corrected report keeps its place', `${nameOf(other)} still waits`);
    }
  }

  function written(write: Write, before: Row, after: Row): void {
    const report = reportOf(after);
    if (write.expected.state !== 'in-flight') {
      if (write.change.replacement) report.replacedAt = after.fence;
      if (before.state === 'recorded') breaks(world, 'recorded is final', `a person moved it to ${after.state}`);
      const isSaid = report.attempts.some(({ reply }) => reply?.truth === 'same' || reply?.truth === 'conflict');
      const isHeld = report.held?.by === 'us' || isSaid;
      if (write.change.replacement && (report.unproven > 0 || isHeld))
        breaks(world, 'never replaced while something may be recorded', nameOf(report));
      if (write.change.replacement && after.fingerprint === before.fingerprint)
        breaks(world, 'a second run of the same corrections changes nothing', nameOf(report));
      if (before.state === 'dismissed' && after.inDoubt !== report.unproven > 0)
        breaks(world, 'doubt is kept', `${nameOf(report)} is reopened with doubt ${after.inDoubt}`);
      return;
    }
    const attempt = report.attempts.filter(({ fence }) => fence === write.expected.fence).at(-1);
    if (world.wentBack) {
      if (report.known && after.state === 'quarantined' && after.problem?.code === 'duplicate')
        breaks(world, 'what a worker knows outlives its database', `${nameOf(report)} is quarantined as a duplicate`);
      if (report.known && after.state === 'recorded') coverage['recorded although the database went back'] += 1;
      return;
    }
    if (!attempt?.reply)
      throw new Violation('each claim has its own fence', `${nameOf(report)}: a write for no attempt`);
    if (before.state === 'recorded' || before.state === 'dismissed')
      breaks(world, 'recorded is final', `${subject(attempt)} moved it to ${after.state}`);
    if (before.state !== 'in-flight' || before.fence !== attempt.fence)
      breaks(
        world,
        'late answers change nothing',
        `${subject(attempt)} was written; the row was ${before.state}, fence ${before.fence}`,
      );
    attempt.became = after;
    if (after.state === 'recorded' && report.current !== report.body) coverage['what was replaced is recorded'] += 1;
    const others = scenario.reports.filter(
      ({ account, environment, operation }) =>
        account === report.account && environment === report.environment && operation !== report.operation,
    );
    if (after.state === 'recorded' && others.some((one) => storeOf().breakerOf(one).reason !== undefined))
      coverage['another operation is recorded while a breaker is open'] += 1;
    trace?.(
      `${subject(attempt)} is written: ${after.state}${after.inDoubt ? ', in doubt' : ''} (${attempt.reply.name})`,
    );
    judgeEnd(
      {
        attempt,
        reply: attempt.reply,
        after,
        first: rowBefore(report),
        pause: storeOf().pauseOf(report),
        breaker: storeOf().breakerOf(report),
      },
      world,
    );
  }

  /**
   * Whether only a person can end a report: the gateway refuses it, and no other report can be tried. Its bytes may be
   * older than those that the gateway holds, if the database went back.
   */
  function isStuck(report: Report, row: Row): boolean {
    if (row.state !== 'waiting' || row.blocked || storeOf().breakerOf(report).reason !== 'refusals') return false;
    const { held, bad, operation, initiated } = report;
    if (bad) return true;
    return held
      ? held.body !== row.fingerprint || !row.inDoubt
      : operation.startsWith('reportSettled') && !initiated?.held;
  }

  /** Whether a report can no longer change. */
  function rests(report: Report): boolean {
    const row = storeOf().get(report.id);
    if (!row || row.state === 'in-flight') return false;
    if (row.state !== 'waiting' || isStuck(report, row)) return true;
    const first = rowBefore(report);
    return (
      first !== undefined &&
      report.initiated !== undefined &&
      (first.state === 'quarantined' || isStuck(report.initiated, first))
    );
  }

  /**
   * At most the number of the option is quarantined in a row of one operation, even if other reports are recorded
   * between them.
   */
  function countCondemned(one: DestinationOperation): void {
    if (resumed.has(pauseKeyOf(operationScope(one)))) return;
    const isOfOne = (report: Report) =>
      report.operation === one.operation && report.account === one.account && report.environment === one.environment;
    const ends = scenario.reports.filter(isOfOne).flatMap(({ attempts }) => attempts);
    let condemned = 0;
    for (const { became, opened, report } of ends
      .filter((one) => one.became || one.opened)
      .sort((a, b) => (a.settled ?? 0) - (b.settled ?? 0))) {
      if (opened || became?.state === 'recorded') condemned = 0;
      if (became?.state === 'quarantined') condemned += 1;
      if (condemned > scenario.breakerAfter)
        breaks(world, 'a few refusals in a row condemn, and no more', `${nameOf(report)} is number ${condemned}`);
    }
  }

  /** Each end of a report has its line, in order, and the last line is about the present end. */
  function checkLog(report: Report, row: Row): void {
    const lines = storeOf().log.filter(({ id }) => id === row.id);
    const rule = 'the log of receipts is complete';
    const ends =
      row.decisions.filter(({ action }) => action === 'dismissed').length + (row.state === 'recorded' ? 1 : 0);
    if (lines.length !== ends) breaks(world, rule, `${nameOf(report)} has ${lines.length} lines for ${ends} ends`);
    for (const [place, line] of lines.entries())
      if (decisions.earlierLines({ decisions: line.decisions.map((one) => ({ ...one, at: '' })) } as never) !== place)
        breaks(world, rule, `${nameOf(report)}: line ${place} does not follow those before it`);
    const last = lines.at(-1);
    if (decisions.isFinal(row.state) && (last?.state !== row.state || last.fingerprint !== row.fingerprint))
      breaks(world, rule, `${nameOf(report)}: its last line is about another end`);
  }

  const watcher: Watcher = {
    claimed,
    written,
    nothingLeft(rows) {
      const late = rows.find(({ state, blocked, fence }) => state === 'waiting' && !blocked && fence === 0);
      if (late) breaks(world, 'a new report is due at once', `${nameOf(reportOf(late))} was not claimed`);
    },
    fencedOff(write, row) {
      if (write.expected.state !== 'in-flight') return;
      trace?.(
        `${nameOf(reportOf(row))} attempt ${write.expected.fence} is fenced off: the row is ${row.state}, fence ${row.fence}`,
      );
      coverage['late answer is fenced off'] += 1;
      if (row.state === 'recorded') coverage['late answer to a recorded row is fenced off'] += 1;
    },
    takenFromWorker(row) {
      trace?.(`${nameOf(reportOf(row))} waits again: its worker is gone, and its initiated report is open`);
      coverage['settled waits again after its lease, initiated open'] += 1;
    },
    stays(row) {
      trace?.(`${nameOf(reportOf(row))} stays ${row.state}: its settlement is in flight`);
      coverage['what is dismissed stays so while its settlement is in flight'] += 1;
    },
  };

  return {
    watcher,
    /** Called when the first byte is sent. */
    leaves(attempt: Attempt): void {
      const first = rowBefore(attempt.report);
      // An initiated report that is enqueued after the claim cannot stop it.
      const wasThere = (attempt.report.initiated?.enqueuedAt ?? Number.POSITIVE_INFINITY) < attempt.claimedAt;
      if (first && isOpen(first) && wasThere && !world.jumped)
        breaks(
          world,
          'a settlement is sent only while its initiated report is final',
          `${subject(attempt)} is sent while ${nameOf(reportOf(first))} is ${first.state}`,
        );
      const row = storeOf().get(attempt.report.id);
      if (row?.fence === attempt.fence && !(row.state === 'in-flight' && row.inDoubt))
        breaks(
          world,
          'in doubt before the first byte leaves',
          `${subject(attempt)} is sent while its row is ${row.state}`,
        );
      const { leaseMs, attemptTimeoutMs } = world.options;
      if (!world.jumped && schedule.now() - attempt.since > leaseMs - attemptTimeoutMs)
        breaks(
          world,
          'an attempt ends within its lease',
          `${subject(attempt)} is sent ${Math.round(schedule.now() - attempt.since)} ms after its claim`,
        );
      const { since, until } = closed.get(keyOf(attempt.report)) ?? { since: 0, until: 0 };
      // Attempts under way may still be sent for the time of a lease.
      const underWay = attempt.since <= since && schedule.now() - attempt.since <= leaseMs;
      if (!world.jumped && !underWay && schedule.now() < until)
        breaks(
          world,
          'Retry-After is kept',
          `${subject(attempt)} is sent ${Math.round(until - schedule.now())} ms too early`,
        );
      for (const other of attempt.report.attempts) {
        if (
          other === attempt ||
          other.over ||
          other.sentAt === undefined ||
          world.jumped ||
          frozeSince(other.worker, other.claimedAt)
        )
          continue;
        breaks(world, 'one attempt in flight', `${subject(attempt)} is sent while attempt ${other.fence} is under way`);
      }
      // A person may have ended a pause between the moments at which two probes were taken. Then they probe two pauses.
      const isOfSamePause = (other: Attempt) =>
        other.probe === attempt.probe &&
        probedBy(other) === probedBy(attempt) &&
        !(resumed.get(probedBy(attempt)) ?? []).some(
          (at) => at >= Math.min(attempt.since, other.since) && at <= Math.max(attempt.since, other.since),
        );
      for (const { attempts } of attempt.probe && !world.jumped ? scenario.reports : [])
        for (const other of attempts) {
          if (other === attempt || other.over || other.sentAt === undefined || !isOfSamePause(other)) continue;
          if (!frozeSince(other.worker, other.claimedAt))
            breaks(world, 'one probe at a time', `${subject(attempt)} is sent while ${subject(other)} is under way`);
        }
    },
    /**
     * The gateway asked for a wait, and the outbox has stored it. The outbox waits for a moment even if the asked time
     * is zero.
     */
    askedToWait(destination: Destination, { retryAfterMs }: Known): void {
      const until = schedule.now() + Math.max(Math.min(retryAfterMs ?? 0, LONGEST_BELIEVED_MS), LEAST_PAUSE_MS);
      if (until > (closed.get(keyOf(destination))?.until ?? 0))
        closed.set(keyOf(destination), { since: schedule.now(), until });
    },
    /**
     * A person has ended a breaker. No report is sent again that was refused and not corrected. `read`: the rows when
     * the person began, since a worker may write its last refusal at any moment after that.
     */
    resumed(scope: DestinationOperation, read: readonly Row[]): void {
      resumed.set(pauseKeyOf(scope), [...(resumed.get(pauseKeyOf(scope)) ?? []), schedule.now()]);
      breakers.ended(scope);
      for (const report of scenario.reports) {
        const row = storeOf().get(report.id);
        const attempt = report.attempts.at(-1);
        if (!attempt || !row || !isSameKind(row, scope)) continue;
        const heard = report.attempts.filter(isProcessed).at(-1);
        const isRefused = heard?.postponed && ['refused', 'conflict', 'same'].includes(heard.reply?.truth ?? '');
        const isDecided = row.fence !== attempt.fence || row.decisions.length !== heard?.became?.decisions.length;
        if (isRefused && heard !== attempt && !isDecided) coverage['turned away after a refusal'] += 1;
        if (row.state === 'waiting' && isRefused && !isDecided && read.includes(row))
          breaks(
            world,
            'what was refused and not corrected is not sent again when a person ends the breaker',
            `${subject(attempt)} (${attempt.reply?.name})`,
          );
      }
    },
    /** Whether nothing can change any more. */
    atRest(): boolean {
      return scenario.reports.every((report) => !report.accepted || rests(report));
    },
    /** The rules for the end of a history. */
    atTheEnd(): void {
      storeOf().appendLog();
      for (const report of scenario.reports) {
        const row = storeOf().get(report.id);
        if (!report.accepted) continue;
        if (!row) throw new Violation('none lost', `${nameOf(report)} was accepted, and is not there`);
        if (!rests(report))
          breaks(world, 'none lost', `${nameOf(report)} is ${row.state} although the gateway has long been well`);
        if (row.state === 'recorded' && !report.vouched && report.held?.body !== report.current)
          breaks(world, 'none lost', `${nameOf(report)} is called recorded and is not`);
        if (row.state === 'waiting')
          coverage[
            isStuck(report, row)
              ? 'refused report waits behind the breaker'
              : 'settled waits for a quarantined initiated'
          ] += 1;
        if (row.state === 'recorded' && row.body !== undefined)
          breaks(world, 'a body is dropped once it is recorded', nameOf(report));
        checkLog(report, row);
      }
      for (const report of scenario.reports) countCondemned(report);
    },
  };
}

export type Rules = ReturnType<typeof createRules>;
