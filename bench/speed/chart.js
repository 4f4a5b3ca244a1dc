// Bar charts as SVG, readable on light and on dark backgrounds.

const WIDTH = 760;
const LABEL = 250;
const VALUE = 90;
const BAR = 13;
const GAP = 3;
const ROW_GAP = 13;
const TOP = 62;

/** The two colours also differ in lightness, and suit both backgrounds. */
const STYLE = `
  .ground { fill: #ffffff }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .quiet, .legend { font-size: 12px; fill: #59636e }
  .own { font-weight: 600 }
  .bar0 { fill: #9db7d5 } .own.bar0 { fill: #1f6feb }
  .bar1 { fill: #c8d1dc } .own.bar1 { fill: #79b8ff }
  .axis { stroke: #d1d9e0 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 }
    text { fill: #e6edf3 }
    .quiet, .legend { fill: #9198a1 }
    .bar0 { fill: #4d6480 } .own.bar0 { fill: #58a6ff }
    .bar1 { fill: #323d4a } .own.bar1 { fill: #2563b0 }
    .axis { stroke: #3d444d }
  }`;

const escaped = (/** @type {string} */ text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * One row for each subject, with one bar for each series.
 *
 * @param {object} chart
 * @param {string} chart.title
 * @param {string} chart.subtitle says which direction is better
 * @param {readonly string[]} chart.series
 * @param {readonly { name: string, own: boolean, values: readonly number[] }[]} chart.rows `own` ones are highlighted
 * @param {(value: number) => string} chart.format
 */
export function barChart({ title, subtitle, series, rows, format }) {
  const rowHeight = series.length * (BAR + GAP) - GAP + ROW_GAP;
  const legend = series.length > 1 ? 26 : 8;
  const height = TOP + rows.length * rowHeight + legend;
  const room = WIDTH - LABEL - VALUE;
  const most = Math.max(...rows.flatMap(({ values }) => values).filter(Number.isFinite));
  const bars = rows.map(({ name, own, values }, row) => {
    const top = TOP + row * rowHeight;
    const middle = top + (rowHeight - ROW_GAP) / 2 + 4.5;
    const label = `<text x="${LABEL - 12}" y="${middle}" text-anchor="end"${own ? ' class="own"' : ''}>${escaped(name)}</text>`;
    const each = values.map((value, index) => {
      const y = top + index * (BAR + GAP);
      const width = Number.isFinite(value) ? Math.max(1, (value / most) * room) : 0;
      return `<rect class="bar${index}${own ? ' own' : ''}" x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>
  <text class="quiet" x="${(LABEL + width + 6).toFixed(1)}" y="${y + BAR - 2.5}">${escaped(format(value))}</text>`;
    });
    return [label, ...each].join('\n  ');
  });
  const keys = series.map((name, index) => {
    const x = LABEL + index * 130;
    return `<rect class="bar${index} own" x="${x}" y="${height - 22}" width="11" height="11" rx="2"/><text class="legend" x="${x + 17}" y="${height - 12}">${escaped(name)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">
  <style>${STYLE}
  </style>
  <rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>
  <text class="title" x="20" y="28">${escaped(title)}</text>
  <text class="quiet" x="20" y="47">${escaped(subtitle)}</text>
  <line class="axis" x1="${LABEL - 0.5}" x2="${LABEL - 0.5}" y1="${TOP - 4}" y2="${TOP + rows.length * rowHeight - ROW_GAP + 4}"/>
  ${bars.join('\n  ')}
  ${series.length > 1 ? keys.join('\n  ') : ''}
</svg>
`;
}
