// The alerts of an outbox without a metrics system. docs/how-to/on-call.md says what to do for each.
import type { Outbox } from 'location-sdk/outbox';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const NEEDS_A_PERSON: readonly string[] = ['authentication', 'address', 'configuration', 'refusals'];

/**
 * Call it once, and the returned function once a minute. `wake` reaches a person now, `tell` today, once for each
 * problem. If the problem ends and comes back, so does the call.
 */
export function watch(outbox: Outbox, wake: (text: string) => void, tell: (text: string) => void): () => Promise<void> {
  /** The problems of the last look. */
  let known = new Set<string>();
  let failures: number[] = [];
  outbox.on('error', ({ message }) => {
    failures.push(Date.now());
    if (message.startsWith('The outbox has stopped')) wake(message);
  });

  async function look(found: Map<string, (() => void) | undefined>): Promise<void> {
    const { states, oldestOpenAt, paused, missingKeys } = await outbox.stats();
    if (oldestOpenAt !== undefined && Date.now() - oldestOpenAt > HOUR_MS)
      found.set('old', () => wake('the oldest report waits for more than an hour'));
    // A pause without a waiting report ends with the next report.
    for (const { account, environment, operation, reason, since } of oldestOpenAt === undefined ? [] : paused) {
      const text = `nothing is sent to ${environment}: ${reason}`;
      const problem = [account, environment, operation, reason, since].join();
      if (NEEDS_A_PERSON.includes(reason)) found.set(problem, () => wake(text));
      else if (Date.now() - since >= 15 * MINUTE_MS) found.set(problem, () => tell(text));
    }
    for (const id of missingKeys) found.set(`key ${id}`, () => tell(`the key ${id} is missing`));
    const { quarantined } = states;
    if (quarantined === 0) return;
    if (quarantined > 20) found.set('many', () => wake(`${quarantined} reports need a person`));
    const reports = await outbox.list({ state: 'quarantined', limit: 1_000 });
    const fresh = reports.filter(({ id }) => !known.has(id));
    const conflict = fresh.find(({ problem }) => problem?.code === 'conflict');
    if (conflict) found.set(`conflict ${conflict.id}`, () => wake('the gateway holds other data of a report'));
    const other = fresh.find(({ problem }) => problem?.code !== 'conflict');
    if (other && quarantined <= 20)
      found.set(`quarantined ${other.id}`, () => tell(`${quarantined} reports need a person`));
    for (const { id } of reports) found.set(id, undefined);
  }

  return async () => {
    const found = new Map<string, (() => void) | undefined>();
    try {
      await look(found);
    } catch {
      failures.push(Date.now());
      // The known problems go on.
      for (const problem of known) found.set(problem, undefined);
    }
    failures = failures.filter((at) => Date.now() - at < 10 * MINUTE_MS);
    if (failures.length > 5) found.set('store', () => wake('operations of the store fail'));
    else found.delete('store');
    for (const [problem, ring] of found) if (!known.has(problem)) ring?.();
    known = new Set(found.keys());
  };
}
