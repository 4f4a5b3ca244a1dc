import type { LogLine, OutboxStore } from '../../store.js';
import { ask, type Connection } from './connection.js';
import type { StoredRow } from './rows.js';

/** What a page that only reports does not need: the log of receipts, and the settings of seals. */
export const ledger = (run: Connection['run']): Pick<OutboxStore, 'remember' | 'receipts'> => ({
  remember: (name, value) =>
    run('readwrite', async ({ meta }) => {
      const there = await ask<string | undefined>(meta.get(`setting:${name}`));
      if (there === undefined) meta.put(value, `setting:${name}`);
      return there ?? value;
    }),
  receipts: {
    unlogged: (limit) => run('readonly', async ({ rows }) => (await ask<StoredRow[]>(rows.index('unlogged').getAll(undefined, limit))).map(({ row }) => row)),
    append: (lines) =>
      run('readwrite', async ({ rows, log }) => {
        const length = ((await lastLine(log))?.index ?? -1) + 1;
        const ends = await Promise.all(lines.map(({ id }) => ask<StoredRow | undefined>(rows.get(id))));
        if (lines.some(({ index }, offset) => index !== length + offset || ends[offset]?.unlogged === undefined)) return false;
        for (const line of lines) log.add(line);
        for (const end of ends) rows.put({ ...end, unlogged: undefined });
        return true;
      }),
    read: (from, limit) => run('readonly', ({ log }) => ask<LogLine[]>(log.getAll(IDBKeyRange.lowerBound(from), limit))),
    last: () => run('readonly', ({ log }) => lastLine(log)),
  },
});

const lastLine = async (log: IDBObjectStore): Promise<LogLine | undefined> => (await ask(log.openCursor(null, 'prev')))?.value;
