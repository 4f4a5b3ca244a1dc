/** The mock gateway: `location-sdk/mock`. @module */

export type { FaultKind, FaultRule, Faults } from '../testing/mock/faults.js';
export { createMockGateway } from '../testing/mock/gateway.js';
export type { MockGateway } from '../testing/mock/interface.js';
export type { JournalEntry } from '../testing/mock/journal.js';
export type { RecordedReport } from '../testing/mock/ledger.js';
export type { MockGatewayOptions } from '../testing/mock/options.js';
export { openApiDocument } from '../testing/openapi/document.js';
export { fourStepsDocument } from '../testing/openapi/four-steps.js';
