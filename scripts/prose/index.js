// Reads documents, comments and messages with textlint and names every riddle: `npm run lint`. Exits with 1 if there is one.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import terminology from 'textlint-rule-terminology';
import sentenceStart from './sentence-start.js';
import source from './source-plugin.js';
import { words } from './words.js';

/** The files and folders that are read. */
const SCOPE = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs',
  'bench',
  'examples',
  'scripts',
  'src',
  'test',
  // These contain the words themselves: the linter's list and its test, and the vocabulary of answers.
  ':!scripts/prose',
  ':!test/prose.test.ts',
  ':!src/redact/vocabulary.ts',
  // Not rewritten yet.
  ':!src/cli',
  ':!src/outbox',
  ':!test/cli',
  ':!test/outbox',
  ':!test/site',
];
const ENDINGS = ['.md', '.ts', '.tsx', '.js'];

const files = process.argv.length > 2 ? process.argv.slice(2) : listed();
const kernel = new TextlintKernel();
let count = 0;
for (const file of files) {
  const { messages } = await kernel.lintText(await readFile(file, 'utf8'), {
    ext: extname(file),
    filePath: file,
    plugins: [
      { pluginId: 'markdown', plugin: Object(markdown).default ?? markdown },
      { pluginId: 'source', plugin: source },
    ],
    rules: [
      { ruleId: 'words', rule: terminology, options: { defaultTerms: false, skip: [], terms: words } },
      { ruleId: 'sentence-start', rule: sentenceStart },
    ],
  });
  count += messages.length;
  for (const { line, column, message } of messages) console.log(`${file}:${line}:${column} ${message}`);
}
console.log(`${files.length} files read, ${count} riddles`);
if (count > 0) process.exitCode = 1;

function listed() {
  const names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...SCOPE], { encoding: 'utf8' });
  return names.split('\n').filter((name) => ENDINGS.includes(extname(name)));
}
