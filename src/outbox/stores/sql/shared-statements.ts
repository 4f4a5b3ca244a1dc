import type { LogLine } from '../../rules/receipt-entry.js';
import { prunedSetting } from '../../rules/retention.js';
import type { FinalCounts, OpenCounts } from '../../store/operator-store.js';
import type { Counts } from '../../store/store.js';
import type { Dialect, Found } from './dialect.js';
import { createOperatorStatements } from './operator-statements.js';

export const LINE = 'position, id, line';

export const lineOf = ({ position, id, line }: Found): LogLine => ({
  index: Number(position),
  id: String(id),
  line: String(line),
});

/** The statements that both SQL stores share: those that no worker waits for. */
export function createSharedStatements(dialect: Dialect) {
  const { table, columns, all, first, change } = dialect;
  const lines = `SELECT ${columns(LINE)} FROM ${table('receipts')}`;

  const setting = async (name: string) =>
    (await first(`SELECT ${columns('value')} FROM ${table('settings')} WHERE name = ?`, name))?.value;

  return {
    ...createOperatorStatements(dialect),
    /** Stores a setting unless it exists. If it exists, nothing is written, since the user's transaction may be open. */
    async getOrCreateSetting(name: string, value: string): Promise<string> {
      const known = await setting(name);
      if (known !== undefined) return String(known);
      await change(
        `INSERT INTO ${table('settings')} (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING ${columns('name')}`,
        name,
        value,
      );
      // A separate statement, since the first one cannot see the commit of another instance in the meantime.
      const kept = await setting(name);
      if (kept === undefined) throw new Error('The setting that was just written cannot be read.');
      return String(kept);
    },
    receipts: {
      read: async (from: number, limit: number) =>
        (await all(`${lines} WHERE position >= ?# ORDER BY position LIMIT ?#`, from, limit)).map(lineOf),
      async last(): Promise<LogLine | undefined> {
        const found = await first(`${lines} ORDER BY position DESC LIMIT 1`);
        return found && lineOf(found);
      },
    },
    /** The time up to which the account was pruned. */
    async prunedBefore(account: string): Promise<number | undefined> {
      const prefix = prunedSetting(account);
      const found = await first(
        `SELECT ${columns('max(CAST(value AS bigint)) AS before')} FROM ${table('settings')} WHERE substr(name, 1, length(?)) = ?`,
        prefix,
        prefix,
      );
      return typeof found?.before === 'number' ? found.before : undefined;
    },
  };
}

/** The number of rows in each state: open ones by their places, and final ones. */
export function countsOf(
  places: readonly OpenCounts[],
  { recorded, dismissed, attempts }: FinalCounts & Pick<Counts, 'attempts'>,
): Counts {
  const sum = (name: 'waiting' | 'refused' | 'blocked' | 'inFlight' | 'quarantined') =>
    places.reduce((total, place) => total + place[name], 0);
  const oldest = places.flatMap(({ oldestOpenAt }) => oldestOpenAt ?? []);
  return {
    states: {
      waiting: sum('waiting'),
      blocked: sum('blocked'),
      'in-flight': sum('inFlight'),
      recorded,
      quarantined: sum('quarantined'),
      dismissed,
    },
    refused: sum('refused'),
    oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    attempts,
  };
}
