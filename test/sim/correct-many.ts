import { isChange } from '../../src/outbox/rules/decisions.js';
import type { DestinationOperation } from '../../src/outbox/rules/destination.js';
import type { Decision, Row, Write } from '../../src/outbox/rules/state-machine.js';
import { PAUSE_TRIES } from '../../src/outbox/sending/plan.js';
import type { Random } from './random.js';
import { isCorrected, isProcessed, type Rules } from './rules.js';
import type { Report } from './scenario.js';
import type { Store } from './store.js';
import { breaks, nameOf, type World } from './world.js';

interface Parts {
  readonly store: Store;
  readonly rules: Pick<Rules, 'resumed'>;
  readonly wakeAll: () => void;
}

/** A line of a file, or a call of a program. */
interface Correction {
  readonly report: Report;
  readonly bytes: string;
  readonly isGood: boolean;
}

/** The corrections of one operation, or of two: settlements first. */
interface CorrectedFile {
  readonly name: string;
  readonly scopes: readonly DestinationOperation[];
  readonly corrections: readonly Correction[];
}

interface Planned {
  readonly row: Row;
  readonly change: Write['change'];
  readonly correction: Correction | undefined;
}

/** In the source it is 100. */
const CORRECTED_TOGETHER = 3;
const TRIES = 5;
const DIES = 0.04;
const MOST_DEATHS = 3;

/**
 * A person who corrects many reports at once, as `replace-all.ts`, `correct.ts` and `end-pauses.ts` in `src` do it, or
 * ends a breaker without a correction. At each `yield` the workers go on, and the process may be killed.
 */
export function correctMany(world: World, random: Random, { store, rules, wakeAll }: Parts) {
  const { schedule, scenario, coverage, decisions, trace } = world;
  const [first] = scenario.many;
  let underWay = 0;
  let made = 0;

  /** Drops the corrections that are done already. Undefined: it has this data. */
  function plan(row: Row, correction: Correction, decision: Decision, isOwn: (id: string) => boolean) {
    const { bytes } = correction;
    const latest = row.decisions.filter(({ action }) => action === 'replaced').at(-1)?.id;
    if ((latest !== undefined && isOwn(latest)) || row.fingerprint === bytes) return undefined;
    return decisions.replaced(row, decision, { body: bytes, fingerprint: bytes });
  }

  /** Like `addSettlements`: a settlement that was dismissed with its report is opened with it. */
  function addSettlements(own: readonly Planned[], decision: Decision): Planned[] {
    return own.flatMap((one) => {
      const after = store.rows.find(({ waitsFor }) => waitsFor === one.row.id);
      if (!after) return one;
      if (decisions.mustStay(one.row, after)) return [];
      // Its own new data wins.
      if (!decisions.wasDismissedWith(after, one.row) || own.some(({ row }) => row.id === after.id)) return one;
      const change = decisions.reopenedWithReport(after, decision);
      return isChange(change) ? [one, { row: after, change, correction: undefined }] : one;
    });
  }

  const writesOf = (planned: readonly Planned[]): Write[] =>
    planned.map(({ row, change }) => ({ id: row.id, expected: row, change }));

  /** Keeps the truth about what was written. Returns the corrections that came too late. */
  function tell(planned: readonly Planned[], written: readonly boolean[]): Correction[] {
    const late: Correction[] = [];
    for (const [index, { row, correction }] of planned.entries()) {
      const report = correction?.report ?? scenario.reports.find(({ id }) => id === row.id);
      if (!written[index]) {
        if (correction) late.push(correction);
      } else if (report) {
        if (row.state === 'dismissed') report.reopened = true;
        if (!correction) coverage['a correction reopens a settlement with its report'] += 1;
        else {
          trace?.(`${nameOf(report)} is corrected among many`);
          coverage['a report is corrected among many'] += 1;
          report.current = correction.bytes;
          report.bad = !correction.isGood;
        }
      }
    }
    wakeAll();
    return late;
  }

  /** Like `quarantineRefused`: it reads pages, and writes what was refused. */
  function* quarantineRefused(scope: DestinationOperation): Generator<void> {
    let found: Row[] = [];
    function write(): void {
      const writes = found.map((row) => ({ id: row.id, expected: row, change: decisions.heldAfterRefusal(row) }));
      found = [];
      const { written } = store.turn({ writes, claim: undefined });
      if (written.includes(true)) coverage['what was refused and not corrected needs a person'] += 1;
    }
    let after = 0;
    for (;;) {
      const page = store.rows.filter((row) => row.sequence > after && isOf(row, scope)).slice(0, CORRECTED_TOGETHER);
      const last = page.at(-1);
      if (!last) break;
      after = last.sequence;
      yield;
      found.push(...page.filter((row) => row.state === 'waiting' && decisions.isRefusedData(row)));
      if (found.length >= CORRECTED_TOGETHER) write();
    }
    if (found.length > 0) write();
  }

  function* endPauses(scope: DestinationOperation): Generator<void> {
    for (let tries = 1; tries <= PAUSE_TRIES; tries += 1) {
      const { reason, version } = store.breakerOf(scope);
      if (reason === undefined) return;
      if (tries > 1) coverage['a probe changes a breaker while a person ends it'] += 1;
      const read = [...store.rows];
      yield* quarantineRefused(scope);
      yield;
      if (!store.pause(decisions.endPause({ ...scope, version }))) continue;
      trace?.(`a person ends the breaker of ${scope.operation}`);
      coverage['a person ends a breaker'] += 1;
      rules.resumed(scope, read);
      wakeAll();
      return;
    }
  }

  function expectEnded(scope: DestinationOperation, since: number): void {
    const { reason, since: now } = store.breakerOf(scope);
    if (reason !== undefined && now === since)
      breaks(world, 'the breaker ends with a correction', `that of ${scope.operation} is open`);
  }

  const isOf = (row: Row, { account, environment, operation }: DestinationOperation) =>
    row.account === account && row.environment === environment && row.operation === operation;

  /** `outbox.replaceAll`. A second run compares the bytes. */
  function* runProgram({ scopes, corrections }: CorrectedFile): Generator<void> {
    const decision: Decision = { action: 'replaced', reason: 'simulated', at: 0 };
    for (let from = 0; from < corrections.length; from += CORRECTED_TOGETHER) {
      let left = corrections.slice(from, from + CORRECTED_TOGETHER);
      for (let tries = 1; left.length > 0 && tries <= TRIES; tries += 1) {
        if (tries > 1) coverage['a correction is tried again, since its report has changed'] += 1;
        const read = left.map((correction) => ({ correction, row: store.get(correction.report.id) }));
        yield;
        store.appendLog();
        yield;
        const planned = addSettlements(
          planAll(read, decision, () => false),
          decision,
        );
        yield;
        left = tell(planned, store.turn({ writes: writesOf(planned), claim: undefined }).written);
      }
    }
    yield;
    for (const scope of scopes) {
      const { since } = store.breakerOf(scope);
      yield* endPauses(scope);
      expectEnded(scope, since);
    }
  }

  /** The lines of a commit. The settlement of a dismissed report is not blocked, so it is corrected with its report. */
  function pageOf(all: readonly Correction[], cursor: number): Correction[] {
    const isIn = (report: Report | undefined) => all.some((one) => one.report === report);
    return all.slice(cursor, cursor + CORRECTED_TOGETHER).flatMap((one) => {
      const { id, initiated } = one.report;
      if (initiated && isIn(initiated) && store.get(initiated.id)?.state === 'dismissed') return [];
      const settlement = all.find(({ report }) => report.initiated?.id === id);
      if (!settlement) return one;
      if (store.get(id)?.state === 'dismissed') coverage['a dismissed report is corrected with its settlement'] += 1;
      return [one, settlement];
    });
  }

  /** An end that was not written leaves doubt. */
  const mayBeCorrected = (row: Row, report: Report): boolean =>
    !world.wentBack &&
    row.state === 'waiting' &&
    (isCorrected(row, report) || report.attempts.every((one) => one.became && !isProcessed(one)));

  function planAll(
    read: readonly { correction: Correction; row: Row | undefined }[],
    decision: Decision,
    isOwn: (id: string) => boolean,
  ): Planned[] {
    return read.flatMap(({ correction, row }) => {
      if (!row) {
        coverage['a correction of a report that is not there'] += 1;
        return [];
      }
      const change = plan(row, correction, decision, isOwn);
      if (change === undefined) coverage['a correction of a report that has its data'] += 1;
      else if (isChange(change)) {
        if (isCorrected(row, correction.report)) coverage['a correction is corrected before it is sent'] += 1;
        else if (row.state === 'waiting' && row.fence > 0 && !correction.report.attempts.some(isProcessed))
          coverage['what was turned away is corrected'] += 1;
        return { row, change, correction };
      } else if (mayBeCorrected(row, correction.report))
        breaks(world, 'what was never processed can be corrected', `${nameOf(correction.report)}: ${change.why}`);
      else if (row.state === 'recorded') coverage['a correction passes what is recorded'] += 1;
      else if (row.inDoubt) coverage['a correction passes what is in doubt'] += 1;
      return [];
    });
  }

  /** The command with a file. A run that was killed goes on where it was; a run after the end is a new decision. */
  function* runFile({ name, scopes, corrections }: CorrectedFile): Generator<void> {
    const ids: string[] = [];
    let id: string;
    do {
      id = `${name}, ${ids.length}`;
      ids.push(id);
    } while (store.decisionOf(id)?.done);
    const isOwn = (one: string) => ids.includes(one);
    const decision: Decision = { action: 'replaced', reason: 'simulated', at: 0, id };
    if ((store.decisionOf(id)?.cursor ?? 0) > 0) coverage['a killed correction goes on with the same file'] += 1;
    if (ids.length > 1) coverage['the same file again'] += 1;
    store.keepDecision(id);
    yield;
    for (;;) {
      const { cursor, done } = store.decisionOf(id) ?? { cursor: 0, done: true };
      if (done) return;
      const isEnd = cursor >= corrections.length;
      const page = pageOf(corrections, cursor);
      yield;
      const read = page.map((correction) => ({ correction, row: store.get(correction.report.id) }));
      yield;
      const own = planAll(read, decision, isOwn);
      const ended = isEnd ? scopes.map((scope) => ({ scope, since: store.breakerOf(scope).since })) : [];
      for (const { scope } of ended) yield* endPauses(scope);
      store.appendLog();
      yield;
      const planned = addSettlements(own, decision);
      yield;
      const step = {
        id,
        from: cursor,
        to: Math.min(cursor + CORRECTED_TOGETHER, corrections.length),
        done: isEnd,
        writes: writesOf(planned),
      };
      const written = store.step(step);
      if (!written) coverage['two processes correct with the same file'] += 1;
      else tell(planned, written);
      for (const { scope, since } of ended) expectEnded(scope, since);
    }
  }

  /** A person who dismisses a refused report and its settlement, so that a correction must open both again. */
  function dismiss(): void {
    const row = store.rows.find(
      ({ id, state }) => state === 'quarantined' && scenario.many.some((one) => one.id === id),
    );
    const after = row && store.rows.find(({ waitsFor }) => waitsFor === row.id);
    if (!row || after?.state !== 'waiting') return;
    made += 1;
    const decision: Decision = { action: 'dismissed', reason: 'simulated', at: 0, id: `dismissal ${made}` };
    const change = decisions.decided(row, decision, false);
    const along = decisions.dismissedWithReport(after, decision);
    if (!isChange(change) || !isChange(along)) return;
    trace?.(
      `a person dismisses ${nameOf(scenario.many.find(({ id }) => id === row.id) as Report)} with its settlement`,
    );
    const planned = [
      { row, change, correction: undefined },
      { row: after, change: along, correction: undefined },
    ];
    store.turn({ writes: writesOf(planned), claim: undefined });
  }

  /** `isMixed`: a file that also has the reports of the other operation. */
  function drawFile(scope: DestinationOperation, isMixed: boolean): CorrectedFile {
    made += 1;
    const name = `file ${made}`;
    const isMeant = ({ operation }: Report) => isMixed || operation === scope.operation;
    const corrections = scenario.many
      .filter((report) => isMeant(report) && random.chance(report.bad ? 0.85 : isMixed && report.initiated ? 0.7 : 0.3))
      .map((report): Correction => {
        const isSame = random.chance(0.1);
        return {
          report,
          bytes: isSame ? report.current : `${report.body}, corrected in ${name}`,
          isGood: isSame ? !report.bad : random.chance(0.9),
        };
      });
    // Its lines are in any order.
    const at = random.below(corrections.length + 1);
    const inFile = [...corrections.slice(at), ...corrections.slice(0, at)];
    const [settlements, others] = [true, false].map((is) =>
      inFile.filter(({ report }) => (report.initiated !== undefined) === is),
    );
    const names = new Set([scope.operation, ...inFile.map(({ report }) => report.operation)]);
    const scopes = [...names].map((operation) => ({ ...scope, operation }));
    return { name, scopes, corrections: [...(settlements ?? []), ...(others ?? [])] };
  }

  /** `done` is called when the process has ended: `false` if it was killed. */
  function live(steps: Generator<void>, mayDie: boolean, done: (isWhole: boolean) => void): void {
    underWay += 1;
    const step = () => {
      const isKilled = mayDie && random.chance(DIES);
      if (!isKilled && !steps.next().done) schedule.after(random.chance(0.3) ? random.between(0, 2_000) : 1, step);
      else {
        if (isKilled) coverage['a correction is killed'] += 1;
        trace?.(isKilled ? 'a correction is killed' : 'a correction ends');
        underWay -= 1;
        done(!isKilled);
      }
    };
    schedule.after(1, step);
  }

  function correct(file: CorrectedFile, run: (file: CorrectedFile) => Generator<void>, deaths = 0): void {
    trace?.(`a person corrects ${file.corrections.map(({ report }) => nameOf(report)).join(', ')}`);
    underWay += 1;
    live(run(file), deaths < MOST_DEATHS, (isWhole) => {
      underWay -= 1;
      if (!isWhole) later(() => correct(file, run, deaths + 1));
      else if (deaths === 0 && random.chance(0.3)) later(() => correct(file, run, MOST_DEATHS));
    });
    if (deaths === 0 && random.chance(0.1)) live(run(file), true, () => {});
  }

  function later(what: () => void): void {
    underWay += 1;
    schedule.after(random.between(0, 5_000), () => {
      underWay -= 1;
      what();
    });
  }

  const start = (): void => {
    const report = random.chance(0.85) ? first : random.pick(scenario.many);
    if (!report) return;
    const { account, environment, operation } = report;
    const scope = { account, environment, operation };
    if (random.chance(0.2)) live(endPauses(scope), true, () => {});
    else if (random.chance(0.5)) correct(drawFile(scope, random.chance(0.5)), runFile);
    else correct(drawFile(scope, false), runProgram);
  };
  if (first) {
    coverage['the gateway refuses a field of many reports'] += 1;
    if (random.chance(0.5)) schedule.at(random.between(2_000, 40_000), dismiss);
    for (let left = 1 + random.below(3); left > 0; left -= 1)
      schedule.at(random.between(2_000, Math.min(scenario.wellAt, 60_000)), start);
  }

  return { isAtRest: () => underWay === 0 };
}
