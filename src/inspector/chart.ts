import { byId, make } from '../kit/dom.js';
import { markOf, type Tone } from '../kit/mark.js';
import { stackedChart, sumOf } from '../kit/stacked-chart.js';
import { outcomeOf } from './outcome.js';
import type { Entry } from './store.js';
import { count } from './words.js';

const SPAN_MS = 300_000;
const BARS = 60;
const BAR_MS = SPAN_MS / BARS;
/** A single request must be visible, and must not fill the chart. */
const LEAST_TOP = 4;

const LAYERS = ['ok', 'doubt', 'repeat', 'bad'] as const satisfies readonly Tone[];
const NAMES: Readonly<Record<Tone, string>> = { ok: 'succeeded', doubt: 'answer lost', repeat: 'repeated', bad: 'refused or failed' };

/** Requests over time, stacked by their result. */
export function showChart(entries: readonly Entry[], now: number): void {
  const last = Math.floor(now / BAR_MS);
  const bars = Array.from({ length: BARS }, (): Record<Tone, number> => ({ ok: 0, doubt: 0, repeat: 0, bad: 0 }));
  const totals: Record<Tone, number> = { ok: 0, doubt: 0, repeat: 0, bad: 0 };
  for (const entry of entries) {
    const bar = bars[BARS - 1 - (last - Math.floor(entry.at / BAR_MS))];
    if (entry.earlier || !bar) continue;
    const { tone } = outcomeOf(entry);
    bar[tone] += 1;
    totals[tone] += 1;
  }
  const highest = Math.max(...bars.map((bar) => sumOf(bar, LAYERS)));
  const label = `${LAYERS.map((tone) => `${totals[tone]} ${NAMES[tone]}`).join(', ')}; at most ${count(highest, 'request')} in 5 seconds`;
  const axis = ['5 minutes ago', highest > 0 ? `peak ${highest} in 5 s` : '', 'now'];
  byId('chart').replaceChildren(...stackedChart({ bars, layers: LAYERS, leastTop: LEAST_TOP, label, axis }));
  byId('counts').replaceChildren(
    ...LAYERS.map((tone) =>
      make('li', { class: totals[tone] ? '' : 'none' }, markOf(tone), make('b', {}, totals[tone].toLocaleString('en')), ` ${NAMES[tone]}`),
    ),
  );
}
