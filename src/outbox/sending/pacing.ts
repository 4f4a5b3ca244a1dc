import { keyOf } from '../rules/destination.js';
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

/** A destination with a rate, as one worker sees it. */
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
  taking: Promise<void> | undefined;
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
  const states = new Map<string, DestinationState>();
  /** When each claimed row is sent, by its id. */
  const slots = new Map<string, number>();
  /** The number of answers in each span, by destination. */
  const answers = new Map<string, Map<number, number>>();

  function rateOf({ destination: { rate }, readAt }: Lane): number | undefined {
    const now = rate && learnedNow({ ...rate, ageMs: rate.ageMs + clock.now() - readAt });
    return now === undefined ? ratePerSecond : Math.min(now, ratePerSecond ?? now);
  }

  function see(outlooks: readonly DestinationState[]): void {
    for (const destination of outlooks) {
      const key = keyOf(destination);
      const { rate, nextInMs = 1 } = destination;
      const readAt = clock.now();
      const known = lanes.get(key);
      states.set(key, destination);
      if (ratePerSecond === undefined && !rate) lanes.delete(key);
      else if (known) Object.assign(known, { destination, readAt });
      else
        lanes.set(key, {
          destination,
          readAt,
          isWanted: false,
          left: 0,
          next: 0,
          everyMs: 0,
          lastAt: 0,
          taking: undefined,
        });
      const lane = lanes.get(key);
      if (lane && nextInMs <= 0) lane.isWanted = true;
    }
  }

  const sendsAt = ({ next, lastAt, everyMs }: Lane, now: number): number =>
    Math.max(next, now, Math.min(lastAt + everyMs * CLOSEST, now + everyMs));

  /** Takes slots for a lane that has none left and needs some: at most as many as the worker has places. */
  const refill = (lane: Lane, most: number): Promise<void> | undefined => {
    const rate = rateOf(lane);
    if (rate === undefined || lane.left > 0 || !lane.isWanted) return lane.taking;
    const take = async () => {
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
    lane.taking ??= take();
    return lane.taking;
  };

  const isReady = ({ left, next }: Lane): boolean => left > 0 && next - AHEAD_MS <= clock.now();

  /** The claim without the destinations whose slots have not come, and for at most as many rows as have slots. */
  async function within(claim: ClaimRequest): Promise<ClaimRequest | undefined> {
    const held: DestinationState[] = [];
    let { limit } = claim;
    for (const lane of lanes.values()) {
      const { destination } = lane;
      if (!isServed(destination, claim.accounts) || rateOf(lane) === undefined) continue;
      if (clock.now() - lane.next > LATE_MS) lane.left = 0;
      await refill(lane, claim.limit);
      if (isReady(lane)) limit = Math.min(limit, lane.left);
      else held.push(destination);
    }
    if (held.length === 0) return { ...claim, limit };
    const accounts = claim.accounts.map((one) => ({
      ...one,
      gateways: Object.fromEntries(
        Object.entries(one.gateways).filter(
          ([environment]) => !held.some((lane) => lane.account === one.account && lane.environment === environment),
        ),
      ),
    }));
    const open = accounts.filter(({ gateways }) => Object.values(gateways).some((one) => one !== undefined));
    return open.length > 0 ? { ...claim, accounts: open, limit } : undefined;
  }

  async function turn(given: Turn): Promise<TurnResult> {
    const claim = given.claim && !given.claim.probe ? await within(given.claim) : given.claim;
    if (given.claim && !claim && given.writes.length === 0) return { written: [], claimed: [] };
    const result = await store.turn({ ...given, claim });
    if (!claim || !given.claim || claim.probe) return result;
    const isShort = result.claimed.length < claim.limit;
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
      if (isShort && isReady(lane)) lane.isWanted = false;
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
  async function learnFrom(change: PauseChange): Promise<void> {
    const known = states.get(keyOf(change));
    if (change.reason !== 'rate-limited' || change.continues || change.operation || !known || !keepRate) return;
    const lane = lanes.get(keyOf(known));
    const { since, until, remainingMs } = known.pause;
    const span = Math.floor(clock.now() / COUNTED_MS);
    const rate = learn({
      perSecond: lane && rateOf(lane),
      kept: known.rate,
      sentMs: until - remainingMs - since,
      waitMs: change.forMs,
      answeredIn: (milliseconds) => {
        let sum = 0;
        for (const [one, count] of answers.get(keyOf(known)) ?? [])
          if (one > span - milliseconds / COUNTED_MS) sum += count;
        return sum;
      },
    });
    await keepRate(known, rate);
    see([{ ...known, rate: { ...rate, ageMs: 0 } }]);
  }

  const paced: OutboxStore = Object.assign(Object.create(store) as OutboxStore, {
    turn,
    async outlook(accounts?: readonly string[]) {
      const outlooks = await store.outlook(accounts);
      see(outlooks);
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
      const status = ending?.kind === 'recorded' ? 200 : ending?.problem.status;
      if (status === undefined || status === 429) return;
      const span = Math.floor(clock.now() / COUNTED_MS);
      const counted = answers.get(keyOf(row)) ?? new Map<number, number>();
      answers.set(keyOf(row), counted);
      counted.set(span, (counted.get(span) ?? 0) + 1);
      if (counted.size > 2 * COUNTED_SPANS)
        for (const one of counted.keys()) if (one <= span - COUNTED_SPANS) counted.delete(one);
    },
  };
}

export type Pacing = NonNullable<ReturnType<typeof createPacing>>;
