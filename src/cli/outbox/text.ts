import { inLargestUnit } from '../../core/platform/time.js';
import { DEFAULT_ACCOUNT, type PauseScope } from '../../outbox/rules/destination.js';
import { learnedNow } from '../../outbox/rules/rate.js';
import type { DestinationState } from '../../outbox/store/store.js';

export const grouped = (count: number): string => count.toLocaleString('en');

export const reports = (count: number): string => `${grouped(count)} ${count === 1 ? 'report' : 'reports'}`;

/** After the end of a breaker. */
export const quarantinedNote = (count: number, command: string): string =>
  `${reports(count)} that the gateway had refused ${count === 1 ? 'is' : 'are'} quarantined, and not sent again. To see them, and to correct wrong data:
  ${command} list --state quarantined
  ${command} replace --from corrected.ndjson --environment … --dry-run`;

/** A destination or the place of a pause, such as `staging` or `staging, reportBetEvent,`. Without the default account. */
export const placeOf = ({ account, environment, operation }: PauseScope): string =>
  `${account === DEFAULT_ACCOUNT ? '' : `${account} `}${environment}${operation ? `, ${operation},` : ''}`;

/** The reports per second that a 429 has taught, while that holds. */
export function learnedRate({ rate }: Pick<DestinationState, 'rate'>): number | undefined {
  const perSecond = rate && learnedNow(rate);
  return perSecond === undefined ? undefined : Math.round(perSecond);
}

export function duration(milliseconds: number): string {
  const { count, unit } = inLargestUnit(milliseconds);
  return `${count} ${unit}`;
}

export const time = (milliseconds: number): string => {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime())
    ? 'an impossible time'
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
};

const LINE = 78;

export function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + 1 + word.length <= LINE)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${indent}`);
}
