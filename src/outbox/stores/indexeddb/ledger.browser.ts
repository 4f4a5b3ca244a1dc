import { ConfigurationError } from '../../../errors.js';
import type { OutboxStore } from '../../store.js';

const absent = async (): Promise<never> => {
  throw new ConfigurationError('Seals and the log of receipts are not in the script-tag file; import indexedDbStore from location-sdk/outbox/indexeddb.');
};

/** Rows keep the mark that they have no line yet, so whoever has the log finds them. */
export const ledger = (): Pick<OutboxStore, 'remember' | 'receipts'> => ({
  remember: absent,
  receipts: { unlogged: absent, append: absent, read: absent, last: absent },
});
