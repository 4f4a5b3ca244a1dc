import { printable } from '../core/platform/messages.js';
import { catchUpThroughput } from '../outbox/receipts/throughput.js';
import { type Destination, keyOf, otherGateway } from '../outbox/rules/destination.js';
import { headOfLine, type LogLine, type ReceiptHead } from '../outbox/rules/receipt-entry.js';
import type { ShownState } from '../outbox/rules/state-machine.js';
import { readWentBack } from '../outbox/sending/restored-database.js';
import { type DestinationState, pausesOf } from '../outbox/store/store.js';
import { countsOf } from '../outbox/stores/sql/statements.js';
import { isShown, type OperatorContext } from './context.js';
import { type ShownPause, shownPauses } from './resume.js';

type StateCounts = Readonly<Record<ShownState, number>>;

export interface Overview {
  readonly now: number;
  /** The counts of all accounts. `quarantined`, `recorded` and `dismissed` are always current. */
  readonly states: StateCounts;
  /** Of the waiting ones: those that were refused. */
  readonly refused: number;
  /**
   * The time at which `waiting`, `blocked` and `in-flight` were counted: now, or up to a minute ago where more than
   * 20,000 reports are open.
   */
  readonly countedAt: number;
  /** `enqueuedAt` of the oldest report that is neither final nor quarantined. */
  readonly oldestOpenAt: number | null;
  readonly destinations: readonly DestinationCounts[];
  readonly pauses: readonly ShownPause[];
  readonly missingKeys: readonly string[];
  /** This process does not send their reports. Empty over a store. */
  readonly otherGateways: readonly OtherGateway[];
  readonly recordedInLastMinute: number;
  /** The head of the receipt log. Null while it is empty or damaged. */
  readonly receipts: ReceiptHead | null;
  readonly isLogDamaged: boolean;
  /** When a worker last found, today or yesterday, that the database had lost commits. */
  readonly wentBackAt: number | null;
}

/** This process would send it to another gateway than the store. */
interface OtherGateway extends Destination {
  /** Both addresses, and the action that ends it. */
  readonly message: string;
}

export interface DestinationCounts extends Destination {
  readonly gateway: string;
  /** `recorded` and `dismissed` are null until the whole receipt log is counted. */
  readonly states: Readonly<
    Record<'waiting' | 'blocked' | 'in-flight' | 'quarantined', number> &
      Record<'recorded' | 'dismissed', number | null>
  >;
  readonly oldestOpenAt: number | null;
  /** The latest minute of the last hour in which a report was recorded. */
  readonly recordedAt: number | null;
}

const MINUTE_MS = 60_000;
/** One answer counts this number of pages of the log, if no running outbox has. */
const MOST_PAGES = 5;

/** Cheap at any size: several pages may call it every two seconds. */
export async function readOverview(context: OperatorContext): Promise<Overview> {
  const { store, accounts } = context;
  const [outlooks, missingKeys, last, places, wentBackAt] = await Promise.all([
    store.outlook(accounts),
    store.missingKeys(accounts),
    store.receipts.last(),
    readPlaces(context),
    readWentBack(context.operator),
  ]);
  return {
    ...places.sums,
    destinations: destinationsOf(outlooks, places),
    pauses: shownPauses(pausesOf(outlooks)),
    missingKeys,
    otherGateways: otherGatewaysOf(context, outlooks),
    ...headOf(last),
    wentBackAt: wentBackAt ?? null,
  };
}

function headOf(last: LogLine | undefined): Pick<Overview, 'receipts' | 'isLogDamaged'> {
  try {
    return { receipts: last ? { count: last.index + 1, hash: headOfLine(last.line) } : null, isLogDamaged: false };
  } catch {
    return { receipts: null, isLogDamaged: true };
  }
}

const otherGatewaysOf = (context: OperatorContext, outlooks: readonly DestinationState[]): OtherGateway[] =>
  context.bound.flatMap((one) => {
    const known = outlooks.find((outlook) => keyOf(outlook) === keyOf(one));
    if (!known || known.gateway === one.gateway || !isShown(context, one.account)) return [];
    const { account, environment } = one;
    return [{ account, environment, message: printable(otherGateway(one, known.gateway).message) }];
  });

async function readPlaces(context: OperatorContext) {
  const { store, accounts, operator: own } = context;
  const left = await catchUpThroughput(store, own, MOST_PAGES);
  const now = await own.now();
  const thisMinute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const [{ places, countedAt }, finals, ended, minutes] = await Promise.all([
    own.open(),
    own.finals(accounts),
    own.ended(),
    own.throughput('minute', thisMinute - 59 * MINUTE_MS),
  ]);
  const open = places.filter(({ account }) => isShown({ accounts }, account));
  const shown = minutes.filter(({ account }) => isShown({ accounts }, account));
  const { states, refused, oldestOpenAt = null } = countsOf(open, finals);
  const recordedInLastMinute = shown.reduce(
    (sum, { start, recorded }) => sum + (start === thisMinute - MINUTE_MS ? recorded : 0),
    0,
  );
  const sums = { now, states, refused, countedAt, oldestOpenAt, recordedInLastMinute };
  return { sums, open, ended: left === 0 ? ended : undefined, minutes: shown };
}

function destinationsOf(
  outlooks: readonly DestinationState[],
  { open, ended, minutes }: Awaited<ReturnType<typeof readPlaces>>,
): DestinationCounts[] {
  return outlooks.map((outlook) => {
    const { account, environment, gateway } = outlook;
    const {
      waiting = 0,
      blocked = 0,
      inFlight = 0,
      quarantined = 0,
      oldestOpenAt = null,
    } = open.find((one) => keyOf(one) === keyOf(outlook)) ?? {};
    const found = ended?.find((one) => keyOf(one) === keyOf(outlook));
    const [recorded, dismissed] = ended ? [found?.recorded ?? 0, found?.dismissed ?? 0] : [null, null];
    const states = { waiting, blocked, 'in-flight': inFlight, quarantined, recorded, dismissed };
    const starts = minutes.flatMap((one) => (keyOf(one) === keyOf(outlook) && one.recorded > 0 ? one.start : []));
    const recordedAt = starts.length > 0 ? Math.max(...starts) : null;
    return { account, environment, gateway, states, oldestOpenAt, recordedAt };
  });
}
