import { withoutFormula } from './messages.js';

export class ListError extends Error {}

/** No cell is longer, unless a quote is not closed. */
export const LONGEST_CELL = 100_000;

/**
 * Reads CSV by RFC 4180, in pieces. A semicolon or a tab parts the cells where the first line has no comma. Blanks around
 * a cell count only within quotes. While a row is given, `at.line` is the number of its last line.
 */
export function createCsvReader(at = { line: 0 }): (piece: string, isLast?: boolean) => Generator<string[]> {
  let separator: string | undefined;
  let [unread, cell] = ['', ''];
  let row: string[] = [];
  let [isQuoted, wasQuote] = [false, false];

  function endCell(): void {
    row.push(wasQuote ? cell : cell.trim());
    cell = '';
  }

  function* endRow(): Generator<string[]> {
    endCell();
    at.line += 1;
    if (row.some((one) => one !== '')) yield row;
    row = [];
  }

  return function* (piece, isLast = false) {
    unread += piece;
    separator ??= isLast || unread.includes('\n') ? separatorOf(unread) : undefined;
    if (separator !== undefined) {
      for (const character of unread) {
        const isQuote = character === '"';
        if (isQuote && wasQuote) cell += '"';
        if (isQuote && (isQuoted || wasQuote || cell === '')) isQuoted = !isQuoted;
        else if (isQuoted) {
          cell += character;
          if (character === '\n') at.line += 1;
        } else if (character === separator) endCell();
        else if (character === '\n') yield* endRow();
        else if (character !== '\r' && character !== '\uFEFF') cell += character;
        if (character !== '\r') wasQuote = isQuote && !isQuoted;
        if (cell.length > LONGEST_CELL) break;
      }
      unread = '';
    }
    if (cell.length + unread.length > LONGEST_CELL || (isLast && isQuoted))
      throw new ListError('a quote is not closed, or it is not a list with one reference per line');
    if (isLast) yield* endRow();
  };
}

const separatorOf = (text: string): string => {
  const [first = ''] = text.split('\n', 1);
  return [',', ';', '\t'].find((one) => first.includes(one)) ?? ',';
};

const cellOf = (value: string): string => {
  const text = withoutFormula(value);
  return /[",;\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
