// Changes the files that hold rules in hundreds of small ways and sees whether a test fails for each (Stryker). Prints what survives,
// and fails where a file falls below its score.
//
//   npm run test:mutation                                all files of rules.js
//   npm run test:mutation -- src/outbox/pause.ts         one of them
//   npm run test:mutation -- --concurrency 1             with one process
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { EQUIVALENT } from './equivalent.js';
import { RULES } from './rules.js';

/** The least share of mutants that tests must find, in percent. */
const LEAST = 90;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { concurrency: { type: 'string' } } });
const files = positionals.length > 0 ? positionals : RULES;
const strangers = files.filter((file) => !RULES.includes(file));
if (strangers.length > 0) {
  console.error(`${strangers.join(', ')}: not in scripts/mutation/rules.js`);
  process.exit(2);
}

const mutants = await new Stryker({
  mutate: [...files],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.js', related: false },
  coverageAnalysis: 'perTest',
  // Vitest does not look at types.
  disableTypeChecks: false,
  ignorePatterns: ['bench', 'dist', 'docs', 'examples', 'site'],
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  ...(values.concurrency !== undefined && { concurrency: Number(values.concurrency) }),
}).runMutationTest();

/** The piece of the source that a mutant replaces, in one line. @param {string} file @param {(typeof mutants)[number]['location']} location */
function originalOf(file, { start, end }) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  lines.push(lines.pop()?.slice(0, end.column - 1) ?? '');
  lines[0] = lines[0]?.slice(start.column - 1) ?? '';
  return oneLine(lines.join('\n'));
}

/** @param {string} text */
const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

const judged = mutants.map((mutant) => {
  const file = relative(process.cwd(), mutant.fileName);
  const original = originalOf(file, mutant.location);
  const replacement = oneLine(mutant.replacement ?? '');
  const listed = EQUIVALENT.find((one) => one.file === file && one.original === original && one.replacement === replacement);
  const survived = mutant.status === 'Survived' || mutant.status === 'NoCoverage';
  return { file, original, replacement, listed, survived, found: mutant.status === 'Killed' || mutant.status === 'Timeout', start: mutant.location.start };
});

let failed = false;
for (const file of files) {
  const here = judged.filter((one) => one.file === file);
  const found = here.filter((one) => one.found).length;
  const survivors = here.filter(({ survived, listed }) => survived && !listed);
  const score = (100 * found) / (found + survivors.length);
  // A file that is gone, or holds nothing to change, has no score.
  const isLow = !(score >= LEAST);
  failed ||= isLow;
  console.log(
    `${file}: ${score.toFixed(1)} %${isLow ? `, below ${LEAST} %` : ''} (${found} found, ${survivors.length} survived, ${here.filter(({ survived, listed }) => survived && listed).length} equivalent)`,
  );
  for (const { start, original, replacement } of survivors) console.log(`  ${file}:${start.line}:${start.column}  ${original}  →  ${replacement}`);
}

for (const one of EQUIVALENT.filter(({ file }) => files.includes(file))) {
  const here = judged.filter(({ listed }) => listed === one);
  const wrong = here.length === 0 ? 'does not exist any more' : here.some(({ survived }) => !survived) ? 'is found by a test' : undefined;
  if (wrong === undefined) continue;
  failed = true;
  console.log(`scripts/mutation/equivalent.js, ${one.file}: ${one.original}  →  ${one.replacement}: this mutant ${wrong}; take it out of the list`);
}
process.exitCode = failed ? 1 : 0;
