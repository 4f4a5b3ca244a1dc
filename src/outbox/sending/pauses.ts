import type { Events } from '../events.js';
import {
  DEFAULT_ACCOUNT,
  type DestinationOperation,
  destinationScope,
  operationScope,
  type PauseScope,
  pauseKeyOf,
} from '../rules/destination.js';
import {
  concernsPause,
  hasStrikes,
  heldBy,
  isRefusal,
  mayQuarantine,
  notPaused,
  type Pause,
  type PauseChange,
  pausedBy,
  postponed,
  type SeenPauses,
  seenWith,
} from '../rules/pause.js';
import { type Change, type Ending, type EndingContext, ended, type Row } from '../rules/state-machine.js';
import type { OutboxSettings } from '../settings.js';
import { type DestinationState, type OutboxStore, pausesOf } from '../store/store.js';
import { outlookOf, PAUSE_TRIES } from './plan.js';

/** The probe that an attempt is. */
export interface ProbeOf {
  readonly scope: PauseScope;
  readonly version: number;
}

interface AttemptedRow {
  readonly row: Row;
  readonly ending: Ending;
  readonly probe: ProbeOf | undefined;
  readonly dependency: EndingContext['dependency'];
}

/** The change of a row after an attempt, and the scopes of the row that are paused now. */
interface Judged {
  readonly change: Change;
  readonly paused: readonly PauseScope[];
}

interface Parts extends Pick<OutboxSettings, 'logger' | 'retry' | 'random' | 'keepBodies' | 'breakerAfter'> {
  readonly store: Pick<OutboxStore, 'outlook' | 'pause'>;
}

/** The pauses of a store, as one worker reads and changes them. */
export function createPauses(settings: Parts, events: Events) {
  const { store, logger } = settings;
  let pauses: SeenPauses = [];

  /** Of a pause that goes on for the same reason, only failed probes are announced. */
  function announce(before: Pause, change: PauseChange, isProbe: boolean): void {
    const { account, environment, operation, reason, message, forMs } = change;
    const which = operation ? ` of the operation ${operation}` : '';
    const where = account === DEFAULT_ACCOUNT ? environment : `${environment} of the account ${account}`;
    const about = operationScope(change);
    if (reason !== undefined && reason === before.reason) {
      if (isProbe) events.emit('probe-failed', { ...about, reason, message, forMs });
    } else if (reason !== undefined) {
      events.emit('paused', { ...about, reason, message, forMs });
      logger.warn(
        `The outbox sends nothing${which} to ${where} for now (${reason}); the reports wait, and none is lost. It tries one report in ${Math.ceil(forMs / 1_000)} s. ${message ?? ''}`.trim(),
      );
    } else if (before.reason !== undefined) {
      events.emit('resumed', about);
      logger.info(`The outbox sends reports${which} to ${where} again.`);
    }
  }

  return {
    seeAll(outlooks: readonly DestinationState[]): void {
      pauses = pausesOf(outlooks);
    },
    openBreakers: (): readonly DestinationOperation[] => heldBy(pauses),
    /** Decides the change of a row after its attempt, and writes those of its pauses first. */
    async judge({ row, ending, probe, dependency }: AttemptedRow): Promise<Judged> {
      const context = { ...settings, dependency };
      const change = ended(row, ending, context);
      const breaker = operationScope(row);
      const endFor = (pause: PauseScope) => ({
        ending,
        change,
        probe: probe && pauseKeyOf(probe.scope) === pauseKeyOf(pause) ? probe.version : undefined,
      });
      const later = (paused: readonly PauseScope[]): Judged => ({
        change: ended(row, postponed(ending), context),
        paused,
      });
      if (!concernsPause({ ending, change, probe: probe?.version }, hasStrikes(pauses, breaker)))
        return { change, paused: [] };
      const refused = isRefusal({ ending, change });
      attempts: for (let tries = 0; tries < PAUSE_TRIES; tries += 1) {
        const outlooks = await store.outlook([row.account]);
        const known = outlookOf(outlooks, row);
        if (!known) break;
        const paused: PauseScope[] = [];
        // The pause of the destination comes first. While it lasts, the breaker counts only refusals of a probe.
        const struck = known.breakers.find(({ operation }) => operation === breaker.operation);
        for (const seen of [known.pause, struck ?? notPaused(breaker)]) {
          const end = endFor(seen);
          const next = pausedBy(seen, end, settings);
          if (next && !(await store.pause(next))) continue attempts;
          pauses = seenWith(pauses, next ?? seen);
          if (next) announce(seen, next, end.probe === seen.version);
          if ((next ?? seen).reason !== undefined) paused.push(seen);
          if (refused && !mayQuarantine(seen, end.probe, settings)) return later(paused);
        }
        return { change, paused };
      }
      // A refusal that could not be counted must not quarantine.
      return refused ? later([destinationScope(row)]) : { change, paused: [] };
    },
  };
}
