/** An error that the SDK's own code does not make. No error says which of these functions threw. */
export const FUNCTION_THREW =
  'the clock, random or signal that you passed, or a function that another script replaced, threw an error';

/** In place of what may be personal data. */
export const MASK = '[masked]';

interface Named {
  operation: string;
  reference?: string | undefined;
  environment?: string | undefined;
}

/** A text of at most `most` characters, with a sign that the rest is left out. */
export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** The name of a call in messages: `reportSettledBet B-1 (staging)`. An unusual reference is quoted, a long one cut. */
export function subjectOf({ operation, reference, environment }: Named): string {
  const name = cut(reference ?? '', 80);
  const shown = reference === undefined ? '' : ` ${/^[\w./:#-]+$/.test(name) ? name : JSON.stringify(name)}`;
  return `${operation}${shown}${environment ? ` (${environment})` : ''}`;
}

/** A duration in seconds: `10 s`, `0.25 s`. */
export const seconds = (milliseconds: number): string => `${Math.round(milliseconds) / 1000} s`;

export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/**
 * Characters that would steer the terminal, or turn the direction of what is read: references and answers come from
 * outside.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * A text on one line, with nothing in it that a terminal obeys. The escapes are those of JSON, so that JSON keeps its
 * meaning.
 */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);

/**
 * The name of a report, or of a group, as people read and copy it. No two names are shown alike: `storedName` returns
 * the name of the store.
 */
export const shownName = (name: string): string =>
  // Invisible characters, spaces that a copy loses, and the backslash, with which an escape begins. The pattern stands
  // here, since a page file keeps it otherwise.
  name.replace(/[\\\p{C}\p{DI}\u2800]|(?! )\p{Z}| (?= |$)|^ /gu, (character) =>
    character === '\\' ? '\\\\' : escaped(character),
  );

/** Reads a name that `shownName` made, or one that a person typed. */
export const storedName = (shown: string): string =>
  shown.replace(/\\(?:u([0-9a-f]{4})|\\)/g, (_, code?: string) =>
    code === undefined ? '\\' : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** A word of a command to copy, such as the name of a file. */
export const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${printable(text).replace(/'/g, "'\\''")}'`;

/**
 * A spreadsheet runs a cell that begins like this as a formula. It may take semicolons or bars for what separates
 * cells, also within quotes.
 */
const FORMULA = /(^|[,;|])([\s"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** A text for a cell of a CSV file, with no formula in it. */
export const withoutFormula = (text: string): string => text.replace(FORMULA, "$1$2'");
