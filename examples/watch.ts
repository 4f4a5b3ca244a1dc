// The alerts of an outbox without a metrics system. docs/how-to/on-call.md says what to do for each.
import type { Outbox } from 'location-sdk/outbox';

const HOUR_MS = 3_600_000;
const NEEDS_A_PERSON: readonly string[] = ['authentication', 'address', 'configuration', 'refusals'];

/** Call it once a minute. `wake` reaches a person now, `tell` today. */
export async function watch(outbox: Outbox, wake: (text: string) => void, tell: (text: string) => void): Promise<void> {
  const { states, oldestOpenAt, paused, missingKeys } = await outbox.stats();
  if (oldestOpenAt !== undefined && Date.now() - oldestOpenAt > HOUR_MS)
    wake('the oldest report waits for more than an hour');
  const { quarantined } = states;
  if (quarantined > 0) (quarantined > 20 ? wake : tell)(`${quarantined} reports need a person`);
  // A pause without a waiting report ends with the next report.
  const stops = oldestOpenAt === undefined ? [] : paused;
  for (const { environment, reason } of stops)
    (NEEDS_A_PERSON.includes(reason) ? wake : tell)(`nothing is sent to ${environment}: ${reason}`);
  for (const id of missingKeys) tell(`the key ${id} is missing`);
}
