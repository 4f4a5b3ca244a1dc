import { inLargestUnit } from '../../platform/duration.js';
import { printable } from '../../platform/printable.js';
import type { PauseReason } from '../destination.js';
import type { OutboxStats } from '../interface.js';
import type { Row } from '../state-machine.js';

/** A pause in words. */
interface PauseWords {
  /** Whether only a person ends it. Otherwise it may end by itself: with the first probe that is recorded. */
  readonly needsPerson: boolean;
  /** The cause in a sentence. */
  readonly cause: string;
  /** The action that ends it. */
  readonly action: string;
}

/** The words for each reason of a pause, on the command line and in the console. */
export const PAUSE_WORDS: Readonly<Record<PauseReason, PauseWords>> = {
  authentication: {
    needsPerson: true,
    cause: 'The gateway refuses the API key.',
    action: 'Ask the authority for a valid key, and give it to the outbox (apiKey). Restart its processes, unless apiKey is a function.',
  },
  address: {
    needsPerson: true,
    cause: 'Another server answers at the address of the gateway.',
    action: 'Correct the base address (baseUrl) or the proxy in between. If both are right, tell the operator of the gateway.',
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
      'Ask the operator of the gateway whether the gateway or the data is at fault. If it is the data, stop the deployment that writes it, and report good data.',
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
    action: 'Wait: it goes on by itself. If it lasts, run "npx location-sdk check", which says where the connection fails.',
  },
};

/** Explains the state of a report. If it waits: the reason, and the event or the action that ends the wait. */
export function meaningOf(row: Row, paused: OutboxStats['paused'], now: number): string {
  const { state, blocked, dueAt, fence, problem } = row;
  if (state === 'recorded') return 'The gateway holds it, or a person said so.';
  if (state === 'dismissed') return 'A person decided that it is not sent.';
  if (state === 'quarantined') return 'It is not sent until a person decides.';
  if (state === 'in-flight')
    return dueAt > now
      ? 'A worker sends it. If that worker dies, another one takes it after the lease.'
      : 'Its worker has not finished within the lease. The next worker takes it: start one if none runs.';
  if (blocked) return 'It waits for its initiated report. It is sent once that one is recorded or dismissed. If that one is quarantined, decide about it.';
  const pause = paused.find(
    (one) => one.account === row.account && one.environment === row.environment && (one.operation === undefined || one.operation === row.operation),
  );
  if (pause) {
    const { cause, action } = PAUSE_WORDS[pause.reason];
    return `It waits, since ${pause.operation ?? pause.environment} is paused (${pause.reason}). ${cause} ${action}`;
  }
  if (problem?.keyId !== undefined)
    return `It waits for the encryption key ${printable(problem.keyId)}. Add the key to encryption.keys of every process that sends, and restart it.`;
  // A report that was never claimed is due by any clock.
  if (dueAt > now && fence > 0) {
    const { count, unit } = inLargestUnit(dueAt - now);
    return `It waits for its next attempt, in ${count} ${unit}. The command retry sends it at once.`;
  }
  return 'It is due, and the next free worker sends it. If it stays due, no running worker serves its account and its gateway: see stats, and start one.';
}
