import { Failure } from '../../output.js';
import { type Column, type LineProblem, planColumns, readRecord } from './columns.js';
import { readFormat, recordsOf } from './csv.js';
import type { ColumnMap } from './map-file.js';
import { readJsonLine } from './ndjson.js';
import { NOT_OF_A_LINE, printableName, type Shape } from './shape.js';
import type { Block, Source } from './source.js';

/** A report in a file. */
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

/** Detects whether a file is CSV or NDJSON, and checks the names of its columns. Throws a `Failure` if they are wrong. */
export function linesOf(source: Source, map: ColumnMap, shape: Shape): ReadLines {
  const start = source.head.toString('latin1');
  if (/^\s*\[/.test(start)) throw new Failure(`${source.path} is one JSON list: write its objects a line each, as jq -c '.[]' does`);
  return /^\s*\{/.test(start) ? jsonLines(source, map, shape) : csvLines(source, map, shape);
}

function csvLines(source: Source, map: ColumnMap, shape: Shape): ReadLines {
  const format = readFormat(source);
  const columns = planColumns(format.names, map, shape, source.path);
  const read = (line: number, cells: readonly string[]): ImportLine => {
    const wrong = wrongRecord(cells, columns, format.newline);
    return wrong ? { line, payload: undefined, problems: [{ field: '', reason: wrong }] } : { line, ...own(readRecord(cells, columns)) };
  };
  return async function* () {
    for await (const block of source.blocks({ quotes: true })) {
      const records = recordsOf(block, format, source.path);
      const lines: ImportLine[] = [];
      // An empty line is skipped, and so is the first record, which contains the names.
      for (const [index, { line, cells }] of records.entries())
        if (!(cells.length === 1 && cells[0] === '') && !(index === 0 && block.line === 1)) lines.push(read(line, cells));
      yield { lines, end: block.end };
    }
  };
}

const own = ({ payload, problems }: ReturnType<typeof readRecord>) => ({ payload, problems });

function wrongRecord(cells: readonly string[], columns: readonly (Column | undefined)[], newline: string): string | undefined {
  if (cells.length !== columns.length) return `has ${cells.length} cells and must have ${columns.length}, like the first line; is it cut off?`;
  if (newline === '\n' && cells.at(-1)?.endsWith('\r'))
    return 'ends with CR, but the first line ends with LF alone: end all lines alike, and remove a CR at the end of the last cell';
  return undefined;
}

function jsonLines(source: Source, map: ColumnMap, shape: Shape): ReadLines {
  for (const [name, target] of map)
    if (target && /(?:^|\.)(?:__proto__|constructor|prototype)(?:\.|$)/.test(target.field))
      throw new Failure(`--map: ${printableName(name)} is mapped to a name that is never accepted`);
  return async function* () {
    for await (const block of source.blocks({ quotes: false })) yield { lines: jsonOf(block, map, shape), end: block.end };
  };
}

function jsonOf({ text, line }: Block, map: ColumnMap, { operation }: Shape): ImportLine[] {
  return text.split('\n').flatMap((each, index): ImportLine[] => {
    if (each.trim() === '') return [];
    const { payload, problems } = readJsonLine(each, map);
    for (const name of NOT_OF_A_LINE) {
      if (!payload || !Object.hasOwn(payload, name)) continue;
      problems.push({ field: name, reason: `is not a field of ${operation} in an import; remove it` });
      // The client would check the line for that environment, which may not be set up.
      delete payload[name];
    }
    return [{ line: line + index, payload, problems }];
  });
}
