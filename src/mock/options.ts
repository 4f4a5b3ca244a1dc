import type { Clock } from '../platform/time.js';
import type { ValidationMode } from '../schema/model.js';
import type { Identity } from './identities.js';
import type { RateLimitOptions } from './rate-limit.js';

/** What `createMockGateway` takes; all of it is optional. */
export interface MockGatewayOptions<Mode extends ValidationMode = ValidationMode> {
  /** The key that it accepts. Default: `'mock-api-key'`. */
  apiKey?: string | undefined;
  /** As the client's option. Default: `'strict'`. */
  validation?: Mode | undefined;
  /** As the client's option. Default: `{ required: true }`. */
  location?:
    | {
        /** Whether an event without a location is refused. */
        required?: boolean | undefined;
      }
    | undefined;
  /** Whether a settled report needs its initiated one (specification, section 1). Default: true. */
  requireInitiated?: boolean | undefined;
  /** The status of a repeated report; the specification gives none. Default: 409. */
  duplicateStatus?: number | undefined;
  /** Who is verified in production, by NIN. In staging, numbers that start with 99 are (specification, section 4.3). Default: nobody. */
  identities?: Readonly<Record<string, Identity>> | undefined;
  /** Answers 429 beyond so many requests. Default: no limit. */
  rateLimit?: RateLimitOptions | undefined;
  /** How many requests are remembered. Default: 1,000. */
  journalSize?: number | undefined;
  /** For the chance in faults: the same seed, the same behaviour. Default: 1. */
  seed?: number | undefined;
  /** Default: the system's clock. */
  clock?: Clock | undefined;
}
