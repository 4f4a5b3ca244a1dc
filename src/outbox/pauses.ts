import { DEFAULT_ACCOUNT, type Destination, keyOf } from './destination.js';
import type { Events } from './events.js';
import { concernsPause, isRefusal, mayCondemn, type Pause, type PauseChange, pausedBy, postponed } from './pause.js';
import { outlookOf, PAUSE_TRIES } from './plan.js';
import type { OutboxSettings } from './settings-shape.js';
import { type Change, type Ending, type EndingContext, ended, type Row } from './state-machine.js';
import type { OutboxStore, Outlook } from './store.js';

/** An attempt of a row that ended. */
interface AttemptedRow {
  readonly row: Row;
  readonly ending: Ending;
  /** The version of the pause that it probes. */
  readonly probe: number | undefined;
  readonly dependency: EndingContext['dependency'];
}

/** What an attempt's end makes of its row, and whether its destination is paused now. */
interface Settled {
  readonly change: Change;
  readonly paused: boolean;
}

/** What pauses are decided and written with. */
interface Parts extends Pick<OutboxSettings, 'logger' | 'schedule' | 'random' | 'keepBodies' | 'breakerAfter'> {
  readonly store: Pick<OutboxStore, 'outlook' | 'pause'>;
}

/** The pauses of a store, as one worker reads and changes them. */
export function createPauses(settings: Parts, events: Events) {
  const { store, logger } = settings;
  /** Destinations that are open and have strikes, as far as this worker has seen: the next success ends the strikes. */
  const struck = new Set<string>();

  const see = (pause: Pick<Pause, 'account' | 'environment' | 'reason' | 'strikes'>): void => {
    if (pause.reason === undefined && pause.strikes > 0) struck.add(keyOf(pause));
    else struck.delete(keyOf(pause));
  };

  const pauseOf = async (destination: Destination): Promise<Pause | undefined> => outlookOf(await store.outlook([destination.account]), destination)?.pause;

  function announce(before: Pause, { account, environment, reason, message, forMs }: PauseChange): void {
    const where = account === DEFAULT_ACCOUNT ? environment : `${environment} of the account ${account}`;
    if (reason !== undefined) {
      events.emit('paused', { account, environment, reason, message, forMs });
      if (reason !== before.reason)
        logger.warn(
          `The outbox sends nothing to ${where} for now (${reason}); the reports wait, and none is lost. It tries one report in ${Math.ceil(forMs / 1_000)} s. ${message ?? ''}`.trim(),
        );
    } else if (before.reason !== undefined) {
      events.emit('resumed', { account, environment });
      logger.info(`The outbox sends reports to ${where} again.`);
    }
  }

  return {
    /** Takes note of what the store says. */
    seeAll(outlooks: readonly Outlook[]): void {
      for (const { pause } of outlooks) see(pause);
    },
    /** Decides what becomes of a row whose attempt ended, and of its destination's pause, which is written first. */
    async settle({ row, ending, probe, dependency }: AttemptedRow): Promise<Settled> {
      const context = { ...settings, dependency };
      const change = ended(row, ending, context);
      const end = { ending, change, probe };
      const later = (): Settled => ({ change: ended(row, postponed(ending), context), paused: true });
      for (let tries = 0; concernsPause(end, struck.has(keyOf(row))); tries += 1) {
        const seen = tries < PAUSE_TRIES ? await pauseOf(row) : undefined;
        // A refusal that could not be counted condemns nothing.
        if (!seen) return isRefusal(end) ? later() : { change, paused: false };
        const next = pausedBy(seen, end, settings);
        if (next && !(await store.pause(next))) continue;
        see(next ?? seen);
        if (next) announce(seen, next);
        if (isRefusal(end) && !mayCondemn(seen, probe, settings)) return later();
        return { change, paused: (next ?? seen).reason !== undefined };
      }
      return { change, paused: false };
    },
  };
}
