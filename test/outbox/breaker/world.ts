import {
  concernsPause,
  isRefusal,
  mayQuarantine,
  type Pause,
  pausedBy,
  postponed,
  probeTaken,
} from '../../../src/outbox/rules/pause.js';
import { type Ending, ended, type Row } from '../../../src/outbox/rules/state-machine.js';
import { type Finished, planIdle, planTurn } from '../../../src/outbox/sending/plan.js';
import { decisions } from '../../sim/decisions.js';
import { createRandom } from '../../sim/random.js';
import { createSchedule } from '../../sim/schedule.js';
import { createStore } from '../../sim/store.js';

/** A report: whether the gateway refuses it, and when it is enqueued. */
export interface Given {
  readonly bad: boolean;
  readonly at: number;
}

/** One attempt, in the order in which attempts end. */
export interface Attempted {
  readonly report: number;
  readonly claimedAt: number;
  /** Whether it probed a pause. */
  readonly probe: boolean;
  readonly became: Row['state'];
}

const DESTINATION = { account: 'default', environment: 'staging' } as const;
const OPERATION = { ...DESTINATION, operation: 'reportBetEvent' } as const;
const GATEWAYS = { staging: 'https://gateway.example.com' };
const LEASE_MS = 30_000;
const ANSWER_MS = 50;
const REFUSED: Ending = {
  kind: 'refused',
  outcome: 'rejected',
  problem: { code: 'unprocessable', message: 'HTTP 422', status: 422 },
};
const RECORDED: Ending = { kind: 'recorded', outcome: 'recorded', message: undefined };

/**
 * Runs one worker and one gateway that refuses the bad reports in virtual time until `endsAt`, with the decisions of
 * the source.
 */
export function live(
  given: readonly Given[],
  {
    breakerAfter,
    concurrency,
    seed,
    endsAt,
  }: { breakerAfter: number; concurrency: number; seed: number; endsAt: number },
) {
  const { next: random } = createRandom(seed);
  const schedule = createSchedule();
  const store = createStore(schedule.now, decisions);
  const attempts: Attempted[] = [];
  let finished: Finished[] = [];
  let busy = 0;
  let planned = 0;

  const standing = () => ({
    accounts: [{ account: DESTINATION.account, gateways: GATEWAYS, busy }],
    busy,
    concurrency,
    places: concurrency,
    openBreakers: pause().reason === undefined ? [] : [OPERATION],
    leaseMs: LEASE_MS,
    pollMs: 60_000,
    stopping: false,
  });
  const pause = (): Pause => ({ ...store.breakerOf(OPERATION), ...OPERATION });

  function settle(row: Row, probe: number | undefined, claimedAt: number): void {
    const context = {
      retry: { baseMs: 1_000, capMs: 300_000 },
      random,
      keepBodies: false,
      dependency: 'none',
    } as const;
    const ending = given[Number(row.reference)]?.bad ? REFUSED : RECORDED;
    const seen = pause();
    const end = { ending, change: ended(row, ending, context), probe };
    const change = concernsPause(end, seen.reason === undefined && seen.strikes > 0)
      ? pausedBy(seen, end, { random, breakerAfter })
      : undefined;
    if (change) store.pause(change);
    const condemns = !isRefusal(end) || mayQuarantine(seen, probe, { breakerAfter });
    const became = condemns ? end.change : ended(row, postponed(ending), context);
    attempts.push({ report: Number(row.reference), claimedAt, probe: probe !== undefined, became: became.state });
    finished.push({ row, change: became });
    work();
  }

  function turn(probed?: Pause): boolean {
    const batch = finished;
    finished = [];
    const { claimed } = store.turn(planTurn(batch, standing(), probed));
    busy += claimed.length - batch.length;
    const claimedAt = schedule.now();
    for (const row of claimed) schedule.after(ANSWER_MS, () => settle(row, probed && probed.version + 1, claimedAt));
    return batch.length + claimed.length > 0;
  }

  function work(): void {
    while (turn());
    const { probes, waitMs } = planIdle(store.outlook(), standing());
    for (const probed of probes) if (store.pause(probeTaken(probed, LEASE_MS))) turn(probed);
    planned += 1;
    const mine = planned;
    schedule.after(waitMs, () => mine === planned && work());
  }

  for (const [index, { at }] of given.entries())
    schedule.at(at, () => {
      const reference = String(index);
      const id = `default:staging:reportBetEvent:${reference}`;
      store.enqueue([
        {
          ...DESTINATION,
          id,
          gateway: GATEWAYS.staging,
          operation: 'reportBetEvent',
          reference,
          waitsFor: undefined,
          body: '{}',
          fingerprint: id,
        },
      ]);
      work();
    });
  schedule.run(() => schedule.now() > endsAt, 1_000_000);
  return {
    attempts,
    stateOf: (report: number) =>
      store.rows[given[report] ? store.rows.findIndex(({ reference }) => reference === String(report)) : -1]?.state,
    pause: pause(),
  };
}
