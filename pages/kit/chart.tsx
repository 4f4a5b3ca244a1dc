import type { Tone } from './parts.js';

const WIDTH = 300;
const HEIGHT = 64;
const MARGIN = 6;
/** The highest bar fills the chart, unless it is below this value: a single report must not. */
const LEAST_TOP = 4;

type Bar = Readonly<Partial<Record<Tone, number>>>;

interface ChartProps {
  /** The oldest first. */
  readonly bars: readonly Bar[];
  /** From the bottom to the top. */
  readonly layers: readonly Tone[];
  readonly label: string;
  /** The labels below it, from left to right. */
  readonly axis: readonly string[];
}

export const sumOf = (bar: Bar, layers: readonly Tone[]): number =>
  layers.reduce((sum, tone) => sum + (bar[tone] ?? 0), 0);

export function StackedChart({ bars, layers, label, axis }: ChartProps) {
  const step = WIDTH / Math.max(1, bars.length);
  const top = Math.max(LEAST_TOP, ...bars.map((bar) => sumOf(bar, layers)));
  const shapes = bars.flatMap((bar, index) => {
    let y = HEIGHT;
    return layers.map((tone) => {
      const height = ((bar[tone] ?? 0) / top) * (HEIGHT - MARGIN);
      y -= height;
      const at = { x: (index * step).toFixed(1), y: y.toFixed(1), height: height.toFixed(1) };
      return height > 0 && <rect class={tone} {...at} width={(step * 0.8).toFixed(1)} rx=".8" />;
    });
  });
  return (
    <>
      <div class="chart">
        <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
          <path class="base" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
          {shapes}
        </svg>
      </div>
      <p class="axis" aria-hidden="true">
        {axis.map((text) => (
          <span>{text}</span>
        ))}
      </p>
    </>
  );
}
