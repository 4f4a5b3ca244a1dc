import { isRecord } from '../../../core/platform/as-record.js';
import { escapePattern } from '../../../core/platform/escape-pattern.js';
import type { Refused } from '../../../core/platform/refused.js';
import { DAY_MS } from '../../../core/platform/time.js';
import type { LeafKind } from '../../../core/schema/model.js';
import { NO_TIME, refusedCell } from './cell.js';

export interface CellFormat {
  readonly kind: LeafKind;
  /** Writes a cell as an import takes it without a format. */
  readonly rewrite: (cell: string) => string | Refused;
}

export const CELL_FORMATS =
  '{ "field": "timestamp", "format": "dd/MM/yyyy HH:mm", "zone": "Africa/Lagos" } or { "field": "amount", "thousands": ",", "decimal": "." }';

/** The parts of a format of dates, each named by its letter. */
const PARTS = /(yyyy|MM?|dd?|HH?|hh?|a|mm|ss|SSS)|[\s\S]/g;
const PATTERNS: Readonly<Record<string, string>> = { yyyy: '\\d{4}', a: '[AaPp][Mm]', SSS: '\\d+' };

/** Reads the format of an entry of `--map`. Undefined if it is none. */
export function readCellFormat(entry: unknown): (CellFormat & { readonly field: string }) | undefined {
  if (!isRecord(entry)) return undefined;
  const { field, format, zone, thousands, decimal, ...unknown } = entry;
  if (typeof field !== 'string' || field === '' || Object.keys(unknown).length > 0) return undefined;
  const ofDate = format !== undefined || zone !== undefined;
  if (ofDate && (thousands ?? decimal) !== undefined) return undefined;
  const rewrite = ofDate ? dateReader(format, zone) : amountReader(thousands, decimal);
  return rewrite && { field, kind: ofDate ? 'time' : 'number', rewrite };
}

function dateReader(format: unknown, zone: unknown): CellFormat['rewrite'] | undefined {
  const offsetAt = typeof zone === 'string' ? offsetsOf(zone) : undefined;
  if (typeof format !== 'string' || !offsetAt) return undefined;
  const letters: string[] = [];
  const pattern = format.replace(PARTS, (token, part?: string) => {
    const letter = part?.charAt(0);
    // The T of ISO 8601 stands for itself.
    if (letter !== undefined || (/[a-z]/i.test(token) && token !== 'T')) letters.push(letter ?? '');
    if (part === undefined) return escapePattern(token);
    return `(?<${letter}>${PATTERNS[part] ?? (part.length === 1 ? '\\d\\d?' : '\\d\\d')})`;
  });
  const needed = ['y', 'M', 'd', 'm', ...(letters.includes('a') ? ['a', 'h'] : ['H'])];
  const isWhole = needed.every((letter) => letters.includes(letter));
  const isKnown = letters.every((letter) => [...needed, 's', 'S'].includes(letter));
  if (!isWhole || !isKnown || new Set(letters).size < letters.length) return undefined;
  const expression = new RegExp(`^${pattern}$`);
  const wrongForm = refusedCell(`expected a date in the form ${format}, as --map says`);

  return (cell) => {
    const parts = expression.exec(cell)?.groups;
    if (!parts) return wrongForm;
    const at = (letter: string, absent = 0) => Number(parts[letter] ?? absent);
    const [day, half, minute, second] = [at('d'), at('h', 1), at('m'), at('s')];
    const hour = parts.h === undefined ? at('H') : (half % 12) + (/p/i.test(parts.a ?? '') ? 12 : 0);
    const local = Date.UTC(at('y'), at('M') - 1, day, hour, minute, second);
    const date = [parts.y, parts.M, parts.d].map((digits) => digits?.padStart(2, '0')).join('-');
    const isReal = half >= 1 && half <= 12 && hour < 24 && minute < 60 && second < 60;
    if (!isReal || !new Date(local).toISOString().startsWith(date)) return NO_TIME;
    const instants = [local - DAY_MS, local + DAY_MS].map((near) => local - offsetAt(near));
    const fit = [...new Set(instants)].filter((instant) => instant + offsetAt(instant) === local);
    return fit.length === 1 ? String(Number(fit[0]) / 1_000) : fit.length === 0 ? NO_TIME : TWICE;
  };
}

const TWICE = refusedCell('exists twice in this zone, as the clocks were set back: write it with its offset or in UTC');

/** The difference to UTC at an instant, in milliseconds. Undefined for a zone that does not exist. */
function offsetsOf(timeZone: string): ((instant: number) => number) | undefined {
  try {
    const zoned = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (instant) => {
      const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(zoned.format(instant)) ?? [];
      return (sign === '-' ? -60_000 : 60_000) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    };
  } catch {
    return undefined;
  }
}

function amountReader(thousands: unknown, decimal: unknown = '.'): CellFormat['rewrite'] | undefined {
  if (decimal !== '.' && decimal !== ',') return undefined;
  if (thousands !== undefined && (typeof thousands !== 'string' || !/^[.,' \u00a0\u202f]$/.test(thousands)))
    return undefined;
  if (thousands === decimal || (thousands === undefined && decimal === '.')) return undefined;
  const whole = thousands === undefined ? '\\d+' : `(?:\\d+|[1-9]\\d{0,2}(?:${escapePattern(thousands)}\\d{3})+)`;
  const expression = new RegExp(`^-?${whole}(?:${escapePattern(decimal)}\\d+)?$`);
  const wrongForm = refusedCell('expected an amount with the separators that --map names');
  return (cell) => (expression.test(cell) ? cell.replaceAll(thousands ?? '', '').replace(decimal, '.') : wrongForm);
}
