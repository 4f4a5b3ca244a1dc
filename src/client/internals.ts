import type { Channel } from '../delivery/channel.js';
import type { AnyReport } from '../delivery/frozen.js';
import type { AttemptResult } from '../delivery/send-once.js';
import type { Environment } from '../errors/errors.js';
import type { Logger } from '../platform/logger.js';
import type { Clock } from '../platform/time.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import type { OperationName } from '../protocol/operations.js';

/** How one attempt is made. */
export interface AttemptLimit {
  readonly signal: AbortSignalLike;
  readonly milliseconds: number;
  /** For a relay: the tag of the player whose report it is. */
  readonly player?: string;
  /** Which attempt it is, for log lines. */
  readonly attempt?: number;
}

/** What the outbox needs of a client beside its methods: the two halves of a call, and the client's world. */
export interface ClientInternals {
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Required<Logger>;
  /** Whether reports go to a gateway or to a relay, which alone knows their environment. */
  readonly kind: Channel['kind'];
  /** Where calls go that do not say; undefined with a relay, whose environment is its own. */
  readonly environment: Environment | undefined;
  /** The addresses to which reports go, of the environments that are set up; of a relay its own. */
  readonly gateways: Channel['addresses'];
  /** Whether `LOCATION_SDK_MOCK` sends what is for staging to a mock gateway. */
  readonly mockMode: boolean;
  /** Milliseconds for one attempt. */
  readonly attemptTimeoutMs: number;
  /** Validates and locates; rejects as the method of the client does. Nothing is sent. A report for a relay does not name the player. */
  freeze(operation: OperationName, payload: unknown, options: unknown): Promise<AnyReport>;
  /** Sends frozen bytes once, key included within the time, and says what this attempt alone means. */
  attempt(report: AnyReport, limit: AttemptLimit): Promise<AttemptResult>;
}

// Two copies of the package in one program share this key, so its text stays as it is.
const INTERNALS = Symbol.for('location-sdk.client-door');

/** Keeps the internals at the client, where no printer or serialiser sees them. */
export const withInternals = <T extends object>(client: T, internals: ClientInternals): T => Object.defineProperty(client, INTERNALS, { value: internals });

/** The internals of a client, also of one made by another copy of the package. */
export const internalsOf = (client: unknown): ClientInternals | undefined =>
  typeof client === 'object' && client !== null ? (client as { [INTERNALS]?: ClientInternals })[INTERNALS] : undefined;
