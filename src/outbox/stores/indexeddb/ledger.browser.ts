import { rejected } from '../../absent.js';
import type { OutboxStore } from '../../store.js';

/** Rows keep the mark that they have no line yet, so whoever has the log finds them. */
export const ledger = (): Pick<OutboxStore, 'list' | 'remember' | 'receipts'> => ({
  list: rejected,
  remember: rejected,
  receipts: { unlogged: rejected, append: rejected, read: rejected, last: rejected },
});
