import type { Refused } from '../../../core/platform/refused.js';
import { exactNumber } from '../../../core/schema/decimals.js';
import type { LeafKind } from '../../../core/schema/model.js';

type Value = string | number | boolean;

export const isRefused = (read: Value | Refused): read is Refused => typeof read === 'object';

/** The reason does not repeat the cell, which may contain personal data. */
export const refusedCell = (why: string): Refused => ({ why });

const NOT_EXACT = refusedCell('has too many digits: JavaScript would round this number');
const NO_NUMBER = refusedCell(
  "expected digits with at most one decimal point, such as 1234.50 or -3: no spaces, thousands' separators, comma or exponent (for CSV, the file of --map can name the separators)",
);
const NO_FLAG = refusedCell('expected true or false (or t, f, 1, 0)');
const NO_ZONE = refusedCell('has no time zone: write 2026-11-20T10:00:00Z, 2026-11-20T11:00:00+01:00, or Unix seconds');
const NO_DATE = refusedCell(
  'expected Unix seconds, or a date with time and zone such as 2026-11-20T10:00:00Z (for CSV, the file of --map can name another form and its zone)',
);
const TOO_EARLY = refusedCell(
  'is before September 2001: Unix seconds have 10 digits (is it a date such as 20261120, or the number of a spreadsheet?)',
);
export const NO_TIME = refusedCell('this date or time does not exist');

const NO_TEXT = refusedCell(
  'is what a program writes in place of a value: leave an absent cell empty, and export numbers as text (if the value is really so, use NDJSON)',
);
/** `NULL` and `\N` of databases; of spreadsheets an error, a column that is too narrow, a formula, and a number that lost digits. */
const PLACEHOLDER = /^(?:NULL|\\N|#{3,}|#(?:REF|VALUE|NUM|NULL|DIV\/0)!|#N\/A|#NAME\?|=".*"|\d(?:[.,]\d+)?E\+\d{2,3})$/;

const PLAIN = /^-?\d+(?:\.\d+)?$/;

const FLAGS: Readonly<Record<string, boolean>> = { true: true, t: true, 1: true, false: false, f: false, 0: false };

const DATE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** Reads a cell that is not empty. A text is not changed. A number must be exactly the one that JSON prints. */
export function readCell(kind: LeafKind, text: string): Value | Refused {
  if (kind === 'text') return PLACEHOLDER.test(text) ? NO_TEXT : text;
  if (kind === 'time') return readTime(text);
  if (kind === 'number') return readNumber(text);
  const word = text.toLowerCase();
  return (Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined) ?? NO_FLAG;
}

const GROUPS = refusedCell(
  'may be a number of thousands, since the cells of the file are separated by semicolons: let --map say so with { "field": "…", "thousands": ".", "decimal": "," }, or with the two signs the other way round',
);

/** Refuses a cell such as `1.500`, which is 1500 in one country and 1.5 in another. */
export const refuseGroups = (text: string): string | Refused =>
  /^-?[1-9]\d{0,2}(?:\.\d{3})+$/.test(text) ? GROUPS : text;

const readNumber = (text: string): number | Refused =>
  PLAIN.test(text) ? (exactNumber(text) ?? NOT_EXACT) : NO_NUMBER;

/** Returns Unix seconds. A text of digits stays unchanged: the rules of the field check it. */
export function readTime(text: string): string | Refused {
  const [, date, time, zone] = DATE.exec(text) ?? [];
  if (date === undefined && /^\d{1,9}$/.test(text)) return TOO_EARLY;
  if (date === undefined) return /^\d*$/.test(text) ? text : NO_DATE;
  if (zone === undefined) return NO_ZONE;
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase();
  const milliseconds = Date.parse(`${date}T${time}${offset}`);
  // `Date.parse` turns a date that does not exist, such as February 30, into another one.
  const isDay = !Number.isNaN(milliseconds) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
  if (!isDay) return NO_TIME;
  return milliseconds < 1e12 ? TOO_EARLY : String(Math.floor(milliseconds / 1_000));
}
