import { breakerOf, DEFAULT_ACCOUNT, type Destination, type DestinationOperation, isBreaker, keyOf, partsOf } from './destination.js';
import type { Events } from './events.js';
import { concernsPause, isRefusal, mayCondemn, notPaused, type Pause, type PauseChange, pausedBy, postponed } from './pause.js';
import { outlookOf, PAUSE_TRIES } from './plan.js';
import type { OutboxSettings } from './settings-shape.js';
import { type Change, type Ending, type EndingContext, ended, type Row } from './state-machine.js';
import type { OutboxStore, Outlook } from './store.js';

/** The right to send one report although its destination, or its operation, is paused. */
export interface ProbeOf {
  readonly destination: Destination;
  /** The version of the pause that it probes. */
  readonly version: number;
}

/** An attempt of a row that ended. */
interface AttemptedRow {
  readonly row: Row;
  readonly ending: Ending;
  readonly probe: ProbeOf | undefined;
  readonly dependency: EndingContext['dependency'];
}

/** What an attempt's end makes of its row, and what of its destination and its operation is paused now. */
interface Settled {
  readonly change: Change;
  readonly paused: readonly Destination[];
}

/** What pauses are decided and written with. */
interface Parts extends Pick<OutboxSettings, 'logger' | 'schedule' | 'random' | 'keepBodies' | 'breakerAfter'> {
  readonly store: Pick<OutboxStore, 'outlook' | 'pause' | 'bind'>;
}

/** The pauses of a store, as one worker reads and changes them. */
export function createPauses(settings: Parts, events: Events) {
  const { store, logger } = settings;
  /** Breakers that are closed and have strikes, as far as this worker has seen: the next success ends the strikes. */
  const struck = new Set<string>();
  /** Operations whose breaker is open, as far as this worker has seen: it claims none of their reports. */
  const held = new Map<string, DestinationOperation>();

  const see = (pause: Pick<Pause, 'account' | 'environment' | 'reason' | 'strikes'>): void => {
    const key = keyOf(pause);
    const { environment, operation } = partsOf(pause);
    if (pause.reason === undefined && pause.strikes > 0) struck.add(key);
    else struck.delete(key);
    if (operation && pause.reason !== undefined) held.set(key, { account: pause.account, environment, operation });
    else held.delete(key);
  };

  function announce(before: Pause, { reason, message, forMs, ...of }: PauseChange): void {
    const { account } = of;
    const { environment, operation } = partsOf(of);
    const which = operation ? ` of the operation ${operation}` : '';
    const where = account === DEFAULT_ACCOUNT ? environment : `${environment} of the account ${account}`;
    const about = { account, environment, ...(operation && { operation }) };
    if (reason !== undefined) {
      events.emit('paused', { ...about, reason, message, forMs });
      if (reason !== before.reason)
        logger.warn(
          `The outbox sends nothing${which} to ${where} for now (${reason}); the reports wait, and none is lost. It tries one report in ${Math.ceil(forMs / 1_000)} s. ${message ?? ''}`.trim(),
        );
    } else if (before.reason !== undefined) {
      events.emit('resumed', about);
      logger.info(`The outbox sends reports${which} to ${where} again.`);
    }
  }

  return {
    /** Takes note of what the store says. */
    seeAll(outlooks: readonly Outlook[]): void {
      for (const { pause } of outlooks) see(pause);
    },
    /** The operations of which nothing is claimed. */
    held: (): readonly DestinationOperation[] => [...held.values()],
    /** Decides what becomes of a row whose attempt ended, and of the pauses that it concerns, which are written first. */
    async settle({ row, ending, probe, dependency }: AttemptedRow): Promise<Settled> {
      const context = { ...settings, dependency };
      const change = ended(row, ending, context);
      const breaker = breakerOf(row);
      const endFor = (pause: Destination) => ({ ending, change, probe: probe && keyOf(probe.destination) === keyOf(pause) ? probe.version : undefined });
      const later = (paused: readonly Destination[]): Settled => ({ change: ended(row, postponed(ending), context), paused });
      if (!concernsPause({ ending, change, probe: probe?.version }, struck.has(keyOf(breaker)))) return { change, paused: [] };
      const refused = isRefusal({ ending, change });
      attempts: for (let tries = 0; tries < PAUSE_TRIES; tries += 1) {
        const outlooks = await store.outlook([row.account]);
        const known = outlookOf(outlooks, row);
        if (!known) break;
        const paused: Destination[] = [];
        // The pause of all first: while it lasts, a refusal that is no probe's is not counted either.
        for (const seen of [known.pause, outlookOf(outlooks, breaker)?.pause ?? notPaused(breaker)]) {
          const end = endFor(seen);
          const next = pausedBy(seen, end, settings);
          if (next && isBreaker(seen) && seen.version === 0) await store.bind([{ ...breaker, gateway: known.gateway }]);
          if (next && !(await store.pause(next))) continue attempts;
          see(next ?? seen);
          if (next) announce(seen, next);
          if ((next ?? seen).reason !== undefined) paused.push(isBreaker(seen) ? breaker : row);
          if (refused && !mayCondemn(seen, end.probe, settings)) return later(paused);
        }
        return { change, paused };
      }
      // A refusal that could not be counted condemns nothing.
      return refused ? later([row]) : { change, paused: [] };
    },
  };
}
