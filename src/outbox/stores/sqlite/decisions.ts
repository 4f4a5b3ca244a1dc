import type { Write } from '../../rules/state-machine.js';
import { erasedMark } from '../../seal/excerpt.js';
import type { DecisionStep, ErasedRow, NewDecision } from '../../store/operator-store.js';
import type { MovedRows } from '../moved-rows.js';
import { DECISION, decisionOf, type FoundDecision } from '../sql/statements.js';
import { type Connection, pragma } from './database.js';
import { sqliteError } from './failure.js';

export function createDecisions({ run }: Connection, write: (one: Write, now: number) => boolean) {
  return {
    add({ id, action, who, reason, about, asOf, done, undoes }: NewDecision, now: number): void {
      const at = Math.trunc(now);
      const added = run(
        'INSERT INTO outbox_decisions (id, action, who, reason, about, as_of, at, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        ...[id, action, who, reason, about, Math.trunc(asOf ?? at), at, Number(done)],
      );
      if (added > 0 && undoes !== undefined)
        run('UPDATE outbox_decisions SET undone_by = ? WHERE id = ? AND undone_by IS NULL', id, undoes);
    },
    step({ id, from, to, done, skipped, writes }: DecisionStep, now: number): boolean[] | undefined {
      const reached = run(
        'UPDATE outbox_decisions SET cursor = ?, done = ? WHERE id = ? AND cursor = ? AND done = 0 AND undone_by IS NULL',
        ...[to, Number(done), id, from],
      );
      if (reached === 0) return undefined;
      const written = writes.map((one) => write(one, now));
      const sequences = writes.flatMap(({ sequence }, index) => (written[index] ? [sequence] : []));
      run(
        'UPDATE outbox_decisions SET touched = touched + ?, skipped = skipped + ? WHERE id = ?',
        sequences.length,
        skipped + writes.length - sequences.length,
        id,
      );
      if (sequences.length > 0)
        run(
          'INSERT INTO outbox_decision_steps (decision, began, sequences) VALUES (?, ?, ?)',
          id,
          from,
          JSON.stringify(sequences),
        );
      return written;
    },
  };
}

export function readDecisions({ all }: Connection): Pick<MovedRows, 'decisions' | 'steps'> {
  const steps = all(`SELECT decision, began, sequences FROM outbox_decision_steps ORDER BY decision, began`);
  return {
    decisions: all<FoundDecision>(`SELECT ${DECISION} FROM outbox_decisions ORDER BY place`).map(decisionOf),
    steps: steps.map((found) => ({
      id: String(found.decision),
      from: Number(found.began),
      sequences: JSON.parse(String(found.sequences)) as number[],
    })),
  };
}

const ERASE = `UPDATE outbox_rows SET body = NULL, excerpt = ?, fence = fence + 1 WHERE sequence = ? AND fence = ?
  AND state IN ('recorded', 'dismissed') AND (body IS NOT NULL OR excerpt IS NOT NULL)`;

/** SQLite overwrites the erased bytes, since the store opens its file with `secure_delete`. */
export function eraseRows({ run }: Connection, decision: string, rows: readonly ErasedRow[]): number {
  const mark = erasedMark(decision);
  const erased = rows.reduce((sum, { sequence, fence }) => sum + run(ERASE, mark, sequence, fence), 0);
  run('UPDATE outbox_decisions SET touched = touched + ? WHERE id = ?', erased, decision);
  return erased;
}

/** Empties the write-ahead log, which has older versions of the pages. Throws while another connection reads it. */
export function emptyLog({ database }: Connection, place: string): void {
  if (Number(pragma(database, 'wal_checkpoint(TRUNCATE)')) !== 0) throw sqliteError('busy', place);
}
