import { make } from '../kit/dom.js';
import { stackedChart } from '../kit/stacked-chart.js';
import type { Charts } from '../outbox/console/charts.js';
import { counted, duration, grouped } from './words.js';

export type Range = Charts['range'];

const RANGES: readonly (readonly [range: Range, words: string, since: string, step: string])[] = [
  ['minutes', 'Hour', '60 minutes ago', 'a minute'],
  ['hours', 'Two days', '48 hours ago', 'an hour'],
  ['days', 'Month', '30 days ago', 'a day'],
];

/** Throughput and time to recorded, over a range that the person chooses. */
export function createCharts(changed: () => void) {
  let chosen: Range = 'minutes';
  const buttons = RANGES.map(([range, words]) => {
    const button: HTMLButtonElement = make('button', { type: 'button', 'aria-pressed': String(range === chosen), click: () => choose(range) }, words);
    return { range, button };
  });
  const [throughput, time] = [make('div', { class: 'plot' }), make('div', { class: 'plot' })];
  const note = make('p', { class: 'dim' });

  function choose(range: Range): void {
    chosen = range;
    for (const one of buttons) one.button.setAttribute('aria-pressed', String(one.range === range));
    changed();
  }

  return {
    element: make(
      'section',
      { class: 'card charts', 'aria-label': 'Charts' },
      make(
        'div',
        { class: 'bar' },
        make('h3', {}, 'Recorded'),
        make('div', { class: 'ranges', role: 'group', 'aria-label': 'Range of the charts' }, ...buttons.map(({ button }) => button)),
      ),
      throughput,
      make('h3', {}, 'Time to recorded'),
      time,
      note,
    ),
    range: () => chosen,
    show({ range, steps, behind }: Charts): void {
      if (range !== chosen) return;
      const [, , since = '', step = ''] = RANGES.find(([name]) => name === range) ?? [];
      const most = Math.max(0, ...steps.map(({ recorded }) => recorded));
      const sum = steps.reduce((all, { recorded }) => all + recorded, 0);
      const label = `${counted(sum, 'report')} recorded since ${since}; at most ${grouped(most)} in ${step}`;
      throughput.replaceChildren(
        ...stackedChart({
          bars: steps.map(({ recorded, dismissed }) => ({ ok: recorded, repeat: dismissed })),
          layers: ['ok', 'repeat'],
          leastTop: 4,
          label,
          axis: [since, most > 0 ? `peak ${grouped(most)} in ${step}` : 'none', 'now'],
        }),
      );
      const slowest = Math.max(0, ...steps.map(({ p95Ms }) => p95Ms ?? 0));
      const words = slowest > 0 ? `95 of 100 within ${duration(slowest)} at worst` : 'none';
      time.replaceChildren(
        ...stackedChart({
          // On a scale that doubles: a second and a day are both to be seen.
          bars: steps.map(({ medianMs, p95Ms }) => ({ ok: height(medianMs), doubt: Math.max(0, height(p95Ms) - height(medianMs)) })),
          layers: ['ok', 'doubt'],
          leastTop: 4,
          label: `Time from enqueued to recorded since ${since}: ${words}`,
          axis: [since, words, 'now'],
        }),
      );
      note.textContent = behind > 0 ? `${counted(behind, 'older receipt')} not counted yet.` : 'Green: half of the reports; amber: 95 of 100.';
    },
  };
}

const height = (milliseconds: number | null): number => (milliseconds === null ? 0 : Math.log2(1 + milliseconds / 1_000));
