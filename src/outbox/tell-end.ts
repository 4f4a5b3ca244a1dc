import { aboutReport, type Events } from './events.js';
import type { Finished } from './plan.js';
import type { Waiters } from './receipt-waiters.js';
import type { Row } from './state-machine.js';

/** Emits the event of an ended attempt and settles its waiters. `done`: whether the change was written. */
export function tellEnd({ row, change }: Finished, done: boolean, events: Events, waiters: Waiters): void {
  const { delayMs, keepBody, ...progress } = change;
  const now: Row = { ...row, ...progress };
  const about = aboutReport(now);
  const { outcome, problem, inDoubt } = now;
  if (!done) events.emit('late', about);
  else if (now.state === 'recorded' && outcome !== undefined) events.emit('recorded', { ...about, outcome, waitedMs: row.changedAt - row.enqueuedAt });
  else if (problem && now.state === 'waiting') events.emit('delayed', { ...about, code: problem.code, inDoubt, delayMs });
  else if (problem) events.emit('quarantined', { ...about, code: problem.code, message: problem.message, conflict: problem.conflict === true, inDoubt });
  if (done) waiters.settle(now);
}
