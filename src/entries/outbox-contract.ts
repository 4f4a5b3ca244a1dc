/** The contract suite for stores of an outbox: `location-sdk/outbox/contract`. @module */
export { storeContract } from '../outbox/contract/contract.js';
export type { ContractCase, Damage, MakeHarness, StoreHarness } from '../outbox/contract/harness.js';
