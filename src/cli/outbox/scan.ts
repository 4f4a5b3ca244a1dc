import type { Row } from '../../outbox/state-machine.js';
import type { OutboxStore, RowQuery } from '../../outbox/store.js';

const PAGE = 500;

/** All rows that a query matches, a page at a time. */
export async function* scan(store: OutboxStore, query: Omit<RowQuery, 'limit'>): AsyncGenerator<Row> {
  for (let { after = 0 } = query; ; ) {
    const rows = await store.list({ ...query, after, limit: PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.sequence;
  }
}
