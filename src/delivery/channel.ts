import type { Environment } from '../errors/errors.js';
import type { Limit } from '../platform/time.js';
import type { AnyReport } from './frozen.js';
import type { Attempted, AttemptRequest } from './transport.js';
import type { CallContext, Failure, Verdict } from './verdict.js';

/** Where reports go. There are two: the gateway, and the operator's relay, which alone knows their environment. */
export interface Channel {
  readonly kind: 'gateway' | 'relay';
  /** The addresses to which reports go, of the environments that are set up; of a relay its own. */
  readonly addresses: { readonly [Name in Environment | 'relay']?: string | undefined };
  /** What keeps every report from leaving, whatever the call says. */
  problem(): string | undefined;
  /** The way of one report; a text says what is missing. `headers` go with each of its requests. */
  open(report: Pick<AnyReport, 'operation' | 'environment'>, headers?: Readonly<Record<string, string>>): Exchange | string;
}

/** The way of one report, with what must be remembered between its attempts. */
export interface Exchange {
  /** Who answers, for messages. */
  readonly by: 'gateway' | 'relay';
  /** Asked anew for each attempt, within its limit. */
  request(body: string, limit: () => Limit): Promise<AttemptRequest | Failure>;
  read(attempted: Attempted, context: CallContext): Verdict;
  /** Keys and values of headers that were used so far: a rotated one is a secret still. */
  readonly secrets: Set<string>;
  /** Words that may be shown as they are. */
  free(said: string): readonly string[];
  /** Resolves when the next attempt must not wait any longer; the signal ends the listening. */
  hurry?(signal: AbortSignal): Promise<void>;
}

/** Where a report is of another client: one for a relay may be incomplete, and one for a gateway names its environment. */
export const OF_ANOTHER_CLIENT = 'the report belongs to another client.';
