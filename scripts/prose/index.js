// Names every riddle in documents, comments and messages: `npm run lint`. Exits with 1 if there is one.
import { execFileSync } from 'node:child_process';
import { extname } from 'node:path';
import { lint } from './lint.js';

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
  'pages',
  'build',
  'test',
  // These contain the words themselves: the linter's list and its test, and the vocabulary of answers.
  ':!scripts/prose',
  ':!src/core/redact/vocabulary.ts',
];
const ENDINGS = ['.md', '.ts', '.tsx', '.js'];

const files = process.argv.length > 2 ? process.argv.slice(2) : listed();
let count = 0;
for (const file of files) {
  const riddles = await lint(file);
  for (const riddle of riddles) console.log(riddle);
  count += riddles.length;
}
console.log(`${files.length} files read, ${count} riddles`);
if (count > 0) process.exitCode = 1;

function listed() {
  const names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...SCOPE], {
    encoding: 'utf8',
  });
  return names.split('\n').filter((name) => ENDINGS.includes(extname(name)));
}
