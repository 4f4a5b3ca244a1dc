import { boundTo, keyOf } from '../rules/destination.js';
import type { PauseChange } from '../rules/pause.js';
import { learn, learnedNow, slotsLong } from '../rules/rate.js';
import type { Ending, Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { isServed } from '../store/claimants.js';
import type { ClaimRequest, DestinationState, OutboxStore, Turn, TurnResult } from '../store/store.js';

/** A worker takes slots for this time at once, in milliseconds. */
const SLOTS_MS = 150;
/** The rows are claimed this long before their first slot, in milliseconds. */
const AHEAD_MS = 100;
/** Slots that are missed by more than this are lost, in milliseconds. */
const LATE_MS = 250;
/** The part of the distance of two slots that a late report keeps from the one before. */
const CLOSEST = 0.98;
/** The length of the spans by which answers are counted, in milliseconds. */
const COUNTED_MS = 100;
/** The number of spans that are kept: a minute. */
const COUNTED_SPANS = 600;

/** A destination as one worker sees it. */
interface Lane {
  destination: DestinationState;
  /** When the destination was read, by this worker's clock. */
  readAt: number;
  /** Whether rows wait for slots. */
  isWanted: boolean;
  /** The number of slots that this worker has left, the time of the first, and the milliseconds between two. */
  left: number;
  next: number;
  everyMs: number;
  /** When the last report of this worker was or is sent. */
  lastAt: number;
  /** Slots are being taken. */
  taking?: Promise<void> | undefined;
  /** The number of answers in each span. */
  readonly answers: Map<number, number>;
}

/**
 * Keeps the rate of each destination that has one, by the option or learned. Before a claim, the worker takes slots
 * from the store, which gives each slot to one worker, and each row is sent in its slot. Destinations without a rate
 * cost nothing. Undefined if the store keeps no rate.
 */
export function createPacing(settings: OutboxSettings) {
  const { store, clock, ratePerSecond } = settings;
  const { takeSlots, keepRate } = store;
  if (!takeSlots || !keepRate) return undefined;
  const lanes = new Map<string, Lane>();
  /** When each claimed row is sent, by its id. */
  const slots = new Map<string, number>();

  const spanNow = (): number => Math.floor(clock.now() / COUNTED_MS);

  function rateOf({ destination: { rate }, readAt }: Lane): number | undefined {
    const now = rate && learnedNow({ ...rate, ageMs: rate.ageMs + clock.now() - readAt });
    return now === undefined ? ratePerSecond : Math.min(now, ratePerSecond ?? now);
  }

  function see(destination: DestinationState): void {
    const key = keyOf(destination);
    const none = { isWanted: false, left: 0, next: 0, everyMs: 0, lastAt: 0, answers: new Map<number, number>() };
    const lane: Lane = Object.assign(lanes.get(key) ?? none, { destination, readAt: clock.now() });
    lanes.set(key, lane);
    if (rateOf(lane) === undefined) lane.left = 0;
    if ((destination.nextInMs ?? 1) <= 0) lane.isWanted = true;
  }

  const sendsAt = ({ next, lastAt, everyMs }: Lane, now: number): number =>
    Math.max(next, now, Math.min(lastAt + everyMs * CLOSEST, now + everyMs));

  const take = async (lane: Lane, rate: number, most: number): Promise<void> => {
    const count = Math.max(1, Math.min(most, Math.round((rate * SLOTS_MS) / 1_000)));
    const long = slotsLong(count, rate);
    const now = clock.now();
    try {
      const next = now + (await takeSlots(lane.destination, long));
      Object.assign(lane, { left: count, next, everyMs: long / count / 1_000 });
    } finally {
      lane.taking = undefined;
    }
  };

  /** Takes slots for a lane that has none left and needs some: at most as many as the worker has places. */
  function refill(lane: Lane, most: number): Promise<void> | undefined {
    const rate = rateOf(lane);
    if (rate !== undefined && lane.left === 0 && lane.isWanted) lane.taking ??= take(lane, rate, most);
    return lane.taking;
  }

  const isReady = ({ left, next }: Lane): boolean => left > 0 && next - AHEAD_MS <= clock.now();

  /** The claim without the destinations whose slots have not come, and for at most as many rows as have slots. */
  async function within(claim: ClaimRequest): Promise<ClaimRequest | undefined> {
    const held = new Set<string>();
    let { limit } = claim;
    for (const [key, lane] of lanes) {
      if (rateOf(lane) === undefined || !isServed(lane.destination, claim.accounts)) continue;
      if (clock.now() - lane.next > LATE_MS) lane.left = 0;
      await refill(lane, claim.limit);
      if (isReady(lane)) limit = Math.min(limit, lane.left);
      else held.add(key);
    }
    if (held.size === 0) return { ...claim, limit };
    const accounts = claim.accounts.flatMap((one) => {
      const open = boundTo(one.account, one.gateways).filter((place) => !held.has(keyOf(place)));
      const gateways = Object.fromEntries(open.map(({ environment, gateway }) => [environment, gateway]));
      return open.length > 0 ? { ...one, gateways } : [];
    });
    return accounts.length > 0 ? { ...claim, accounts, limit } : undefined;
  }

  async function turn(given: Turn): Promise<TurnResult> {
    // A probe needs no slot.
    if (!given.claim || given.claim.probe) return store.turn(given);
    const claim = await within(given.claim);
    if (!claim && given.writes.length === 0) return { written: [], claimed: [] };
    const result = await store.turn({ ...given, claim });
    if (!claim) return result;
    for (const row of result.claimed) {
      const lane = lanes.get(keyOf(row));
      if (!lane || lane.left === 0) continue;
      lane.lastAt = sendsAt(lane, clock.now());
      lane.left -= 1;
      lane.next += lane.everyMs;
      slots.set(row.id, lane.lastAt);
    }
    for (const lane of lanes.values()) {
      // No more rows wait for slots.
      if (result.claimed.length < claim.limit && isReady(lane)) lane.isWanted = false;
      // The next slots are taken meanwhile. If it fails, the next turn meets the same failure.
      refill(lane, given.claim.limit)?.catch(() => undefined);
    }
    return result;
  }

  /** A destination whose rows wait for slots has no row before the first of them. */
  const delayed = (one: DestinationState): DestinationState => {
    const lane = lanes.get(keyOf(one));
    if (!lane || one.nextInMs === undefined || one.pause.reason !== undefined || lane.left === 0) return one;
    return { ...one, nextInMs: Math.max(one.nextInMs, lane.next - AHEAD_MS - clock.now()) };
  };

  /** Learns the rate when a 429 begins a pause. */
  const learnFrom = async (change: PauseChange): Promise<void> => {
    const lane = lanes.get(keyOf(change));
    if (change.reason !== 'rate-limited' || change.continues || change.operation || !lane) return;
    const { destination, answers } = lane;
    const { since, until, remainingMs } = destination.pause;
    const span = spanNow();
    const rate = learn({
      perSecond: rateOf(lane),
      kept: destination.rate,
      sentMs: until - remainingMs - since,
      waitMs: change.forMs,
      answeredIn: (milliseconds) => {
        let sum = 0;
        for (const [one, count] of answers) if (one > span - milliseconds / COUNTED_MS) sum += count;
        return sum;
      },
    });
    await keepRate(destination, rate);
    see({ ...destination, rate: { ...rate, ageMs: 0 } });
  };

  const paced: OutboxStore = Object.assign(Object.create(store) as OutboxStore, {
    turn,
    async outlook(accounts?: readonly string[]) {
      const outlooks = await store.outlook(accounts);
      outlooks.forEach(see);
      return outlooks.map(delayed);
    },
    async pause(change: PauseChange) {
      const isMade = await store.pause(change);
      if (isMade) await learnFrom(change);
      return isMade;
    },
  });

  return {
    /** The settings with a store that keeps the rates. */
    settings: { ...settings, store: paced },
    /** The time at which a claimed row is sent, for its only reader. Undefined: at once. */
    slotOf({ id }: Pick<Row, 'id'>): number | undefined {
      const at = slots.get(id);
      slots.delete(id);
      return at;
    },
    /** Counts an answer, unless it is a 429. */
    ended(row: Row, ending: Ending | undefined): void {
      const { answers } = lanes.get(keyOf(row)) ?? {};
      const status = ending?.kind === 'recorded' ? 200 : ending?.problem.status;
      if (!answers || status === undefined || status === 429) return;
      const span = spanNow();
      answers.set(span, (answers.get(span) ?? 0) + 1);
      if (answers.size > 2 * COUNTED_SPANS)
        for (const one of answers.keys()) if (one <= span - COUNTED_SPANS) answers.delete(one);
    },
  };
}

export type Pacing = NonNullable<ReturnType<typeof createPacing>>;
