import { issue, type ValidationIssue } from '../schema/issue.js';

/** Deeper than any event. */
const MOST_DEPTH = 8;

const FORBIDDEN = /^(?:__proto__|constructor|prototype)$/;

interface Open {
  /** Those seen so far; none in a list. */
  readonly keys: Set<string> | undefined;
  /** Where what comes next stands. */
  at: string | number;
}

/**
 * What `JSON.parse` would take without a word: a key that is there twice (it keeps the last, others keep the first),
 * a name that changes how objects behave, and nesting without end. Reads each character once, and only for text that is
 * JSON does it find all.
 */
export function scanJson(text: string): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const open: Open[] = [];
  let last: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    const inner = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, index);
      last = unquoted(text.slice(index, end));
      index = end - 1;
    } else if (character === '{' || character === '[') {
      if (open.length === MOST_DEPTH) return [issue([], 'not-json', 'is nested deeper than any event')];
      open.push(character === '{' ? { keys: new Set(), at: '' } : { keys: undefined, at: 0 });
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',' && typeof inner?.at === 'number') {
      inner.at += 1;
    } else if (character === ':' && inner?.keys && last !== undefined) {
      inner.at = last;
      const path = open.map(({ at }) => at);
      if (FORBIDDEN.test(last)) issues.push(issue(path, 'forbidden-field', 'this name is never accepted; remove the field'));
      else if (inner.keys.has(last)) issues.push(issue(path, 'conflict', 'is given twice; give it once'));
      inner.keys.add(last);
    }
  }
  return issues;
}

/** Behind the quotation mark that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** A name may be written with escapes, and is the same name then. */
function unquoted(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}
