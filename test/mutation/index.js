// Changes the files with rules in hundreds of small ways and checks that a test fails for each (Stryker). Prints the
// survivors, and fails if a file's score is too low.
//
// npm run test:mutation                                all files of rules.js
// npm run test:mutation -- src/outbox/rules/pause.ts         one of them
// npm run test:mutation -- --since HEAD~1              the lines of them that changed since a commit
// npm run test:mutation -- --concurrency 1             with one process
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { RULES } from './rules.js';

/**
 * Mutants without an effect that a caller, the gateway or a store could see, and why. `mutated` is a line as this
 * script prints it.
 *
 * @type {readonly { file: string, mutated: string, reason: string }[]}
 */
const EQUIVALENT = JSON.parse(readFileSync(new URL('equivalent.json', import.meta.url), 'utf8'));

/** The lowest share of mutants that tests must find, in percent. */
const LEAST = 90;

/** With `--since`, more lines are sampled: a mutant takes some seconds. */
const MOST_LINES = 60;
const LONGEST_STRETCH = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string' }, since: { type: 'string' } },
});
const { since } = values;
const named = positionals.length > 0 ? positionals : RULES;
const strangers = named.filter((file) => !RULES.includes(file));
if (strangers.length > 0) {
  console.error(`${strangers.join(', ')}: not in test/mutation/rules.js`);
  process.exit(2);
}

/**
 * The stretches of lines that changed since a commit, as `file:first-last`, evenly spread if they are too many.
 * @param {string} commit
 */
function changedLines(commit) {
  // All files, since git sees a file that was moved only beside its old place.
  const diff = execFileSync('git', ['diff', '--unified=0', '--no-color', '--find-renames', `${commit}...HEAD`], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  /** @type {{ file: string, first: number, last: number }[]} */
  const stretches = [];
  let file = '';
  for (const line of diff.split('\n')) {
    file = /^\+\+\+ b\/(.*)/.exec(line)?.[1] ?? file;
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (!named.includes(file)) continue;
    const end = Number(first) + Number(count);
    for (let next = Number(first); next < end; next += LONGEST_STRETCH)
      stretches.push({ file, first: next, last: Math.min(next + LONGEST_STRETCH, end) - 1 });
  }
  const lines = stretches.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const size = Math.max(1, Math.floor((stretches.length * MOST_LINES) / Math.max(lines, MOST_LINES)));
  const left = stretches.filter((_, index) => (index * size) % stretches.length >= size);
  if (left.length > 0) {
    console.log(
      `${lines} lines with rules changed; these are left for npm run test:mutation, which mutates whole files:`,
    );
    console.log(left.map((one) => `  ${one.file}:${one.first}-${one.last}`).join('\n'));
  }
  return stretches.filter((one) => !left.includes(one)).map((one) => `${one.file}:${one.first}-${one.last}`);
}

const mutate = since === undefined ? named : changedLines(since);
const files = named.filter((file) => mutate.some((one) => one.split(':')[0] === file));
if (files.length === 0) {
  console.log(`No line of a file of test/mutation/rules.js has changed since ${since}.`);
  process.exit(0);
}

const mutants = await new Stryker({
  mutate: [...mutate],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.js', related: false },
  coverageAnalysis: 'perTest',
  // Vitest does not check types.
  disableTypeChecks: false,
  ignorePatterns: ['bench', 'dist', 'examples', 'site'],
  // In addition to the time of its tests: a busy machine must not count as a failing test.
  timeoutMS: 20_000,
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  ...(values.concurrency !== undefined && { concurrency: Number(values.concurrency) }),
}).runMutationTest();

/**
 * The lines that a mutant changes, in one line, with the changed piece between « and ».
 * @param {string} file
 * @param {(typeof mutants)[number]} mutant
 */
function linesOf(file, { location: { start, end }, replacement = '' }) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const [before, after] = [lines[0]?.slice(0, start.column - 1), lines.at(-1)?.slice(end.column - 1)];
  return `${before}«${replacement}»${after}`.replace(/\s+/g, ' ').trim();
}

const judged = mutants.map((mutant) => {
  const file = relative(process.cwd(), mutant.fileName);
  const mutated = linesOf(file, mutant);
  return {
    file,
    line: mutant.location.start.line,
    mutated,
    listed: EQUIVALENT.find((one) => one.file === file && one.mutated === mutated),
    killed: mutant.status === 'Killed',
    found: mutant.status === 'Killed' || mutant.status === 'Timeout',
    survived: mutant.status === 'Survived' || mutant.status === 'NoCoverage',
  };
});

let failed = false;
for (const file of files) {
  const here = judged.filter((one) => one.file === file);
  const found = here.filter((one) => one.found).length;
  const survivors = here.filter(({ survived, listed }) => survived && !listed);
  const equivalent = here.filter(({ survived, listed }) => survived && listed).length;
  const score = (100 * found) / (found + survivors.length);
  // A file that was deleted, or that has no mutants, has no score. Few lines may have none, and one survivor among few
  // says little.
  const isLow = since === undefined ? !(score >= LEAST) : score < LEAST && survivors.length > 1;
  failed ||= isLow;
  console.log(
    `${file}: ${score.toFixed(1)} %${isLow ? `, below ${LEAST} %` : ''} (${found} found, ${survivors.length} survived, ${equivalent} equivalent)`,
  );
  for (const { line, mutated } of survivors) console.log(`  ${line}: ${mutated}`);
}

// The lines that changed may lack the mutants of the list.
for (const one of since === undefined ? EQUIVALENT.filter(({ file }) => files.includes(file)) : []) {
  const here = judged.filter(({ listed }) => listed === one);
  const wrong =
    here.length === 0
      ? 'does not exist any more'
      : here.every(({ killed }) => killed)
        ? 'is found by a test'
        : undefined;
  if (wrong === undefined) continue;
  failed = true;
  console.log(
    `${one.file}: a mutant of test/mutation/equivalent.json ${wrong}; remove it from the list: ${one.mutated}`,
  );
}
process.exitCode = failed ? 1 : 0;
