import type { Row } from '../../outbox/state-machine.js';
import type { OutboxStore, RowQuery } from '../../outbox/store.js';

const PAGE = 500;

/** Yields all rows that match a query. It reads them page by page. */
export async function* scan(store: OutboxStore, query: Omit<RowQuery, 'limit'>): AsyncGenerator<Row> {
  for (let { after = 0 } = query; ; ) {
    const rows = await store.list({ ...query, after, limit: PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.sequence;
  }
}
