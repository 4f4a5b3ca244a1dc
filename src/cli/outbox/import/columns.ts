import { readFileSync } from 'node:fs';
import { asRecord, canonical, isRecord } from '../../../core/platform/as-record.js';
import { type Operation, operations, type ReportName, reportNames } from '../../../core/protocol/operations.js';
import { printableKey } from '../../../core/schema/issue.js';
import { location, locationInput } from '../../../core/schema/location.js';
import { type Leaf, type LeafKind, leavesOf, type ValidationMode } from '../../../core/schema/model.js';
import { suggest } from '../../../core/schema/validate.js';
import { codeOf, Failure } from '../../output.js';
import { isRefused, readCell } from './cell.js';
import { CELL_FORMATS, type CellFormat, readCellFormat } from './cell-format.js';

/** The fields that a file may have. */
export interface Shape {
  /** Undefined if each line names its own. */
  readonly operation: ReportName | undefined;
  readonly mode: ValidationMode;
  /** Every field by its dotted name. */
  readonly leaves: ReadonlyMap<string, Leaf>;
  readonly required: readonly string[];
}

const OPERATION: Leaf = {
  path: 'operation',
  kind: 'text',
  required: { strict: false, partial: false },
  anyMembers: false,
};

export function shapeOf(operation: ReportName | undefined, mode: ValidationMode): Shape {
  if (operation === undefined) {
    const leaves = new Map(reportNames.flatMap((name) => [...shapeOf(name, mode).leaves]));
    return { operation, mode, leaves, required: [OPERATION.path] };
  }
  const { request, location: takes }: Operation = operations[operation];
  const own = leavesOf(request);
  // The client's options decide whether a location is required.
  const places = takes === 'none' ? [] : leavesOf(takes === 'field' ? location : locationInput, 'location.', false);
  return {
    operation,
    mode,
    leaves: new Map([OPERATION, ...own, ...places].map((leaf) => [leaf.path, leaf])),
    required: own
      .filter(({ path, required }) => required[mode] || (path === 'timestamp' && needsTime(operation)))
      .map(({ path }) => path),
  };
}

/** Whether a report without `timestamp` gets the current time: in a file that is wrong, and other data in each run. */
export const needsTime = (operation: ReportName): boolean =>
  operations[operation].request.optional.includes('timestamp');

/** A line cannot have them: an import does not look up IP addresses, and has one environment. */
export const CALL_PARAMETERS: readonly string[] = ['clientIP', 'environment'];

/** The field of a column by its name, and the format of its cells. `undefined` leaves the column out. */
export type ColumnMap = ReadonlyMap<string, ({ readonly field: string } & Partial<CellFormat>) | undefined>;

/** Reads a JSON file such as `{ "BetID": "bet_id", "note": null }`. An entry may also be one of `CELL_FORMATS`. */
export function readMapFile(file: string | undefined): ColumnMap {
  if (file === undefined) return new Map();
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Failure(
      `--map ${file} ${error instanceof SyntaxError ? 'is not JSON' : `cannot be read (${codeOf(error)})`}`,
    );
  }
  if (!isRecord(read)) throw new Failure(`--map ${file} must contain an object: { "column": "field" }`);
  return new Map(
    Object.entries(read).map(([name, field], index) => {
      if (field === null) return [name, undefined];
      const entry = typeof field === 'string' && field !== '' ? { field } : readCellFormat(field);
      if (entry) return [name, entry];
      throw new Failure(
        `--map ${file}: entry ${index + 1} must be a field such as "user.nin", null to leave the column out, ${CELL_FORMATS}. A format has yyyy, MM, dd, HH and mm, or M, d, H, hh, h, a, ss, SSS, each once; a zone has a name such as Africa/Lagos, or UTC`,
      );
    }),
  );
}

interface Column {
  readonly path: string;
  /** Of the objects around the field, then its own. */
  readonly names: readonly string[];
  readonly kind: LeafKind;
  readonly rewrite?: CellFormat['rewrite'] | undefined;
}

export interface LineProblem {
  readonly field: string;
  readonly reason: string;
}

/** The payload of a line. Undefined if the line cannot be read. */
export interface LinePayload {
  readonly payload: Record<string, unknown> | undefined;
  readonly problems: readonly LineProblem[];
}

/** A dotted name for a message. A part that is not an identifier may be misplaced data, so it is masked. */
const printableName = (name: string): string => name.split('.').map(printableKey).join('.');

const MOST_LISTED = 10;

/** In their order, undefined for a column that is left out. Throws a `Failure` that lists the problems of the names. */
export function planColumns(
  names: readonly string[],
  map: ColumnMap,
  shape: Shape,
  path: string,
): (Column | undefined)[] {
  const problems: string[] = [];
  const taken = new Map<string, number>();
  const columns = names.map((name, index): Column | undefined => {
    const entry = map.has(name) ? map.get(name) : { field: name };
    if (entry === undefined) return undefined;
    const { field, kind, rewrite }: NonNullable<typeof entry> = entry;
    const at = `column ${index + 1}`;
    const column = columnOf(shape, field);
    const before = [...taken].find(([other]) => `${other}.`.startsWith(`${field}.`) || field.startsWith(`${other}.`));
    if (field === '') problems.push(`${at} has no name`);
    else if (!column) problems.push(`${at}: ${unknownName(shape, field)}`);
    else if (before) problems.push(`${at}: ${printableName(field)} is already in column ${before[1]}`);
    else if (kind && kind !== column.kind)
      problems.push(`${at}: --map gives ${printableName(field)} the form of another kind of field`);
    if (column) taken.set(field, index + 1);
    return column && { ...column, ...(rewrite && { rewrite }) };
  });
  for (const name of map.keys())
    if (!names.includes(name))
      problems.push(
        `--map names a column ${printableName(name)}, which the file does not have${didYouMean(name, names)}`,
      );
  if (taken.size === 0)
    throw new Failure(
      `${path}: the first line contains no field name of ${nameOf(shape)}; it must contain the names of the columns`,
    );
  const missing = shape.required.filter((name) => !taken.has(name));
  if (missing.length > 0) problems.push(`missing columns: ${missing.join(', ')}`);
  if (missing[0] === OPERATION.path) problems.push('or give --operation, for a file of one operation');
  if (problems.length === 0) return columns;
  const more = problems.length > MOST_LISTED ? `; and ${problems.length - MOST_LISTED} more` : '';
  throw new Failure(
    `${path}: ${problems.slice(0, MOST_LISTED).join('; ')}${more}. Rename the columns, or give --map, where null leaves a column out`,
  );
}

const FORBIDDEN = /(?:^|\.)(?:__proto__|constructor|prototype)(?:\.|$)/;

/** Undefined if no column can have this field. */
function columnOf({ leaves, mode }: Shape, path: string): Column | undefined {
  if (CALL_PARAMETERS.includes(path) || FORBIDDEN.test(path)) return undefined;
  const names = path.split('.');
  const known = leaves.get(path);
  if (known) return known.anyMembers ? undefined : { path, names, kind: known.kind };
  const [parent = '', ...rest] = names;
  // The part of a name after a free-form object is one key, also if it contains dots.
  const key = rest.join('.');
  if (leaves.get(parent)?.anyMembers) return key === '' ? undefined : { path, names: [parent, key], kind: 'text' };
  const isObject = [...leaves.keys()].some((name) => name.startsWith(`${path}.`));
  const isNew = mode === 'partial' && !isObject && !names.includes('');
  return isNew ? { path, names, kind: 'text' } : undefined;
}

export const nameOf = ({ operation }: Pick<Shape, 'operation'>): string => operation ?? 'a report';

function unknownName({ leaves, ...shape }: Shape, name: string): string {
  if (name === 'clientIP')
    return 'clientIP: an import does not look up IP addresses; give location.latitude and location.longitude';
  if (name === 'environment') return 'environment: give --environment, not a column';
  const members = [...leaves.keys()].filter((leaf) => leaf.startsWith(`${name}.`));
  if (leaves.get(name)?.anyMembers || members.length > 0)
    return `${name} is an object: give each of its members a column, such as ${members[0] ?? `${name}.channel`}`;
  return `${printableName(name)} is not a field of ${nameOf(shape)}${didYouMean(name, [...leaves.keys()])}`;
}

function didYouMean(name: string, names: readonly string[]): string {
  const nearest = suggest(name, names);
  return nearest ? `; did you mean ${printableName(nearest)}?` : '';
}

/**
 * An empty cell is an absent field. A cell that cannot be read stays a text, so that the other rules are still checked.
 */
export function readRecord(cells: readonly string[], columns: readonly (Column | undefined)[]): LinePayload {
  const payload: Record<string, unknown> = {};
  const problems: LineProblem[] = [];
  for (const [index, column] of columns.entries()) {
    const cell = cells[index];
    if (!column || cell === undefined || cell === '') continue;
    const text = column.rewrite?.(cell) ?? cell;
    const value = isRefused(text) ? text : readCell(column.kind, text);
    if (isRefused(value)) problems.push({ field: printableName(column.path), reason: value.why });
    setMember(payload, column.names, isRefused(value) ? cell : value);
  }
  return { payload, problems };
}

/** Creates the objects around a member, too. No name of a column changes how objects behave. */
function setMember(object: Record<string, unknown>, names: readonly string[], value: unknown): void {
  let at = object;
  for (let index = 0; index < names.length - 1; index += 1) {
    const name = names[index] ?? '';
    if (!Object.hasOwn(at, name)) at[name] = {};
    at = at[name] as Record<string, unknown>;
  }
  at[names.at(-1) ?? ''] = value;
}

/** The dotted names of the fields that differ between two objects, without any value. */
export function differingFields(one: unknown, other: unknown, under = ''): string[] {
  const [before, after] = [asRecord(one), asRecord(other)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const at = `${under}${printableKey(name)}`;
    if (isRecord(before[name]) && isRecord(after[name])) return differingFields(before[name], after[name], `${at}.`);
    return canonical(before[name]) === canonical(after[name]) ? [] : at;
  });
}
