import { isStoreError } from '../../../core/errors/store-error.js';
import { otherGateway } from '../../rules/destination.js';
import { utf8 } from '../../seal/encryption.js';
import type { Enqueued, NewRow } from '../../store/store.js';
import { newRow } from '../new-row.js';
import { isStorable } from '../storable-text.js';
import type { Run } from './database.js';
import { LOCK_TIMEOUT, postgresError } from './failure.js';
import { onlyColumn, readRow, SELECT_BY_IDS } from './sql-parts.js';

const columnsOf = ({ waitsFor, excerpt, ...row }: NewRow) => ({
  ...row,
  waits_for: waitsFor ?? null,
  excerpt: excerpt ?? null,
});

/** The prefix of the value of a prepared report. The function `enqueue` refuses other values. */
const MARK = 'outbox1';

/**
 * The longest waits for a lock: another transaction may hold the same report. With many rows it is short, since they
 * keep each other waiting.
 */
export const LONGEST_LOCK_MS = { one: '5000', many: '500' };

interface Result {
  readonly added?: readonly {
    readonly id: string;
    readonly sequence: number;
    readonly enqueuedAt: number;
    readonly blocked: boolean;
  }[];
  readonly bound: string;
}

export function createEnqueue(
  schema: string,
  store: string,
  channel: string | null,
  longestLockMs: typeof LONGEST_LOCK_MS,
) {
  const check = (row: NewRow): void => {
    if (Object.values(columnsOf(row)).some((value) => value !== null && !isStorable(value)))
      throw postgresError('text', schema);
  };

  /** Adds rows over `run`. The user's own transaction has its own lock limits, so this sets none. */
  async function enqueue(run: Run, given: readonly NewRow[], isOwn: boolean): Promise<readonly Enqueued[]> {
    given.forEach(check);
    if (given.length === 0) return [];
    const columns = given.map(columnsOf);
    const [call, rows, lock] =
      columns.length === 1
        ? (['add_one($1::text::jsonb', columns[0], longestLockMs.one] as const)
        : (['add($1::text::json', columns, longestLockMs.many] as const);
    const [found] = await run(`SELECT schema.${call}, $2::text, $3::text)::text AS result`, [
      JSON.stringify(rows),
      channel,
      isOwn ? lock : null,
    ]).catch((error) => Promise.reject(withLockAdvice(error, schema)));
    const { added, bound } = JSON.parse(onlyColumn(found) ?? '{}') as Result;
    const refused = added ? undefined : given.find(({ gateway }) => gateway !== bound);
    if (refused) throw otherGateway(refused, bound);
    const addedRows = new Map(added?.map((one) => [one.id, one]));
    const missing = given.filter(({ id }) => !addedRows.has(id)).map(({ id }) => id);
    // A separate statement, since the first one cannot see the commits of others in the meantime.
    const before = missing.length === 0 ? [] : await run(SELECT_BY_IDS, [JSON.stringify(missing)]);
    const there = new Map(before.map(readRow).map((row) => [row.id, row]));
    return given.map((one) => {
      const known = there.get(one.id);
      if (known) return { row: known, added: false };
      const { sequence, enqueuedAt, blocked } = addedRows.get(one.id) ?? unreadable();
      const row = newRow(one, sequence, enqueuedAt, blocked);
      // Of several rows with the same id, the first counts as added.
      there.set(one.id, row);
      return { row, added: true };
    });
  }

  const unreadable = (): never => {
    throw postgresError('other', schema, undefined, ': it holds a report that cannot be read');
  };

  return {
    enqueue,
    /** The value for the `enqueue` function of the database, in the user's own statement. */
    asValue(row: NewRow): string {
      check(row);
      const content = JSON.stringify({ store, channel, row: columnsOf(row) });
      return `${MARK} ${utf8(content).length} ${content}`;
    },
  };
}

const withLockAdvice = (error: unknown, schema: string): unknown =>
  isStoreError(error) && error.sqlState === LOCK_TIMEOUT
    ? postgresError(
        'busy',
        schema,
        error.sqlState,
        '; an open transaction may hold the same report, or be the first one of its destination: end it, then enqueue again. Nothing was enqueued',
      )
    : error;
