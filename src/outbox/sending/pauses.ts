import type { Events } from '../events.js';
import {
  type DestinationOperation,
  destinationScope,
  operationScope,
  type PauseScope,
  pauseKeyOf,
} from '../rules/destination.js';
import {
  type AttemptEnd,
  concernsPause,
  countEnds,
  hasStrikes,
  heldBy,
  isRefusal,
  notPaused,
  type Pause,
  type PauseChange,
  postponed,
  type SeenPauses,
  seenWith,
  withStruck,
} from '../rules/pause.js';
import { type Change, type Ending, type EndingContext, ended, type Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { type DestinationState, type OutboxStore, pausesOf } from '../store/store.js';
import { type Finished, outlookOf, PAUSE_TRIES } from './plan.js';

export interface ProbeOf {
  /** The key of its pause. */
  readonly key: string;
  readonly version: number;
}

/** An attempt that has ended, and the change that it would make to its row. */
export interface Attempted {
  readonly row: Row;
  readonly ending: Ending;
  readonly probe: ProbeOf | undefined;
  readonly dependency: EndingContext['dependency'];
  readonly change: Change;
}

interface Parts extends Pick<OutboxSettings, 'retry' | 'random' | 'keepBodies' | 'breakerAfter'> {
  readonly store: Pick<OutboxStore, 'outlook' | 'pause'>;
}

export function createPauses(settings: Parts, events: Events) {
  const { store } = settings;
  let pauses: SeenPauses = [];

  /** Of a pause that goes on for the same reason, only failed probes are announced, and no probe that was not sent. */
  function announce(before: Pause, change: PauseChange, isProbe: boolean): void {
    const { reason, message, forMs } = change;
    const about = operationScope(change);
    if (reason !== undefined && reason === before.reason) {
      if (isProbe && !change.repeats) events.emit('probe-failed', { ...about, reason, message, forMs });
    } else if (reason !== undefined) {
      events.emit('paused', { ...about, reason, message, forMs });
    } else if (before.reason !== undefined) {
      events.emit('resumed', about);
    }
  }

  /** Counts ends in the pause of a scope, by one change. Returns which of their refusals may quarantine. */
  async function count(scope: PauseScope, ends: readonly AttemptEnd[]): Promise<readonly boolean[]> {
    for (let tries = 0; tries < PAUSE_TRIES; tries += 1) {
      const known = outlookOf(await store.outlook([scope.account]), scope);
      if (!known) break;
      const all = [known.pause, ...known.breakers];
      const seen = all.find(({ operation }) => operation === scope.operation) ?? notPaused(scope);
      const { change, allowed } = countEnds(seen, ends, settings);
      if (change && !(await store.pause(change))) continue;
      pauses = seenWith(pauses, change ?? seen);
      const isProbe = ends.some(({ probe }) => probe === seen.version);
      if (change) announce(seen, change, isProbe);
      return allowed;
    }
    // A refusal that could not be counted must not quarantine.
    return [];
  }

  return {
    seeAll(outlooks: readonly DestinationState[]): void {
      pauses = pausesOf(outlooks);
    },
    seeStruck(struck: SeenPauses): void {
      pauses = withStruck(pauses, struck);
    },
    paused: (): readonly PauseScope[] => pauses.filter(({ reason }) => reason !== undefined),
    openBreakers: (): readonly DestinationOperation[] => heldBy(pauses),
    endOf: (one: Omit<Attempted, 'change'>): Attempted => ({
      change: ended(one.row, one.ending, { dependency: one.dependency, ...settings }),
      ...one,
    }),
    /**
     * Decides the changes of rows of one operation after their attempts, in the order of these. Writes those of their
     * pauses first, each with one change, since many attempts end at once.
     */
    async judge(batch: readonly Attempted[], breaker: PauseScope): Promise<readonly Finished[]> {
      let left = batch;
      // The pause of the destination comes first. While it lasts, the breaker counts only refusals of a probe.
      for (const scope of [destinationScope(breaker), breaker]) {
        const key = pauseKeyOf(scope);
        const ends = left.map((one) => ({ ...one, probe: one.probe?.key === key ? one.probe.version : undefined }));
        if (!ends.some((end) => concernsPause(end, hasStrikes(pauses, scope)))) continue;
        const allowed = await count(scope, ends);
        left = left.filter((one, index) => allowed[index] || !isRefusal(one));
      }
      return batch.map((one) => {
        const { row, ending, dependency, change } = one;
        return {
          row,
          change: left.includes(one) ? change : ended(row, postponed(ending), { dependency, ...settings }),
        };
      });
    },
  };
}
