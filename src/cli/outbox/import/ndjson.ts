import { exactNumber } from '../../../schema/decimals.js';
import { ALWAYS_EXACT, CellProblem, readCell, readTime } from './cell.js';
import { type LineProblem, setMember } from './columns.js';
import type { ColumnMap } from './map-file.js';
import { printableName } from './shape.js';

/** The smallest number that keeps all its digits. */
const SMALLEST = 2 ** -1022;

/** A string, with the colon if it is the name of a member; or a number. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;

/** Reads a line of JSON: the payload of the method. Its `timestamp` may also be a date with a time zone. */
export function readJsonLine(text: string, map: ColumnMap): { payload: Record<string, unknown> | undefined; problems: LineProblem[] } {
  const refused = (reason: string) => ({ payload: undefined, problems: [{ field: '', reason }] });
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return refused('is not a complete JSON object on one line');
  }
  if (!isObject(read)) return refused('expected a JSON object');
  const problem = problemOf(text, read);
  if (problem) return refused(problem);
  const { payload, problems } = rename(read, map);
  if (typeof payload.timestamp === 'string') {
    const time = readTime(payload.timestamp);
    if (time instanceof CellProblem) problems.push({ field: 'timestamp', reason: time.message });
    else payload.timestamp = time;
  }
  return { payload, problems };
}

/** Finds the problems that `JSON.parse` does not report: a number that it rounds, and a member that it drops because its name is repeated. */
function problemOf(text: string, value: Record<string, unknown>): string | undefined {
  let named = 0;
  for (const [token, colon] of text.matchAll(TOKENS)) {
    if (colon !== undefined) named += 1;
    else if (token[0] !== '"' && isRounded(token)) return 'contains a number with too many digits: JavaScript would round it';
  }
  return named === countMembers(value) ? undefined : 'contains the name of a member twice';
}

/** A number with few digits is always exact, unless it is so small that it becomes 0. */
const isRounded = (token: string): boolean =>
  token.length > ALWAYS_EXACT ? exactNumber(token) === undefined : Math.abs(Number(token)) < SMALLEST && /[1-9]/.test(token.replace(/e.*/i, ''));

/** Counts without recursion, since a line may be nested deeper than the call stack allows. */
function countMembers(value: unknown): number {
  const objects: unknown[] = [value];
  let count = 0;
  for (let one = objects.pop(); one !== undefined; one = objects.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    const members = Object.values(one);
    if (!Array.isArray(one)) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) objects.push(member);
  }
  return count;
}

/** Moves the members that the map names. A dotted name is the path of a nested member. */
function rename(payload: Record<string, unknown>, map: ColumnMap): { payload: Record<string, unknown>; problems: LineProblem[] } {
  const problems: LineProblem[] = [];
  const moved = [...map].flatMap(([name, target]) => {
    const value = takeMember(payload, name.split('.'));
    return value === undefined || !target ? [] : [{ ...target, value }];
  });
  for (const { field, kind, value } of moved) {
    const cell = kind !== undefined && kind !== 'text' && typeof value === 'string' ? readCell(kind, value) : value;
    if (cell instanceof CellProblem) problems.push({ field: printableName(field), reason: cell.message });
    else if (canSet(payload, field.split('.'))) setMember(payload, field.split('.'), cell);
    else problems.push({ field: printableName(field), reason: 'is given twice, by its own name and by --map' });
  }
  return { payload, problems };
}

function takeMember(object: Record<string, unknown>, names: readonly string[]): unknown {
  const [name = '', ...rest] = names;
  if (!Object.hasOwn(object, name)) return undefined;
  const value = object[name];
  if (rest.length > 0) return isObject(value) ? takeMember(value, rest) : undefined;
  delete object[name];
  return value;
}

/** Whether the field is free, and every value around it is an object. */
function canSet(object: Record<string, unknown>, names: readonly string[]): boolean {
  const [name = '', ...rest] = names;
  if (!Object.hasOwn(object, name)) return true;
  const value = object[name];
  return rest.length > 0 && isObject(value) && canSet(value, rest);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
