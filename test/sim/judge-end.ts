import type { Pause } from '../../src/outbox/rules/pause.js';
import type { Row } from '../../src/outbox/rules/state-machine.js';
import type { Known } from './answers.js';
import type { Attempt } from './scenario.js';
import { breaks, subject, type World } from './world.js';

/** The committed end of an attempt. */
interface End {
  readonly attempt: Attempt;
  readonly reply: Known;
  readonly after: Row;
  /** The row of the initiated report. */
  readonly first: Row | undefined;
  readonly pause: Pick<Pause, 'reason' | 'version'>;
  readonly breaker: Pick<Pause, 'reason' | 'version'>;
}

/** Compares the change after an attempt with the true end, and keeps the record of the truth. */
export function judgeEnd(end: End, world: World): void {
  const { attempt, reply, after, pause } = end;
  const { report } = attempt;
  const fail = (rule: string, detail = '') =>
    breaks(world, rule, `${subject(attempt)} (${reply.name}) became ${after.state}${detail && `; ${detail}`}`);

  // The other attempts that may have been recorded.
  const doubtBefore = report.unproven > 1;
  if (reply.truth !== 'silent') report.unproven -= 1;
  const counts = reply.pauses !== true && reply.truth !== 'not-begun' && !attempt.postponed;
  if (!counts) report.counted -= 1;

  if (after.attempts !== report.counted)
    fail('pauses consume no attempt', `${after.attempts} attempts, ${report.counted} of which count`);
  if (reply.pauses && pause.reason === undefined && pause.version === attempt.pauseVersion)
    fail('what is wrong with the destination pauses it');
  if (attempt.postponed && !attempt.settledPaused) fail('a refusal condemns where nothing is paused');
  count(end, doubtBefore, world);

  if (after.state === 'recorded') {
    if (report.held?.body !== report.current)
      fail('none lost', report.held ? 'the gateway holds other data' : 'the gateway holds nothing');
    if (reply.truth === 'recorded' ? after.outcome !== 'recorded' : after.outcome !== 'already-recorded')
      fail('a receipt says what happened');
    if (reply.truth === 'recorded') return;
    if (reply.truth !== 'same') fail('only a duplicate of the same data is success');
    if (!doubtBefore) fail('a duplicate without doubt is not success', 'no earlier attempt may have been recorded');
    return;
  }
  if (reply.truth === 'recorded') fail('what is recorded is recorded here');
  if (reply.truth === 'same' && doubtBefore) fail('none falsely refused', 'an attempt before it may have landed');
  if (after.inDoubt !== report.unproven > 0)
    fail('doubt is kept', `doubt ${after.inDoubt}; attempts that may have landed: ${report.unproven}`);
  const condemned = after.state === 'quarantined';
  if (!condemned && after.state !== 'waiting') fail('an attempt ends in waiting, recorded or quarantined');
  if (reply.truth === 'same' || reply.truth === 'conflict' || reply.truth === 'refused') {
    if (!condemned && !attempt.postponed) fail('what is refused is quarantined');
  } else if (reply.truth === 'missing') judgeMissing(end, condemned, fail);
  else if (condemned) fail('nothing but a refusal condemns');
}

/**
 * A settled report that was not found waits while its initiated report is open, even if that was enqueued before the
 * answer.
 */
function judgeMissing({ attempt, first }: End, condemned: boolean, fail: (rule: string, detail: string) => void): void {
  const rule = 'a 404 waits for the initiated report';
  const enqueuedAt = attempt.report.initiated?.enqueuedAt;
  // It was dismissed when this attempt began, and nothing is known of the time between.
  if (attempt.report.initiated?.reopened) return;
  const known = first !== undefined && enqueuedAt !== undefined && enqueuedAt < attempt.endedAt;
  if (condemned && known && first.state !== 'recorded' && first.state !== 'dismissed')
    fail(rule, `that one is ${first.state}`);
  if (condemned && known && first.state === 'recorded' && !attempt.report.initiated?.vouched && !attempt.lie)
    fail(rule, 'that one was recorded meanwhile');
  if (!condemned && first === undefined && !attempt.postponed) fail(rule, 'and is quarantined where there is none');
}

function count({ attempt, reply, after, first, pause, breaker }: End, inDoubt: boolean, { coverage }: World): void {
  const { truth, status, retryAfterMs } = reply;
  if (attempt.postponed)
    coverage[attempt.probe ? 'refused probe condemns nothing' : 'refusal during a pause condemns nothing'] += 1;
  if (
    breaker.reason === 'refusals' &&
    reply.ending.kind !== 'recorded' &&
    reply.ending.foreign &&
    breaker.version > attempt.breakerVersion
  )
    coverage['breaker opened, or its probe answered, by a page'] += 1;
  if (breaker.reason === 'refusals' && after.state === 'quarantined') coverage['paused by refusals'] += 1;
  if (status === 403) coverage['403'] += 1;
  if (status === 404 && truth !== 'missing') coverage['404 that is not of the gateway'] += 1;
  if (status === 302) coverage.redirect += 1;
  if (reply.pauses && retryAfterMs === 0) coverage['Retry-After: 0'] += 1;
  if (truth === 'same' && !attempt.postponed)
    coverage[inDoubt ? 'duplicate in doubt is success' : 'duplicate without doubt is quarantined'] += 1;
  if (truth === 'conflict')
    coverage[inDoubt ? 'conflict in doubt is quarantined' : 'conflict without doubt is quarantined'] += 1;
  if (reply.name === 'not begun') coverage['attempt given up, too late for its lease'] += 1;
  if (truth === 'turned-away' && inDoubt)
    coverage[status === undefined ? 'not sent while in doubt' : 'turned away while in doubt'] += 1;
  if (truth === 'refused') {
    if (attempt.report.bad) coverage['bad report refused'] += 1;
    else if (inDoubt) coverage['good report refused while in doubt'] += 1;
    if (inDoubt && /already|different/.test(reply.name))
      coverage['words that only look like a duplicate, in doubt'] += 1;
  }
  if (truth === 'missing') {
    if (first === undefined) coverage['404, no initiated in the outbox'] += 1;
    else if (first.state !== 'recorded') coverage['404, initiated open in the outbox'] += 1;
    else
      coverage[
        after.state === 'waiting' && !attempt.postponed
          ? '404, initiated recorded meanwhile'
          : '404 again, initiated recorded'
      ] += 1;
  }
  if (status === 401) coverage['401'] += 1;
  if (status === 429) coverage['429'] += 1;
  if (status === 429 && retryAfterMs !== undefined) coverage['429 with Retry-After'] += 1;
  if (status === 429 && (retryAfterMs ?? 0) > 86_400_000) coverage['429 longer than is believed'] += 1;
  if (status === 503) coverage['503'] += 1;
  if (status !== undefined && status >= 500 && status !== 503) coverage['5xx'] += 1;
  if (truth === 'silent' && status !== undefined && status < 400 && !reply.cut)
    coverage['success that is none (portal)'] += 1;
  if (reply.pauses && pause.reason !== undefined) coverage['environment paused'] += 1;
}
