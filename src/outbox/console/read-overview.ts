import { printable } from '../../platform/printable.js';
import type { ConsoleStore } from '../console-store.js';
import { isBreaker, keyOf, otherGateway, partsOf } from '../destination.js';
import { headOfLine } from '../receipts/entry.js';
import { catchUpPace } from '../receipts/pace.js';
import type { LogLine, Outlook } from '../store.js';
import type { DestinationCounts, OtherGateway, Overview } from './overview.js';
import { type ConsoleParts, isShown } from './parts.js';
import { shownPauses } from './pauses.js';

const MINUTE_MS = 60_000;
/** The number of pages of the log that one answer counts, if no running outbox has counted them. */
const MOST_PAGES = 5;

/** Reads the state of the outbox. */
export async function readOverview(parts: ConsoleParts): Promise<Overview> {
  const { store, accounts, clock } = parts;
  const [outlooks, missingKeys, last, more] = await Promise.all([
    store.outlook(accounts),
    store.missingKeys(accounts),
    store.receipts.last(),
    store.console && readPlaces(parts, store.console),
  ]);
  const now = more?.now ?? clock.now();
  const { states, countedAt, oldestOpenAt } = more ?? (await store.counts(accounts));
  return {
    now,
    states,
    countedAt: countedAt ?? now,
    oldestOpenAt: oldestOpenAt ?? null,
    destinations: more ? destinationsOf(outlooks, more) : [],
    pauses: shownPauses(outlooks),
    missingKeys,
    otherGateways: otherGatewaysOf(parts, outlooks),
    pace: more?.pace ?? null,
    ...headOf(last),
  };
}

/** The head of the log, or that its last line cannot be read. */
function headOf(last: LogLine | undefined): Pick<Overview, 'receipts' | 'isLogDamaged'> {
  try {
    return { receipts: last ? { count: last.index + 1, hash: headOfLine(last.line) } : null, isLogDamaged: false };
  } catch {
    return { receipts: null, isLogDamaged: true };
  }
}

/** The destinations of this process that the store has bound to another gateway. */
const otherGatewaysOf = (parts: ConsoleParts, outlooks: readonly Outlook[]): OtherGateway[] =>
  parts.bound.flatMap((one) => {
    const known = outlooks.find((outlook) => keyOf(outlook) === keyOf(one));
    if (!known || known.gateway === one.gateway || !isShown(parts, one.account)) return [];
    const { environment } = partsOf(one);
    return [{ account: one.account, environment, message: printable(otherGateway(one, known.gateway, one.mockMode).message) }];
  });

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
    minutes: shown,
    pace: { lastMinute: sum((start) => start === thisMinute - MINUTE_MS), lastHour: sum(() => true) },
  };
}

/** The counts of each bound place. The final ones are known once the complete log is counted. */
function destinationsOf(outlooks: readonly Outlook[], { open, ended, minutes }: Awaited<ReturnType<typeof readPlaces>>): DestinationCounts[] {
  return outlooks
    .filter((one) => !isBreaker(one))
    .map((outlook) => {
      const { account, gateway } = outlook;
      const { waiting = 0, blocked = 0, inFlight = 0, quarantined = 0, oldestOpenAt = null } = open.find((one) => keyOf(one) === keyOf(outlook)) ?? {};
      const found = ended?.find((one) => keyOf(one) === keyOf(outlook));
      const [recorded, dismissed] = ended ? [found?.recorded ?? 0, found?.dismissed ?? 0] : [null, null];
      const states = { waiting, blocked, 'in-flight': inFlight, quarantined, recorded, dismissed };
      const starts = minutes.flatMap((one) => (keyOf(one) === keyOf(outlook) && one.recorded > 0 ? one.start : []));
      return { account, environment: partsOf(outlook).environment, gateway, states, oldestOpenAt, recordedAt: starts.length > 0 ? Math.max(...starts) : null };
    });
}
