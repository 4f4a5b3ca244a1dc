import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LONGEST_TIMER_MS, systemClock } from '../../platform/time.js';
import { duration, notEmpty, type OptionTable, oneOf, readArgs } from '../args.js';
import { complain, EXIT, Failure, say } from '../output.js';
import { createFindings } from './assumptions.js';
import { runChecks } from './checks.js';
import { readOptionsFile } from './options-file.js';
import { printLine, printTally, tallyOf } from './print.js';
import { type Report, reportAsJson, reportAsMarkdown } from './report.js';
import type { Line, Status } from './run.js';
import { readTarget } from './target.js';

const DEFAULT_TIMEOUT_MS = 120_000;

export const CHECK_OPTIONS = {
  environment: { hint: '<name>', help: 'staging or production (default: staging)', read: oneOf('staging', 'production') },
  options: { hint: '<file.mjs>', help: 'Client options, as its default export: paths, isDuplicate, gateways …', read: notEmpty },
  report: { hint: '<file.md>', help: "Write a report to hand to the authority's contact", read: notEmpty },
  json: { help: 'Print the report as JSON, and nothing else' },
  timeout: { hint: '<time>', help: 'For everything at most, such as 30s or 2m (default: 2m)', read: duration },
  'trust-environment': { help: 'Send made-up reports although it does not answer as staging' },
} as const satisfies OptionTable;

export const CHECK_NOTES = `Reads LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY (or …_PRODUCTION_…),
as a client does. Tests the settings, name, port, certificate and clock; that the gateway
is what answers; that it takes the key and no other; and in staging the test numbers, the
four steps with made-up data, and what it says to repeats.

In production nothing is recorded and nobody is looked up: the four steps are left out.
Neither the key nor anybody's data is printed or written.

Exit code 0: all is well, or worth a warning at most. 1: a check failed. 2: the call is wrong.`;

/** Tests an environment from its settings to the four steps. */
export async function check(words: readonly string[]): Promise<number> {
  const values = readArgs(CHECK_OPTIONS, words);
  const { environment = 'staging', report: file, json, timeout = DEFAULT_TIMEOUT_MS } = values;
  if (file !== undefined) expectFolder(file);
  const milliseconds = Math.min(Math.max(1, Math.round(timeout)), LONGEST_TIMER_MS);
  const signal = AbortSignal.timeout(milliseconds);
  const options = await readOptionsFile(values.options, { clock: systemClock, milliseconds });

  const lines: Line[] = [];
  const tell = (section: string, status: Status, name: string, text: string, advice?: string): void => {
    const line = { section, status, name, text, advice };
    if (!json) printLine(line, lines.at(-1)?.section);
    lines.push(line);
  };
  if (!json) say(`location-sdk check: ${environment}`);

  const findings = createFindings();
  const references: string[] = [];
  const began = Date.now();
  const target = readTarget(options, environment, tell);
  if (target) {
    const trustEnvironment = values['trust-environment'] === true;
    await runChecks({ ...target, findings, references, lines, tell, signal, trustEnvironment, now: Date.now, random: Math.random });
  }

  const report: Report = { environment, target, began, lines, references, assumptions: findings.list() };
  if (json) say(reportAsJson(report));
  else printTally(lines, file);
  const written = file === undefined || write(file, reportAsMarkdown(report));
  return written && tallyOf(lines).fail === 0 ? EXIT.done : EXIT.failed;
}

/** Before anything is reported: a run that leaves nothing behind has to be repeated. */
function expectFolder(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new Failure(`--report ${file}: its folder cannot be written to (${(error as NodeJS.ErrnoException).code})`);
  }
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text);
    return true;
  } catch (error) {
    complain(`the report ${file} could not be written (${(error as NodeJS.ErrnoException).code})`);
    return false;
  }
}
