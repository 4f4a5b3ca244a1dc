import { make } from '../kit/dom.js';
import type { Item } from '../kit/list.js';
import { markOf } from '../kit/mark.js';
import type { ReportSummary } from '../outbox/console/report-life.js';
import { operationWords, placeWords, standingOf, timeWords } from './words.js';

/** The address of a report's view. */
export const reportHash = (id: string): string => `#/report/${encodeURIComponent(id)}`;

/** A report as a row of a list. */
export const reportItem = (report: ReportSummary, now: number): Item => ({
  key: report.id,
  version: `${report.state} ${report.attempts} ${report.changedAt}`,
  content: () => reportContent(report, now),
});

/** Within a group, all that its reports have in common is left out. */
export function reportContent(report: ReportSummary, now: number, within: 'list' | 'group' = 'list'): HTMLElement[] {
  const { reference, operation, state, inDoubt, enqueuedAt, problem } = report;
  const { tone, words } = standingOf(state);
  const mark = make('span', { class: 'lead' });
  mark.append(markOf(tone));
  return [
    mark,
    make('span', { class: 'title' }, reference),
    make('time', {}, timeWords(enqueuedAt, now)),
    make(
      'span',
      { class: 'sub' },
      make('span', {}, operationWords(operation)),
      within === 'list' && make('span', { class: tone }, words),
      within === 'list' && state !== 'recorded' && problem && make('span', {}, problem.code),
      inDoubt && make('span', { class: 'doubt' }, 'in doubt'),
      within === 'list' && make('span', { class: 'tag' }, placeWords(report)),
    ),
  ];
}
