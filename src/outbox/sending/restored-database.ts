import { numbered } from '../../core/platform/portable.js';
import { DAY_MS } from '../../core/platform/time.js';
import type { Events } from '../events.js';
import { isRefusedData } from '../rules/decisions.js';
import { type Change, isFinal, type Row, unchanged, type Write, writeOf } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import type { KeptDecision, OperatorStore } from '../store/operator-store.js';
import { type OutboxStore, scanPages } from '../store/store.js';
import type { Finished } from './plan.js';
import type { Waiters } from './receipt-waiters.js';

const mayBeRecorded = ({ change }: Finished): boolean => change.state === 'recorded' || change.inDoubt;

/**
 * The change of a row whose attempt may have been recorded, if the store holds an older state: after a restored backup,
 * or if a standby without the latest commits took over. The row becomes doubtful, so that a duplicate answer is read as
 * success. Fences only rise, so a higher fence is another worker's.
 */
export function keptInDoubt(stored: Row, finished: Finished, leaseMs: number): Change | undefined {
  const { row } = finished;
  const { state, fence } = stored;
  const isKnown = state === 'in-flight' ? stored.doubtBefore : stored.inDoubt;
  const isOlder = fence <= row.fence && !isFinal(state) && stored.fingerprint === row.fingerprint;
  if (!mayBeRecorded(finished) || isKnown || !isOlder) return undefined;
  const kept = { ...unchanged(stored), inDoubt: true, doubtBefore: true };
  // Another worker sends the row without the doubt. The new fence rejects its result, and the report waits for the end
  // of that attempt.
  return state === 'in-flight' ? { ...kept, state: 'waiting', fence: fence + 1, delayMs: leaseMs } : kept;
}

/**
 * Whether the store went back to a state that no doubt can repair: the report has other data there, from before it was
 * replaced, or is dismissed, from before it was reopened. A person must compare it.
 */
const isOtherReport = (stored: Row, { row }: Finished): boolean =>
  stored.state === 'dismissed'
    ? stored.fence < row.fence
    : stored.fence <= row.fence && stored.fingerprint !== row.fingerprint;

interface Parts extends Pick<OutboxSettings, 'store' | 'leaseMs'> {
  readonly events: Events;
  readonly waiters: Pick<Waiters, 'tell'>;
}

/** Checks the rows of refused writes: after a restore of the database, only this worker has their results. */
export async function markInDoubtAfterRestore(
  refused: readonly Finished[],
  rows: readonly (Row | undefined)[],
  { store, leaseMs, events, waiters }: Parts,
): Promise<void> {
  const writes: Write[] = [];
  const forgotten: Finished[] = [];
  const others: Finished[] = [];
  for (const [index, one] of numbered(refused)) {
    const stored = rows[index];
    const change = stored && keptInDoubt(stored, one, leaseMs);
    if (change) writes.push(writeOf(stored, change));
    if (change || (!stored && mayBeRecorded(one))) forgotten.push(one);
    else if (stored && mayBeRecorded(one) && isOtherReport(stored, one)) others.push(one);
  }
  if (forgotten.length + others.length === 0) return;
  if (writes.length > 0) await store.turn({ writes, claim: undefined });
  const ids = [...forgotten, ...others].map(({ row }) => row.id);
  // The gateway has recorded them, even if the database has lost that.
  for (const { row, change } of forgotten) if (change.state === 'recorded') waiters.tell(row, change);
  await announceWentBack(
    store,
    events,
    `The gateway may hold these reports: ${ids.join(', ')}. Those that are still in the store with the same data, and are not dismissed, stay in doubt. Compare the others with your records.`,
    ids,
  );
}

/**
 * Marks every waiting report as in doubt: its attempt may be among the lost commits. A duplicate answer then counts as
 * success. Data that the gateway has refused stays without doubt, so that it can be corrected.
 */
async function doubtWaiting(store: OutboxStore): Promise<void> {
  const doubtful = (row: Row) => !row.inDoubt && row.damage === undefined && !isRefusedData(row);
  for await (const rows of scanPages(store, { state: 'waiting' })) {
    const writes = rows
      .filter(doubtful)
      .map((row) => writeOf(row, { ...unchanged(row), inDoubt: true, doubtBefore: true }));
    if (writes.length > 0) await store.turn({ writes, claim: undefined });
  }
}

/**
 * Emits that the database has lost commits, marks the waiting reports as in doubt, and keeps the event among the
 * decisions. `found`: the sentences that say where.
 */
export async function announceWentBack(
  store: OutboxStore,
  events: Events,
  found: string,
  ids: readonly string[],
): Promise<void> {
  const message = `The database of the outbox holds an older state than the last commit: it was restored, or a standby took over. ${found} All waiting reports are put in doubt, so a duplicate counts as recorded.`;
  // First of all, since the store may fail.
  events.emit('error', { message, code: 'went-back', cause: undefined });
  await doubtWaiting(store);
  // The event has told of it already.
  await keepWentBack(store, ids).catch(() => {});
}

/** Each process finds a loss by itself. Within this time after the last line, it is taken for the same loss. */
const SAME_LOSS_MS = 300_000;

/** The last line of a day in UTC, and the id of the next one. Processes that add it at once keep the first. */
async function wentBackOn(operator: OperatorStore, at: number) {
  const day = `went-back-${new Date(at).toISOString().slice(0, 10)}`;
  let next = day;
  let last: KeptDecision | undefined;
  for (let number = 2; ; number += 1) {
    const found = await operator.decision(next);
    if (!found) return { last, next };
    last = found;
    next = `${day}-${number}`;
  }
}

/** Keeps it among the decisions, for `stats` and the console. */
async function keepWentBack({ operator }: OutboxStore, ids: readonly string[]): Promise<void> {
  if (!operator) return;
  const now = await operator.now();
  const { last, next } = await wentBackOn(operator, now);
  if (last && now - last.at < SAME_LOSS_MS) return;
  await operator.begin({
    id: next,
    action: 'went-back',
    who: 'the outbox',
    reason: 'The database had lost commits: the gateway may hold reports that it does not know.',
    about: JSON.stringify({ ids: ids.slice(0, 500) }),
    done: true,
  });
}

/** When a worker last found, today or yesterday in UTC, that the database had lost commits. */
export async function readWentBack(operator: OperatorStore | undefined): Promise<number | undefined> {
  if (!operator) return undefined;
  const now = await operator.now();
  return ((await wentBackOn(operator, now)).last ?? (await wentBackOn(operator, now - DAY_MS)).last)?.at;
}
