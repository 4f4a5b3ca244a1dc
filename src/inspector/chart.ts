import { byId, draw, make } from './dom.js';
import { outcomeOf, type Tone } from './outcome.js';
import { markOf } from './outcome-mark.js';
import type { Entry } from './store.js';
import { count } from './words.js';

const SPAN_MS = 300_000;
const BARS = 60;
const BAR_MS = SPAN_MS / BARS;
const HEIGHT = 64;
/** Even a single request is to be seen, and is not to fill the chart. */
const LEAST_TOP = 4;

const LAYERS = ['ok', 'doubt', 'repeat', 'bad'] as const satisfies readonly Tone[];
const NAMES: Readonly<Record<Tone, string>> = { ok: 'went well', doubt: 'answer lost', repeat: 'repeated', bad: 'refused or failed' };

/** Requests over time, stacked by how they ended. */
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
  const sumOf = (bar: Record<Tone, number>) => LAYERS.reduce((sum, tone) => sum + bar[tone], 0);
  const highest = Math.max(...bars.map(sumOf));
  const top = Math.max(highest, LEAST_TOP);
  const shapes = bars.flatMap((bar, index) => {
    let y = HEIGHT;
    return LAYERS.filter((tone) => bar[tone] > 0).map((tone) => {
      const height = (bar[tone] / top) * (HEIGHT - 6);
      y -= height;
      return draw('rect', { class: tone, x: String(index * 5), y: y.toFixed(1), width: '4', height: height.toFixed(1), rx: '.8' });
    });
  });
  const label = `${LAYERS.map((tone) => `${totals[tone]} ${NAMES[tone]}`).join(', ')}; at most ${count(highest, 'request')} in 5 seconds`;
  const base = draw('path', { class: 'base', d: `M0 ${HEIGHT - 0.5}H300` });
  byId('chart').replaceChildren(
    draw('svg', { role: 'img', 'aria-label': label, viewBox: `0 0 300 ${HEIGHT}`, preserveAspectRatio: 'none' }, base, ...shapes),
    make(
      'p',
      { class: 'axis', 'aria-hidden': 'true' },
      make('span', {}, '5 minutes ago'),
      make('span', {}, highest > 0 && `peak ${highest} in 5 s`),
      make('span', {}, 'now'),
    ),
  );
  byId('counts').replaceChildren(
    ...LAYERS.map((tone) =>
      make('li', { class: totals[tone] ? '' : 'none' }, markOf(tone), make('b', {}, totals[tone].toLocaleString('en')), ` ${NAMES[tone]}`),
    ),
  );
}
