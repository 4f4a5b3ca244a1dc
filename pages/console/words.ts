import { inLargestUnit } from '../../src/core/platform/time.js';
import type { DecideRequest } from '../../src/operator/decide.js';
import type { DecisionRecord } from '../../src/operator/decision-log.js';
import type { ShownState } from '../../src/outbox/rules/state-machine.js';
import type { Status } from '../kit/parts.js';
import { clock, counted } from '../kit/words.js';

const STATUSES: Readonly<Record<ShownState, Status>> = {
  waiting: { tone: 'repeat', words: 'Waiting' },
  blocked: { tone: 'repeat', words: 'Blocked' },
  'in-flight': { tone: 'doubt', words: 'In flight' },
  quarantined: { tone: 'bad', words: 'Needs a person' },
  recorded: { tone: 'ok', words: 'Recorded' },
  dismissed: { tone: 'repeat', words: 'Dismissed' },
};

export const problemWords = (code: string, status: number | null): string =>
  status === null ? code : `${code}, HTTP ${status}`;

export const states = Object.entries(STATUSES).map(([state, { words }]) => [state, words] as const);

export const statusOf = (state: ShownState): Status => STATUSES[state];

/** In the largest unit: `3 h`. */
export function duration(milliseconds: number): string {
  const { count, unit } = inLargestUnit(milliseconds);
  return unit === 'd' ? counted(count, 'day') : `${count} ${unit}`;
}

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const DAY_MS = 86_400_000;

/** With its day unless it is within a day of now. */
export const timeWords = (at: number, now: number): string =>
  Math.abs(now - at) < DAY_MS ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;

/** The default account is not named. */
export const placeWords = ({ account, environment }: { account: string; environment: string }): string =>
  account === 'default' ? environment : `${account}, ${environment}`;

export const ACTIONS: Readonly<Record<DecisionRecord['action'], string>> = {
  retry: 'Sent again',
  recorded: 'Declared recorded',
  dismissed: 'Dismissed',
  reopened: 'Reopened',
  replaced: 'Replaced',
  undo: 'Undone',
  body: 'Body read',
  erase: 'Bodies of a player erased',
  resume: 'Resumed',
  'went-back': 'Database lost commits',
};

export const actions = Object.entries(ACTIONS);

interface DecisionWords {
  readonly verb: string;
  readonly all: string;
  readonly text: string;
  readonly done: string;
}

/** In the order of the buttons. */
export const DECISIONS: Readonly<Record<DecideRequest['action'], DecisionWords>> = {
  retry: {
    verb: 'Send again',
    all: 'Send all again',
    text: 'The same bytes are sent again. You can undo it until a worker takes them.',
    done: 'to be sent again',
  },
  recorded: {
    verb: 'Declare recorded',
    all: 'Declare all recorded',
    text: 'You say that the gateway holds it. This is final and stands in the log of receipts.',
    done: 'declared recorded',
  },
  dismissed: {
    verb: 'Dismiss',
    all: 'Dismiss all',
    text: 'It is not sent, unless you reopen it. This stands in the log of receipts.',
    done: 'dismissed',
  },
};
