import { ConfigurationError } from '../../../errors.js';
import type { OutboxStore } from '../../store.js';

const absent = async (): Promise<never> => {
  throw new ConfigurationError('This is not in the script-tag file; import location-sdk/outbox.');
};

/** Rows keep the mark that they have no line yet, so whoever has the log finds them. */
export const ledger = (): Pick<OutboxStore, 'list' | 'remember' | 'receipts'> => ({
  list: absent,
  remember: absent,
  receipts: { unlogged: absent, append: absent, read: absent, last: absent },
});
