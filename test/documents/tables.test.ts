import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { type Described, helpOf, type OptionTable } from '../../src/cli/args.js';
import { COMMANDS } from '../../src/cli/main.js';
import { OUTBOX_COMMANDS } from '../../src/cli/outbox/command.js';
import { optionTable } from '../../src/core/client/option-table.js';
import { english, playerMessage } from '../../src/core/errors/player-message.js';
import french from '../../src/core/errors/player-messages/fr.json' with { type: 'json' };
import { INSTRUMENTS, type InstrumentRow } from '../../src/opentelemetry/instruments.js';
import { guides } from '../support/documents.js';
import { root } from '../support/run.js';

/**
 * The parts of the reference that are made from the code: each stands in a page between `<!-- from <source> -->` and
 * `<!-- end -->`. `UPDATE_TABLES=1 npx vitest run --project unit test/documents/tables.test.ts` writes them.
 */

const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Row {
  name: string;
  standard: string;
  text: string;
}

const sourceOf = (file: string) => ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);

/** The members of an interface of a file, in their order. */
function membersOf(source: ts.SourceFile, name: string): readonly ts.TypeElement[] {
  const found = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  );
  if (!found) throw new Error(`${source.fileName} has no interface ${name}.`);
  return found.members;
}

/** The doc comment of a member, in one line, without its example. */
function commentOf(member: ts.TypeElement): string {
  const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(comment?.comment) ?? '').replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}

/** The members of an option that has options itself, if their names and defaults stand in this file. */
function innerOf(member: ts.TypeElement, source: ts.SourceFile): readonly ts.TypeElement[] | undefined {
  if (!ts.isPropertySignature(member) || !member.type) return undefined;
  const types = ts.isUnionTypeNode(member.type) ? member.type.types : [member.type];
  for (const type of types) {
    if (ts.isTypeLiteralNode(type)) return type.members;
    const named = ts.isTypeReferenceNode(type) ? type.typeName.getText(source) : '';
    if (/^\w+Options$/.test(named) && named !== 'GatewayOptions') return membersOf(source, named);
  }
  return undefined;
}

/** Each page says once that its times are in milliseconds. */
const IN_MS = /, in milliseconds(?=[,.])/g;

function rowsOf(source: ts.SourceFile, members: readonly ts.TypeElement[], before = ''): Row[] {
  return members.flatMap((member) => {
    const name = `${before}${member.name?.getText(source) ?? ''}`;
    const inner = innerOf(member, source);
    if (inner) return rowsOf(source, inner, `${name}.`);
    const [, text = '', standard] = /^(.*?)(?:Default: (.*?)\.?)?$/.exec(commentOf(member)) ?? [];
    return [
      {
        name,
        text: text.replace(IN_MS, '').trim(),
        standard: standard ?? (member.questionToken ? 'none' : 'required'),
      },
    ];
  });
}

const rowsIn = (file: string, name: string) => {
  const source = sourceOf(file);
  return rowsOf(source, membersOf(source, name));
};

function optionsIn(file: string, name: string): string {
  const rows = rowsIn(file, name).map((row) => `| \`${row.name}\` | ${row.standard} | ${row.text} |`);
  return ['| option | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function eventsIn(file: string, name: string): string {
  const source = sourceOf(file);
  return membersOf(source, name)
    .map((member) => `- \`${member.name?.getText(source).replaceAll("'", '')}\`: ${commentOf(member)}`)
    .join('\n');
}

/** The members of a union of strings, each with its doc comment. */
function wordsIn(file: string, name: string): string {
  const [, union = ''] = new RegExp(`^export type ${name} =(.*?);$`, 'ms').exec(read(file)) ?? [];
  return [...union.matchAll(/\/\*\*(.*?)\*\/\s*\| '([\w-]+)'/gs)]
    .map(([, comment = '', word = '']) => `- \`${word}\`: ${comment.replace(/\s+\*?\s*/g, ' ').trim()}`)
    .join('\n');
}

/** The codes of every store, and then those of one: its name begins the comment. */
function storeCodes(): string {
  const all = wordsIn('src/core/errors/store-error.ts', 'StoreErrorCode').split('\n');
  const named = /(?<=^- `[\w-]+`: )(SQLite|PostgreSQL): (.)/;
  const of = (store: string) =>
    all.flatMap((line) => {
      const [, name, first = ''] = named.exec(line) ?? [];
      return name === store ? [line.replace(named, first.toUpperCase())] : [];
    });
  const rest = all.filter((line) => !named.test(line));
  return [rest, ['SQLite:'], of('SQLite'), ['PostgreSQL:'], of('PostgreSQL')]
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** The words for a player by situation, and what the page's button does. */
function situations(): string {
  const rows = (Object.keys(french) as (keyof typeof french)[]).map(
    (situation) => `| \`${situation}\` | ${english[situation]} | \`${playerMessage(situation).action}\` |`,
  );
  return ['| `situation` | `text` | `action` |', '|---|---|---|', ...rows].join('\n');
}

/** Every command has --help. */
const HELP = /^ +--help +Print this help\n/m;

const block = (text: string) => `\`\`\`text\n${text.replace(HELP, '').trimEnd()}\n\`\`\``;

/** The note that every command with a `<report>` prints. */
const A_REPORT = /A <report> is an id.*?need --account or --environment\./s;

/** The help of a command. The options that it shares with another one are only named. */
function withoutOptionsOf(other: string, command: Described): string {
  const [taken] = COMMANDS.filter(({ words }) => words.join(' ') === other);
  const isShared = (name: string) => taken?.options[name]?.help === command.options[name]?.help;
  const names = Object.keys(command.options);
  const own = Object.fromEntries(Object.entries(command.options).filter(([name]) => !isShared(name)));
  const shared = names.filter(isShared).map((name) => `--${name}`);
  return helpOf({ ...command, options: own, notes: `Options of ${other}: ${shared.join(', ')}\n\n${command.notes}` });
}

/** The help of a command without those within it, which have their own sections. */
const outlineOf = ({ summary, usage, options, notes }: Described): string => helpOf({ summary, usage, options, notes });

/** The help of every command. The options that several commands of an outbox share are printed once. */
function help(): string {
  return [...COMMANDS]
    .reverse()
    .flatMap((command) => {
      const name = command.words.join(' ');
      const own = `## ${name}\n\n${block(name === 'mock run' ? withoutOptionsOf('mock', command) : outlineOf(command))}`;
      if (name !== 'outbox') return [own];
      const inner = Object.keys(OUTBOX_COMMANDS).map((word) => {
        const described = command.describe?.(['…', word]);
        if (!described) throw new Error(`location-sdk outbox ${word} has no help.`);
        return { word, ...described };
      });
      const count = (option: string) => inner.filter(({ options }) => option in options).length;
      const everywhere = command.options;
      const shared = Object.fromEntries(
        inner
          .flatMap(({ options }) => Object.entries(options))
          .filter(([option]) => count(option) > 3 && !(option in everywhere)),
      );
      const [note = ''] = inner.flatMap(({ notes }) => A_REPORT.exec(notes) ?? []);
      const named = (words: string) => `\`${words}\``;
      const rows = inner.map(({ word, summary, usage, options }) => {
        const names = Object.keys(options).filter((option) => !(option in everywhere) && option !== 'help');
        const given = usage.replace(`outbox <file> ${word}`, word).replace(' [options]', '');
        const taken = names.map((option) => named(`--${option}`)).join(', ');
        return `- ${named(given)}: ${summary.replace(/<\w+>/, named)}${taken && ` (${taken})`}`;
      });
      const rest = Object.fromEntries(
        inner
          .flatMap(({ options }) => Object.entries(options))
          .filter(([option]) => !(option in shared) && !(option in everywhere)),
      );
      return [own, rows.join('\n'), block(columnsOf(shared)), block(columnsOf(rest)), block(note)];
    })
    .join('\n\n');
}

/** The options of a table as the help prints them. */
const columnsOf = (options: OptionTable): string =>
  /Options:\n(.*?)\n {2}--help/s.exec(helpOf({ summary: '', usage: '', options, notes: '' }))?.[1] ?? '';

function metrics(): string {
  return Object.values<InstrumentRow>(INSTRUMENTS)
    .map(({ kind, name, description, attributes }) => {
      const names = attributes.map((one) => `\`${one.replace('location_sdk.', '')}\``);
      return `- \`${name}\` (${kind}): ${description}${names.length > 0 ? ` By ${names.join(', ')}.` : ''}`;
    })
    .join('\n');
}

/** Each part by the words of its comment. */
const PARTS: Readonly<Record<string, () => string>> = {
  ClientOptions: () => optionsIn('src/core/client/options.ts', 'ClientOptions'),
  CallOptions: () => optionsIn('src/core/client/options.ts', 'CallOptions'),
  OutboxOptions: () => optionsIn('src/outbox/options.ts', 'OutboxOptions'),
  PostgresStoreOptions: () => optionsIn('src/outbox/stores/postgres/options.ts', 'PostgresStoreOptions'),
  OutboxEvents: () => eventsIn('src/outbox/events.ts', 'OutboxEvents'),
  RelayOptions: () => optionsIn('src/http/relay/relay-options.ts', 'RelayOptions'),
  MockGatewayOptions: () => optionsIn('src/testing/mock/options.ts', 'MockGatewayOptions'),
  LocationFailure: () => wordsIn('src/core/errors/errors.ts', 'LocationFailure'),
  StoreErrorCode: storeCodes,
  'the situations of a player': situations,
  INSTRUMENTS: metrics,
  'the help of every command': help,
};

const PART = /(<!-- from (.*?) -->\n\n)(.*?)(\n\n<!-- end -->)/gs;

describe('the parts of the reference that are made from the code', () => {
  const found = guides.flatMap((name) => [...read(name).matchAll(PART)].map(([, , from = '']) => ({ name, from })));

  test('each stands in one page', () => {
    expect(found.map(({ from }) => from).sort()).toEqual(Object.keys(PARTS).sort());
  });

  test.each([...new Set(found.map(({ name }) => name))])('%s', (name) => {
    const text = read(name);
    const made = text.replace(PART, (_, begin, from, __, end) => `${begin}${PARTS[from]?.() ?? ''}${end}`);
    if (process.env.UPDATE_TABLES) writeFileSync(join(root, name), made);
    else expect(text, 'run this test with UPDATE_TABLES=1').toBe(made);
  });
});

/** Every option of the client's table with its default, by its path. */
function leavesOf(table: object, path: readonly string[] = []): { path: string; standard: unknown }[] {
  return Object.entries(table).flatMap(([name, entry]) =>
    'schema' in entry
      ? [{ path: [...path, name].join('.'), standard: entry.standard }]
      : leavesOf(entry, [...path, name]),
  );
}

describe("the doc comment of a client's option has the default of the table", () => {
  const rows = rowsIn('src/core/client/options.ts', 'ClientOptions');
  const plain = leavesOf(optionTable).filter(
    ({ path, standard }) => /number|boolean|string/.test(typeof standard) && !/^paths|sourceNames/.test(path),
  );

  test.each(plain)('$path', ({ path, standard }) => {
    const words = typeof standard === 'number' ? standard.toLocaleString('en') : String(standard);
    const row = rows.find(({ name }) => name === path);
    if (typeof standard === 'string') expect(row?.standard).toContain(`'${words}'`);
    else expect(row?.standard.split(/[;,] (?!\d{3})/)[0]).toBe(words);
  });

  test('and every option has a row', () => {
    const without = leavesOf(optionTable).filter(
      ({ path }) => !rows.some(({ name }) => path === name || path.startsWith(`${name}.`)),
    );
    expect(without).toEqual([]);
  });
});
