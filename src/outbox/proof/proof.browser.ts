import { ConfigurationError } from '../../errors.js';
import type { Proof } from './proof.js';

const absent = (): never => {
  throw new ConfigurationError('This is not in the script-tag file; import location-sdk/outbox.');
};

/** Proof is the operator's affair, not a page's. */
export const createProof = (): Proof => ({
  started() {},
  async stopped() {},
  methods: { exportReceipts: absent, receiptHead: async () => absent(), reconcile: absent },
});
