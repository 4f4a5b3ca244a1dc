import { isFinal } from '../../state-machine.js';
import type { Counts, LogLine } from '../../store.js';
import { damageProblem, isCounter, isTime, rowFrom } from '../../stored-row.js';
import { ask, type Tables } from './connection.js';
import { count, type IndexedRow, place, readTotals, soundNumbers, type Totals } from './rows.js';

/** Calls `work` with each record, one after the other. */
const each = <T>(table: IDBObjectStore | IDBIndex, work: (record: T) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = table.openCursor();
    request.onerror = () => reject(request.error);
    request.onsuccess = async () => {
      const cursor = request.result;
      if (!cursor) return resolve();
      try {
        await work(cursor.value);
        cursor.continue();
      } catch (error) {
        reject(error);
      }
    };
  });

/** Whether a member of a record equals a key of its index. */
function isKey(found: unknown, key: readonly IDBValidKey[] | number | undefined): boolean {
  if (key === undefined) return found === undefined;
  try {
    return IDBKeyRange.only(key).includes(found);
  } catch {
    // The value is not a valid key.
    return false;
  }
}

const isSame = (found: IndexedRow, { row, due, open, unlogged }: IndexedRow): boolean =>
  (['id', 'sequence', 'state', 'blocked'] as const).every((name) => found.row[name] === row[name]) &&
  isKey(found.due, due) &&
  isKey(found.open, open) &&
  isKey(found.unlogged, unlogged);

/** The repaired form of a record. An open row with a damaged part is quarantined. */
async function mended(tables: Tables, totals: Totals, found: IndexedRow, at: number): Promise<IndexedRow> {
  const { id, sequence, account, environment, operation, reference } = found.row;
  const row = rowFrom({
    ...found.row,
    id: typeof id === 'string' ? id : [account, environment, operation, reference, id].join(':'),
    sequence: isCounter(sequence) && sequence > 0 ? sequence : ++totals.sequence,
  });
  return place(tables, row.damage === undefined || isFinal(row.state) ? row : { ...row, state: 'quarantined', problem: damageProblem(row.damage) }, at);
}

/** Whether the indexes match the totals, and each open row has its correct keys. It reads no other row. */
export async function isSound(tables: Tables): Promise<boolean> {
  const { rows, log } = tables;
  const totals = await readTotals(tables);
  const counted = (...states: (keyof Counts['states'])[]) =>
    Object.values(totals.counted).reduce((sum, account) => states.reduce((sum, state) => sum + account.states[state], sum), 0);
  const open = counted('waiting', 'in-flight');
  const final = counted('recorded', 'dismissed');
  const inIndex = (name: string) => ask(rows.index(name).count());
  const sequences = IDBKeyRange.bound(0, totals.sequence + 0.5, true);
  let sound =
    (await ask(rows.index('row.sequence').count(sequences))) === open + final + counted('blocked', 'quarantined') &&
    (await inIndex('due')) === open &&
    (await inIndex('open')) === open + counted('blocked') &&
    (await inIndex('unlogged')) + (await ask(log.count())) === final;
  if (sound)
    await each<IndexedRow>(rows.index('open'), async (found) => {
      sound &&= isSame(found, await mended(tables, totals, found, 0));
    });
  return sound;
}

/** Repairs the keys of all rows, quarantines damaged open rows, and counts all rows again. */
export async function mend(tables: Tables, at: number): Promise<void> {
  const { rows, log, meta } = tables;
  const totals = await readTotals(tables);
  const last = await ask(rows.index('row.sequence').openKeyCursor(soundNumbers(), 'prev'));
  totals.sequence = Math.max(totals.sequence, Math.ceil(Number(last?.key ?? 0)));
  const logged = new Set<string>();
  await each<LogLine>(log, ({ id }) => logged.add(id));
  await each<IndexedRow>(rows, async (found) => {
    const next = await mended(tables, totals, found, isTime(found.unlogged) ? found.unlogged : at);
    if (logged.has(next.row.id)) next.unlogged = undefined;
    if (isSame(found, next)) return;
    if (found.row.id !== next.row.id) rows.delete(found.row.id);
    rows.put(next);
  });
  totals.counted = {};
  await each<IndexedRow>(rows, ({ row }) => count(totals, rowFrom(row), 1));
  meta.put(totals, 'totals');
}
