import { lastOf } from '../../../core/platform/portable.js';
import type { LogLine } from '../../rules/receipt-entry.js';
import type { Row } from '../../rules/state-machine.js';
import { rowFrom } from '../../rules/stored-row.js';
import type { OutboxStore } from '../../store/store.js';
import { matches, missingKeysOf } from '../row-queries.js';
import { ask, type Connection } from './connection.js';
import type { IndexedRow } from './rows.js';

const PAGE = 200;

export const settings =
  (run: Connection['run']): OutboxStore['getOrCreateSetting'] =>
  (name, value) =>
    run('readwrite', async ({ meta }) => {
      const there = await ask<string | undefined>(meta.get(`setting:${name}`));
      if (there === undefined) meta.put(value, `setting:${name}`);
      return there ?? value;
    });

export type Ledger = (
  run: Connection['run'],
) => Pick<OutboxStore, 'list' | 'missingKeys' | 'getOrCreateSetting' | 'receipts'>;

export const ledger: Ledger = (run) => ({
  list: (query) =>
    run('readonly', async ({ rows }) => {
      const found: Row[] = [];
      for (let after = query.after ?? 0; ; ) {
        const page = await ask<IndexedRow[]>(
          rows.index('row.sequence').getAll(IDBKeyRange.lowerBound(after, true), PAGE),
        );
        found.push(...page.map(({ row }) => rowFrom(row)).filter((row) => matches(row, query)));
        const last = lastOf(page);
        if (!last || found.length >= query.limit) return found.slice(0, query.limit);
        after = last.row.sequence;
      }
    }),
  missingKeys: (accounts) =>
    run('readonly', async ({ rows }) => {
      const open = await ask<IndexedRow[]>(rows.index('open').getAll());
      return missingKeysOf(
        open.map(({ row }) => rowFrom(row)),
        accounts,
      );
    }),
  getOrCreateSetting: settings(run),
  receipts: {
    unlogged: (limit) =>
      run('readonly', async ({ rows }) =>
        (await ask<IndexedRow[]>(rows.index('unlogged').getAll(undefined, limit))).map(({ row }) => rowFrom(row)),
      ),
    append: (lines) =>
      run('readwrite', async ({ rows, log }) => {
        const length = ((await lastLine(log))?.index ?? -1) + 1;
        const ends = await Promise.all(lines.map(({ id }) => ask<IndexedRow | undefined>(rows.get(id))));
        if (lines.some(({ index }, offset) => index !== length + offset || ends[offset]?.unlogged === undefined))
          return false;
        for (const line of lines) log.add(line);
        for (const end of ends) rows.put({ ...end, unlogged: undefined });
        return true;
      }),
    read: (from, limit) =>
      run('readonly', ({ log }) => ask<LogLine[]>(log.getAll(IDBKeyRange.lowerBound(from), limit))),
    last: () => run('readonly', ({ log }) => lastLine(log)),
  },
});

const lastLine = async (log: IDBObjectStore): Promise<LogLine | undefined> =>
  (await ask(log.openCursor(null, 'prev')))?.value;
