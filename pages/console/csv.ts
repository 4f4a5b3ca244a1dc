import { withoutFormula } from '../../src/core/platform/messages.js';

/** In the order in which they are looked for. */
const NAMES = ['bet_id', 'request_id', 'reference'];

/** The cells of a CSV text, by RFC 4180; a semicolon or a tab parts them where the first line has no comma. */
export function readCsv(text: string): string[][] {
  const [first = ''] = text.split('\n', 1);
  const separator = [',', ';', '\t'].find((one) => first.includes(one)) ?? ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quoted && character === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (quoted || cell === '')) quoted = !quoted;
    else if (quoted) cell += character;
    else if (character === separator) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r' && character !== '\uFEFF') cell += character;
  }
  endRow();
  return rows;
}

/** Of the column that names a report, or of the first one. */
export function referencesOf(text: string): string[] {
  const rows = readCsv(text);
  const header = rows[0]?.map((name) => name.trim().toLowerCase()) ?? [];
  const named = NAMES.map((name) => header.indexOf(name)).find((index) => index >= 0);
  return rows
    .slice(named === undefined ? 0 : 1)
    .map((row) => (row[named ?? 0] ?? '').trim())
    .filter((reference) => reference !== '');
}

const cellOf = (value: string): string => {
  const text = withoutFormula(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
