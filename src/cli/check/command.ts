import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ENVIRONMENTS } from '../../core/errors/errors.js';
import { LONGEST_TIMER_MS } from '../../core/platform/time.js';
import { notEmpty, type OptionTable, oneOf, readArgs, readDuration } from '../args.js';
import { codeOf, complain, EXIT, Failure, say } from '../output.js';
import { createFindings } from './assumptions.js';
import { runChecks } from './checks.js';
import { readOptionsModule } from './options-file.js';
import { type CheckReport, printEnd, printLine, reportAsJson, reportAsMarkdown, tallyOf } from './report.js';
import type { Line, Tell } from './run.js';
import { readTarget } from './target.js';

const DEFAULT_TIMEOUT_MS = 120_000;

export const CHECK_OPTIONS = {
  environment: { hint: '<name>', help: 'staging or production (default: staging)', read: oneOf(...ENVIRONMENTS) },
  options: {
    hint: '<file.mjs>',
    help: 'A module with client options as its default export',
    read: notEmpty,
  },
  report: { hint: '<file.md>', help: 'Write a report for the authority', read: notEmpty },
  json: { help: 'Print the report as JSON' },
  timeout: {
    hint: '<time>',
    help: 'The time limit for all checks, such as 30s (default: 2m)',
    read: readDuration,
  },
  'trust-environment': { help: 'Send made-up reports even if the gateway does not answer as staging does' },
} as const satisfies OptionTable;

export const CHECK_NOTES = `Reads LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY (or …_PRODUCTION_…).
Tests the settings, name, port, certificate and clock, whether the gateway answers, and whether it
accepts your key and refuses another. In staging it also tests the test numbers, repeats, and the
four steps with made-up data. In production it records nothing and looks no person up.

It prints and writes neither the key nor personal data.

Exit code 0: no check failed; there may be warnings. 1: a check failed. 2: the call is wrong.`;

export async function check(words: readonly string[]): Promise<number> {
  const values = readArgs(CHECK_OPTIONS, words);
  const { environment = 'staging', report: file, json, timeout = DEFAULT_TIMEOUT_MS } = values;
  if (file !== undefined) expectFolder(file);
  const { client: options } = await readOptionsModule(values.options);
  const signal = AbortSignal.timeout(Math.min(Math.max(1, Math.round(timeout)), LONGEST_TIMER_MS));

  const lines: Line[] = [];
  const tell: Tell = (section, name, { status, text, advice }) => {
    const line = { section, status, name, text, advice };
    if (!json) printLine(line, lines.at(-1)?.section);
    lines.push(line);
  };
  if (!json) say(`location-sdk check: ${environment}`);

  const findings = createFindings();
  const references: string[] = [];
  const began = Date.now();
  const target = readTarget(options, environment, tell);
  if (target)
    await runChecks({
      ...target,
      findings,
      references,
      signal,
      trustEnvironment: values['trust-environment'] === true,
      state: { recorded: new Set() },
      tell,
    });

  const report: CheckReport = { environment, target, began, lines, references, assumptions: findings.list() };
  if (json) say(reportAsJson(report));
  else printEnd(report, file);
  const isWritten = file === undefined || write(file, reportAsMarkdown(report));
  return isWritten && tallyOf(lines).fail === 0 ? EXIT.done : EXIT.failed;
}

/** Called before anything is reported, since a run that cannot write its results must be repeated. */
function expectFolder(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new Failure(`--report ${file}: its folder cannot be written to (${codeOf(error)})`);
  }
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch (error) {
    complain(`the report ${file} could not be written (${codeOf(error)})`);
    return false;
  }
}
