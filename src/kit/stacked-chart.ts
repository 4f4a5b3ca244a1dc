import { draw, make } from './dom.js';
import type { Tone } from './mark.js';

const WIDTH = 300;
const HEIGHT = 64;
/** Space above the highest bar. */
const MARGIN = 6;

/** Bars over time, stacked by tone, the oldest first. */
export interface StackedChart {
  readonly bars: readonly Readonly<Partial<Record<Tone, number>>>[];
  /** From the bottom to the top. */
  readonly layers: readonly Tone[];
  /** The highest bar fills the chart, unless it is below this value. */
  readonly leastTop: number;
  /** The chart in words. */
  readonly label: string;
  /** The labels below it, from left to right. */
  readonly axis: readonly string[];
}

export const sumOf = (bar: StackedChart['bars'][number], layers: readonly Tone[]): number => layers.reduce((sum, tone) => sum + (bar[tone] ?? 0), 0);

export function stackedChart({ bars, layers, leastTop, label, axis }: StackedChart): HTMLElement[] {
  const step = WIDTH / Math.max(1, bars.length);
  const top = Math.max(leastTop, ...bars.map((bar) => sumOf(bar, layers)));
  const shapes = bars.flatMap((bar, index) => {
    let y = HEIGHT;
    return layers.flatMap((tone) => {
      const height = ((bar[tone] ?? 0) / top) * (HEIGHT - MARGIN);
      y -= height;
      const at = { x: (index * step).toFixed(1), y: y.toFixed(1), width: (step * 0.8).toFixed(1), height: height.toFixed(1) };
      return height > 0 ? [draw('rect', { class: tone, ...at, rx: '.8' })] : [];
    });
  });
  const base = draw('path', { class: 'base', d: `M0 ${HEIGHT - 0.5}H${WIDTH}` });
  const drawing = draw('svg', { role: 'img', 'aria-label': label, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' }, base, ...shapes);
  const figure = make('div', { class: 'chart' });
  figure.append(drawing);
  return [figure, make('p', { class: 'axis', 'aria-hidden': 'true' }, ...axis.map((text) => make('span', {}, text)))];
}
