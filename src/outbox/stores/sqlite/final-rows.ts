import type { LogLine } from '../../rules/receipt-entry.js';
import { cutoffOf, type PruneRequest, type PruneStep, prunedSetting } from '../../rules/retention.js';
import type { Row } from '../../rules/state-machine.js';
import type { Connection } from './database.js';
import { BODILESS, rowOf } from './rows.js';
import { LATEST_SEQUENCE } from './schema.js';

export const UNLOGGED = `SELECT ${BODILESS} FROM outbox_rows INDEXED BY outbox_unlogged WHERE ended IS NOT NULL AND state IN ('recorded', 'dismissed') ORDER BY ended LIMIT ?`;
const LAST = `SELECT position FROM outbox_receipts ORDER BY position DESC LIMIT 1`;

const WITHOUT_LINE = 'FROM outbox_rows WHERE id IN (SELECT value FROM json_each(?)) AND ended IS NOT NULL';
const COUNT_WITHOUT_LINE = `SELECT count(*) AS number ${WITHOUT_LINE}`;
const HAVE_LINE = `UPDATE outbox_rows SET ended = NULL WHERE sequence IN (SELECT sequence ${WITHOUT_LINE})`;

export function createReceipts({ first, all, run }: Connection) {
  return {
    unlogged: (limit: number): Row[] => all(UNLOGGED, limit).map(rowOf),
    /** Checks all lines before it writes the first. */
    append(lines: readonly LogLine[]): boolean {
      const next = Number(first(LAST)?.position ?? -1) + 1;
      const ids = JSON.stringify(lines.map(({ id }) => id));
      const isNext = lines.every(({ index }, offset) => index === next + offset);
      if (!isNext || Number(first(COUNT_WITHOUT_LINE, ids)?.number) < lines.length) return false;
      for (const { index, id, line } of lines)
        run('INSERT INTO outbox_receipts (position, id, line) VALUES (?, ?, ?)', index, id, line);
      run(HAVE_LINE, ids);
      return true;
    },
  };
}

/** A page of rows in the order of enqueueing, which is nearly that of ending. Rows that are not final are skipped. */
const PRUNE_PAGE = `SELECT sequence, enqueued_at,
  account = ? AND state IN ('recorded', 'dismissed') AND ended IS NULL AND changed_at < ? AS old
  FROM outbox_rows WHERE sequence > ? ORDER BY sequence LIMIT ?`;

const KEEP_LATEST = `INSERT INTO outbox_counts (account, name, number) VALUES ('', 'pruned', ${LATEST_SEQUENCE})
  ON CONFLICT (account, name) DO UPDATE SET number = excluded.number`;

export function pruneStep(
  { all, run }: Connection,
  { account, olderThanMs, after, limit }: PruneRequest,
  now: number,
): PruneStep {
  const before = cutoffOf(now, olderThanMs);
  const page = all(PRUNE_PAGE, account, before, after, limit);
  const old = page.filter(({ old }) => Number(old) === 1);
  if (old.length > 0) run(KEEP_LATEST);
  for (const { sequence } of old) run('DELETE FROM outbox_rows WHERE sequence = ?', Number(sequence));
  if (old.length > 0)
    run(
      'INSERT INTO outbox_settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
      `${prunedSetting(account)}${before}`,
      String(before),
    );
  const last = page.at(-1);
  const isMoreOld = page.some(({ enqueued_at }) => Number(enqueued_at) < before);
  return { pruned: old.length, next: last && isMoreOld ? Number(last.sequence) : undefined };
}
