/** The mock gateway: `location-sdk/mock`. */
export type { FaultRule, Faults } from './faults.js';
export { createMockGateway, type MockClientOptions, type MockGateway, type MockGatewayOptions } from './gateway.js';
export type { Identity } from './identities.js';
export type { RecordedReport } from './ledger.js';
