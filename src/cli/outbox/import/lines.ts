import Papa from 'papaparse';
import { isRecord } from '../../../core/platform/as-record.js';
import { type ReportName, reportNames } from '../../../core/protocol/operations.js';
import { Failure } from '../../output.js';
import { parseLossOf } from '../exact-json.js';
import { isRefused, readTime, refuseGroups } from './cell.js';
import {
  CALL_PARAMETERS,
  type ColumnMap,
  type LinePayload,
  type LineProblem,
  nameOf,
  planColumns,
  readRecord,
  type Shape,
} from './columns.js';
import type { Source } from './source.js';

export interface ImportLine extends LinePayload {
  /** From 1. */
  readonly line: number;
  /** In characters. */
  readonly length: number;
  /** Undefined if its payload is. */
  readonly operation: ReportName | undefined;
}

/** Each call starts at the beginning. */
export type ReadLines = () => AsyncGenerator<ImportLine>;

interface Split {
  readonly records: readonly (readonly string[])[];
  readonly rest: string;
  /** Why the record after these cannot be split off. */
  readonly problem?: string | undefined;
}

interface Format {
  readonly newline: string;
  split(text: string, isLast: boolean): Split;
  /** Reads a record that is not empty. Undefined if it contains the names of the columns. */
  read(cells: readonly string[], line: number): LinePayload | undefined;
}

/** No report is longer. A longer record usually has a quote that is not closed. */
const LONGEST_RECORD = 1024 * 1024;
const TOO_LONG = 'this record is longer than 1 MB (in CSV: is a quote not closed?)';

/** A number that was cut off is another number, and looks like a whole one. */
const OPEN_END: LineProblem = {
  field: '',
  reason:
    'does not end with a line break like the first line, so the file may be cut off; if it is complete, add --last-line-complete',
};

/**
 * Detects whether a file is CSV or NDJSON, and checks the names of its columns. Throws a `Failure` if they are wrong.
 * `isComplete`: a person has said that the last line needs no line break.
 */
export async function lineReaderOf(
  source: Source,
  map: ColumnMap,
  shape: Shape,
  isComplete: boolean,
): Promise<ReadLines> {
  const { path } = source;
  const { newline, split, read } = await formatOf(source, map, shape);
  return async function* () {
    let rest = '';
    let line = 1;
    for await (const { text, isLast } of source.pieces()) {
      const whole = rest + text;
      const { records, problem, ...more } = split(whole, isLast);
      const last = isLast && !whole.endsWith(newline) ? records.at(-1) : undefined;
      rest = more.rest;
      for (const cells of records) {
        const content = cells.join();
        if (content.length > LONGEST_RECORD) throw new Failure(`${path}, line ${line}: ${TOO_LONG}`);
        const isBlank = content.trim() === '';
        const found = isBlank ? undefined : read(cells, line);
        const isOpen = cells === last && !isBlank && (!isComplete || /[\r\n]$/.test(content));
        const { problems = [], ...own } = found ? withOperation(found, shape.operation) : {};
        if (found || isOpen)
          yield {
            line,
            length: content.length,
            payload: undefined,
            operation: undefined,
            ...own,
            problems: isOpen ? [...problems, OPEN_END] : problems,
          };
        // Only a cell in quotes contains line breaks.
        line += content.split('\n').length;
      }
      const why = rest.length > LONGEST_RECORD ? TOO_LONG : problem;
      if (why !== undefined) throw new Failure(`${path}, line ${line}: ${why}`);
    }
  };
}

async function formatOf({ path, pieces }: Source, map: ColumnMap, shape: Shape): Promise<Format> {
  for await (const { text, isLast } of pieces()) {
    if (/^\s*\[/.test(text))
      throw new Failure(`${path} is one JSON list: write its objects a line each, as jq -c '.[]' does`);
    if (!/^\s*\{/.test(text)) return csvFormat(path, text, isLast, map, shape);
    break;
  }
  if (map.size > 0) throw new Failure('--map is for CSV: rename the members of NDJSON, for example with jq');
  return {
    newline: '\n',
    split(text, isLast) {
      const lines = text.split('\n');
      const rest = isLast ? '' : (lines.pop() ?? '');
      return { records: lines.map((line) => [line]), rest };
    },
    read: ([text = '']) => readJsonLine(text, shape),
  };
}

const unread = (reason: string): LinePayload => ({ payload: undefined, problems: [{ field: '', reason }] });

const WRONG_QUOTE = 'a quote is not closed, or text follows a closing quote; write a quote within quotes as ""';
const SEPARATORS = [',', ';', '\t'] as const;

/** The first record, and the line break after it. A line break within quotes does not end a record. */
const FIRST_RECORD = /^((?:[^"\r\n]|"[^"]*")*)(\r\n|\r|\n|$)/;

/** `head`: the beginning of the file, with the names of the columns. The separator is the one that makes most of them. */
function csvFormat(path: string, head: string, isWhole: boolean, map: ColumnMap, shape: Shape): Format {
  const [, first = head, newline = ''] = FIRST_RECORD.exec(head) ?? [];
  if (newline === '' && !isWhole)
    throw new Failure(`${path}: the first line does not end within 64 kB; it must contain the names of the columns`);
  if (newline === '\r') throw new Failure(`${path}: the lines end with CR alone; save the file with LF or CR LF`);
  const { delimiter, names } = SEPARATORS.map((one) => ({
    delimiter: one,
    names: (Papa.parse<string[]>(first, { delimiter: one, newline: '\n' }).data[0] ?? []).map((name) => name.trim()),
  })).reduce((best, one) => (one.names.length > best.names.length ? one : best));
  // Spreadsheets write semicolons where a comma is the decimal sign, and a point may group thousands.
  const columns = planColumns(names, map, shape, path).map((column) =>
    delimiter === ';' && column?.kind === 'number' && !column.path.startsWith('location.')
      ? { rewrite: refuseGroups, ...column }
      : column,
  );
  const parser = new Papa.Parser({ delimiter, newline: newline === '\r\n' ? newline : '\n' });
  return {
    newline: newline || '\n',
    split(text, isLast) {
      const { data, errors, meta }: Papa.ParseResult<string[]> = parser.parse(text, 0, !isLast);
      // A quote in the record that is not whole yet may be closed in the next piece.
      const broken = errors.find(({ row = 0 }) => row < data.length)?.row;
      const problem = broken === undefined ? undefined : WRONG_QUOTE;
      return { records: data.slice(0, broken), rest: text.slice(meta.cursor), problem };
    },
    read(cells, line) {
      if (line === 1) return undefined;
      if (cells.length !== columns.length)
        return unread(`has ${cells.length} cells and must have ${columns.length}, like the first line; is it cut off?`);
      if (newline === '\n' && cells.at(-1)?.endsWith('\r'))
        return unread(
          'ends with CR, but the first line ends with LF alone: end all lines alike, and remove a CR at the end of the last cell',
        );
      return readRecord(cells, columns);
    },
  };
}

/** Takes the name of its operation out of a line: a file of one operation needs none. */
function withOperation(found: LinePayload, given: ReportName | undefined): LinePayload & Pick<ImportLine, 'operation'> {
  if (!found.payload) return { ...found, operation: undefined };
  const { operation: own = given, ...payload } = found.payload;
  const operation = reportNames.find((name) => name === own && name === (given ?? name));
  if (operation) return { payload, problems: found.problems, operation };
  const expected = given ? `${given}, as --operation says` : `one of ${reportNames.join(', ')}, or --operation`;
  const problem = { field: 'operation', reason: `expected ${expected}` };
  return { payload: undefined, problems: [problem], operation };
}

/** The `timestamp` may also be a date with a time zone. */
function readJsonLine(text: string, shape: Shape): LinePayload {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return unread('is not a complete JSON object on one line');
  }
  if (!isRecord(payload)) return unread('expected a JSON object');
  const lost = parseLossOf(text);
  if (lost !== undefined) return unread(lost);
  const problems: LineProblem[] = [];
  if (typeof payload.timestamp === 'string') {
    const time = readTime(payload.timestamp);
    if (isRefused(time)) problems.push({ field: 'timestamp', reason: time.why });
    else payload.timestamp = time;
  }
  for (const name of CALL_PARAMETERS) {
    if (!Object.hasOwn(payload, name)) continue;
    problems.push({ field: name, reason: `is not a field of ${nameOf(shape)} in an import; remove it` });
    // The client would check the line for that environment, which may not be set up.
    delete payload[name];
  }
  return { payload, problems };
}
