import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OptionTable, readArgs } from '../../src/cli/args.js';
import { COMMANDS } from '../../src/cli/main.js';
import { readOutboxCall } from '../../src/cli/outbox/command.js';
import { copiedFolders } from './code-blocks.js';
import { readGuides } from './documents.js';
import { root } from './run.js';

/** The scripts of a folder's package.json. If it has none, those of the project's. */
const scriptsOf = (folder: string) => {
  const own = join(root, folder, 'package.json');
  return (
    JSON.parse(readFileSync(existsSync(own) ? own : join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    }
  ).scripts;
};

/** The folder in which documents show files that a reader saves. */
const tutorials =
  readGuides(
    'start/backend',
    'start/backend-with-postgresql',
    'start/page',
    'start/page-with-relay',
    'start/ci',
    'start/which-stack',
  ) + readFileSync(join(root, 'README.md'), 'utf8');

/** The folders whose files a tutorial copies. */
const copied = copiedFolders(tutorials);

/** Replaces the reader's own value. */
const isPlaceholder = (word: string) => word === '…' || word === '$!' || /^<[^>]*>$/.test(word);

/** Without options whose value the reader chooses. Whether these options exist is checked here. */
function withoutPlaceholders(table: OptionTable, words: readonly string[]): string[] {
  return words.filter((word, index) => {
    const name = (at: number) => (words[at]?.startsWith('--') ? words[at]?.slice(2) : undefined);
    const leaves = (option: string | undefined, value: string | undefined) =>
      option && table[option]?.read && value !== undefined && isPlaceholder(value);
    return !leaves(name(index), words[index + 1]) && !(isPlaceholder(word) && leaves(name(index - 1), word));
  });
}

/** The command line's own message about these words. */
function problemOfOurs(words: readonly string[]): string | undefined {
  const end = words.indexOf('--');
  if (end >= 0) return problemOfOurs(words.slice(0, end)) ?? problemOf(words.slice(end + 1).join(' '));
  const command = COMMANDS.find((one) => one.words.every((word, index) => words[index] === word));
  if (!command)
    return words.length === 0 || /^--(?:help|version)$/.test(words[0] ?? '')
      ? undefined
      : `location-sdk has no command ${words[0]}`;
  if (words.includes('--help') && command.describe?.(words.slice(command.words.length))) return undefined;
  const rest = withoutPlaceholders(
    command.options,
    words.slice(command.words.length).filter((word) => word !== '--help'),
  );
  try {
    if (command.words[0] !== 'outbox') readArgs(command.options, rest);
    else if (rest.length > 0) readOutboxCall(rest);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const KNOWN_PROGRAMS =
  /^(?:curl|trap|export|kill|cd|mkdir|sleep|docker|apt-get|psql|createdb|createuser|sqlite3|sed|grep)$/;

/** The problem with one command of a document, in words. `from`: the folder of the document. */
export function problemOf(command: string, from = '.'): string | undefined {
  const [program = '', ...words] =
    command
      .replace(/#.*$/, '')
      .replace(/^(?:[A-Z_]+=(?:"[^"]*"|\S*) +)+/, '')
      .replace(/ & *$| +>+ ?[\w./-]+| +< [\w./-]+/g, '')
      .trim()
      .match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)
      ?.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')) ?? [];
  if (KNOWN_PROGRAMS.test(program) || program === '') return undefined;
  if (program === 'npm') return problemOfNpm(words, from);
  if (program === 'cp')
    return copied.some((folder) => words[0]?.includes(folder) && existsSync(join(root, folder)))
      ? undefined
      : 'cp copies an example';
  if (program === 'node') {
    if (words[0] === '-p') return undefined;
    // As a user has installed this package.
    const [file = ''] = words
      .filter((word) => !word.startsWith('--'))
      .map((word) => word.replace(/^node_modules\/location-sdk\//, ''));
    return file === '' ||
      ['', ...copied].some((folder) => existsSync(join(root, folder, file))) ||
      tutorials.includes(`\n// ${file}\n`)
      ? undefined
      : `there is no file ${file}`;
  }
  const [first = '', ...rest] =
    program === 'npx' ? words.filter((word) => word !== '--no-install') : [program.replace(/^.*\//, ''), ...words];
  if (['vitest', 'biome', 'tsc', 'esbuild'].includes(first)) return undefined;
  return first === 'location-sdk' ? problemOfOurs(rest) : `${first} is unknown here`;
}

function problemOfNpm(words: readonly string[], from: string): string | undefined {
  const [folder, rest] = words[0] === '--prefix' ? [words[1] ?? '', words.slice(2)] : [from, words];
  const [what = '', name = ''] = rest;
  if (what !== 'run')
    return /^(?:ci|init|install|i|test|start|pack|pkg|publish|version)$/.test(what)
      ? undefined
      : `npm ${what} is unknown here`;
  return name in scriptsOf(folder) ? undefined : `there is no script ${name}`;
}
