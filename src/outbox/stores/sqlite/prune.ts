import { cutoffOf, type PruneRequest, type PruneStep, prunedSetting } from '../../retention.js';
import { type Connection, columns } from './database.js';
import { LATEST_SEQUENCE } from './schema.js';

/** A page of rows in the order of enqueueing, which is nearly that of ending. Rows that are not final are skipped. */
export const PRUNE_PAGE = `SELECT ${columns('sequence, enqueued_at', 'old')} FROM (SELECT sequence, enqueued_at,
  account = ? AND state IN ('recorded', 'dismissed') AND ended IS NULL AND changed_at < ? AS old
  FROM outbox_rows WHERE sequence > ? ORDER BY sequence LIMIT ?)`;

const PRUNED_BEFORE = `SELECT ${columns('max(CAST(value AS INTEGER)) AS before')} FROM outbox_settings WHERE name >= ? AND name < ?`;

const KEEP_LATEST = `INSERT INTO outbox_counts (account, name, number) VALUES ('', 'pruned', ${LATEST_SEQUENCE})
  ON CONFLICT (account, name) DO UPDATE SET number = excluded.number`;

/** Deletes old final rows. */
export function createPrune({ first, all, run }: Connection) {
  return {
    step({ account, olderThanMs, after, limit }: PruneRequest, now: number): PruneStep {
      const before = cutoffOf(now, olderThanMs);
      const page = all(PRUNE_PAGE, account, before, after, limit);
      const old = page.filter(({ old }) => Number(old) === 1);
      if (old.length > 0) run(KEEP_LATEST);
      for (const { sequence } of old) run('DELETE FROM outbox_rows WHERE sequence = ?', Number(sequence));
      if (old.length > 0)
        run('INSERT INTO outbox_settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', `${prunedSetting(account)}${before}`, String(before));
      const last = page.at(-1);
      const isMoreOld = page.some(({ enqueued_at }) => Number(enqueued_at) < before);
      return { pruned: old.length, next: last && isMoreOld ? Number(last.sequence) : undefined };
    },
    /** The time up to which the account was pruned. The prefix ends with a colon, and a semicolon is the next character. */
    before(account: string): number | undefined {
      const begin = prunedSetting(account);
      const found = first(PRUNED_BEFORE, begin, `${begin.slice(0, -1)};`);
      return found?.before === null ? undefined : Number(found?.before);
    },
  };
}
