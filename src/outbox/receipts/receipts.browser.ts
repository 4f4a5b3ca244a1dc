import { absent, rejected } from '../absent.js';
import type { Proof } from './receipts.js';

/** Proof is the operator's affair, not a page's. */
export const createProof = (): Proof => ({
  started() {},
  async stopped() {},
  methods: () => ({ exportReceipts: absent, receiptHead: rejected, reconcile: absent }),
});
