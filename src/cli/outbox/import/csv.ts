import Papa from 'papaparse';
import { Failure } from '../../output.js';
import type { Block, Source } from './source.js';

/** The format of a CSV file. */
export interface CsvFormat {
  readonly separator: string;
  readonly newline: '\n' | '\r\n';
  /** The cells of its first record. */
  readonly names: readonly string[];
}

/** A record and the line in which it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

const SEPARATORS = [',', ';', '\t'] as const;

/** Reads the first record, which contains the names of the columns. The separator is the most frequent one outside of quotes. */
export function readFormat({ head, path, isShort }: Source): CsvFormat {
  const text = head.toString('utf8');
  const counts: Record<string, number> = { ',': 0, ';': 0, '\t': 0 };
  let inQuotes = false;
  let end = -1;
  for (let index = 0; index < text.length && end < 0; index += 1) {
    const character = text[index] ?? '';
    if (character === '"') inQuotes = !inQuotes;
    else if (character === '\n' && !inQuotes) end = index;
    else if (!inQuotes && Object.hasOwn(counts, character)) counts[character] = (counts[character] ?? 0) + 1;
  }
  if (end < 0 && !isShort) throw new Failure(`${path}: the first line does not end within 64 kB; it must contain the names of the columns`);
  const newline = text[end - 1] === '\r' ? '\r\n' : '\n';
  const first = end < 0 ? text : text.slice(0, newline === '\r\n' ? end - 1 : end);
  if (first.includes('\r')) throw new Failure(`${path}: the lines end with CR alone; save the file with LF or CR LF`);
  const separator = [...SEPARATORS].sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))[0] ?? ',';
  const [{ cells } = { cells: [] }] = recordsOf({ text: first, line: 1, breaks: 0, end: 0 }, { separator, newline }, path);
  return { separator, newline, names: cells.map((name) => name.trim()) };
}

/** Returns the records of a block. Throws if a quote is wrong, since the end of the record is then unknown. */
export function recordsOf({ text, line, breaks }: Block, { separator, newline }: Pick<CsvFormat, 'separator' | 'newline'>, path: string): CsvRecord[] {
  const body = text.endsWith(newline) ? text.slice(0, -newline.length) : text;
  const { data, errors } = Papa.parse<string[]>(body, { delimiter: separator, newline });
  // Only a cell with a line break makes a record longer than a line.
  const isFlat = data.length === breaks || (data.length === breaks + 1 && body === text);
  let at = line;
  const records = data.map((cells, index): CsvRecord => {
    const record = { line: isFlat ? line + index : at, cells };
    if (!isFlat) at += 1 + breaksIn(cells);
    return record;
  });
  const [error] = errors;
  if (error)
    throw new Failure(
      `${path}, line ${records[error.row ?? 0]?.line ?? line}: a quote is not closed, or text follows a closing quote; write a quote within quotes as ""`,
    );
  return records;
}

const breaksIn = (cells: readonly string[]): number => cells.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0);
