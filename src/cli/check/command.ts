import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Environment } from '../../errors/errors.js';
import { LONGEST_TIMER_MS, systemClock } from '../../platform/time.js';
import { duration, notEmpty, type OptionTable, oneOf, readArgs } from '../args.js';
import { complain, EXIT, Failure, say } from '../output.js';
import { type AssumptionId, createFindings, type Findings } from './assumptions.js';
import { runChecks } from './checks.js';
import type { Recorder } from './exchange.js';
import { expectOwnFile, type FromCheck, fromCheckOf, optionsAsSource, saveOptions } from './from-check.js';
import { latencyOf } from './latency.js';
import { readOptionsFile } from './options-file.js';
import { printLine, printOptions, printTally, tallyOf } from './print.js';
import { type Report, reportAsJson, reportAsMarkdown } from './report.js';
import type { Line, Status, Target } from './run.js';
import { readTarget } from './target.js';

const DEFAULT_TIMEOUT_MS = 120_000;

export const CHECK_OPTIONS = {
  environment: { hint: '<name>', help: 'staging or production (default: staging)', read: oneOf('staging', 'production') },
  options: { hint: '<file.mjs>', help: 'Client options, as its default export: paths, isDuplicate, gateways …', read: notEmpty },
  report: { hint: '<file.md>', help: "Write a report to hand to the authority's contact", read: notEmpty },
  save: { hint: '<file.mjs>', help: 'Write the options that staging needs, for createClient({ gateways, ...fromCheck })', read: notEmpty },
  json: { help: 'Print the report as JSON, and nothing else' },
  timeout: { hint: '<time>', help: 'For everything at most, such as 30s or 2m (default: 2m)', read: duration },
  'trust-environment': { help: 'Send made-up reports although it does not answer as staging' },
} as const satisfies OptionTable;

export const CHECK_NOTES = `Reads LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY (or …_PRODUCTION_…),
as a client does. Tests the settings, name, port, certificate and clock; that the gateway
is what answers; that it takes the key and no other; and in staging the test numbers, the
four steps with made-up data, and what it says to repeats
and how large a body may be. Where it differs from what we assume, it prints the options to copy.

In production nothing is recorded and nobody is looked up: the four steps are left out.
Neither the key nor anybody's data is printed or written.

Exit code 0: all is well, or worth a warning at most. 1: a check failed. 2: the call is wrong.`;

/** Tests an environment from its settings to the four steps. */
export async function check(words: readonly string[]): Promise<number> {
  const values = readArgs(CHECK_OPTIONS, words);
  const { environment = 'staging', report: file, save, json, timeout = DEFAULT_TIMEOUT_MS } = values;
  if (file !== undefined) expectFolder('report', file);
  if (save !== undefined) expectSavable(save, environment);
  const milliseconds = Math.min(Math.max(1, Math.round(timeout)), LONGEST_TIMER_MS);
  const signal = AbortSignal.timeout(milliseconds);
  const options = await readOptionsFile(values.options, { clock: systemClock, milliseconds });

  if (save !== undefined && options.isDuplicate !== undefined)
    throw new Failure('--save measures what the default isDuplicate does: leave isDuplicate out of the file for --options');

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

  const fromCheck = target && measuredOptions(target, findings);
  if (fromCheck && differs(findings, 'duplicate') && !fromCheck.isDuplicate)
    tell(
      'Options',
      'warn',
      'isDuplicate',
      'nothing in these answers tells a repeat from another refusal, so no option can',
      'ask the authority for a status or words of its own',
    );
  const saved = save === undefined || fromCheck === undefined ? undefined : saveOptions(save, fromCheck, new Date(began)) ? save : undefined;
  if (save !== undefined && fromCheck === undefined) complain(`nothing is written to ${save}: the repeats were not measured`);
  const report: Report = { environment, target, began, lines, references, assumptions: findings.list(), fromCheck };
  if (json) say(reportAsJson(report));
  else {
    printOptions(optionsAsSource(fromCheck ?? {}), saved);
    printTally(lines, file);
  }
  const written = (file === undefined || write(file, reportAsMarkdown(report))) && saved === save;
  return written && tallyOf(lines).fail === 0 ? EXIT.done : EXIT.failed;
}

/** Made-up reports go to staging alone. */
function expectSavable(file: string, environment: Environment): void {
  if (environment === 'production') throw new Failure('--save measures with made-up reports, which are never sent to production: use --environment staging');
  expectFolder('save', file);
  expectOwnFile(file);
}

const differs = (findings: Findings, id: AssumptionId): boolean => findings.list().some((one) => one.id === id && one.verdict === 'differs');

function measuredOptions({ recorder, requestMs }: Target & { readonly recorder: Recorder }, findings: Findings): FromCheck | undefined {
  return fromCheckOf({
    seen: recorder.answers,
    mistakesSame: differs(findings, 'duplicate'),
    mistakesOther: differs(findings, 'conflict'),
    latency: latencyOf(recorder.exchanges),
    requestMs,
    isShown: recorder.isFreeOfKeys,
  });
}

/** Before anything is reported: a run that leaves nothing behind has to be repeated. */
function expectFolder(option: 'report' | 'save', file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new Failure(`--${option} ${file}: its folder cannot be written to (${(error as NodeJS.ErrnoException).code})`);
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
