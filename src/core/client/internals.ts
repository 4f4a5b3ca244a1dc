import type { Channel } from '../delivery/channel.js';
import type { AnyReport } from '../delivery/frozen-report.js';
import type { AttemptResult } from '../delivery/send-once.js';
import type { Environment } from '../errors/errors.js';
import { underSymbol } from '../platform/as-record.js';
import type { AbortSignalLike } from '../platform/web-types.js';
import type { OperationName } from '../protocol/operations.js';
import type { Location } from '../schema/location.js';
import type { Settings } from './config.js';

export type EarlierLocation = (report: Pick<AnyReport, 'environment' | 'reference'>) => Promise<Location | undefined>;

interface AttemptLimit {
  readonly signal: AbortSignalLike;
  readonly milliseconds: number;
  /** For a relay: the tag of the report's player. */
  readonly player?: string;
  readonly attempt?: number;
}

/**
 * The parts of a client that the outbox needs beside its methods: the two halves of a call, and the client's
 * dependencies.
 */
export interface ClientInternals
  extends Pick<Settings, 'clock' | 'random' | 'logger' | 'environment' | 'mockMode' | 'attemptTimeoutMs'> {
  readonly kind: Channel['kind'];
  readonly gateways: Channel['addresses'];
  /** The missing part of an environment's gateway, without which nothing can be sent to it. */
  missing(environment: Environment): string | undefined;
  /**
   * Validates and locates. Rejects as the client's method does, and sends nothing: the address of the gateway must be
   * known, but not the key. A report for a relay does not name the player. Also resolves with the signal of the call.
   */
  freeze(
    operation: OperationName,
    payload: unknown,
    options: unknown,
    /** Looked at before the client's own sources, for a settled report without a location. */
    earlierLocation?: EarlierLocation,
  ): Promise<{ readonly report: AnyReport; readonly signal: AbortSignalLike | undefined }>;
  /** Sends frozen bytes once and returns the result of this attempt alone. The time includes the key function. */
  attempt(report: AnyReport, limit: AttemptLimit): Promise<AttemptResult>;
}

// Two copies of the package in one program share this key. Its number rises with another shape of the internals: an
// outbox must refuse the client of another version, whose results it would misread.
const INTERNALS = Symbol.for('location-sdk.client-door.3');

/** Hidden from printers and serialisers. */
export const withInternals = <T extends object>(client: T, internals: ClientInternals): T =>
  Object.defineProperty(client, INTERNALS, { value: internals });

/** Also of a client made by another copy of the package. */
export const internalsOf = (client: unknown): ClientInternals | undefined =>
  underSymbol(client, INTERNALS) as ClientInternals | undefined;
