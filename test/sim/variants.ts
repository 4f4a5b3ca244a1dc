import { isChange } from '../../src/outbox/rules/decisions.js';
import { endPause, type PauseChange, seenWith } from '../../src/outbox/rules/pause.js';
import type { Change, Ending, Row } from '../../src/outbox/rules/state-machine.js';
import { type Decisions, decisions, type Options } from './decisions.js';
import { OPTIONS } from './simulate.js';

/** An outbox with one wrong decision. */
export interface Variant {
  readonly name: string;
  readonly decisions: Decisions;
  readonly options: Options;
}

const variant = (name: string, changes: Partial<Decisions>, options: Partial<Options> = {}): Variant => ({
  name,
  decisions: { ...decisions, ...changes },
  options: { ...OPTIONS, ...options },
});

/** A variant whose changes after attempts are altered by `spoil`. */
const endsAs = (
  name: string,
  spoil: (change: Change, row: Parameters<Decisions['ended']>[0], ending: Ending) => Partial<Change> | undefined,
): Variant =>
  variant(name, {
    ended: (row, ending, context) => {
      const change = decisions.ended(row, ending, context);
      return { ...change, ...spoil(change, row, ending) };
    },
  });

const success: Partial<Change> = { state: 'recorded', outcome: 'already-recorded', inDoubt: false };
const condemned: Partial<Change> = { state: 'quarantined', delayMs: 0 };
const isPaused = (ending: Ending) => ending.kind !== 'recorded' && ending.pause !== undefined;

/** Rules about the outbox's own books. Without them, a broken variant is caught by its effect on a report. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  'in doubt before the first byte leaves',
  'doubt is kept',
  'an attempt ends within its lease',
  'one attempt in flight',
  'late answers change nothing',
  'each claim has its own fence',
  'pauses consume no attempt',
]);

/** The variants that the simulation must catch. Otherwise it proves nothing. */
export const VARIANTS: readonly Variant[] = [
  // Variants that the design names.
  variant('no doubt flag', { claimed: (row) => ({ ...decisions.claimed(row), inDoubt: false }) }),
  endsAs('doubt is not kept after an attempt', () => ({ inDoubt: false })),
  variant('no fence', { isAsExpected: () => true }),
  endsAs('any 400 while in doubt is success', (_, row, ending) =>
    ending.kind === 'refused' && row.doubtBefore && ending.problem.status === 400 ? success : undefined,
  ),
  endsAs('429 clears the doubt', (_, __, ending) =>
    ending.kind === 'failed' && ending.problem.status === 429 ? { inDoubt: false } : undefined,
  ),
  variant('no order', { isBlocked: () => false }),
  variant('a settled report waits for nothing', { rowBefore: () => undefined }),

  // Variants about doubt.
  endsAs('every attempt leaves doubt', (change) => (change.state === 'recorded' ? undefined : { inDoubt: true })),
  endsAs('a refused connection clears the doubt', (_, __, ending) =>
    ending.kind === 'failed' && ending.outcome === 'not-sent' ? { inDoubt: false } : undefined,
  ),
  endsAs('a duplicate is always success', (_, __, ending) => (ending.kind === 'same' ? success : undefined)),
  endsAs('a duplicate is never success', (_, __, ending) =>
    ending.kind === 'same' ? { ...condemned, inDoubt: true, outcome: undefined } : undefined,
  ),
  endsAs('a conflict while in doubt is success', (_, row, ending) =>
    ending.kind === 'refused' && ending.problem.code === 'conflict' && row.doubtBefore ? success : undefined,
  ),
  endsAs('503 proves that nothing was recorded', (_, row, ending) =>
    ending.kind === 'failed' && ending.problem.status === 503 ? { inDoubt: row.doubtBefore } : undefined,
  ),
  endsAs('an answer that broke off is read by its status', (_, row, { kind, ...ending }) => {
    if (kind !== 'failed' || !('problem' in ending) || ending.problem.code !== 'network') return undefined;
    const { status } = ending.problem;
    return status === 200 || (status === 409 && row.doubtBefore) ? success : undefined;
  }),
  endsAs('a duplicate that broke off before "with different data" is success', (_, row, ending) =>
    ending.kind === 'failed' && ending.problem.code === 'network' && ending.problem.status === 409 && row.doubtBefore
      ? success
      : undefined,
  ),
  endsAs('a refusal that broke off is a refusal', (_, __, ending) =>
    ending.kind === 'failed' && ending.problem.code === 'network' && ending.problem.status === 422
      ? condemned
      : undefined,
  ),
  endsAs('what sounds like a duplicate while in doubt is success', (_, row, ending) =>
    ending.kind === 'refused' && row.doubtBefore && /duplicate|already/i.test(ending.problem.message)
      ? success
      : undefined,
  ),
  endsAs('silence is success', (_, __, ending) =>
    ending.kind === 'failed' && ending.outcome === 'unknown' ? success : undefined,
  ),

  // Variants about final states, leases and clocks.
  variant('recorded is not final', {
    isFinal: () => false,
    isClaimable: (row, now) => decisions.isClaimable(row, now) || (row.state === 'recorded' && row.dueAt < now),
  }),
  variant('a fence without a state', {
    isAsExpected: (row, expected) => row.fence >= expected.fence && row.state !== 'quarantined',
  }),
  variant('a lease shorter than the attempt', { isInTime: () => true }, { leaseMs: 3_000 }),
  variant('sent however late', { isInTime: () => true }),
  variant('what is in flight when its worker dies is never claimed again', {
    isClaimable: (row, now) => row.state === 'waiting' && decisions.isClaimable(row, now),
  }),
  variant('clocks decide the order', {
    isBlocked: (row, before) =>
      decisions.isBlocked(row, before) && (before as Row).enqueuedAt <= (row as Row).enqueuedAt,
  }),
  variant('a time far ahead is believed', {
    isClaimable: ({ state, blocked, dueAt }, now) =>
      (state === 'in-flight' || (state === 'waiting' && !blocked)) && dueAt <= now,
  }),
  variant('a new report waits for the time of its clock', {
    isClaimable: (row, now) => decisions.isClaimable({ ...row, fence: 1 }, now),
  }),

  // Variants about a person who reopens and replaces.
  variant('replaced while in doubt', {
    replaced: (row, decision, bytes) => decisions.replaced({ ...row, inDoubt: false }, decision, bytes),
  }),
  variant('what is recorded or under way is replaced', {
    replaced: (row, decision, bytes) =>
      decisions.replaced(
        { ...row, state: 'quarantined', inDoubt: row.doubtBefore, problem: { code: 'unprocessable', message: '' } },
        decision,
        bytes,
      ),
  }),
  variant('what the gateway holds is replaced', {
    replaced: (row, decision, bytes) =>
      decisions.replaced({ ...row, problem: { code: 'unprocessable', message: '' } }, decision, bytes),
  }),
  variant('a reopened report is no longer in doubt', {
    decided: (row, decision, keepBodies) => {
      const change = decisions.decided(row, decision, keepBodies);
      return decision.action === 'reopened' && isChange(change) ? { ...change, inDoubt: false } : change;
    },
  }),
  variant('what is recorded can be reopened', {
    decided: (row, decision, keepBodies) =>
      decisions.decided(
        decision.action === 'reopened' ? { ...row, state: 'dismissed', body: '' } : row,
        decision,
        keepBodies,
      ),
  }),
  variant('the row of a dead worker is claimed, though it waits for another', { isOpen: () => false }),
  variant('a report is opened again while its settlement is in flight', { mustStay: () => false }),
  variant('a settlement in flight is forgotten when its report is opened again', {
    isOpen: () => false,
    mustStay: () => false,
  }),
  // Variants about quarantine and order.
  endsAs('attempts condemn', (change) => (change.state === 'waiting' && change.attempts >= 5 ? condemned : undefined)),
  endsAs('a wrong key condemns', (_, __, ending) =>
    isPaused(ending) && ending.kind === 'failed' && ending.problem.status === 401 ? condemned : undefined,
  ),
  endsAs('a pause consumes an attempt', (_, row, ending) =>
    isPaused(ending) ? { attempts: row.attempts } : undefined,
  ),
  endsAs('a refused report is tried for ever', (change, __, ending) =>
    ending.kind === 'refused' ? { ...change, state: 'waiting', delayMs: 60_000 } : undefined,
  ),
  variant('any 404 condemns', { dependencyOf: () => 'none' }),
  variant('what waits for a final row never goes on', {
    isBlocked: ({ state }, before) => state === 'waiting' && before !== undefined,
  }),

  // Variants about pauses.
  variant('a wrong key pauses nothing', {
    pausedBy: (seen, end, rules) =>
      end.ending.kind === 'failed' && end.ending.problem.status === 401
        ? undefined
        : decisions.pausedBy(seen, end, rules),
  }),
  variant('Retry-After is not read', {
    pausedBy: (seen, end, rules): PauseChange | undefined => {
      const change = decisions.pausedBy(seen, end, rules);
      return change?.reason === undefined ? change : { ...change, forMs: 500 };
    },
  }),
  variant('any success ends a pause', {
    concernsPause: () => true,
    pausedBy: (seen, end, rules) =>
      decisions.pausedBy(
        seen,
        end.ending.kind === 'recorded' && seen.reason !== undefined ? { ...end, probe: seen.version } : end,
        rules,
      ),
  }),
  // Variants about accounts and gateways.
  variant("another account's rows are claimed", { isServed: () => true }),
  variant('an account decides alone, with any gateway', {
    isServed: ({ account }, accounts) => accounts.some((one) => one.account === account),
  }),
  variant('a pause is that of all accounts', {
    outlookOf: (outlooks, row) => outlooks.find(({ environment }) => environment === row.environment),
  }),

  variant('Retry-After: 0 switches the backoff off', {
    pausedBy: (seen, end, rules) => {
      const change = decisions.pausedBy(seen, end, rules);
      const asked = end.ending.kind === 'recorded' ? undefined : end.ending.retryAfterMs;
      return change?.reason === undefined || asked === undefined ? change : { ...change, forMs: asked };
    },
  }),
  variant('probes go out together', { probeTaken: (pause) => ({ ...decisions.probeTaken(pause, 0), forMs: 0 }) }),

  // Variants about the state of the destination and the breaker.
  endsAs('a 403 condemns', (_, __, ending) =>
    isPaused(ending) && ending.kind === 'failed' && ending.problem.status === 403 ? condemned : undefined,
  ),
  endsAs("a proxy's 404 condemns", (_, __, ending) =>
    isPaused(ending) && ending.kind === 'failed' && ending.problem.status === 404 ? condemned : undefined,
  ),
  endsAs('a redirect proves that nothing was recorded', (_, row, ending) =>
    ending.kind === 'failed' && ending.problem.status === 302 ? { inDoubt: row.doubtBefore } : undefined,
  ),
  endsAs('a refusal that condemns nothing clears the doubt', (_, __, ending) =>
    ending.kind === 'failed' && ending.pause === 'refusals' ? { inDoubt: false } : undefined,
  ),
  variant('no breaker', {
    mayQuarantine: () => true,
    pausedBy: (seen, end, rules) =>
      decisions.isRefusal(end) && end.probe === undefined ? undefined : decisions.pausedBy(seen, end, rules),
  }),
  variant('a success of any operation ends the strikes', {
    breakerOf: ({ account, environment }) => decisions.breakerOf({ account, environment, operation: 'reportBetEvent' }),
  }),
  variant('a refused probe always condemns', {
    mayQuarantine: (seen, probe, rules) => probe === seen.version || decisions.mayQuarantine(seen, probe, rules),
  }),
  variant('what was under way when the breaker opened condemns', {
    mayQuarantine: (seen, probe, rules) => probe === undefined || decisions.mayQuarantine(seen, probe, rules),
  }),
  variant('a refusal never condemns', { mayQuarantine: () => false }),
  variant('a refused probe ends the pause', {
    pausedBy: (seen, end, rules) => {
      const change = decisions.pausedBy(seen, end, rules);
      return change && decisions.isRefusal(end) && end.probe === seen.version ? endPause(seen) : change;
    },
  }),
  // Variants about corrections of many and about strikes over all workers.
  variant('the end of a breaker sends again what was refused', { isRefusedData: () => false }),
  endsAs('an attempt that was turned away forgets the refusal before it', (_, __, ending) =>
    ending.kind === 'failed' && ending.pause !== 'refusals' ? { problem: ending.problem } : undefined,
  ),
  variant('a correction cannot be corrected before it is sent', {
    replaced: (row, decision, bytes) =>
      row.state === 'waiting' && row.attempts > 0 && !row.problem
        ? { why: 'it was sent' }
        : decisions.replaced(row, decision, bytes),
  }),
  variant('what was turned away cannot be corrected', {
    replaced: (row, decision, bytes) =>
      row.state === 'waiting' && row.problem && !row.problem.postponed
        ? { why: 'it was sent' }
        : decisions.replaced(row, decision, bytes),
  }),
  variant('a corrected report goes to the end of the queue', {
    bytesAfter: (row, change) => {
      const { dueAt: _, ...bytes } = decisions.bytesAfter(row, change);
      return bytes;
    },
  }),
  variant('a success does not end the strikes', {
    concernsPause: (end) => decisions.concernsPause(end, false),
  }),
  variant('a breaker opens too early', {
    pausedBy: (seen, end, rules) => decisions.pausedBy(seen, end, { ...rules, breakerAfter: rules.breakerAfter - 1 }),
  }),
  variant('a breaker opens too late', {
    pausedBy: (seen, end, rules) => decisions.pausedBy(seen, end, { ...rules, breakerAfter: rules.breakerAfter + 1 }),
    mayQuarantine: (seen, probe, rules) =>
      decisions.mayQuarantine(seen, probe, { ...rules, breakerAfter: rules.breakerAfter + 1 }),
  }),
  variant('a database that went back takes the doubt with it', { keptInDoubt: () => undefined }),
  // Variants about what a worker remembers.
  variant('a breaker that the store no longer has is not forgotten', {
    seenAtLook: (pauses, before) => pauses.reduce(seenWith, before),
  }),
  variant('a lost binding is not made again', { isUnbound: () => false }),
  variant('a pause is never probed', {
    planIdle: (outlooks, standing) => ({ ...decisions.planIdle(outlooks, standing), probes: [] }),
  }),
];
