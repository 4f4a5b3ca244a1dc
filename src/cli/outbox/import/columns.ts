import type { LeafKind } from '../../../schema/leaves.js';
import { suggest } from '../../../schema/suggest.js';
import { Failure } from '../../output.js';
import { CellProblem, readCell } from './cell.js';
import type { ColumnMap } from './map-file.js';
import { kindOf, printableName, type Shape, unknownName } from './shape.js';

/** A column whose cells go into a field. */
export interface Column {
  readonly path: string;
  /** The names of the objects around the field, then the field's own name. */
  readonly names: readonly string[];
  readonly kind: LeafKind;
}

/** A problem of a line. */
export interface LineProblem {
  readonly field: string;
  readonly reason: string;
}

const MOST_TOLD = 10;
const FORBIDDEN = /(?:^|\.)(?:__proto__|constructor|prototype)(?:\.|$)/;

/** Returns the columns of a file in their order, with undefined for a column that is left out. Throws a `Failure` that lists the problems of the names. */
export function planColumns(names: readonly string[], map: ColumnMap, shape: Shape, path: string): (Column | undefined)[] {
  const problems: string[] = [];
  const taken = new Map<string, number>();
  const columns = names.map((name, index): Column | undefined => {
    const at = `column ${index + 1}`;
    const mapped = map.has(name) ? map.get(name) : { field: name, kind: undefined };
    if (!mapped) return undefined;
    const { field } = mapped;
    const kind = FORBIDDEN.test(field) ? undefined : kindOf(shape, field);
    const [before] = [...taken].find(([other]) => other === field || other.startsWith(`${field}.`) || field.startsWith(`${other}.`)) ?? [];
    if (field === '') problems.push(`${at} has no name`);
    else if (kind === undefined) problems.push(`${at}: ${hint(shape, field)}`);
    else if (before !== undefined) problems.push(`${at}: ${printableName(field)} is already in column ${(taken.get(before) ?? 0) + 1}`);
    if (kind === undefined) return undefined;
    taken.set(field, index);
    return { path: field, names: namesOf(field, shape), kind: mapped.kind ?? kind };
  });
  for (const name of map.keys()) if (!names.includes(name)) problems.push(notThere(name, names));
  if (taken.size === 0) throw new Failure(`${path}: the first line contains no field name of ${shape.operation}; it must contain the names of the columns`);
  const missing = shape.required.filter((name) => !taken.has(name));
  if (missing.length > 0) problems.push(`missing columns: ${missing.join(', ')}`);
  if (problems.length === 0) return columns;
  const more = problems.length > MOST_TOLD ? `; and ${problems.length - MOST_TOLD} more` : '';
  throw new Failure(`${path}: ${problems.slice(0, MOST_TOLD).join('; ')}${more}. Rename the columns, or give --map, where null leaves a column out`);
}

function hint(shape: Shape, field: string): string {
  if (field === 'clientIP') return 'clientIP: an import does not look up IP addresses; give location.latitude and location.longitude';
  if (field === 'environment') return 'environment: give --environment, not a column';
  return unknownName(shape, field);
}

function notThere(name: string, names: readonly string[]): string {
  const nearest = suggest(name, names);
  return `--map names a column ${printableName(name)}, which the file does not have${nearest ? `; did you mean ${printableName(nearest)}?` : ''}`;
}

/** The part of a name after a free-form object is one key, also if it contains dots. */
function namesOf(field: string, { leaves }: Shape): string[] {
  const [parent = '', ...rest] = field.split('.');
  return leaves.get(parent)?.free ? [parent, rest.join('.')] : [parent, ...rest];
}

/** Builds the payload of a record. An empty cell is an absent field. A cell that cannot be read stays a text, so that the other rules are still checked. */
export function readRecord(cells: readonly string[], columns: readonly (Column | undefined)[]): { payload: Record<string, unknown>; problems: LineProblem[] } {
  const payload: Record<string, unknown> = {};
  const problems: LineProblem[] = [];
  for (const [index, column] of columns.entries()) {
    const cell = cells[index];
    if (!column || cell === undefined || cell === '') continue;
    const value = readCell(column.kind, cell);
    const isWrong = value instanceof CellProblem;
    if (isWrong) problems.push({ field: printableName(column.path), reason: value.message });
    setMember(payload, column.names, isWrong ? cell : value);
  }
  return { payload, problems };
}

/** Sets a member, and creates the objects around it. The caller has refused names that change how objects behave, such as `__proto__`. */
export function setMember(object: Record<string, unknown>, names: readonly string[], value: unknown): void {
  let at = object;
  for (let index = 0; index < names.length - 1; index += 1) {
    const name = names[index] ?? '';
    if (!Object.hasOwn(at, name)) at[name] = {};
    at = at[name] as Record<string, unknown>;
  }
  at[names.at(-1) ?? ''] = value;
}
