import { printable } from '../core/platform/messages.js';
import type { OperationName } from '../core/protocol/operations.js';
import { type ResumedPause, resumePlace } from '../outbox/decisions/end-pauses.js';
import type { OutboxEnvironment, PauseReason, PauseScope } from '../outbox/rules/destination.js';
import type { Pause } from '../outbox/rules/pause.js';
import { type OperatorContext, requireShown } from './context.js';
import { type DecisionRecord, recordOf, storeDecision, type Who } from './decision-log.js';
import { shownText } from './reports.js';

export interface ShownPause extends PauseWords {
  readonly account: string;
  readonly environment: OutboxEnvironment;
  /** Null: the whole environment is paused. Otherwise it is the pause of a breaker. */
  readonly operation: OperationName | null;
  readonly reason: PauseReason;
  readonly message: string | null;
  readonly triedAt: number;
  readonly since: number;
  readonly nextProbeAt: number;
  /** In a row. */
  readonly failedProbes: number;
}

interface PauseWords {
  /** Otherwise it may end by itself: with the first probe that is recorded. */
  readonly needsPerson: boolean;
  readonly cause: string;
  readonly action: string;
}

export const PAUSE_WORDS: Readonly<Record<PauseReason, PauseWords>> = {
  authentication: {
    needsPerson: true,
    cause: 'The gateway refuses the API key.',
    action:
      'Ask the authority for a valid key, and give it to the outbox (apiKey). Restart its processes, unless apiKey is a function.',
  },
  address: {
    needsPerson: true,
    cause: 'Another server answers at the address of the gateway.',
    action:
      'Correct the base address (baseUrl) or the proxy in between. If both are right, tell the operator of the gateway.',
  },
  configuration: {
    needsPerson: true,
    cause: 'A setting of the outbox is missing or wrong.',
    action: 'Correct the setting that the message names, and restart the processes of the outbox.',
  },
  refusals: {
    needsPerson: true,
    cause: 'The gateway refused several reports of this operation in a row.',
    action:
      'Ask the operator of the gateway whether the gateway or the data is at fault. If it is the data, stop the deployment that writes it, and correct its reports: "npx location-sdk outbox <store> replace --from".',
  },
  'rate-limited': {
    needsPerson: false,
    cause: 'The gateway asks for fewer requests.',
    action: 'Wait: it goes on by itself. If it lasts, set a smaller concurrency or ask for a higher limit.',
  },
  unavailable: {
    needsPerson: false,
    cause: 'The gateway is unavailable.',
    action: 'Wait: it goes on by itself. If it lasts, tell the operator of the gateway.',
  },
  unreachable: {
    needsPerson: false,
    cause: 'The gateway cannot be reached.',
    action:
      'Wait: it goes on by itself. If it lasts, run "npx location-sdk check", which says where the connection fails.',
  },
};

export const shownPauses = (pauses: readonly Pause[]): ShownPause[] =>
  pauses.flatMap(({ account, environment, operation = null, reason, message, triedAt, since, until, strikes }) => {
    if (!reason) return [];
    const place = { account: printable(account), environment, operation, reason, message: shownText(message) };
    return [{ ...place, ...PAUSE_WORDS[reason], triedAt, since, nextProbeAt: until, failedProbes: strikes }];
  });

export interface Resumed {
  readonly pauses: readonly ResumedPause[];
  readonly decision: DecisionRecord;
}

export async function resume(context: OperatorContext, where: PauseScope, by: Who): Promise<Resumed> {
  requireShown(context, where.account);
  const isRepeated = (await context.operator.decision(by.decision)) !== undefined;
  const decision = recordOf(await storeDecision(context, by, { action: 'resume', about: where, done: true }));
  // A repetition must not end a pause that has begun since.
  return { pauses: isRepeated ? [] : await resumePlace(context, where), decision };
}
