import type { ConsoleStore, OpenCounts } from '../console-store.js';
import { isBreaker, keyOf, partsOf } from '../destination.js';
import { readHead } from '../receipts/log.js';
import { catchUpPace } from '../receipts/pace.js';
import type { Outlook } from '../store.js';
import type { DestinationCounts, Overview } from './overview.js';
import { type ConsoleParts, isShown } from './parts.js';
import { shownPauses } from './pauses.js';

const MINUTE_MS = 60_000;
/** The number of pages of the log that one answer counts, if no running outbox has counted them. */
const MOST_PAGES = 5;

/** Reads the state of the outbox. */
export async function readOverview(parts: ConsoleParts): Promise<Overview> {
  const { store, accounts, clock } = parts;
  const [outlooks, missingKeys, receipts, more] = await Promise.all([
    store.outlook(accounts),
    store.missingKeys(accounts),
    readHead(store).catch(() => undefined),
    store.console && readPlaces(parts, store.console),
  ]);
  const now = more?.now ?? clock.now();
  const { states, countedAt, oldestOpenAt } = more ?? (await store.counts(accounts));
  return {
    now,
    states,
    countedAt: countedAt ?? now,
    oldestOpenAt: oldestOpenAt ?? null,
    destinations: more ? destinationsOf(outlooks, more.open, more.ended) : [],
    pauses: shownPauses(outlooks),
    missingKeys,
    pace: more?.pace ?? null,
    receipts: receipts ?? null,
  };
}

async function readPlaces({ store, accounts }: ConsoleParts, console: ConsoleStore) {
  const left = await catchUpPace(store, console, MOST_PAGES);
  const now = await console.now();
  const thisMinute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const [{ places, countedAt }, finals, ended, minutes] = await Promise.all([
    console.open(),
    console.finals(accounts),
    console.ended(),
    console.paces('minute', thisMinute - 59 * MINUTE_MS),
  ]);
  const open = places.filter(({ account }) => isShown({ accounts }, account));
  const total = (name: 'waiting' | 'blocked' | 'inFlight' | 'quarantined') => open.reduce((sum, one) => sum + one[name], 0);
  const oldest = open.flatMap(({ oldestOpenAt }) => oldestOpenAt ?? []);
  const { recorded, dismissed } = finals;
  const shown = minutes.filter(({ account }) => isShown({ accounts }, account));
  const sum = (fits: (start: number) => boolean) => shown.reduce((total, { start, recorded }) => total + (fits(start) ? recorded : 0), 0);
  return {
    now,
    open,
    countedAt,
    oldestOpenAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
    states: { waiting: total('waiting'), blocked: total('blocked'), 'in-flight': total('inFlight'), quarantined: total('quarantined'), recorded, dismissed },
    ended: left === 0 ? ended : undefined,
    pace: { lastMinute: sum((start) => start === thisMinute - MINUTE_MS), lastHour: sum(() => true) },
  };
}

type Ended = Awaited<ReturnType<ConsoleStore['ended']>>;

/** The counts of each bound place. The final ones are known once the complete log is counted. */
function destinationsOf(outlooks: readonly Outlook[], open: readonly OpenCounts[], ended: Ended | undefined): DestinationCounts[] {
  return outlooks
    .filter((one) => !isBreaker(one))
    .map((outlook) => {
      const { account, gateway } = outlook;
      const { waiting = 0, blocked = 0, inFlight = 0, quarantined = 0, oldestOpenAt = null } = open.find((one) => keyOf(one) === keyOf(outlook)) ?? {};
      const found = ended?.find((one) => keyOf(one) === keyOf(outlook));
      const [recorded, dismissed] = ended ? [found?.recorded ?? 0, found?.dismissed ?? 0] : [null, null];
      const states = { waiting, blocked, 'in-flight': inFlight, quarantined, recorded, dismissed };
      return { account, environment: partsOf(outlook).environment, gateway, states, oldestOpenAt };
    });
}
