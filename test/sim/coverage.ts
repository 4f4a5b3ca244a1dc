/** The situations that histories must meet. A simulation proves nothing about a situation that it never meets. */
export const SITUATIONS = [
  // Reports that are enqueued.
  'reports accepted',
  'settled after initiated',
  'settled before initiated',
  'settled alone',
  'same bytes again',
  'other bytes under a key',
  'enqueue that fails after its commit',
  'the same reference in two accounts',
  // Events of the network.
  'request lost on its way',
  'answer lost after recording',
  'request that lands after its lease',
  'answer later than the time limit',
  'destination unreachable',
  // Answers of the gateway.
  'recorded',
  '401',
  '403',
  '404 that is not of the gateway',
  'redirect',
  'Retry-After: 0',
  '429',
  '429 with Retry-After',
  '429 longer than is believed',
  '503',
  '503 after recording',
  '5xx',
  '5xx after recording',
  'success that is none (portal)',
  'bad report refused',
  'good report refused while in doubt',
  'words that only look like a duplicate, in doubt',
  '404, initiated open in the outbox',
  '404, initiated recorded meanwhile',
  '404 again, initiated recorded',
  '404, no initiated in the outbox',
  'reported by someone else, same bytes',
  'reported by someone else, other bytes',
  // Events of workers.
  'worker dies',
  'worker dies with an attempt under way',
  'worker freezes',
  'worker freezes beyond a lease',
  'worker stops gracefully',
  'worker stops and cuts off an attempt',
  'clock jumps forward',
  'clock jumps back',
  'store fails before a commit',
  'store fails after a commit',
  'database goes back',
  'recorded although the database went back',
  "the store's pauses and bindings vanish",
  'several workers at once',
  'a worker for each account',
  'a laptop in mock mode on the same store',
  // Events of the rules.
  'claimed again after a lease',
  'late answer is fenced off',
  'late answer to a recorded row is fenced off',
  'attempt given up, too late for its lease',
  'claimed ahead, sent later',
  'claimed ahead, held back by a pause',
  'worker dies with a row claimed ahead',
  'duplicate in doubt is success',
  'duplicate without doubt is quarantined',
  'conflict in doubt is quarantined',
  'conflict without doubt is quarantined',
  'turned away while in doubt',
  'not sent while in doubt',
  'settled waits again after its lease, initiated open',
  'settled waits for a quarantined initiated',
  'another reference passes a quarantined one',
  'environment paused',
  'paused by refusals',
  'breaker opened, or its probe answered, by a page',
  'another operation is recorded while a breaker is open',
  'refused probe condemns nothing',
  'refusal during a pause condemns nothing',
  'refused report waits behind the breaker',
  'a success ends the strikes',
  'several ends change a pause at once',
  'probe sent',
  'probe sent by a worker that is full',
  'probe finds no report',
  'probe fails',
  'pause ended by a probe',
  'other environment goes on during a pause',
  'other account goes on during a pause',
  'two workers change a pause at once',
  'more than eight attempts',
  'a person retries',
  'a person dismisses',
  'a person vouches',
  'a person reopens',
  'a person reopens a report in doubt',
  'a person replaces what was refused',
  'a person replaces what was dismissed',
  'a person replaces what waits',
  'what is in doubt is not replaced',
  'what was replaced is recorded',
  'recorded is not reopened',
  'a person dismisses a settlement with its report',
  'a person undoes a dismissal',
  'a person undoes a retry',
  'what is dismissed stays so while its settlement is in flight',
  'a worker dies with the settlement of a dismissed report',
] as const;

export type Situation = (typeof SITUATIONS)[number];
export type Coverage = Record<Situation, number>;

export const emptyCoverage = (): Coverage => Object.fromEntries(SITUATIONS.map((name) => [name, 0])) as Coverage;

export function addCoverage(to: Coverage, more: Coverage): void {
  for (const name of SITUATIONS) to[name] += more[name];
}

/** The situations that were never met. */
export const unmet = (coverage: Coverage): Situation[] => SITUATIONS.filter((name) => coverage[name] === 0);

/** The table, as text. */
export function showCoverage(coverage: Coverage): string {
  const width = Math.max(...SITUATIONS.map(({ length }) => length));
  return SITUATIONS.map((name) => `  ${name.padEnd(width)} ${coverage[name].toLocaleString('en').padStart(14)}`).join(
    '\n',
  );
}
