import { parseArgs } from 'node:util';
import { nearest } from '../core/schema/option-rules.js';
import { Failure, table } from './output.js';

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

/** The parts of a command that its help shows. */
export interface Described {
  /** Empty for the whole program. */
  readonly summary: string;
  /** The call, after the name of the program. */
  readonly usage: string;
  readonly commands?: readonly (readonly [name: string, summary: string])[];
  readonly options: OptionTable;
  readonly notes: string;
}

export function helpOf({ summary, usage, commands, options, notes }: Described): string {
  const rows = Object.entries(options).map(
    ([name, { hint, help }]) => [`--${name}${hint ? ` ${hint}` : ''}`, help] as const,
  );
  return [
    ...(summary ? [`${summary}.`] : []),
    `Usage: location-sdk ${usage}`,
    ...(commands ? [`Commands:\n${columns(commands)}`] : []),
    `Options:\n${columns([...rows, ['--help', 'Print this help']])}`,
    ...(notes ? [notes] : []),
  ].join('\n\n');
}

const columns = (rows: readonly (readonly string[])[]): string => table(rows).replace(/^/gm, '  ');

/** Throws a `Failure` that lists every word which does not fit the table. */
export const readArgs = <Table extends OptionTable>(table: Table, words: readonly string[]): Values<Table> =>
  readWords(table, words, 0).values;

/** The same for a command that also takes up to `most` words that are not options. */
export function readWords<Table extends OptionTable>(
  table: Table,
  words: readonly string[],
  most: number,
): { values: Values<Table>; given: string[] } {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { read }]) => [name, { type: read ? 'string' : 'boolean' } as const]),
  );
  const { tokens } = parseArgs({ args: [...words], strict: false, tokens: true, options });
  const values: Record<string, unknown> = {};
  const given: string[] = [];
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (given.length >= most) problems.push(`unexpected word '${token.value}'`);
      given.push(token.value);
    }
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!row) problems.push(`unknown option ${rawName}${didYouMean(name, Object.keys(table), '--')}`);
    else if (!row.read && value !== undefined) problems.push(`${rawName} takes no value`);
    else if (row.read && (value === undefined || (value.startsWith('--') && !inlineValue)))
      problems.push(`${rawName} needs a value: ${row.hint}`);
    else if (name in values) problems.push(`${rawName} is given twice`);
    else
      try {
        values[name] = row.read && value !== undefined ? row.read(value) : true;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        problems.push(`${rawName} ${error.message}`);
      }
  }
  expectNone(problems);
  return { values: values as Values<Table>, given };
}

export function expectNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Failure(`${problems.join('; ')}; see --help`);
}

export const wholeNumber = (least: number, most: number) => (text: string) => {
  if (!/^\d{1,10}$/.test(text) || Number(text) < least || Number(text) > most)
    throw new Failure(`must be a whole number from ${least} to ${most}`);
  return Number(text);
};

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

/** Reads a text as it is. `rule` completes "--name …". */
export const textThat =
  (rule: string, holds: (text: string) => boolean) =>
  (text: string): string => {
    if (!holds(text)) throw new Failure(rule);
    return text;
  };

export const visibleText = textThat('must be visible ASCII characters, without spaces', (text) =>
  /^[\x21-\x7e]+$/.test(text),
);

export const notEmpty = textThat('must not be empty', (text) => text.trim() !== '');

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Reads `500ms`, `10s` or `2m` as milliseconds. A bare number is in seconds. */
export const readDuration = (text: string): number => {
  const [, number, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(text) ?? [];
  if (number === undefined) throw new Failure('must be a time such as 500ms, 10s or 2m');
  return Number(number) * (UNITS[unit] ?? 1);
};
