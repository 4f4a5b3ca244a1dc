import { lastOf } from '../../core/platform/portable.js';
import { aboutReport, type Events } from '../events.js';
import { type Ending, type Row, unchanged, type Write, writeOf } from '../rules/state-machine.js';
import { missingKeyOf } from '../seal/seal.js';
import type { OutboxSettings } from '../settings.js';
import { withoutKey } from './plan.js';

/** The end of an attempt whose body needs a missing key. Undefined if the error has another cause. */
export function announceLocked(error: Error, row: Row, events: Events): Ending | undefined {
  const keyId = missingKeyOf(error);
  if (keyId === undefined) return undefined;
  events.emit('locked', { ...aboutReport(row), keyId });
  return withoutKey(error.message, keyId);
}

/** During a deployment, an instance without the new key may claim a report after the first look. */
const LOOK_MS = 60_000;
const PAGE = 1_000;

/**
 * Finds reports that wait for a key which this outbox has, and makes them due: when the worker starts, and once a minute
 * while any process lacks a key. Tells once of each key which this outbox lacks.
 */
export function createUnlocking(
  { store, seal, clock, accounts }: Pick<OutboxSettings, 'store' | 'seal' | 'clock' | 'accounts'>,
  events: Events,
) {
  const served = accounts.map(({ account }) => account);
  /** For the id of a key, whether it opened any report at the latest look. Two keys may have had the same id. */
  const has = new Map<string, boolean>();
  const told = new Set<string>();
  let lookedAt = Number.NaN;
  /** The place of the next page of a look. Undefined between two looks. */
  let after: number | undefined;

  /** Whether no key is missing for a row. A damaged body counts too: the worker tries it, and quarantines it. */
  async function opens(row: Row, keyId: string): Promise<boolean> {
    const isOpened = () => true;
    const lacksNoKey = (error: unknown) => missingKeyOf(error) === undefined;
    const isOpen = await seal.open(row.body ?? '', row).then(isOpened, lacksNoKey);
    has.set(keyId, isOpen || has.get(keyId) === true);
    return isOpen;
  }

  function tell(): void {
    for (const [keyId, isOpened] of has) {
      if (isOpened || told.has(keyId)) continue;
      told.add(keyId);
      const message = `Reports wait for the encryption key ${keyId}, which this process does not have. If no other one has it, add it to encryption.keys.`;
      events.emit('error', { message, cause: undefined });
    }
  }

  /** Looks at one page of the waiting reports, if a look is due. Returns whether there may be more to do at once. */
  return async function look(): Promise<boolean> {
    const since = clock.now() - lookedAt;
    if (after === undefined && since >= 0 && since < LOOK_MS) return false;
    if (after === undefined) {
      const missing = await store.missingKeys(served);
      lookedAt = clock.now();
      if (missing.every((keyId) => has.get(keyId) === false)) return false;
      has.clear();
    }
    const rows = await store.list({ state: 'waiting', after: after ?? 0, limit: PAGE });
    const writes: Write[] = [];
    for (const row of rows) {
      const { problem, damage, dueAt, changedAt, account } = row;
      // A report that is due, or was made due before, is tried anyway.
      const waits =
        problem?.keyId !== undefined && damage === undefined && dueAt > changedAt && served.includes(account);
      if (waits && (await opens(row, problem.keyId))) writes.push(writeOf(row, unchanged(row)));
    }
    if (writes.length > 0) await store.turn({ writes, claim: undefined });
    after = rows.length < PAGE ? undefined : lastOf(rows)?.sequence;
    if (after === undefined) tell();
    return writes.length > 0 || after !== undefined;
  };
}
