// The alerts of an outbox without a metrics system. docs/how-to/on-call.md says what to do for each.
import type { Outbox } from 'location-sdk/outbox';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** An outage of a minute is not an incident; the attempt that finds its end comes within ten seconds. */
const NOTHING_MS = 80_000;
/** The alerts of the pauses that need a person. */
const NEEDS_A_PERSON: Readonly<Record<string, string>> = {
  authentication: 'ReportingPausedByKey',
  address: 'ReportingPausedByAddress',
  configuration: 'ReportingPausedBySetting',
  refusals: 'ReportingPausedByRefusals',
};

/**
 * Call it once, and the returned function every 20 seconds. `wake` reaches a person now, `tell` today, once for each
 * problem. If the problem ends and comes back, so does the call.
 */
export function watch(outbox: Outbox, wake: (text: string) => void, tell: (text: string) => void): () => Promise<void> {
  /** The problems of the last look. */
  let known = new Set<string>();
  let failures: number[] = [];
  /** The numbers of quarantined reports in the last 10 minutes. */
  let counts = [{ at: Date.now(), quarantined: 0 }];
  /** When each environment last recorded a report, or was first seen with one that waits. */
  const moved = new Map<string, number>();
  const placeOf = ({ account, environment }: { account: string; environment: string }) => `${account} ${environment}`;
  /** The reports that this process has recorded. */
  let here = 0;
  /** The recorded reports at the last look, and those of this process before it. */
  let last = { all: Number.POSITIVE_INFINITY, here };
  outbox.on('recorded', (event) => {
    here += 1;
    moved.set(placeOf(event), Date.now());
  });
  outbox.on('error', ({ message, code }) => {
    if (code === 'store') failures.push(Date.now());
    if (code === 'stopped') wake(message);
    if (code === 'went-back') wake(`OutboxWentBack: ${message}`);
  });

  async function look(found: Map<string, (() => void) | undefined>): Promise<void> {
    const before = here;
    const { states, destinations, oldestOpenAt, paused, missingKeys } = await outbox.stats();
    if (oldestOpenAt !== undefined && Date.now() - oldestOpenAt > HOUR_MS)
      found.set('ReportsNotSent', () => wake('the oldest report waits for more than an hour'));
    // Another process sends, too, and the counts do not say where. This process may record while they are read.
    const isSentElsewhere = states.recorded - last.all > here - last.here;
    last = { all: states.recorded, here: before };
    for (const { account, environment, isPending } of destinations) {
      const place = placeOf({ account, environment });
      const isPaused = paused.some((pause) => placeOf(pause) === place && pause.reason in NEEDS_A_PERSON);
      const at = moved.get(place);
      if (!isPending) moved.delete(place);
      else if (isPaused || isSentElsewhere || at === undefined) moved.set(place, Date.now());
      else if (Date.now() - at >= NOTHING_MS)
        found.set(`NothingIsSent ${place}`, () =>
          wake(`reports for ${environment} wait, and none was recorded for 80 seconds`),
        );
    }
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
    const reports: { id: string; isConflict: boolean }[] = [];
    for await (const { id, problem } of outbox.iterate({ state: 'quarantined' }))
      reports.push({ id, isConflict: problem?.code === 'conflict' });
    const fresh = reports.filter(({ id }) => !known.has(id));
    const conflict = fresh.find(({ isConflict }) => isConflict);
    if (conflict) found.set(`ReportConflicts ${conflict.id}`, () => wake('the gateway holds other data of a report'));
    const other = fresh.find(({ isConflict }) => !isConflict);
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
