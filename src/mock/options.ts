import type { Clock } from '../platform/time.js';
import { operationNames } from '../protocol/operations.js';
import type { ValidationMode } from '../schema/model.js';
import { isAnything, isFlag, type OptionTable, oneOf, optional, readOptions } from '../schema/option-rules.js';
import type { Identity } from './apply.js';
import { FAULT_KINDS } from './faults.js';

/** How many requests the mock gateway accepts before it answers 429. */
export interface RateLimitOptions {
  /** The number of accepted requests. */
  readonly requests: number;
  /** The length of the period, in milliseconds. Default: 1,000. */
  readonly perMs?: number | undefined;
}

/** The options of `createMockGateway`. All are optional. */
export interface MockGatewayOptions<Mode extends ValidationMode = ValidationMode> {
  /** The key that it accepts. Default: `'mock-api-key'`. */
  apiKey?: string | undefined;
  /** Same as the client's option. Default: `'strict'`. */
  validation?: Mode | undefined;
  /** Same as the client's option. Default: `{ required: true }`. */
  location?:
    | {
        /** Whether an event without a location is refused. Default: true. */
        required?: boolean | undefined;
      }
    | undefined;
  /** Whether a settled report needs its initiated one (specification, section 1). Default: true. */
  requireInitiated?: boolean | undefined;
  /** The status of a repeated report; the specification does not define it. Default: 409. */
  duplicateStatus?: number | undefined;
  /**
   * The people verified in production, by NIN. In staging, numbers that start with 99 are verified (specification,
   * section 4.3). Default: none.
   */
  identities?: Readonly<Record<string, Identity>> | undefined;
  /** Answers 429 above this rate. Default: no limit. */
  rateLimit?: RateLimitOptions | undefined;
  /** How many requests the journal keeps. Default: 1,000. */
  journalSize?: number | undefined;
  /** The seed of the random numbers for faults: the same seed gives the same behaviour. Default: 1. */
  seed?: number | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}

const anything = optional(isAnything);
const environment = optional(oneOf('staging', 'production'));
const operation = optional(oneOf(...operationNames));
const reference = anything;
const environments = { staging: anything, production: anything };

/** The options of each function of the mock gateway. */
const TABLES = {
  createMockGateway: {
    apiKey: anything,
    validation: optional(oneOf('strict', 'partial')),
    location: { required: optional(isFlag) },
    requireInitiated: optional(isFlag),
    duplicateStatus: anything,
    identities: anything,
    rateLimit: { requests: anything, perMs: anything },
    journalSize: anything,
    seed: anything,
    clock: anything,
  },
  requests: {
    environment,
    operation,
    reference,
    requestId: anything,
    status: anything,
    applied: optional(isFlag),
    fault: optional(oneOf(...FAULT_KINDS)),
    method: anything,
    path: anything,
    key: optional(oneOf('valid', 'invalid', 'missing')),
  },
  waitFor: { timeoutMs: anything, signal: anything },
  reports: { operation, reference },
  environment: { environment },
  seed: { operation, reference, body: anything, environment },
  serve: { port: anything, host: anything, adminToken: anything },
  mockGatewayHandlers: environments,
} as const satisfies Record<string, OptionTable>;

/** Throws a `TypeError` for a name or value that the options of a function cannot have. */
export function checkMockOptions(of: keyof typeof TABLES, options: unknown): void {
  const { problem } = readOptions(of, TABLES[of], options);
  if (problem !== undefined) throw new TypeError(problem);
}
