/** The mock gateway: `location-sdk/mock`. @module */

export type { Delay, FaultKind, FaultRule, Faults, SetFault } from '../mock/faults.js';
export { createMockGateway } from '../mock/gateway.js';
export type { Identity } from '../mock/identities.js';
export type { MockClientOptions, MockGateway, ReportQuery, SeedReport, WaitOptions } from '../mock/interface.js';
export type { JournalEntry, JournalQuery } from '../mock/journal.js';
export type { RecordedReport } from '../mock/ledger.js';
export { type ExpectedReport, type MatcherResult, type MockGatewayMatchers, matchers } from '../mock/matchers.js';
export type { MockGatewayOptions } from '../mock/options.js';
export type { RateLimitOptions } from '../mock/rate-limit.js';
export type { MockState } from '../mock/state.js';
export type { WireAnswer, WireMode } from '../mock/wire.js';
export { type OpenApiOptions, openApiDocument } from '../openapi/document.js';
export { fourStepsDocument } from '../openapi/four-steps.js';
