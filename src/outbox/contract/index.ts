/** What every store of an outbox must do: `location-sdk/outbox/contract`. @module */
export { storeContract } from './contract.js';
export type { ContractCase, Damage, MakeHarness, StoreHarness } from './harness.js';
