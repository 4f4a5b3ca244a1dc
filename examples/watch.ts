// The alerts of an outbox without a metrics system. docs/how-to/on-call.md says what to do for each.
import type { Outbox } from 'location-sdk/outbox';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The alerts of the pauses that need a person. */
const NEEDS_A_PERSON: Readonly<Record<string, string>> = {
  authentication: 'ReportingPausedByKey',
  address: 'ReportingPausedByAddress',
  configuration: 'ReportingPausedBySetting',
  refusals: 'ReportingPausedByRefusals',
};

/**
 * Call it once, and the returned function once a minute. `wake` reaches a person now, `tell` today, once for each
 * problem. If the problem ends and comes back, so does the call.
 */
export function watch(outbox: Outbox, wake: (text: string) => void, tell: (text: string) => void): () => Promise<void> {
  /** The problems of the last look. */
  let known = new Set<string>();
  let failures: number[] = [];
  /** The numbers of quarantined reports in the last 10 minutes. */
  let counts = [{ at: Date.now(), quarantined: 0 }];
  /** How many reports are recorded, and since when. */
  let recorded = { count: -1, at: 0 };
  let waitingSince: number | undefined;
  outbox.on('error', ({ message, code }) => {
    if (code === 'went-back') return wake(`OutboxWentBack: ${message}`);
    failures.push(Date.now());
    if (message.startsWith('The outbox has stopped')) wake(message);
  });

  async function look(found: Map<string, (() => void) | undefined>): Promise<void> {
    const { states, oldestOpenAt, paused, missingKeys } = await outbox.stats();
    if (oldestOpenAt !== undefined && Date.now() - oldestOpenAt > HOUR_MS)
      found.set('ReportsNotSent', () => wake('the oldest report waits for more than an hour'));
    if (states.recorded !== recorded.count) recorded = { count: states.recorded, at: Date.now() };
    waitingSince = states.waiting + states['in-flight'] > 0 ? (waitingSince ?? Date.now()) : undefined;
    if (waitingSince !== undefined && Date.now() - Math.max(recorded.at, waitingSince) >= 2 * MINUTE_MS)
      found.set('NothingIsSent', () => wake('reports wait, and none was recorded for two minutes'));
    // A pause without a waiting report ends with the next report.
    for (const { account, environment, operation, reason, since } of oldestOpenAt === undefined ? [] : paused) {
      const text = `nothing is sent to ${environment}: ${reason}`;
      const alert = NEEDS_A_PERSON[reason] ?? 'ReportingPaused';
      const problem = [alert, account, environment, operation, since].join();
      if (alert !== 'ReportingPaused') found.set(problem, () => wake(text));
      else if (Date.now() - since >= 15 * MINUTE_MS) found.set(problem, () => tell(text));
    }
    for (const id of missingKeys) found.set(`EncryptionKeyMissing ${id}`, () => tell(`the key ${id} is missing`));
    const { quarantined } = states;
    counts = [...counts.filter(({ at }) => Date.now() - at <= 10 * MINUTE_MS), { at: Date.now(), quarantined }];
    const isMany = quarantined - Math.min(...counts.map((one) => one.quarantined)) > 20;
    if (quarantined === 0) return;
    if (isMany) found.set('ManyReportsQuarantined', () => wake(`${quarantined} reports need a person`));
    const reports = await outbox.list({ state: 'quarantined', limit: 1_000 });
    const fresh = reports.filter(({ id }) => !known.has(id));
    const conflict = fresh.find(({ problem }) => problem?.code === 'conflict');
    if (conflict) found.set(`ReportConflicts ${conflict.id}`, () => wake('the gateway holds other data of a report'));
    const other = fresh.find(({ problem }) => problem?.code !== 'conflict');
    if (other && !isMany)
      found.set(`ReportsQuarantined ${other.id}`, () => tell(`${quarantined} reports need a person`));
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
    if (failures.length > 5) found.set('OutboxStoreFails', () => wake('operations of the store fail'));
    else found.delete('OutboxStoreFails');
    for (const [problem, ring] of found) if (!known.has(problem)) ring?.();
    known = new Set(found.keys());
  };
}
