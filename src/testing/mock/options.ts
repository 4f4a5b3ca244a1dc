import { ENVIRONMENTS, type Environment } from '../../core/errors/errors.js';
import { asRecord } from '../../core/platform/as-record.js';
import { type Clock, systemClock } from '../../core/platform/time.js';
import { MOCK_API_KEY } from '../../core/protocol/mock-mode.js';
import { type OperationName, operationNames } from '../../core/protocol/operations.js';
import type { ValidationMode } from '../../core/schema/model.js';
import {
  type CompleteOptions,
  isAnything,
  isClock,
  isFlag,
  isString,
  must,
  type OptionTable,
  oneOf,
  option,
  optional,
  readOptions,
  wholeNumber,
} from '../../core/schema/option-rules.js';
import type { Identity } from './apply.js';
import { FAULT_KINDS, type FaultKind } from './faults.js';
import type { JournalEntry } from './journal.js';

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
const flag = optional<boolean>(isFlag);
const text = optional<string>(isString);
const whole = (most?: number) => optional<number>(wholeNumber(0, most));
const environment = optional<Environment>(oneOf(...ENVIRONMENTS));
const operation = optional<OperationName>(oneOf(...operationNames));

const isPositive = (value: unknown) => Number(value) > 0 && Number.isFinite(value);

function isRateLimit(given: unknown): boolean {
  const { requests, perMs = 1, ...others } = asRecord(given);
  return isPositive(perMs) && isPositive(requests) && Number(requests) >= 1 && Object.keys(others).length === 0;
}

/** The options of each function of the mock gateway, and the parameters of its own routes. */
const TABLES = {
  createMockGateway: {
    apiKey: option(isString, MOCK_API_KEY),
    validation: option<ValidationMode>(oneOf('strict', 'partial'), 'strict'),
    location: { required: option(isFlag, true) },
    requireInitiated: option(isFlag, true),
    duplicateStatus: option<number>(isAnything, 409),
    identities: option<Readonly<Record<string, Identity>>>(isAnything, {}),
    rateLimit: optional<RateLimitOptions>(
      must('{ requests, perMs }: at least 1 request, and a period above 0', isRateLimit),
    ),
    journalSize: option<number>(isAnything, 1_000),
    seed: option<number>(isAnything, 1),
    clock: option<Clock>(isClock, systemClock),
  },
  requests: {
    environment,
    operation,
    reference: text,
    requestId: text,
    status: whole(599),
    applied: flag,
    fault: optional<FaultKind>(oneOf(...FAULT_KINDS)),
    method: text,
    path: text,
    key: optional<JournalEntry['key']>(oneOf('valid', 'invalid', 'missing')),
  },
  waitFor: { timeoutMs: whole(), signal: anything },
  reports: { operation, reference: text },
  environment: { environment },
  seed: { operation, reference: anything, body: anything, environment },
  serve: { port: anything, host: anything, adminToken: anything },
  mockGatewayHandlers: { staging: anything, production: anything },
  'GET reports': { environment, operation, reference: text, reveal: flag },
  'GET requests': { limit: whole() },
  'POST requests/wait': { timeoutMs: whole(60_000) },
  'GET news': { era: text, id: whole() },
  'DELETE faults': { id: whole() },
} as const satisfies Record<string, OptionTable>;

/** Throws a `TypeError` for a name or value that they cannot have. */
export function readMockOptions<Of extends keyof typeof TABLES>(
  of: Of,
  options: unknown,
): CompleteOptions<(typeof TABLES)[Of]> {
  const read = readOptions(of, TABLES[of], options);
  if (read.problem !== undefined) throw new TypeError(read.problem);
  return read.complete as CompleteOptions<(typeof TABLES)[Of]>;
}
