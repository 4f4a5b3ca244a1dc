import { isRecord } from '../platform/as-record.js';
import { readBytes } from '../platform/body.js';
import { type Clock, withTimeout } from '../platform/time.js';
import { unlessThrown } from '../platform/unless-thrown.js';
import { FORBIDDEN_NAMES, forbiddenName, issue, type ValidationIssue } from '../schema/issue.js';
import { type RefusalAnswer, refuse } from './answer.js';

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** Whether `readJson` can read the declared body: JSON in UTF-8, not compressed. */
export const declaresJson = ({ headers }: Request): boolean =>
  JSON_TYPE.test(headers.get('content-type') ?? '') && !headers.has('content-encoding');

interface BodyLimits {
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly milliseconds: number;
}

type Issues = readonly ValidationIssue[];

interface BodyRefusals {
  readonly tooLarge: RefusalAnswer;
  readonly tooSlow: RefusalAnswer;
  invalid(issues: Issues): RefusalAnswer;
}

const notJson = (message: string): Issues => [issue([], 'not-json', message)];

/** A JSON object in UTF-8, within its limits of size and time. Refuses any other body. */
export async function readJson(
  request: Request,
  { clock, maxBytes, milliseconds }: BodyLimits,
  { tooLarge, tooSlow, invalid }: BodyRefusals,
): Promise<Record<string, unknown>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) refuse(tooLarge);
  const bytesOf = (signal: AbortSignal) => {
    const reader = request.body?.getReader();
    return reader ? readBytes(reader, maxBytes, signal) : new Uint8Array();
  };
  const read = await withTimeout(bytesOf, { clock, milliseconds });
  if (read.ended === 'timeout') return refuse(tooSlow);
  // The connection broke: no client reads the answer.
  if (read.ended !== 'done') return refuse(invalid(notJson('the body broke off')));
  const parsed = read.value ? parseObject(read.value) : refuse(tooLarge);
  return isRecord(parsed) ? parsed : refuse(invalid(parsed));
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | Issues {
  const text = unlessThrown(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  if (text === undefined) return notJson('the body is not UTF-8');
  // Checked before parsing: the parser silently keeps one of two values.
  const issues = scanJson(text);
  if (issues.length > 0) return issues;
  const value = parseJson(text);
  if (value === undefined) return notJson('the body is not JSON');
  return isRecord(value) ? value : notJson('expected an object');
}

/** Undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => unlessThrown(() => JSON.parse(text) as unknown);

/** Deeper than any event. */
const MOST_DEPTH = 8;

interface OpenContainer {
  /** The names so far. Undefined in a list. */
  readonly keys: Set<string> | undefined;
  /** The path of the next value. */
  at: string | number;
}

/**
 * Finds what `JSON.parse` accepts silently: a duplicate key (it keeps the last, other parsers the first), a name that
 * changes how objects behave, and deep nesting. Reads each character once. It finds everything only in valid JSON.
 */
export function scanJson(text: string): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const open: OpenContainer[] = [];
  let last: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    const inner = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, index);
      // Escapes in a name do not make it another name.
      last = parseJson(text.slice(index, end)) as string | undefined;
      index = end - 1;
    } else if (character === '{' || character === '[') {
      if (open.length === MOST_DEPTH) return [...issues, issue([], 'not-json', 'is nested deeper than any event')];
      open.push(character === '{' ? { keys: new Set(), at: '' } : { keys: undefined, at: 0 });
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',' && typeof inner?.at === 'number') {
      inner.at += 1;
    } else if (character === ':' && inner?.keys && last !== undefined) {
      inner.at = last;
      const path = open.map(({ at }) => at);
      if (FORBIDDEN_NAMES.test(last)) issues.push(forbiddenName(path));
      else if (inner.keys.has(last)) issues.push(issue(path, 'conflict', 'is given twice; give it once'));
      inner.keys.add(last);
    }
  }
  return issues;
}

/** The position after the quotation mark that ends the string at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}
