import { parseArgs } from 'node:util';
import { nearest } from '../schema/option-rules.js';
import { Failure } from './output.js';

/** An option of a command. Without `read` it is a switch. */
export interface OptionRow<T = unknown> {
  readonly help: string;
  /** The placeholder of its value in the help. */
  readonly hint?: string;
  /** Reads the value. Throws a `Failure` whose message completes "--name …". */
  readonly read?: (text: string) => T;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

export type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends { read: (text: string) => infer T } ? T : true;
};

/** Reads the words of a command. Throws a `Failure` for a word that is not in its table. */
export const readArgs = <Table extends OptionTable>(table: Table, words: readonly string[]): Values<Table> => readWords(table, words, 0).values;

/** The same for a command that also takes up to `most` words that are not options. */
export function readWords<Table extends OptionTable>(table: Table, words: readonly string[], most: number): { values: Values<Table>; given: string[] } {
  const { tokens } = parseArgs({ args: [...words], strict: false, tokens: true, options: parserOptions(table) });
  const values: Record<string, unknown> = {};
  const given: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (given.length >= most) throw new Failure(`unexpected word '${token.value}'; see --help`);
      given.push(token.value);
    }
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!row) throw new Failure(`unknown option ${rawName}${didYouMean(name, Object.keys(table), '--')}; see --help`);
    if (!row.read && value !== undefined) throw new Failure(`${rawName} takes no value`);
    if (row.read && (value === undefined || (value.startsWith('--') && !token.inlineValue))) throw new Failure(`${rawName} needs a value: ${row.hint}`);
    if (name in values) throw new Failure(`${rawName} is given twice`);
    values[name] = row.read ? readValue(row.read, rawName, value as string) : true;
  }
  return { values: values as Values<Table>, given };
}

const parserOptions = (table: OptionTable) =>
  Object.fromEntries(Object.entries(table).map(([name, { read }]) => [name, { type: read ? ('string' as const) : ('boolean' as const) }]));

function readValue<T>(read: (text: string) => T, name: string, text: string): T {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof Failure) throw new Failure(`${name} ${error.message}`);
    throw error;
  }
}

/** Reads a whole number between two bounds. */
export const wholeNumber = (least: number, most: number) => (text: string) => {
  if (!/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most) throw new Failure(`must be a whole number from ${least} to ${most}`);
  return Number(text);
};

/** Names the word that a misspelt one means, if there is one. */
export const didYouMean = (given: string, known: readonly string[], before = ''): string => {
  const meant = nearest(given, known);
  return meant === undefined ? '' : ` (did you mean ${before}${meant}?)`;
};

export const oneOf =
  <const T extends string>(...values: T[]) =>
  (text: string): T => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Failure(`must be ${values.join(' or ')}${didYouMean(text, values)}`);
    return found;
  };

/** Reads a text that a header can contain. */
export const visibleText = (text: string): string => {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Failure('must be visible ASCII characters, without spaces');
  return text;
};

export const notEmpty = (text: string): string => {
  if (text === '') throw new Failure('must not be empty');
  return text;
};

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Reads `500ms`, `10s` or `2m` as milliseconds. A bare number is in seconds. */
export const duration = (text: string): number => {
  const [, number, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(text) ?? [];
  if (number === undefined) throw new Failure('must be a time such as 500ms, 10s or 2m');
  return Number(number) * (UNITS[unit] ?? 1);
};

export const httpAddress = (text: string): URL => {
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {
    // This text gets the same message as another protocol.
  }
  throw new Failure('must be an address such as http://127.0.0.1:4010');
};
