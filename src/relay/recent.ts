import type { Clock } from '../platform/time.js';
import type { LocationInput } from '../schema/location.js';
import type { RelayAnswer } from './answers.js';
import type { EventKey } from './event-key.js';

const LONGEST_MS = 600_000;
const MOST = 1_000;
const MOST_OF_A_PLAYER = 50;

/** The record of an event, so that its repetition has the same bytes. */
export interface Remembered {
  /** While it is being sent: a repeated request waits for the same answer, within its own time limit. */
  running?: { readonly answer: Promise<RelayAnswer>; readonly until: number };
  timestamp?: string;
  location?: LocationInput;
  /** A report in doubt: the error, for `resend`, and the event that was sent. */
  inDoubt?: { readonly error: unknown; readonly sent: RecentReport };
}

/** An event as it was sent. */
export interface RecentReport {
  readonly event: Record<string, unknown>;
  readonly location: LocationInput | undefined;
}

export interface Recent {
  get(key: EventKey): Remembered | undefined;
  set(key: EventKey, remembered: Remembered): void;
  forget(key: EventKey): void;
}

interface Entry extends Remembered {
  readonly at: number;
  readonly player: string;
}

/**
 * A page that loses an answer sends the same event again. The gateway treats other bytes with the same reference as a
 * conflict. So the values that the relay added (a time, a location that it looked up) must stay the same. The relay
 * remembers ten minutes, a thousand events and fifty of one player, in memory.
 */
export function createRecent(clock: Clock): Recent {
  const entries = new Map<string, Entry>();
  const counts = new Map<string, number>();
  const countOf = (player: string) => counts.get(player) ?? 0;

  const remove = (event: string) => {
    const entry = entries.get(event);
    if (!entry) return;
    entries.delete(event);
    if (countOf(entry.player) > 1) counts.set(entry.player, countOf(entry.player) - 1);
    else counts.delete(entry.player);
  };

  /** The oldest come first. An event that is still being sent completes even if it is forgotten here. */
  const forgetOld = () => {
    const now = clock.now();
    for (const [event, { at }] of entries) {
      if (now - at <= LONGEST_MS) return;
      remove(event);
    }
  };

  /**
   * Removes one: one without an open request before one with it, then of the player with the most, then the oldest. So
   * one player's many events do not displace another's few.
   */
  const forgetOne = (ofPlayer?: string) => {
    let least: { event: string; rank: number } | undefined;
    for (const [event, { player, running, inDoubt }] of entries) {
      if (ofPlayer !== undefined && player !== ofPlayer) continue;
      const rank = countOf(player) + (running || inDoubt ? 0 : MOST);
      if (!least || rank > least.rank) least = { event, rank };
    }
    if (least) remove(least.event);
  };

  return {
    get({ event }) {
      forgetOld();
      return entries.get(event);
    },
    set({ event, player }, remembered) {
      remove(event);
      forgetOld();
      if (countOf(player) >= MOST_OF_A_PLAYER) forgetOne(player);
      else if (entries.size >= MOST) forgetOne();
      entries.set(event, { ...remembered, at: clock.now(), player });
      counts.set(player, countOf(player) + 1);
    },
    forget: ({ event }) => remove(event),
  };
}
