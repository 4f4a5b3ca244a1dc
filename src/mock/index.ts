/** The mock gateway: `location-sdk/mock`. @module */
export { type OpenApiOptions, openApiDocument } from '../openapi/document.js';
export { fourStepsDocument } from '../openapi/four-steps.js';
export type { Delay, FaultKind, FaultRule, Faults, SetFault } from './faults.js';
export { createMockGateway } from './gateway.js';
export type { Identity } from './identities.js';
export type { MockClientOptions, MockGateway, ReportQuery, SeedReport, WaitOptions } from './interface.js';
export type { JournalEntry, JournalQuery } from './journal.js';
export type { RecordedReport } from './ledger.js';
export { type ExpectedReport, type MatcherResult, type MockGatewayMatchers, matchers } from './matchers.js';
export type { MockGatewayOptions } from './options.js';
export type { RateLimitOptions } from './rate-limit.js';
export type { MockState } from './state.js';
export type { Transport, WireAnswer } from './wire.js';
