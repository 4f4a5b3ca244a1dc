import { issue, type ValidationIssue } from '../schema/issue.js';

/** Deeper than any event. */
const MOST_DEPTH = 8;

const FORBIDDEN = /^(?:__proto__|constructor|prototype)$/;

interface Open {
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

/** The position after the quotation mark that ends the string at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** Escapes in a name do not make it another name. */
function unquoted(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}
