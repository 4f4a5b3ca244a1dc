import type { DecisionStep, KeptDecision, NewDecision } from '../../../console-store.js';
import type { Write } from '../../../write.js';
import type { MovedRows } from '../../moved-rows.js';
import { type Columns, type Connection, columns, schemaOf } from '../database.js';

const ALL = `SELECT ${columns('place, id, action, who, reason, about, as_of, at, cursor, touched, skipped, done, undone_by')} FROM outbox_decisions`;
const STEP_AFTER = `SELECT ${columns('began, sequences')} FROM outbox_decision_steps WHERE decision = ? AND began > ? ORDER BY began LIMIT 1`;

const keptOf = (found: Columns): KeptDecision => ({
  id: String(found.id),
  action: String(found.action),
  who: String(found.who),
  reason: String(found.reason),
  about: String(found.about),
  asOf: Number(found.as_of),
  at: Number(found.at),
  place: Number(found.place),
  cursor: Number(found.cursor),
  touched: Number(found.touched),
  skipped: Number(found.skipped),
  done: Number(found.done) === 1,
  undoneBy: found.undone_by === null ? undefined : String(found.undone_by),
});

/** The decisions of the console. The caller begins and commits the transaction of a write. */
export function createDecisions({ first, all, run }: Connection, write: (one: Write, now: number) => boolean) {
  function find(id: string): KeptDecision | undefined {
    const found = first(`${ALL} WHERE id = ?`, id);
    return found && keptOf(found);
  }

  return {
    find,
    list: (before: number | undefined, limit: number): KeptDecision[] =>
      all(`${ALL} WHERE place < ? ORDER BY place DESC LIMIT ?`, before ?? Number.MAX_SAFE_INTEGER, limit).map(keptOf),
    begin({ id, action, who, reason, about, asOf, done, undoes }: NewDecision, now: number): KeptDecision {
      const at = Math.trunc(now);
      const added = run(
        'INSERT INTO outbox_decisions (id, action, who, reason, about, as_of, at, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        ...[id, action, who, reason, about, asOf ?? at, at, done ? 1 : 0],
      );
      if (added > 0 && undoes !== undefined) run('UPDATE outbox_decisions SET undone_by = ? WHERE id = ? AND undone_by IS NULL', id, undoes);
      const kept = find(id);
      if (!kept) throw new Error('The decision that was just written cannot be read.');
      return kept;
    },
    step({ id, from, to, done, skipped, writes }: DecisionStep, now: number): boolean[] | undefined {
      const reached = run(
        'UPDATE outbox_decisions SET cursor = ?, done = ? WHERE id = ? AND cursor = ? AND done = 0 AND undone_by IS NULL',
        ...[to, done ? 1 : 0, id, from],
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
      if (sequences.length > 0) run('INSERT INTO outbox_decision_steps (decision, began, sequences) VALUES (?, ?, ?)', id, from, JSON.stringify(sequences));
      return written;
    },
    touched(id: string, after: number): { from: number; sequences: number[] } | undefined {
      const found = first(STEP_AFTER, id, after);
      return found && { from: Number(found.began), sequences: JSON.parse(String(found.sequences)) as number[] };
    },
  };
}

/** All decisions of a file. A file of an older version has none. */
export function readDecisions({ all, database }: Connection): Pick<MovedRows, 'decisions' | 'steps'> {
  const [there] = all(`SELECT ${columns('1 AS there')} FROM ${schemaOf(database)}.sqlite_master WHERE type = 'table' AND name = 'outbox_decisions'`);
  if (!there) return { decisions: [], steps: [] };
  const steps = all(`SELECT ${columns('decision, began, sequences')} FROM outbox_decision_steps ORDER BY decision, began`);
  return {
    decisions: all(`${ALL} ORDER BY place`).map(keptOf),
    steps: steps.map((found) => ({ id: String(found.decision), from: Number(found.began), sequences: JSON.parse(String(found.sequences)) as number[] })),
  };
}
