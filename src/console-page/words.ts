import type { Standing, Tone } from '../kit/mark.js';
import type { DecideRequest, DecisionRecord } from '../outbox/console/decisions.js';
import type { ShownState } from '../outbox/console/report-life.js';
import { inLargestUnit } from '../platform/duration.js';

const OPERATIONS: Readonly<Record<string, string>> = {
  reportBetEvent: 'Bet initiated',
  reportSettledBet: 'Bet settled',
  reportWithdrawalEvent: 'Withdrawal initiated',
  reportSettledWithdrawal: 'Withdrawal settled',
};

/** The operations of reports, and their words. */
export const operations: readonly (readonly [name: string, words: string])[] = Object.entries(OPERATIONS);

export const operationWords = (operation: string): string => (Object.hasOwn(OPERATIONS, operation) ? (OPERATIONS[operation] ?? operation) : operation);

export const grouped = (count: number): string => count.toLocaleString('en');

export const counted = (count: number, one: string, many = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;

const TONES: Readonly<Record<ShownState, Tone>> = {
  waiting: 'repeat',
  blocked: 'repeat',
  'in-flight': 'doubt',
  quarantined: 'bad',
  recorded: 'ok',
  dismissed: 'repeat',
};

const STATES: Readonly<Record<ShownState, string>> = {
  waiting: 'Waiting',
  blocked: 'Blocked',
  'in-flight': 'In flight',
  quarantined: 'Needs a person',
  recorded: 'Recorded',
  dismissed: 'Dismissed',
};

/** States by the words that a person chooses them by. */
export const states: readonly (readonly [state: string, words: string])[] = Object.entries(STATES);

export const standingOf = (state: ShownState): Standing => ({ tone: TONES[state], words: STATES[state] });

/** A length of time in its largest unit: `3 h`. */
export function duration(milliseconds: number): string {
  const { count, unit } = inLargestUnit(milliseconds);
  return unit === 'd' ? counted(count, 'day') : `${count} ${unit}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const DAY_MS = 86_400_000;

/** A time as people say it: the hour alone within a day. */
export const timeWords = (at: number, now: number): string => (Math.abs(now - at) < DAY_MS ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`);

/** A place where reports go; the default account goes without saying. */
export const placeWords = ({ account, environment }: { account: string; environment: string }): string =>
  account === 'default' ? environment : `${account}, ${environment}`;

const ACTIONS: Readonly<Record<DecisionRecord['action'], string>> = {
  retry: 'Sent again',
  recorded: 'Declared recorded',
  dismissed: 'Dismissed',
  undo: 'Undone',
  body: 'Body read',
  resume: 'Pauses lifted',
};

export const actionWords = (action: DecisionRecord['action']): string => ACTIONS[action];

/** The words of the buttons. */
export const VERBS: Readonly<Record<DecideRequest['action'], string>> = { retry: 'Send again', recorded: 'Declare recorded', dismissed: 'Dismiss' };
