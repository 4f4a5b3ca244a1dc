import type { Environment } from '../errors/errors.js';
import type { Limit } from '../platform/time.js';
import type { AnyReport } from './frozen-report.js';
import type { Attempted, AttemptRequest } from './transport.js';
import type { CallContext, Failure, Verdict } from './verdict.js';

/** The destination of reports: the gateway, or the operator's relay, which has its own environment. */
export interface Channel {
  readonly kind: 'gateway' | 'relay';
  /** The addresses of the environments that are set up, or the relay's own. */
  readonly addresses: { readonly [Name in Environment | 'relay']?: string | undefined };
  /** A problem that stops every report, for any options of the call. */
  problem(): string | undefined;
  /** The exchange for one report. A text says what is missing. `headers` are added to each of its requests. */
  open(report: Pick<AnyReport, 'operation' | 'environment'>, headers?: Readonly<Record<string, string>>): Exchange | string;
}

/** The exchange for one report, with the data that is kept between its attempts. */
export interface Exchange {
  /** The name of the receiver, for messages. */
  readonly by: 'gateway' | 'relay';
  /** Made again for each attempt, within its limit. */
  request(body: string, limit: () => Limit): Promise<AttemptRequest | Failure>;
  read(attempted: Attempted, context: CallContext): Verdict;
  /** Keys and header values used so far: a rotated key is still secret. */
  readonly secrets: Set<string>;
  /** Resolves when the next attempt must start at once. The signal removes the listener. */
  hurry?(signal: AbortSignal): Promise<void>;
}

/** The problem if a report is of another client. A report for a relay may be incomplete, and one for a gateway names its environment. */
export const OF_ANOTHER_CLIENT = 'the report belongs to another client.';
