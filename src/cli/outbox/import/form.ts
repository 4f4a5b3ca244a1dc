import { isRecord } from '../../../core/platform/as-record.js';
import type { LeafKind } from '../../../core/schema/model.js';
import { CellProblem } from './cell.js';

/** How the cells of a column write a date or an amount. */
export interface Form {
  readonly kind: LeafKind;
  /** Writes a cell as an import takes it without a form. */
  readonly rewrite: (cell: string) => string | CellProblem;
}

export const FORMS =
  '{ "field": "timestamp", "format": "dd/MM/yyyy HH:mm", "zone": "Africa/Lagos" } or { "field": "amount", "thousands": ",", "decimal": "." }';

/** The letters of a format, each with its name and pattern. */
const PARTS: Readonly<Record<string, readonly [name: string, pattern: string]>> = {
  yyyy: ['year', '\\d{4}'],
  MM: ['month', '\\d\\d'],
  M: ['month', '\\d\\d?'],
  dd: ['day', '\\d\\d'],
  d: ['day', '\\d\\d?'],
  HH: ['hour', '\\d\\d'],
  H: ['hour', '\\d\\d?'],
  hh: ['half', '\\d\\d'],
  h: ['half', '\\d\\d?'],
  a: ['noon', '[AaPp][Mm]'],
  mm: ['minute', '\\d\\d'],
  ss: ['second', '\\d\\d'],
  SSS: ['fraction', '\\d+'],
};
const TOKENS = /yyyy|MM?|dd?|HH?|hh?|mm|ss|SSS|[\s\S]/g;
const DAY_MS = 86_400_000;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Reads the form of an entry of `--map`. Undefined if it is none. */
export function readForm(entry: unknown): (Form & { readonly field: string }) | undefined {
  if (!isRecord(entry)) return undefined;
  const { field, format, zone, thousands, decimal, ...unknown } = entry;
  if (typeof field !== 'string' || field === '' || Object.keys(unknown).length > 0) return undefined;
  const ofDate = format !== undefined || zone !== undefined;
  if (ofDate && (thousands ?? decimal) !== undefined) return undefined;
  const rewrite = ofDate ? dateReader(format, zone) : amountReader(thousands, decimal);
  return rewrite && { field, kind: ofDate ? 'time' : 'number', rewrite };
}

function dateReader(format: unknown, zone: unknown): Form['rewrite'] | undefined {
  const offsetAt = typeof zone === 'string' ? offsetsOf(zone) : undefined;
  if (typeof format !== 'string' || !offsetAt) return undefined;
  const names: string[] = [];
  const pattern = format.replace(TOKENS, (token) => {
    const [name, digits] = PARTS[token] ?? [];
    // The T of ISO 8601 stands for itself.
    if (name !== undefined || (/[a-z]/i.test(token) && token !== 'T')) names.push(name ?? '');
    return name === undefined ? escaped(token) : `(?<${name}>${digits})`;
  });
  const needed = ['year', 'month', 'day', 'minute', ...(names.includes('noon') ? ['half'] : ['hour'])];
  const others = ['second', 'fraction', 'noon', ...needed];
  const isWhole = needed.every((name) => names.includes(name)) && names.every((name) => others.includes(name));
  if (!isWhole || new Set(names).size < names.length) return undefined;
  const expression = new RegExp(`^${pattern}$`);
  const wrongForm = new CellProblem(`expected a date in the form ${format}, as --map says`);

  return (cell) => {
    const parts = expression.exec(cell)?.groups;
    if (!parts) return wrongForm;
    const [year = 0, month = 0, day = 0, minute = 0, second = 0] = [
      ...[parts.year, parts.month, parts.day, parts.minute],
      parts.second ?? 0,
    ].map(Number);
    const half = Number(parts.half ?? 1);
    const hour = parts.hour === undefined ? (half % 12) + (/p/i.test(parts.noon ?? '') ? 12 : 0) : Number(parts.hour);
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    const isReal = half >= 1 && half <= 12 && hour < 24 && minute < 60 && second < 60;
    const date = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
    if (!isReal || !new Date(local).toISOString().startsWith(date)) return NO_TIME;
    const instants = [local - DAY_MS, local + DAY_MS].map((near) => local - offsetAt(near));
    const fit = [...new Set(instants)].filter((at) => at + offsetAt(at) === local);
    return fit.length === 1 ? String(Number(fit[0]) / 1_000) : fit.length === 0 ? NO_TIME : TWICE;
  };
}

const NO_TIME = new CellProblem('this date or time does not exist');
const TWICE = new CellProblem(
  'exists twice in this zone, as the clocks were set back: write it with its offset or in UTC',
);

/** The difference of a zone to UTC at an instant, in milliseconds. Undefined for a zone that does not exist. */
function offsetsOf(timeZone: string): ((instant: number) => number) | undefined {
  const known = new Map<number, number>();
  try {
    const zoned = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (instant) => {
      // Clocks are set at a full quarter of an hour.
      const quarter = Math.floor(instant / 900_000);
      const before = known.get(quarter);
      if (before !== undefined) return before;
      const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(zoned.format(instant)) ?? [];
      const offset = (sign === '-' ? -60_000 : 60_000) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
      known.set(quarter, offset);
      return offset;
    };
  } catch {
    return undefined;
  }
}

function amountReader(thousands: unknown, decimal: unknown = '.'): Form['rewrite'] | undefined {
  if (decimal !== '.' && decimal !== ',') return undefined;
  if (thousands !== undefined && (typeof thousands !== 'string' || !/^[.,' \u00a0\u202f]$/.test(thousands)))
    return undefined;
  if (thousands === decimal || (thousands === undefined && decimal === '.')) return undefined;
  const whole = thousands === undefined ? '\\d+' : `(?:\\d+|[1-9]\\d{0,2}(?:${escaped(thousands)}\\d{3})+)`;
  const expression = new RegExp(`^-?${whole}(?:${escaped(decimal)}\\d+)?$`);
  const wrongForm = new CellProblem('expected an amount with the separators that --map names');
  return (cell) => (expression.test(cell) ? cell.replaceAll(thousands ?? '', '').replace(decimal, '.') : wrongForm);
}
