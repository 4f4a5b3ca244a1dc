import type { Receipt } from '../../core/client/receipt.js';
import { canonical } from '../../core/platform/as-record.js';
import { sha256 } from '../../core/platform/hash.js';
import { sweepLater } from '../../core/platform/sweep-later.js';
import type { Clock } from '../../core/platform/time.js';
import { contentsOf } from '../../core/protocol/repeats.js';
import type { LocationInput } from '../../core/schema/location.js';
import type { WebAnswer } from '../../core/web/answer.js';

/** The keys under which an event is remembered: hashes, so that no data of the event is kept in them. */
export interface EventKey {
  /** The same for each event of one player with the same reference. */
  readonly event: string;
  readonly player: string;
  /** The same for the same event at any time and place. */
  readonly contents: string;
}

interface EventIdentity {
  readonly operation: string;
  /** That of `complete`, otherwise the relay's. */
  readonly environment: unknown;
  readonly player: unknown;
  /** The reference that is reported. The operator may replace the page's, or make a new one each time. */
  readonly reference: unknown;
}

/** The same for any spelling of the JSON. `event` is complete: the page's fields with those of the operator. */
export async function eventKeyOf(
  identity: EventIdentity,
  completed: Readonly<Record<string, unknown>>,
): Promise<EventKey> {
  const [event, player, contents] = await Promise.all([
    sha256(canonical(identity)),
    sha256(canonical(identity.player)),
    sha256(contentsOf(completed)),
  ]);
  return { event, player, contents };
}

const LONGEST_MS = 600_000;
const MOST = 10_000;
const MOST_PER_PLAYER = 50;

/** Kept, so that a repetition of the event is the same report. */
export interface Remembered {
  /** While it is being sent: a repeated request waits for the same answer, within its own time limit. */
  running?: {
    readonly answer: Promise<WebAnswer>;
    readonly until: number;
    readonly contents: string;
    /** Whether its page or the operator gave a location. */
    readonly isLocated: boolean;
  };
  /** The first time and place. */
  timestamp?: unknown;
  location?: LocationInput | undefined;
  /** A report in doubt: the error, for `resend`, and the event that was sent. */
  inDoubt?: { readonly error: unknown; readonly event: Record<string, unknown>; readonly contents: string };
  recorded?: { readonly receipt: Receipt; readonly contents: string };
  /** Whether the end of a report in an outbox is waited for already. */
  followed?: boolean;
}

export type Recent = ReturnType<typeof createRecent>;

interface KeptEvent extends Remembered {
  readonly at: number;
  readonly player: string;
}

/**
 * A page that loses an answer sends the same event again, perhaps after a reload or from another place. Of one
 * reference of a player, the first time and place count. They are remembered for ten minutes, for ten thousand events
 * and fifty of one player, in memory: one player's many events do not displace another's few. Events that have an
 * answer are forgotten first, then those in doubt, and last those that are being sent, which complete all the same.
 */
export function createRecent(clock: Clock) {
  /** The oldest come first. */
  const entries = new Map<string, KeptEvent>();
  const ofPlayers = new Map<string, Set<string>>();

  function forget(event: string): void {
    const { player = '' } = entries.get(event) ?? {};
    const ofPlayer = ofPlayers.get(player);
    entries.delete(event);
    ofPlayer?.delete(event);
    if (ofPlayer?.size === 0) ofPlayers.delete(player);
  }

  const forgetOld = sweepLater(() => {
    const now = clock.now();
    for (const [event, { at }] of entries) {
      if (now - at <= LONGEST_MS) return at + LONGEST_MS - now;
      forget(event);
    }
    return undefined;
  });

  /** The oldest event that has an answer, else the oldest in doubt, else the oldest. */
  function leastNeeded(events: Iterable<string>): string {
    let [first, inDoubt]: (string | undefined)[] = [];
    for (const event of events) {
      const entry = entries.get(event);
      if (!entry?.running && !entry?.inDoubt) return event;
      first ??= event;
      if (!entry.running) inDoubt ??= event;
    }
    return inDoubt ?? first ?? '';
  }

  return {
    get({ event }: Pick<EventKey, 'event'>): Remembered | undefined {
      forgetOld();
      return entries.get(event);
    },
    set({ event, player }: Omit<EventKey, 'contents'>, remembered: Remembered): void {
      forget(event);
      forgetOld();
      const ofPlayer = ofPlayers.get(player) ?? new Set<string>();
      if (ofPlayer.size >= MOST_PER_PLAYER) forget(leastNeeded(ofPlayer));
      else if (entries.size >= MOST) forget(leastNeeded(entries.keys()));
      entries.set(event, { ...remembered, at: clock.now(), player });
      ofPlayers.set(player, ofPlayer.add(event));
      forgetOld();
    },
    forget: ({ event }: Pick<EventKey, 'event'>) => forget(event),
  };
}
