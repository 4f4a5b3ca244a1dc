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
  options: { hint: '<file.mjs>', help: 'A module with client options as its default export: paths, isDuplicate, gateways …', read: notEmpty },
  report: { hint: '<file.md>', help: "Write a report to hand to the authority's contact", read: notEmpty },
  save: { hint: '<file.mjs>', help: 'Write the options that staging needs, for createClient({ gateways, ...fromCheck })', read: notEmpty },
  json: { help: 'Print the report as JSON, and nothing else' },
  timeout: { hint: '<time>', help: 'The time limit for all checks, such as 30s or 2m (default: 2m)', read: duration },
  'trust-environment': { help: 'Send made-up reports even if the gateway does not answer as staging does' },
} as const satisfies OptionTable;

export const CHECK_NOTES = `Reads LOCATION_SDK_STAGING_BASE_URL and LOCATION_SDK_STAGING_API_KEY (or …_PRODUCTION_…),
as a client does. Tests the settings, name, port, certificate and clock, whether the gateway
answers at the address, and whether it accepts your key and refuses another. In staging it also
tests the test numbers, the size of a body, the four steps with made-up data, and repeats.
If the gateway differs from an assumption, the check prints the options to copy.

In production it records nothing and looks no person up: it leaves the four steps out.
It prints and writes neither the key nor personal data.

Exit code 0: no check failed; there may be warnings. 1: a check failed. 2: the call is wrong.`;

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
      'these answers do not distinguish a repeat from another refusal, so no option can',
      'ask the authority for a separate status or message for repeats',
    );
  const saved = save === undefined || fromCheck === undefined ? undefined : saveOptions(save, fromCheck, new Date(began)) ? save : undefined;
  if (save !== undefined && fromCheck === undefined) complain(`${save} was not written: the repeats were not measured`);
  const report: Report = { environment, target, began, lines, references, assumptions: findings.list(), fromCheck };
  if (json) say(reportAsJson(report));
  else {
    printOptions(optionsAsSource(fromCheck ?? {}), saved);
    printTally(lines, file);
  }
  const written = (file === undefined || write(file, reportAsMarkdown(report))) && saved === save;
  return written && tallyOf(lines).fail === 0 ? EXIT.done : EXIT.failed;
}

/** Made-up reports go only to staging. */
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

/** Called before anything is reported, since a run that cannot write its results must be repeated. */
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
