import { readFileSync } from 'node:fs';
import type { LeafKind } from '../../../schema/leaves.js';
import { Failure } from '../../output.js';

/** The field that a column is mapped to. */
export interface MappedField {
  readonly field: string;
  /** The kind of its cells. Undefined: the kind of the field. */
  readonly kind: LeafKind | undefined;
}

/** Maps the name of a column to its field. `undefined` leaves the column out. */
export type ColumnMap = ReadonlyMap<string, MappedField | undefined>;

const KINDS: Readonly<Record<string, LeafKind>> = { string: 'text', number: 'number', boolean: 'flag' };

/** Reads a JSON file such as `{ "BetID": "bet_id", "note": null, "odds": { "field": "metadata.odds", "type": "number" } }`. */
export function readMapFile(file: string | undefined): ColumnMap {
  if (file === undefined) return new Map();
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Failure(
      error instanceof SyntaxError ? `--map ${file} is not JSON` : `--map ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
  if (!isObject(read)) throw new Failure(`--map ${file} must contain an object: { "column": "field" }`);
  return new Map(Object.entries(read).map(([name, target], index) => [name, mapped(target, `--map ${file}: entry ${index + 1}`)]));
}

function mapped(target: unknown, where: string): MappedField | undefined {
  if (target === null) return undefined;
  const { field, type } = isObject(target) ? target : { field: target, type: undefined };
  const isKind = type === undefined || (typeof type === 'string' && Object.hasOwn(KINDS, type));
  if (typeof field !== 'string' || field === '' || !isKind)
    throw new Failure(`${where} must be a field such as "user.nin", null to leave the column out, or { "field": …, "type": "string", "number" or "boolean" }`);
  return { field, kind: type === undefined ? undefined : KINDS[String(type)] };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
