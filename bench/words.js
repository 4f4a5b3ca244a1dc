// Numbers and tables as text.

export const whole = (/** @type {number} */ figure) =>
  Number.isFinite(figure) ? Math.round(figure).toLocaleString('en') : '–';
export const fixed = (/** @type {number} */ figure, digits = 2) =>
  Number.isFinite(figure) ? figure.toFixed(digits) : '–';
export const mega = (/** @type {number} */ bytes) => `${fixed(bytes / 1_048_576, 1)} MB`;

/**
 * A Markdown table with aligned columns in its source.
 * @param {readonly (readonly string[])[]} rows the first is the head
 */
export function markdownTable(rows) {
  const widths = rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].join('\n');
}
