/** The mock gateway: `location-sdk/mock`. @module */

export type { FaultKind, FaultRule, Faults } from '../mock/faults.js';
export { createMockGateway } from '../mock/gateway.js';
export type { MockGateway } from '../mock/interface.js';
export type { JournalEntry } from '../mock/journal.js';
export type { RecordedReport } from '../mock/ledger.js';
export type { MockGatewayOptions } from '../mock/options.js';
export { openApiDocument } from '../openapi/document.js';
export { fourStepsDocument } from '../openapi/four-steps.js';
