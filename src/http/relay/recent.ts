import { canonical } from '../../core/platform/as-record.js';
import { sha256 } from '../../core/platform/hash.js';
import { sweepLater } from '../../core/platform/sweep-later.js';
import type { Clock } from '../../core/platform/time.js';
import type { LocationInput } from '../../core/schema/location.js';
import type { WebAnswer } from '../../core/web/answer.js';

/** The keys under which an event is remembered: hashes, so that no data of the event is kept in them. */
export interface EventKey {
  /** The same for the same event of the same player. */
  readonly event: string;
  /** The same for the same player. */
  readonly player: string;
}

interface EventIdentity {
  readonly operation: string;
  readonly environment: string | undefined;
  readonly player: unknown;
  /** The reference that is reported. The operator may replace the page's, or make a new one each time. */
  readonly reference: unknown;
  /**
   * The data from the page. The operator's additions are not included: they are read again for each request and may
   * change.
   */
  readonly page: unknown;
}

/** The same for any spelling of the JSON. */
export async function eventKeyOf(identity: EventIdentity): Promise<EventKey> {
  const [event, player] = await Promise.all([hash(identity), hash(identity.player)]);
  return { event, player };
}

const hash = (value: unknown): Promise<string> => sha256(canonical(value));

const LONGEST_MS = 600_000;
const MOST = 1_000;
const MOST_PER_PLAYER = 50;

/** Kept, so that a repetition of the event has the same bytes. */
export interface Remembered {
  /** While it is being sent: a repeated request waits for the same answer, within its own time limit. */
  running?: { readonly answer: Promise<WebAnswer>; readonly until: number };
  timestamp?: string;
  location?: LocationInput;
  /** A report in doubt: the error, for `resend`, and the event that was sent. */
  inDoubt?: { readonly error: unknown; readonly event: Record<string, unknown> };
}

export type Recent = ReturnType<typeof createRecent>;

interface KeptEvent extends Remembered {
  readonly at: number;
  readonly player: string;
}

/**
 * A page that loses an answer sends the same event again. The gateway treats other bytes with the same reference as a
 * conflict, so what the relay added (a time, a location that it looked up) must stay the same. It remembers ten
 * minutes, a thousand events and fifty of one player, in memory: one player's many events do not displace another's
 * few. Events that have an answer are forgotten first, then those in doubt, and last those that are being sent, which
 * complete all the same.
 */
export function createRecent(clock: Clock) {
  /** The oldest come first. */
  const entries = new Map<string, KeptEvent>();

  const forgetOld = sweepLater(() => {
    const now = clock.now();
    for (const [event, { at }] of entries) {
      if (now - at <= LONGEST_MS) return at + LONGEST_MS - now;
      entries.delete(event);
    }
    return undefined;
  });

  const forgetOne = (candidates: readonly (readonly [event: string, entry: KeptEvent])[]) => {
    const [first] =
      candidates.find(([, { running, inDoubt }]) => !running && !inDoubt) ??
      candidates.find(([, { running }]) => !running) ??
      candidates[0] ??
      [];
    if (first !== undefined) entries.delete(first);
  };

  return {
    get({ event }: EventKey): Remembered | undefined {
      forgetOld();
      return entries.get(event);
    },
    set({ event, player }: EventKey, remembered: Remembered): void {
      entries.delete(event);
      forgetOld();
      const ofPlayer = [...entries].filter(([, entry]) => entry.player === player);
      if (ofPlayer.length >= MOST_PER_PLAYER) forgetOne(ofPlayer);
      else if (entries.size >= MOST) forgetOne([...entries]);
      entries.set(event, { ...remembered, at: clock.now(), player });
      forgetOld();
    },
    forget: ({ event }: EventKey) => void entries.delete(event),
  };
}
