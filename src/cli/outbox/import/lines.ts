import Papa from 'papaparse';
import { isRecord } from '../../../platform/as-record.js';
import { exactNumber } from '../../../schema/decimals.js';
import { scanJson } from '../../../web/read-json.js';
import { Failure } from '../../output.js';
import { ALWAYS_EXACT, CellProblem, readTime } from './cell.js';
import { CALL_PARAMETERS, type ColumnMap, type LineProblem, planColumns, readRecord, type Shape } from './columns.js';
import type { Block, Source } from './source.js';

export interface ImportLine {
  /** The number of the line, from 1. */
  readonly line: number;
  /** Undefined if the line cannot be read. */
  readonly payload: Record<string, unknown> | undefined;
  readonly problems: readonly LineProblem[];
}

/** Lines that were read together, and the position of their end in the file, in bytes. */
export interface Lines {
  readonly lines: readonly ImportLine[];
  readonly end: number;
}

/** Reads the lines of a file. Each call starts at the beginning. */
export type ReadLines = () => AsyncGenerator<Lines>;

/**
 * Detects whether a file is CSV or NDJSON, and checks the names of its columns. Throws a `Failure` if they are wrong.
 */
export function lineReaderOf(source: Source, map: ColumnMap, shape: Shape): ReadLines {
  const start = source.head.toString('latin1');
  if (/^\s*\[/.test(start))
    throw new Failure(`${source.path} is one JSON list: write its objects a line each, as jq -c '.[]' does`);
  if (!/^\s*\{/.test(start)) return csvLines(source, map, shape);
  if (map.size > 0) throw new Failure('--map is for CSV: rename the members of NDJSON, for example with jq');
  return async function* () {
    for await (const { text, line, end } of source.blocks({ quotes: false })) {
      const lines = text
        .split('\n')
        .flatMap((each, index) => (each.trim() === '' ? [] : [readJsonLine(each, line + index, shape)]));
      yield { lines, end };
    }
  };
}

const unread = (line: number, reason: string): ImportLine => ({
  line,
  payload: undefined,
  problems: [{ field: '', reason }],
});

interface CsvFormat {
  readonly separator: string;
  readonly newline: '\n' | '\r\n';
}

const SEPARATORS = [',', ';', '\t'] as const;

/** The first record, and the line break after it. A line break within quotes does not end a record. */
const FIRST_RECORD = /^((?:[^"\r\n]|"[^"]*")*)(\r\n|\r|\n|$)/;

function csvLines(source: Source, map: ColumnMap, shape: Shape): ReadLines {
  const { path } = source;
  const { format, names } = readHead(source);
  const columns = planColumns(names, map, shape, path);
  const read = (line: number, cells: readonly string[]): ImportLine => {
    if (cells.length !== columns.length)
      return unread(
        line,
        `has ${cells.length} cells and must have ${columns.length}, like the first line; is it cut off?`,
      );
    if (format.newline === '\n' && cells.at(-1)?.endsWith('\r'))
      return unread(
        line,
        'ends with CR, but the first line ends with LF alone: end all lines alike, and remove a CR at the end of the last cell',
      );
    return { line, ...readRecord(cells, columns) };
  };
  return async function* () {
    for await (const block of source.blocks({ quotes: true })) {
      const lines: ImportLine[] = [];
      // An empty line is skipped, and so is the first record, which contains the names.
      for (const [index, { line, cells }] of recordsOf(block, format, path).entries())
        if (!(cells.length === 1 && cells[0] === '') && !(index === 0 && block.line === 1))
          lines.push(read(line, cells));
      yield { lines, end: block.end };
    }
  };
}

/** Reads the names of the columns. The separator is the one that makes most of them. */
function readHead({ head, path, isShort }: Source): { format: CsvFormat; names: readonly string[] } {
  const text = head.toString('utf8');
  const [, first = text, end = ''] = FIRST_RECORD.exec(text) ?? [];
  if (end === '' && !isShort)
    throw new Failure(`${path}: the first line does not end within 64 kB; it must contain the names of the columns`);
  if (end === '\r') throw new Failure(`${path}: the lines end with CR alone; save the file with LF or CR LF`);
  const { separator, names } = SEPARATORS.map((one) => ({
    separator: one,
    names: (Papa.parse<string[]>(first, { delimiter: one, newline: '\n' }).data[0] ?? []).map((name) => name.trim()),
  })).reduce((best, one) => (one.names.length > best.names.length ? one : best));
  return { format: { separator, newline: end === '\r\n' ? '\r\n' : '\n' }, names };
}

/** Returns the records of a block. Throws if a quote is wrong, since the end of the record is then unknown. */
function recordsOf(
  { text, line }: Block,
  { separator, newline }: CsvFormat,
  path: string,
): { readonly line: number; readonly cells: readonly string[] }[] {
  const body = text.endsWith(newline) ? text.slice(0, -newline.length) : text;
  const { data, errors } = Papa.parse<string[]>(body, { delimiter: separator, newline });
  // Only a cell in quotes contains line breaks.
  const isFlat = !body.includes('"');
  let at = line;
  const records = data.map((cells, index) => {
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

const breaksIn = (cells: readonly string[]): number =>
  cells.reduce((sum, cell) => sum + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0);

/** A string, or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** The smallest number that keeps all its digits. */
const SMALLEST = 2 ** -1022;

/** A number with few digits is always exact, unless it is so small that it becomes 0. */
const isRounded = (token: string): boolean =>
  token.length > ALWAYS_EXACT
    ? exactNumber(token) === undefined
    : Math.abs(Number(token)) < SMALLEST && /[1-9]/.test(token.replace(/e.*/i, ''));

/** The reason why `JSON.parse` reads other data than a valid JSON text says. Undefined if it does not. */
export function alterationOf(text: string): string | undefined {
  // JSON.parse keeps the last value silently.
  const codes = scanJson(text).map(({ code }) => code);
  if (codes.includes('conflict')) return 'contains the name of a member twice';
  if (codes.includes('not-json')) return 'is nested deeper than any report';
  const isAltered = ([token]: readonly string[]) => token !== undefined && token[0] !== '"' && isRounded(token);
  return [...text.matchAll(TOKENS)].some(isAltered)
    ? 'contains a number with too many digits: JavaScript would round it'
    : undefined;
}

/** Reads a line of JSON: the payload of the method. Its `timestamp` may also be a date with a time zone. */
function readJsonLine(text: string, line: number, { operation }: Shape): ImportLine {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return unread(line, 'is not a complete JSON object on one line');
  }
  if (!isRecord(payload)) return unread(line, 'expected a JSON object');
  const altered = alterationOf(text);
  if (altered !== undefined) return unread(line, altered);
  const problems: LineProblem[] = [];
  if (typeof payload.timestamp === 'string') {
    const time = readTime(payload.timestamp);
    if (time instanceof CellProblem) problems.push({ field: 'timestamp', reason: time.message });
    else payload.timestamp = time;
  }
  for (const name of CALL_PARAMETERS) {
    if (!Object.hasOwn(payload, name)) continue;
    problems.push({ field: name, reason: `is not a field of ${operation} in an import; remove it` });
    // The client would check the line for that environment, which may not be set up.
    delete payload[name];
  }
  return { line, payload, problems };
}
