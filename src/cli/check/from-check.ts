import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { version } from '../../platform/version.js';
import { complain, Failure } from '../output.js';
import { type DuplicateRule, duplicateRuleOf, SAME_DATA, type SeenAnswer, type Words } from './duplicate-rule.js';
import { isSlow, type Latency } from './latency.js';

/** The measured options that differ from the defaults. */
export interface FromCheck {
  readonly isDuplicate?: DuplicateRule;
  readonly attemptTimeoutMs?: number;
}

interface Measuring {
  readonly seen: readonly SeenAnswer[];
  /** Whether the client does not recognise a repeat of the same data. */
  readonly mistakesSame: boolean;
  /** Whether the client does not recognise other data under the same reference. */
  readonly mistakesOther: boolean;
  readonly latency: Latency | undefined;
  /** The client's `attemptTimeoutMs`. */
  readonly requestMs: number;
  isShown(text: string): boolean;
}

/** The options that this gateway needs. Undefined if the repeats were not measured. */
export function fromCheckOf({ seen, mistakesSame, mistakesOther, latency, requestMs, isShown }: Measuring): FromCheck | undefined {
  if (!seen.some(({ about }) => about.endsWith(SAME_DATA))) return undefined;
  const found = duplicateRuleOf(seen, isShown);
  const rule = mistakesSame || (mistakesOther && found && found.conflict.length > 0) ? found : undefined;
  return {
    ...(rule && { isDuplicate: rule }),
    ...(latency && isSlow(latency, requestMs) && { attemptTimeoutMs: Math.ceil((latency.slowestMs * 3) / 1_000) * 1_000 }),
  };
}

const HEADER = '// Written by location-sdk check.';

/** The options as the members of an object, ready to be copied. */
export const optionsAsSource = ({ isDuplicate, attemptTimeoutMs }: FromCheck): string =>
  [
    ...(attemptTimeoutMs === undefined ? [] : [`  attemptTimeoutMs: ${attemptTimeoutMs},`]),
    ...(isDuplicate === undefined
      ? []
      : [
          ...(isDuplicate.conflict.length > 0 ? [] : ['  // The answers of this gateway do not distinguish other data from the same data.']),
          `  isDuplicate: (${isDuplicate.path ? '{ status, body }' : '{ status }'}) => {`,
          ...(isDuplicate.path ? [`    const said = ${readingOf(isDuplicate.path)};`] : []),
          ...conditionOf(isDuplicate.conflict, 'conflict'),
          ...conditionOf(isDuplicate.same, 'same'),
          '    return false;',
          '  },',
        ]),
  ].join('\n');

/** The source that reads a text from a body. It never throws, since `Object(body)` is always an object. */
const readingOf = (path: readonly string[]): string =>
  path.length === 0
    ? 'String(body).trim()'
    : `String(Object(body)${path.map((name, depth) => `${depth > 0 ? '?.' : '.'}${/^\d/.test(name) ? `[${name}]` : name}`).join('')}).trim()`;

function conditionOf(words: readonly Words[], verdict: 'same' | 'conflict'): string[] {
  return words.map(({ status, pattern }) => `    if (status === ${status}${pattern === undefined ? '' : ` && /${pattern}/.test(said)`}) return '${verdict}';`);
}

/** The source of a module whose export is spread into the options of `createClient`. If the file name ends in `ts`, it is TypeScript. */
export function moduleOf(options: FromCheck, file: string, at: Date): string {
  const isTypeScript = /\.[cm]?ts$/.test(file);
  const type = "Pick<ClientOptions, 'attemptTimeoutMs' | 'isDuplicate'>";
  return `${[
    `${HEADER} Version ${version}, staging, ${at.toISOString().slice(0, 10)}. Run the check again once the gateway has changed.`,
    ...(isTypeScript
      ? ["import type { ClientOptions } from 'location-sdk';", '']
      : [`/** @type {${type.replace('ClientOptions', "import('location-sdk').ClientOptions")}} */`]),
    `export const fromCheck${isTypeScript ? `: ${type}` : ''} = {`,
    optionsAsSource(options),
    '};',
    '',
    'export default fromCheck;',
  ]
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== 'export const fromCheck = {')
    .join('\n')}\n`;
}

/** Called before anything is reported. A file that the check has not written is never overwritten. */
export function expectOwnFile(file: string): void {
  if (existsSync(file) && !readFileSync(file, 'utf8').startsWith(HEADER))
    throw new Failure(`--save ${file}: this file exists, and the check has not written it; choose another name`);
}

export function saveOptions(file: string, options: FromCheck, at: Date): boolean {
  try {
    writeFileSync(file, moduleOf(options, file, at));
    return true;
  } catch (error) {
    complain(`the options ${file} could not be written (${(error as NodeJS.ErrnoException).code})`);
    return false;
  }
}
